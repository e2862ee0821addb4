//! SSZ: reads the types in light-client data, and computes their roots.
//!
//! Source: the consensus specifications, `ssz/simple-serialize.md`.

use alloc::vec::Vec;

use prooflight_core::{ByteReader, Error, Hash, Hex, Reason, Result};
use sha2::{Digest as _, Sha256};

/// SHA-256 of two nodes.
pub(crate) fn hash_pair(left: &Hash, right: &Hash) -> Hash {
    Sha256::new().chain_update(left).chain_update(right).finalize().into()
}

/// SHA-256 of bytes.
pub(crate) fn sha256(bytes: &[u8]) -> Hash {
    Sha256::digest(bytes).into()
}

/// The root of the tree over these leaves, padded with zeros to a power of two.
pub(crate) fn merkleize(mut nodes: Vec<Hash>) -> Hash {
    nodes.resize(nodes.len().next_power_of_two(), Hash::default());
    while nodes.len() > 1 {
        nodes = nodes.as_chunks().0.iter().map(|[left, right]| hash_pair(left, right)).collect();
    }
    nodes.first().copied().unwrap_or_default()
}

/// The root of bytes of a fixed length.
pub(crate) fn bytes_root(bytes: &[u8]) -> Hash {
    merkleize(bytes.chunks(32).map(leaf).collect())
}

/// The root of an unsigned integer.
pub(crate) fn u64_root(number: u64) -> Hash {
    leaf(&number.to_le_bytes())
}

/// A leaf of at most 32 bytes, padded with zeros.
pub(crate) fn leaf(bytes: &[u8]) -> Hash {
    let mut leaf = Hash::default();
    for (to, from) in leaf.iter_mut().zip(bytes) {
        *to = *from;
    }
    leaf
}

/// Reads an unsigned integer.
pub(crate) fn read_u64(reader: &mut ByteReader<'_>) -> Result<u64> {
    reader.array().map(u64::from_le_bytes)
}

/// Reads hashes; `truncated` if there are fewer.
pub(crate) fn read_hashes(reader: &mut ByteReader<'_>, count: usize) -> Result<Vec<Hash>> {
    let bytes = reader.take(count.saturating_mul(32))?;
    Ok(bytes.as_chunks().0.to_vec())
}

/// Reads an offset, which must have the only valid value.
pub(crate) fn read_offset(reader: &mut ByteReader<'_>, expected: usize) -> Result<()> {
    let found = reader.array().map(u32::from_le_bytes)?;
    if usize::try_from(found) == Ok(expected) {
        return Ok(());
    }
    Err(Error::new(
        Reason::InvalidEncoding,
        format_args!("the offset {expected}"),
        format_args!("{found}"),
    ))
}

/// The refusal of bytes that are not an encoding.
#[cold]
pub(crate) fn invalid_encoding(expected: &str, found: &[u8]) -> Error {
    Error::new(Reason::InvalidEncoding, expected, Hex(found))
}
