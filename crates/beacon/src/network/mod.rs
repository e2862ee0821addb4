//! The networks: genesis, forks, and the epoch, period and fork of a slot.

mod public;

use alloc::borrow::Cow;

use prooflight_core::{Error, Hash, Reason, Result};

use crate::fork::Fork;

/// The start of a fork, and the version that signatures cover from then on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ForkStart {
    /// The first epoch; `u64::MAX` if it is not scheduled.
    pub epoch: u64,
    /// The fork's version.
    pub version: [u8; 4],
}

/// The largest number of blobs in a block from an epoch on (EIP-7892); fork digests depend on it from Fulu on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlobParameters {
    /// The first epoch.
    pub epoch: u64,
    /// `MAX_BLOBS_PER_BLOCK`.
    pub max_blobs: u64,
}

/// The compile-time sizes of a network's nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Preset {
    /// `SLOTS_PER_EPOCH`.
    pub slots_per_epoch: u64,
    /// `EPOCHS_PER_SYNC_COMMITTEE_PERIOD`.
    pub epochs_per_period: u64,
    /// `SYNC_COMMITTEE_SIZE`: keys of a committee.
    pub committee_size: usize,
}

impl Preset {
    /// The preset of every public network.
    pub const MAINNET: Self =
        Self { slots_per_epoch: 32, epochs_per_period: 256, committee_size: 512 };
    /// The preset of most of the specification's tests.
    pub const MINIMAL: Self = Self { slots_per_epoch: 8, epochs_per_period: 8, committee_size: 32 };
}

/// The parameters of a network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NetworkParameters {
    /// The root of the validators at genesis, which every signature covers.
    pub genesis_validators_root: Hash,
    /// The time of slot 0, in seconds since 1970.
    pub genesis_time: u64,
    /// Seconds of a slot.
    pub seconds_per_slot: u64,
    /// `GENESIS_FORK_VERSION`, before Altair.
    pub genesis_version: [u8; 4],
    /// One for each of [`Fork::ALL`], in that order.
    pub forks: [ForkStart; 7],
    /// The blob parameters from Electra on, in order.
    pub blobs: Cow<'static, [BlobParameters]>,
    /// The sizes.
    pub preset: Preset,
}

/// A network with consistent parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Network(NetworkParameters);

impl Network {
    /// A network with these parameters; `invalid_config` if they are inconsistent.
    pub fn new(parameters: NetworkParameters) -> Result<Self> {
        let invalid = |expected: &str| {
            Err(Error::new(Reason::InvalidConfig, expected, format_args!("{parameters:?}")))
        };
        let Preset { slots_per_epoch, epochs_per_period, committee_size } = parameters.preset;
        if slots_per_epoch == 0
            || slots_per_epoch.checked_mul(epochs_per_period).is_none_or(|slots| slots == 0)
        {
            return invalid("periods of at least one slot");
        }
        if !committee_size.is_power_of_two() || !(8..=1 << 12).contains(&committee_size) {
            return invalid("a committee of 8 to 4,096 keys, a power of two");
        }
        if parameters.seconds_per_slot == 0 {
            return invalid("slots of at least one second");
        }
        if !parameters.forks.is_sorted_by_key(|fork| fork.epoch) {
            return invalid("forks in ascending order");
        }
        if !parameters.blobs.is_sorted_by(|one, next| one.epoch < next.epoch) {
            return invalid("blob parameters in ascending order of their epochs");
        }
        Ok(Self(parameters))
    }

    /// The parameters.
    pub const fn parameters(&self) -> &NetworkParameters {
        &self.0
    }

    /// Keys of a committee.
    pub(crate) const fn committee_size(&self) -> usize {
        self.0.preset.committee_size
    }

    /// The slot at a time, in seconds since 1970; 0 before genesis.
    pub const fn slot_at(&self, seconds: u64) -> u64 {
        seconds.saturating_sub(self.0.genesis_time) / self.0.seconds_per_slot
    }

    /// Two weeks, in slots: the default age limit of a checkpoint.
    pub const fn two_weeks(&self) -> u64 {
        14 * 24 * 60 * 60 / self.0.seconds_per_slot
    }

    /// The epoch of a slot.
    pub const fn epoch(&self, slot: u64) -> u64 {
        slot / self.0.preset.slots_per_epoch
    }

    /// The period of a slot, in which one sync committee signs.
    pub const fn period(&self, slot: u64) -> u64 {
        self.epoch(slot) / self.0.preset.epochs_per_period
    }

    /// Slots in a period, which is also the specification's `UPDATE_TIMEOUT`.
    pub const fn period_slots(&self) -> u64 {
        self.0.preset.slots_per_epoch * self.0.preset.epochs_per_period
    }

    /// The fork of a slot; `unsupported_fork` before Altair.
    pub fn fork(&self, slot: u64) -> Result<Fork> {
        self.fork_of_epoch(self.epoch(slot)).ok_or_else(|| {
            Error::new(
                Reason::UnsupportedFork,
                "a slot from Altair on",
                format_args!("slot {slot}"),
            )
        })
    }

    /// The fork version that signatures of a slot cover.
    pub fn fork_version(&self, slot: u64) -> [u8; 4] {
        self.version_of_epoch(self.epoch(slot))
    }

    pub(crate) fn version_of_epoch(&self, epoch: u64) -> [u8; 4] {
        let started = self.0.forks.iter().rev().find(|fork| fork.epoch <= epoch);
        started.map_or(self.0.genesis_version, |fork| fork.version)
    }

    pub(crate) fn fork_of_epoch(&self, epoch: u64) -> Option<Fork> {
        let forks = Fork::ALL.into_iter().zip(&self.0.forks).rev();
        forks.into_iter().find(|(_, start)| start.epoch <= epoch).map(|(fork, _)| fork)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;

    #[test]
    fn a_slot_has_the_newest_fork_that_has_begun() {
        let network = Network::MAINNET;
        let at = |epoch: u64| network.fork(32 * epoch);
        assert_eq!(at(74_239).unwrap_err().reason(), Reason::UnsupportedFork);
        for (epoch, fork) in [
            (74_240, Fork::Altair),
            (144_895, Fork::Altair),
            (144_896, Fork::Bellatrix),
            (194_048, Fork::Capella),
            (269_568, Fork::Deneb),
            (364_031, Fork::Deneb),
            (364_032, Fork::Electra),
            (411_392, Fork::Fulu),
            (u64::MAX / 32, Fork::Fulu),
        ] {
            assert_eq!(at(epoch), Ok(fork), "{epoch}");
        }
        assert_eq!(network.fork_version(32 * 364_032 - 1), [4, 0, 0, 0]);
        assert_eq!(network.fork_version(32 * 364_032), [5, 0, 0, 0]);
        assert_eq!(network.fork_version(0), [0; 4]);
        assert_eq!(Network::HOODI.fork(0), Ok(Fork::Deneb));
        assert_eq!(Network::HOODI.fork_version(32 * 50_688), [0x70, 0, 0x09, 0x10]);
        assert_eq!(Network::SEPOLIA.fork_version(32 * 353_024), [0x90, 0, 0, 0x76]);
        assert_eq!(Network::SEPOLIA.fork(32 * 353_024), Ok(Fork::Gloas));
    }

    #[test]
    fn slots_and_periods() {
        let network = Network::MAINNET;
        assert_eq!(network.slot_at(1_606_824_023 + 23), 1);
        assert_eq!(network.slot_at(0), 0);
        assert_eq!(network.period(11_403_296), 1392);
        assert_eq!(network.period(8191), 0);
        assert_eq!(network.period(8192), 1);
        assert_eq!(network.two_weeks(), 100_800);
        assert_eq!(network.period_slots(), 8192);
    }

    #[test]
    fn impossible_networks_are_refused() {
        let refused = |change: fn(&mut NetworkParameters)| {
            let mut parameters = Network::MAINNET.parameters().clone();
            change(&mut parameters);
            Network::new(parameters).unwrap_err().reason() == Reason::InvalidConfig
        };
        assert!(refused(|p| p.preset.slots_per_epoch = 0));
        assert!(refused(|p| p.preset.epochs_per_period = 0));
        assert!(refused(|p| p.preset.epochs_per_period = u64::MAX));
        assert!(refused(|p| p.preset.committee_size = 0));
        assert!(refused(|p| p.preset.committee_size = 48));
        assert!(refused(|p| p.preset.committee_size = 1 << 13));
        assert!(refused(|p| p.seconds_per_slot = 0));
        assert!(refused(|p| p.forks.reverse()));
        assert!(refused(|p| p.blobs.to_mut().reverse()));
        for network in [Network::MAINNET, Network::SEPOLIA, Network::HOODI] {
            assert_eq!(Network::new(network.parameters().clone()), Ok(network));
        }
    }
}
