//! Execution headers, which light-client headers contain from Capella to Fulu.

use alloc::vec::Vec;

use prooflight_core::{ByteReader, Error, Hash, Reason, Result};

use crate::fork::Fork;
use crate::ssz::{bytes_root, hash_pair, invalid_encoding, leaf, merkleize, read_offset, u64_root};

/// The execution block that a header proves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExecutionBlock {
    /// The hash of an execution block.
    ///
    /// Before Gloas, that of the beacon block itself; from Gloas on, that of the newest one before it,
    /// since a payload is revealed after its beacon block.
    pub block_hash: Hash,
    /// `get_lc_execution_root`: the root of the execution header; from Gloas on, the hash itself.
    pub root: Hash,
}

/// The largest length of `extra_data`.
const MAX_EXTRA_DATA_BYTES: usize = 32;

/// Bytes before `extra_data` in a fork's encoding.
pub(crate) const fn fixed_length(fork: Fork) -> usize {
    match fork {
        Fork::Altair | Fork::Bellatrix | Fork::Gloas => 0,
        Fork::Capella => 568,
        Fork::Deneb | Fork::Electra | Fork::Fulu => 584,
    }
}

/// Whether this is the execution header of a default container.
pub(crate) fn is_default(bytes: &[u8], fork: Fork) -> bool {
    let offset = fixed_length(fork);
    let at = 436;
    bytes.len() == offset
        && bytes.iter().enumerate().all(|(index, byte)| {
            let expected = match index.checked_sub(at) {
                Some(byte @ 0..4) => offset.to_le_bytes().get(byte).copied().unwrap_or_default(),
                _ => 0,
            };
            *byte == expected
        })
}

/// Reads the execution header of a block of the fork `of`, in the encoding of `format`.
///
/// Blocks before Deneb have no blobs: in a newer encoding their fields are zero, and not part of the
/// root.
pub(crate) fn decode(bytes: &[u8], format: Fork, of: Fork) -> Result<ExecutionBlock> {
    let mut reader = ByteReader::new(bytes);
    let mut leaves = Vec::with_capacity(32);
    leaves.push(reader.array()?); // parent_hash
    leaves.push(leaf(reader.take(20)?)); // fee_recipient
    leaves.push(reader.array()?); // state_root
    leaves.push(reader.array()?); // receipts_root
    leaves.push(bytes_root(reader.take(256)?)); // logs_bloom
    leaves.push(reader.array()?); // prev_randao
    for _ in ["block_number", "gas_limit", "gas_used", "timestamp"] {
        leaves.push(leaf(reader.take(8)?));
    }
    read_offset(&mut reader, fixed_length(format))?;
    let extra_data = leaves.len();
    leaves.push(Hash::default());
    leaves.push(reader.array()?); // base_fee_per_gas
    let block_hash = reader.array()?;
    leaves.push(block_hash);
    leaves.push(reader.array()?); // transactions_root
    leaves.push(reader.array()?); // withdrawals_root
    if format >= Fork::Deneb {
        let blobs = [leaf(reader.take(8)?), leaf(reader.take(8)?)]; // blob_gas_used, excess_blob_gas
        if of >= Fork::Deneb {
            leaves.extend(blobs);
        } else if blobs != [Hash::default(); 2] {
            return Err(Error::new(
                Reason::InvalidUpdate,
                format_args!("no blob gas in a block of {of}"),
                "some",
            ));
        }
    }
    let extra = reader.rest();
    if extra.len() > MAX_EXTRA_DATA_BYTES {
        return Err(invalid_encoding("extra data of at most 32 bytes", extra));
    }
    if let Some(root) = leaves.get_mut(extra_data) {
        *root = hash_pair(&leaf(extra), &u64_root(extra.len() as u64));
    }
    Ok(ExecutionBlock { block_hash, root: merkleize(leaves) })
}
