//! The messages about heads, in borsh. Times are in milliseconds since 1970, ages in seconds.
//!
//! ```text
//! struct StartRequest   { age: AgeRequest, checkpoint: [u8; 32] }
//! struct AgeRequest     { place: Place, max_age: Option<u64> }
//! struct ProcessRequest { place: Place, updates: Updates }
//! struct Place          { network: Network, now_ms: u64, max_clock_skew_ms: u64 }
//! enum   Updates        { Finality, Optimistic, Update, Answer { most: u32 } }
//! enum   Network        { Mainnet, Sepolia, Hoodi, Other(Parameters) }
//! struct Parameters     { genesis_validators_root: [u8; 32], genesis_time: u64, seconds_per_slot: u64,
//!                         genesis_version: [u8; 4], forks: [(u64, [u8; 4]); 7], blobs: Vec<(u64, u64)>,
//!                         slots_per_epoch: u64, epochs_per_period: u64, committee_size: u32 }
//! struct Heads          { state: Vec<u8>, finalized: Head, latest: Head, period: u64,
//!                         knows_next_committee: bool, current_period: u64 }
//! struct Head           { slot: u64, beacon_root: [u8; 32], execution_block_hash: Option<[u8; 32]>,
//!                         participation: Option<(u32, u32)> }
//! ```

use std::borrow::Cow;

use prooflight_beacon::{
    BeaconHead, BlobParameters, ForkStart, LightClient, Network, NetworkParameters, Participation,
    Preset, SlotClock,
};
use prooflight_core::{Hash, Result};

use crate::wire::{self, RequestReader, ResponseWriter};

/// A checkpoint to start at.
pub(crate) struct StartRequest {
    pub(crate) age: AgeRequest,
    pub(crate) checkpoint: Hash,
}

impl StartRequest {
    pub(crate) fn decode(request: &[u8]) -> Result<Self> {
        let (age, checkpoint) = wire::decode(request, |r| Ok((age(r)?, r.array()?)))?;
        Ok(Self { age: age?, checkpoint })
    }
}

/// The network, and the caller's clock.
pub(crate) struct NetworkClock {
    pub(crate) network: Network,
    pub(crate) clock: SlotClock,
}

/// The largest age of a block; two weeks by default.
pub(crate) struct AgeRequest {
    pub(crate) place: NetworkClock,
    max_age: Option<u64>,
}

impl AgeRequest {
    pub(crate) fn decode(request: &[u8]) -> Result<Self> {
        wire::decode(request, age)?
    }

    /// The largest age in slots.
    pub(crate) fn slots(&self) -> u64 {
        let NetworkClock { network, .. } = &self.place;
        let seconds = network.parameters().seconds_per_slot;
        self.max_age.map_or_else(|| network.two_weeks(), |age| age / seconds)
    }
}

/// The updates to process.
pub(crate) struct ProcessRequest {
    pub(crate) place: NetworkClock,
    pub(crate) updates: UpdateForm,
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

impl ProcessRequest {
    pub(crate) fn decode(request: &[u8]) -> Result<Self> {
        let (place, updates) = wire::decode(request, |r| Ok((network_clock(r)?, updates(r)?)))?;
        Ok(Self { place: place?, updates })
    }
}

fn updates(r: &mut RequestReader<'_>) -> Result<UpdateForm> {
    match r.u8()? {
        0 => Ok(UpdateForm::Finality),
        1 => Ok(UpdateForm::Optimistic),
        2 => Ok(UpdateForm::Update),
        3 => Ok(UpdateForm::Answer { most: r.length()? }),
        other => Err(wire::unknown("updates of 0 to 3", other)),
    }
}

/// The inner result reports invalid parameters of the caller; the outer one a request that does not decode.
fn age(r: &mut RequestReader<'_>) -> Result<Result<AgeRequest>> {
    let (place, max_age) = (network_clock(r)?, r.option(RequestReader::u64)?);
    Ok(place.map(|place| AgeRequest { place, max_age }))
}

/// The inner result reports invalid parameters of the caller; the outer one a request that does not decode.
fn network_clock(r: &mut RequestReader<'_>) -> Result<Result<NetworkClock>> {
    let (network, now_ms, max_clock_skew_ms) = (network(r)?, r.u64()?, r.u64()?);
    Ok(network.map(|network| {
        let slot_at = |ms: u64| network.slot_at(ms / 1000);
        let clock = SlotClock {
            current_slot: slot_at(now_ms),
            latest_slot: slot_at(now_ms.saturating_add(max_clock_skew_ms)),
        };
        NetworkClock { network, clock }
    }))
}

/// The inner result reports invalid parameters of the caller; the outer one a request that does not decode.
fn network(r: &mut RequestReader<'_>) -> Result<Result<Network>> {
    match r.u8()? {
        0 => Ok(Ok(Network::MAINNET)),
        1 => Ok(Ok(Network::SEPOLIA)),
        2 => Ok(Ok(Network::HOODI)),
        3 => parameters(r).map(Network::new),
        other => Err(wire::unknown("a network of 0 to 3", other)),
    }
}

fn parameters(r: &mut RequestReader<'_>) -> Result<NetworkParameters> {
    let (genesis_validators_root, genesis_time) = (r.array()?, r.u64()?);
    let (seconds_per_slot, genesis_version) = (r.u64()?, r.array()?);
    let mut forks = [ForkStart { epoch: 0, version: [0; 4] }; 7];
    for fork in &mut forks {
        *fork = ForkStart { epoch: r.u64()?, version: r.array()? };
    }
    let blobs = r.sequence(|r| Ok(BlobParameters { epoch: r.u64()?, max_blobs: r.u64()? }))?;
    Ok(NetworkParameters {
        genesis_validators_root,
        genesis_time,
        seconds_per_slot,
        genesis_version,
        forks,
        blobs: Cow::Owned(blobs),
        preset: Preset {
            slots_per_epoch: r.u64()?,
            epochs_per_period: r.u64()?,
            committee_size: r.length()?,
        },
    })
}

/// Encodes `Heads`.
pub(crate) fn heads(client: &LightClient, clock: SlotClock) -> Result<Vec<u8>> {
    let state = client.export()?;
    let mut response = ResponseWriter::with_capacity(state.len() + 256);
    response.bytes(&state);
    write_head(&mut response, &*client.finalized()?);
    write_head(&mut response, &*client.optimistic()?);
    response.array(&client.period().to_le_bytes());
    response.u8(client.knows_next_committee().into());
    response.array(&client.network().period(clock.current_slot).to_le_bytes());
    Ok(response.into_bytes())
}

fn write_head(response: &mut ResponseWriter, head: &BeaconHead) {
    response.array(&head.slot.to_le_bytes());
    response.array(&head.beacon_root);
    response.u8(head.execution_block_hash.is_some().into());
    if let Some(hash) = &head.execution_block_hash {
        response.array(hash);
    }
    response.u8(head.participation.is_some().into());
    if let Some(Participation { signed, members: of }) = head.participation {
        response.length(signed);
        response.length(of);
    }
}
