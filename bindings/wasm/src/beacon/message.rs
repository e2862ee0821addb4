//! The messages about heads, in borsh. Times are in milliseconds since 1970, ages in seconds.
//!
//! ```text
//! enum   Network  { Mainnet, Sepolia, Hoodi, Other(NetworkParameters) }
//! enum   Updates  { Finality, Optimistic, Update, Answer { most: u32 } }
//! struct Heads    { state: Vec<u8>, finalized: BeaconHead, latest: BeaconHead, period: u64,
//!                   knows_next_committee: bool, current_period: u64 }
//! ```

use std::borrow::Cow;

use prooflight_beacon::{
    BeaconHead, BlobParameters, ForkStart, LightClient, Network, NetworkParameters, Participation,
    Preset, SlotClock,
};
use prooflight_core::{Hash, Result};

use crate::wire::{RequestReader, RequestValue, ResponseWriter, requests, responses, unknown};

requests! {
    /// A checkpoint to start at.
    struct StartRequest { age: AgeRequest, checkpoint: Hash, }

    /// The largest age of a block; two weeks by default.
    struct AgeRequest { clock: NetworkClock, max_age: Option<u64>, }

    /// The updates to process.
    struct ProcessRequest { clock: NetworkClock, updates: UpdateForm, }

    /// The network, and the caller's clock. Invalid parameters of a network are an error of the caller, while a request
    /// that does not decode is a bug.
    struct NetworkClock { network: Result<Network>, now_ms: u64, max_clock_skew_ms: u64, }

    extern struct NetworkParameters {
        genesis_validators_root: Hash,
        genesis_time: u64,
        seconds_per_slot: u64,
        genesis_version: [u8; 4],
        forks: [ForkStart; 7] = forks,
        blobs: Cow<'static, [BlobParameters]> = blobs,
        preset: Preset,
    }

    extern struct ForkStart { epoch: u64, version: [u8; 4], }

    extern struct BlobParameters { epoch: u64, max_blobs: u64, }

    extern struct Preset { slots_per_epoch: u64, epochs_per_period: u64, committee_size: usize, }
}

impl AgeRequest {
    /// The network, the slots of the clock, and the largest age in slots.
    pub(crate) fn slots(self) -> Result<(Network, SlotClock, u64)> {
        let (network, clock) = self.clock.slots()?;
        let seconds = network.parameters().seconds_per_slot;
        let max_age = self.max_age.map_or_else(|| network.two_weeks(), |age| age / seconds);
        Ok((network, clock, max_age))
    }
}

impl NetworkClock {
    /// The network, and the slots of the clock.
    pub(crate) fn slots(self) -> Result<(Network, SlotClock)> {
        let network = self.network?;
        let slot_at = |ms: u64| network.slot_at(ms / 1000);
        let clock = SlotClock {
            current_slot: slot_at(self.now_ms),
            latest_slot: slot_at(self.now_ms.saturating_add(self.max_clock_skew_ms)),
        };
        Ok((network, clock))
    }
}

/// The form of updates.
pub(crate) enum UpdateForm {
    /// A finality update.
    Finality,
    /// An optimistic update.
    Optimistic,
    /// The update of a period.
    Update,
    /// The updates of several periods, each with its length and fork digest.
    Answer {
        /// The largest number of updates.
        most: usize,
    },
}

impl RequestValue<'_> for UpdateForm {
    fn read(r: &mut RequestReader<'_>) -> Result<Self> {
        match r.read()? {
            0 => Ok(Self::Finality),
            1 => Ok(Self::Optimistic),
            2 => Ok(Self::Update),
            3 => Ok(Self::Answer { most: r.read()? }),
            other => Err(unknown("updates of 0 to 3", other)),
        }
    }
}

impl RequestValue<'_> for Result<Network> {
    fn read(r: &mut RequestReader<'_>) -> Result<Self> {
        match r.read()? {
            0 => Ok(Ok(Network::MAINNET)),
            1 => Ok(Ok(Network::SEPOLIA)),
            2 => Ok(Ok(Network::HOODI)),
            3 => r.read().map(Network::new),
            other => Err(unknown("a network of 0 to 3", other)),
        }
    }
}

fn forks(r: &mut RequestReader<'_>) -> Result<[ForkStart; 7]> {
    let mut forks = [ForkStart { epoch: 0, version: [0; 4] }; 7];
    for fork in &mut forks {
        *fork = r.read()?;
    }
    Ok(forks)
}

fn blobs(r: &mut RequestReader<'_>) -> Result<Cow<'static, [BlobParameters]>> {
    r.read().map(Cow::Owned)
}

/// Encodes `Heads`.
pub(crate) fn heads(client: &LightClient, clock: SlotClock) -> Result<Vec<u8>> {
    let state = client.export()?;
    let mut response = ResponseWriter::with_capacity(state.len() + 256);
    response.write(&state);
    response.write(&*client.finalized()?);
    response.write(&*client.optimistic()?);
    response.write(&client.period());
    response.write(&client.knows_next_committee());
    response.write(&client.network().period(clock.current_slot));
    Ok(response.into_bytes())
}

responses! {
    extern struct BeaconHead {
        slot: u64,
        beacon_root: Hash,
        execution_block_hash: Option<Hash>,
        participation: Option<Participation>,
    }

    extern struct Participation { signed: usize, members: usize, }
}
