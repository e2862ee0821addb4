//! A light client's state as bytes, for a later run of the same application.

use alloc::vec::Vec;

use prooflight_core::{Error, Hash, Hex, Limits, Reader, Reason, Result};

use crate::client::{LightClient, Participation, check_age};
use crate::committee::SyncCommittee;
use crate::header::{BeaconHeader, Execution, Header};
use crate::network::Network;
use crate::ssz::read_u64;
use crate::store::Store;

/// The only version of the format.
const VERSION: u8 = 1;

impl LightClient {
    /// Exports the state: both heads, and the committees. `conflicting_finality` if the client has stopped.
    ///
    /// The format is this crate's own, and may change with its version.
    pub fn export(&self) -> Result<Vec<u8>> {
        self.check_consistent()?;
        let mut bytes = Vec::from([VERSION]);
        bytes.extend(self.store.network.parameters().genesis_validators_root);
        write_head(&mut bytes, &self.store.finalized, self.finalized);
        write_head(&mut bytes, &self.store.optimistic, self.optimistic);
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
    /// `max_age` slots before `current_slot`.
    pub fn import(network: Network, state: &[u8], current_slot: u64, max_age: u64) -> Result<Self> {
        Limits::DEFAULT.check_proof(state.len())?;
        let mut reader = Reader::new(state);
        let version = reader.u8()?;
        if version != VERSION {
            return Err(Error::new(Reason::UnknownVersion, VERSION, version));
        }
        let genesis: Hash = reader.array()?;
        let expected = network.parameters().genesis_validators_root;
        if genesis != expected {
            return Err(Error::new(Reason::WrongChain, Hex(&expected), Hex(&genesis)));
        }
        let size = network.committee_size();
        let (finalized, finalized_by) = read_head(&mut reader, size)?;
        let (optimistic, optimistic_by) = read_head(&mut reader, size)?;
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
        check_age(finalized.beacon.slot, current_slot, max_age)?;
        check_age(optimistic.beacon.slot, current_slot, max_age)?;
        let store = Store::at(network, finalized, optimistic, committee, next);
        Ok(Self::at(store, finalized_by, optimistic_by))
    }
}

fn write_head(bytes: &mut Vec<u8>, header: &Header, participation: Option<Participation>) {
    let Header { beacon, execution } = header;
    let execution = execution.unwrap_or(Execution { block_hash: [0; 32], root: [0; 32] });
    bytes.extend(beacon.slot.to_le_bytes());
    bytes.extend(beacon.proposer_index.to_le_bytes());
    bytes.extend([beacon.parent_root, beacon.state_root, beacon.body_root].as_flattened());
    bytes.extend([execution.block_hash, execution.root].as_flattened());
    let signed = participation.map_or(0, |participation| participation.signed as u64);
    bytes.extend(signed.to_le_bytes());
}

fn read_head(reader: &mut Reader<'_>, of: usize) -> Result<(Header, Option<Participation>)> {
    let beacon = BeaconHeader::read(reader)?;
    let execution = Execution { block_hash: reader.array()?, root: reader.array()? };
    let execution = Some(execution).filter(|execution| execution.root != Hash::default());
    let signed = usize::try_from(read_u64(reader)?).ok().filter(|signed| *signed <= of);
    let signed = signed.ok_or_else(|| {
        Error::new(Reason::InvalidEncoding, format_args!("at most {of} signatures"), "more")
    })?;
    let participation = (signed > 0).then_some(Participation { signed, of });
    Ok((Header { beacon, execution }, participation))
}

fn write_committee(bytes: &mut Vec<u8>, committee: &SyncCommittee) {
    bytes.extend(committee.keys.as_flattened());
    bytes.extend(committee.aggregate);
}
