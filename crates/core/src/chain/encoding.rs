//! The encoding of what a chain hashes.

use alloc::vec::Vec;

use borsh::BorshSerialize;

/// The borsh encoding, which never fails in memory.
pub(super) fn encode(value: &impl BorshSerialize) -> Vec<u8> {
    let mut bytes = Vec::new();
    // Only a length above u32::MAX can fail, and every decoder would refuse the truncated bytes.
    let _ = value.serialize(&mut bytes);
    bytes
}
