//! Light-client headers: a beacon block's header, and the proof of its execution block.

use prooflight_core::{ByteReader, Error, Hash, Hex, Reason, Result};

use crate::branch;
use crate::execution::{self, ExecutionBlock};
use crate::fork::Fork;
use crate::network::Network;
use crate::ssz::{merkleize, read_hashes, read_offset, read_u64, u64_root};

/// The header of a beacon block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BeaconHeader {
    /// The block's slot.
    pub slot: u64,
    /// The validator that proposed it.
    pub proposer_index: u64,
    /// The root of the parent's header.
    pub parent_root: Hash,
    /// The root of the state after the block.
    pub state_root: Hash,
    /// The root of the block's body.
    pub body_root: Hash,
}

/// A beacon block's header with the execution block that its body commits to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LightClientHeader {
    /// The beacon block's header.
    pub beacon: BeaconHeader,
    /// The execution block; `None` before Capella.
    pub execution: Option<ExecutionBlock>,
}

/// Bytes of a [`BeaconHeader`].
const BEACON_HEADER_BYTES: usize = 112;

/// The generalized index of `execution_payload` in a block's body, Capella to Fulu.
const EXECUTION_PAYLOAD_INDEX: u64 = 25;
/// The generalized index of the execution payload's `block_hash` in a block's body.
const BLOCK_HASH_INDEX_CAPELLA: u64 = 412;
const BLOCK_HASH_INDEX_DENEB: u64 = 812;
/// The generalized index of `signed_execution_payload_bid.message.parent_block_hash` in a block's body.
const PARENT_HASH_INDEX_GLOAS: u64 = 2856;

impl BeaconHeader {
    pub(crate) fn read(reader: &mut ByteReader<'_>) -> Result<Self> {
        Ok(Self {
            slot: read_u64(reader)?,
            proposer_index: read_u64(reader)?,
            parent_root: reader.array()?,
            state_root: reader.array()?,
            body_root: reader.array()?,
        })
    }

    /// `hash_tree_root`: the root of the block.
    pub fn root(&self) -> Hash {
        merkleize(
            [
                u64_root(self.slot),
                u64_root(self.proposer_index),
                self.parent_root,
                self.state_root,
                self.body_root,
            ]
            .into(),
        )
    }
}

/// Whether headers in this fork's encoding have parts of variable length.
pub(crate) const fn is_variable(format: Fork) -> bool {
    !matches!(format, Fork::Altair | Fork::Bellatrix | Fork::Gloas)
}

/// Bytes of a header in this fork's encoding, without its parts of variable length.
pub(crate) const fn fixed_length(format: Fork) -> usize {
    match format {
        Fork::Altair | Fork::Bellatrix => BEACON_HEADER_BYTES,
        Fork::Gloas => BEACON_HEADER_BYTES + 32 + 32 * branch::depth(PARENT_HASH_INDEX_GLOAS),
        _ => BEACON_HEADER_BYTES + 4 + 32 * branch::depth(EXECUTION_PAYLOAD_INDEX),
    }
}

/// Reads a header in a fork's encoding and checks its execution block; `None` for the default header.
///
/// `branch_mismatch` if the body does not commit to the execution block, `invalid_update` if a block
/// from before Capella claims one.
pub(crate) fn decode(
    bytes: &[u8],
    format: Fork,
    network: &Network,
) -> Result<Option<LightClientHeader>> {
    let mut reader = ByteReader::new(bytes);
    let beacon = BeaconHeader::read(&mut reader)?;
    let rest = reader.rest();
    if is_default_beacon(bytes) && is_default_execution(rest, format) {
        return Ok(None);
    }
    let of = network.fork(beacon.slot)?;
    if of > format {
        return Err(Error::new(
            Reason::InvalidUpdate,
            format_args!("no header newer than {format}"),
            format_args!("one of {of}"),
        ));
    }
    let execution = match format {
        Fork::Altair | Fork::Bellatrix => {
            reader.finish()?;
            None
        }
        Fork::Gloas => read_block_hash(reader, of, &beacon)?,
        _ => read_execution(reader, format, of, &beacon)?,
    };
    Ok(Some(LightClientHeader { beacon, execution }))
}

fn is_default_beacon(bytes: &[u8]) -> bool {
    bytes.iter().take(BEACON_HEADER_BYTES).all(|byte| *byte == 0)
}

fn is_default_execution(rest: &[u8], format: Fork) -> bool {
    if !is_variable(format) {
        return rest.iter().all(|byte| *byte == 0);
    }
    let (fixed, execution) =
        rest.split_at_checked(fixed_length(format) - BEACON_HEADER_BYTES).unwrap_or_default();
    let (offset, branch) = fixed.split_at_checked(4).unwrap_or_default();
    offset.iter().eq(&(fixed_length(format) as u64).to_le_bytes()[..4])
        && branch.iter().all(|byte| *byte == 0)
        && execution::is_default(execution, format)
}

/// Reads the execution block of Capella to Fulu: a full header, with a branch for its root.
fn read_execution(
    mut reader: ByteReader<'_>,
    format: Fork,
    of: Fork,
    beacon: &BeaconHeader,
) -> Result<Option<ExecutionBlock>> {
    read_offset(&mut reader, fixed_length(format))?;
    let branch = read_hashes(&mut reader, branch::depth(EXECUTION_PAYLOAD_INDEX))?;
    let bytes = reader.rest();
    if of < Fork::Capella {
        let empty = execution::is_default(bytes, format)
            && branch.iter().all(|node| *node == Hash::default());
        return if empty { Ok(None) } else { Err(too_early(of)) };
    }
    let execution = execution::decode(bytes, format, of)?;
    let root = &beacon.body_root;
    branch::check("execution header", &execution.root, &branch, EXECUTION_PAYLOAD_INDEX, root)?;
    Ok(Some(execution))
}

/// Reads the execution block in Gloas's encoding: a hash with a branch. The branch has Gloas's length even
/// for blocks of older forks.
fn read_block_hash(
    mut reader: ByteReader<'_>,
    of: Fork,
    beacon: &BeaconHeader,
) -> Result<Option<ExecutionBlock>> {
    let block_hash = reader.array()?;
    let nodes = read_hashes(&mut reader, branch::depth(PARENT_HASH_INDEX_GLOAS))?;
    reader.finish()?;
    let index = match of {
        Fork::Gloas => PARENT_HASH_INDEX_GLOAS,
        Fork::Deneb | Fork::Electra | Fork::Fulu => BLOCK_HASH_INDEX_DENEB,
        Fork::Capella => BLOCK_HASH_INDEX_CAPELLA,
        Fork::Altair | Fork::Bellatrix => {
            let empty =
                block_hash == Hash::default() && nodes.iter().all(|node| *node == Hash::default());
            return if empty { Ok(None) } else { Err(too_early(of)) };
        }
    };
    let extra = nodes.len() - branch::depth(index);
    let (zeros, branch) = nodes.split_at_checked(extra).unwrap_or_default();
    if zeros.iter().any(|node| *node != Hash::default()) {
        return Err(Error::new(
            Reason::InvalidUpdate,
            format_args!("{extra} zeros before the branch of a block of {of}"),
            Hex(zeros.as_flattened()),
        ));
    }
    branch::check("execution block hash", &block_hash, branch, index, &beacon.body_root)?;
    let root = if of == Fork::Gloas {
        block_hash
    } else {
        let inner = branch.len() - branch::depth(EXECUTION_PAYLOAD_INDEX);
        branch::root(&block_hash, branch.get(..inner).unwrap_or_default(), index)
    };
    Ok(Some(ExecutionBlock { block_hash, root }))
}

#[cold]
fn too_early(of: Fork) -> Error {
    Error::new(Reason::InvalidUpdate, format_args!("no execution block of a block of {of}"), "one")
}
