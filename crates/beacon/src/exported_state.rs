//! A light client's state as bytes, for a later run of the same application.

use alloc::vec::Vec;

use prooflight_core::{ByteReader, Error, Hash, Hex, Limits, Reason, Result};

use crate::client::{LightClient, Participation};
use crate::clock::SlotClock;
use crate::committee::SyncCommittee;
use crate::execution::ExecutionBlock;
use crate::finality::{FinalizedBlock, MAX_FINALIZED_BLOCKS};
use crate::header::{BeaconHeader, LightClientHeader};
use crate::network::Network;
use crate::ssz::read_u64;
use crate::store::LightClientStore;

/// The version of the format. Version 1 has no finalized blocks except the newest.
const STATE_VERSION: u8 = 2;

impl LightClient {
    /// Exports the state: both heads, the finalized blocks before them, and the committees.
    /// `conflicting_finality` if the client has stopped.
    ///
    /// The format is this crate's own, and may change with its version.
    pub fn export(&self) -> Result<Vec<u8>> {
        self.check_consistent()?;
        let mut bytes = Vec::from([STATE_VERSION]);
        bytes.extend(self.store.network.parameters().genesis_validators_root);
        write_head(&mut bytes, &self.store.finalized, self.finalized);
        write_head(&mut bytes, &self.store.optimistic, self.optimistic);
        let before = || self.finalized_blocks.before(self.store.finalized.beacon.slot);
        bytes.extend((before().count() as u64).to_le_bytes());
        for block in before() {
            bytes.extend(block.slot.to_le_bytes());
            bytes.extend(block.root);
        }
        write_committee(&mut bytes, &self.store.committee);
        if let Some(next) = &self.store.next_committee {
            write_committee(&mut bytes, next);
        }
        Ok(bytes)
    }

    /// Continues from an exported state, which the caller trusts as it trusts a checkpoint.
    ///
    /// It must come from storage that nobody else can write to, since nothing in it is verified again.
    /// `wrong_chain` if it is of another network, `head_too_old` if its finalized head is more than
    /// `max_age` slots before the current one. States of version 1 are read too.
    pub fn import(
        network: Network,
        state: &[u8],
        clock: impl Into<SlotClock>,
        max_age: u64,
    ) -> Result<Self> {
        Limits::DEFAULT.check_proof(state.len())?;
        let mut reader = ByteReader::new(state);
        let version = reader.u8()?;
        if !(1..=STATE_VERSION).contains(&version) {
            return Err(Error::new(Reason::UnknownVersion, STATE_VERSION, version));
        }
        let genesis: Hash = reader.array()?;
        let expected = network.parameters().genesis_validators_root;
        if genesis != expected {
            return Err(Error::new(Reason::WrongChain, Hex(&expected), Hex(&genesis)));
        }
        let size = network.committee_size();
        let (finalized, finalized_by) = read_head(&mut reader, size)?;
        let (optimistic, optimistic_by) = read_head(&mut reader, size)?;
        let before = match version {
            1 => Vec::new(),
            _ => read_blocks(&mut reader, finalized.beacon.slot)?,
        };
        let committee = SyncCommittee::read(&mut reader, size)?;
        let next = match reader.rest() {
            [] => None,
            _ => Some(SyncCommittee::read(&mut reader, size)?),
        };
        reader.finish()?;
        if optimistic.beacon.slot < finalized.beacon.slot {
            let expected = "an optimistic head that is not behind the finalized one";
            return Err(Error::new(Reason::SlotOrder, expected, optimistic.beacon.slot));
        }
        let clock = clock.into();
        clock.check_age(finalized.beacon.slot, max_age)?;
        clock.check_age(optimistic.beacon.slot, max_age)?;
        let store = LightClientStore::with_heads(network, finalized, optimistic, committee, next);
        Ok(Self::with_heads(store, finalized_by, optimistic_by, before))
    }
}

fn write_head(
    bytes: &mut Vec<u8>,
    header: &LightClientHeader,
    participation: Option<Participation>,
) {
    let LightClientHeader { beacon, execution } = header;
    let execution = execution.unwrap_or(ExecutionBlock { block_hash: [0; 32], root: [0; 32] });
    bytes.extend(beacon.slot.to_le_bytes());
    bytes.extend(beacon.proposer_index.to_le_bytes());
    bytes.extend([beacon.parent_root, beacon.state_root, beacon.body_root].as_flattened());
    bytes.extend([execution.block_hash, execution.root].as_flattened());
    let signed = participation.map_or(0, |participation| participation.signed as u64);
    bytes.extend(signed.to_le_bytes());
}

fn read_head(
    reader: &mut ByteReader<'_>,
    of: usize,
) -> Result<(LightClientHeader, Option<Participation>)> {
    let beacon = BeaconHeader::read(reader)?;
    let execution = ExecutionBlock { block_hash: reader.array()?, root: reader.array()? };
    let execution = Some(execution).filter(|execution| execution.root != Hash::default());
    let signed = usize::try_from(read_u64(reader)?).ok().filter(|signed| *signed <= of);
    let signed = signed.ok_or_else(|| {
        Error::new(Reason::InvalidEncoding, format_args!("at most {of} signatures"), "more")
    })?;
    let participation = (signed > 0).then_some(Participation { signed, members: of });
    Ok((LightClientHeader { beacon, execution }, participation))
}

/// Reads finalized blocks before a slot, in ascending order.
fn read_blocks(reader: &mut ByteReader<'_>, before: u64) -> Result<Vec<FinalizedBlock>> {
    let count = read_u64(reader)?;
    if count >= MAX_FINALIZED_BLOCKS as u64 {
        let expected = format_args!("less than {MAX_FINALIZED_BLOCKS} finalized blocks");
        return Err(Error::new(Reason::InvalidEncoding, expected, count));
    }
    let mut blocks = Vec::new();
    let mut next = 0;
    for _ in 0..count {
        let (slot, root) = (read_u64(reader)?, reader.array()?);
        if slot < next || slot >= before {
            let expected = format_args!("ascending slots of {next} to below {before}");
            return Err(Error::new(Reason::SlotOrder, expected, slot));
        }
        next = slot.saturating_add(1);
        blocks.push(FinalizedBlock { slot, root, update: None });
    }
    Ok(blocks)
}

fn write_committee(bytes: &mut Vec<u8>, committee: &SyncCommittee) {
    bytes.extend(committee.keys.as_flattened());
    bytes.extend(committee.aggregate);
}
