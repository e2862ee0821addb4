//! The networks: genesis, forks, and what follows from a slot.

use alloc::borrow::Cow;
use core::fmt;

use prooflight_core::{Error, Hash, Reason, Result};

/// A fork that light-client data depends on, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Fork {
    /// Sync committees begin.
    Altair,
    /// The merge; light-client data stay as they were.
    Bellatrix,
    /// Headers come with an execution header.
    Capella,
    /// Execution headers have two fields of blobs.
    Deneb,
    /// The state has more fields, so that branches are longer.
    Electra,
    /// Fork digests depend on the blob parameters.
    Fulu,
    /// Headers come with an execution block hash; containers are progressive.
    Gloas,
}

impl Fork {
    /// Every fork, in order.
    pub const ALL: [Self; 7] = [
        Self::Altair,
        Self::Bellatrix,
        Self::Capella,
        Self::Deneb,
        Self::Electra,
        Self::Fulu,
        Self::Gloas,
    ];

    /// Where `finalized_checkpoint.root` is in a state: a generalized index.
    pub(crate) const fn finalized_root(self) -> u64 {
        match self {
            Self::Altair | Self::Bellatrix | Self::Capella | Self::Deneb => 105,
            Self::Electra | Self::Fulu => 169,
            Self::Gloas => 735,
        }
    }

    /// Where `current_sync_committee` is in a state: a generalized index.
    pub(crate) const fn current_committee(self) -> u64 {
        match self {
            Self::Altair | Self::Bellatrix | Self::Capella | Self::Deneb => 54,
            Self::Electra | Self::Fulu => 86,
            Self::Gloas => 2945,
        }
    }

    /// Where `next_sync_committee` is in a state: a generalized index.
    pub(crate) const fn next_committee(self) -> u64 {
        self.current_committee() + 1
    }
}

impl fmt::Display for Fork {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Altair => "altair",
            Self::Bellatrix => "bellatrix",
            Self::Capella => "capella",
            Self::Deneb => "deneb",
            Self::Electra => "electra",
            Self::Fulu => "fulu",
            Self::Gloas => "gloas",
        })
    }
}

/// When a fork begins, and the version that signatures are made for from then on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ForkStart {
    /// The first epoch; `u64::MAX` if it is not scheduled.
    pub epoch: u64,
    /// The fork's version.
    pub version: [u8; 4],
}

/// The most blobs of a block from an epoch on (EIP-7892); fork digests depend on it from Fulu on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlobParameters {
    /// The first epoch.
    pub epoch: u64,
    /// `MAX_BLOBS_PER_BLOCK`.
    pub max_blobs: u64,
}

/// The sizes that a network's nodes are compiled with.
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

/// What distinguishes a network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameters {
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
    /// The blob parameters from Electra's on, in order.
    pub blobs: Cow<'static, [BlobParameters]>,
    /// The sizes.
    pub preset: Preset,
}

/// A network with consistent parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Network(Parameters);

const NEVER: u64 = u64::MAX;

impl Network {
    /// Ethereum; Gloas is not scheduled there yet.
    pub const MAINNET: Self = Self(Parameters {
        genesis_validators_root: [
            0x4b, 0x36, 0x3d, 0xb9, 0x4e, 0x28, 0x61, 0x20, 0xd7, 0x6e, 0xb9, 0x05, 0x34, 0x0f,
            0xdd, 0x4e, 0x54, 0xbf, 0xe9, 0xf0, 0x6b, 0xf3, 0x3f, 0xf6, 0xcf, 0x5a, 0xd2, 0x7f,
            0x51, 0x1b, 0xfe, 0x95,
        ],
        genesis_time: 1_606_824_023,
        seconds_per_slot: 12,
        genesis_version: [0, 0, 0, 0],
        forks: starts(
            [74_240, 144_896, 194_048, 269_568, 364_032, 411_392, NEVER],
            [1, 0, 0, 0],
            [1, 0, 0, 0],
        ),
        blobs: Cow::Borrowed(&[
            BlobParameters { epoch: 364_032, max_blobs: 9 },
            BlobParameters { epoch: 412_672, max_blobs: 15 },
            BlobParameters { epoch: 419_072, max_blobs: 21 },
        ]),
        preset: Preset::MAINNET,
    });

    /// The test network Sepolia.
    pub const SEPOLIA: Self = Self(Parameters {
        genesis_validators_root: [
            0xd8, 0xea, 0x17, 0x1f, 0x3c, 0x94, 0xae, 0xa2, 0x1e, 0xbc, 0x42, 0xa1, 0xed, 0x61,
            0x05, 0x2a, 0xcf, 0x3f, 0x92, 0x09, 0xc0, 0x0e, 0x4e, 0xfb, 0xaa, 0xdd, 0xac, 0x09,
            0xed, 0x9b, 0x80, 0x78,
        ],
        genesis_time: 1_655_733_600,
        seconds_per_slot: 12,
        genesis_version: [0x90, 0, 0, 0x69],
        forks: starts(
            [50, 100, 56_832, 132_608, 222_464, 272_640, 353_024],
            [0x90, 0, 0, 0x70],
            [0, 0, 0, 1],
        ),
        blobs: Cow::Borrowed(&[
            BlobParameters { epoch: 222_464, max_blobs: 9 },
            BlobParameters { epoch: 274_176, max_blobs: 15 },
            BlobParameters { epoch: 275_712, max_blobs: 21 },
        ]),
        preset: Preset::MAINNET,
    });

    /// The test network Hoodi; Gloas is not scheduled there yet.
    pub const HOODI: Self = Self(Parameters {
        genesis_validators_root: [
            0x21, 0x2f, 0x13, 0xfc, 0x4d, 0xf0, 0x78, 0xb6, 0xcb, 0x7d, 0xb2, 0x28, 0xf1, 0xc8,
            0x30, 0x75, 0x66, 0xdc, 0xec, 0xf9, 0x00, 0x86, 0x74, 0x01, 0xa9, 0x20, 0x23, 0xd7,
            0xba, 0x99, 0xcb, 0x5f,
        ],
        genesis_time: 1_742_213_400,
        seconds_per_slot: 12,
        genesis_version: [0x10, 0, 0x09, 0x10],
        forks: starts([0, 0, 0, 0, 2048, 50_688, NEVER], [0x20, 0, 0x09, 0x10], [0x10, 0, 0, 0]),
        blobs: Cow::Borrowed(&[
            BlobParameters { epoch: 2048, max_blobs: 9 },
            BlobParameters { epoch: 52_480, max_blobs: 15 },
            BlobParameters { epoch: 54_016, max_blobs: 21 },
        ]),
        preset: Preset::MAINNET,
    });

    /// A network of these parameters; `invalid_config` if no network can have them.
    pub fn new(parameters: Parameters) -> Result<Self> {
        let invalid = |expected: &str| {
            Err(Error::new(Reason::InvalidConfig, expected, format_args!("{parameters:?}")))
        };
        let Preset { slots_per_epoch, epochs_per_period, committee_size } = parameters.preset;
        if slots_per_epoch == 0
            || slots_per_epoch.checked_mul(epochs_per_period).is_none_or(|slots| slots == 0)
        {
            return invalid("periods of some slots");
        }
        if !committee_size.is_power_of_two() || !(8..=1 << 12).contains(&committee_size) {
            return invalid("a committee of 8 to 4,096 keys, a power of two");
        }
        if parameters.seconds_per_slot == 0 {
            return invalid("slots that take time");
        }
        if !parameters.forks.is_sorted_by_key(|fork| fork.epoch) {
            return invalid("forks in their order");
        }
        if !parameters.blobs.is_sorted_by(|one, next| one.epoch < next.epoch) {
            return invalid("blob parameters of ascending epochs");
        }
        Ok(Self(parameters))
    }

    /// The parameters.
    pub const fn parameters(&self) -> &Parameters {
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

    /// Two weeks, in slots: the age up to which a checkpoint is taken by default.
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

    /// Slots of a period, which is also the specification's `UPDATE_TIMEOUT`.
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

    /// The version that signatures of a slot are made for.
    pub(crate) fn fork_version(&self, slot: u64) -> [u8; 4] {
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

/// Forks at these epochs, whose versions ascend by `step` from Altair's on.
const fn starts(epochs: [u64; 7], altair: [u8; 4], step: [u8; 4]) -> [ForkStart; 7] {
    let mut starts = [ForkStart { epoch: NEVER, version: altair }; 7];
    let mut version = altair;
    let mut at = 0;
    while at < starts.len() {
        starts[at] = ForkStart { epoch: epochs[at], version };
        let mut byte = 0;
        while byte < version.len() {
            version[byte] += step[byte];
            byte += 1;
        }
        at += 1;
    }
    starts
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests say what they expect by panicking")]
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
        let refused = |change: fn(&mut Parameters)| {
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
