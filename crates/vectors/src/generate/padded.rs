//! Bytes that are as long as a limit allows, or longer by one.

use prooflight_core::Limits;

use crate::carrier::Hex;

/// The largest proof, and the largest header.
pub(super) const MOST: usize = Limits::DEFAULT.max_proof_bytes;

/// The bytes with zeros after them, up to a length.
pub(super) fn padded(bytes: &Hex, length: usize) -> Hex {
    let mut longer = bytes.clone();
    assert!(longer.0.len() < length, "there is room for zeros");
    longer.0.resize(length, 0);
    longer
}
