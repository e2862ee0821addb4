//! Labels of nodes.

use blake2::Blake2b;
use blake2::digest::{Digest as _, consts::U32};

use crate::params::Label;

/// BLAKE2b with 32 bytes of output, which is not BLAKE2b-512 cut short.
pub(crate) type Blake2b256 = Blake2b<U32>;

/// BLAKE2b-256(0x00 || key || value || next key).
pub(crate) fn leaf_label(key: &[u8], value: &[u8], next_key: &[u8]) -> Label {
    Blake2b256::new()
        .chain_update([0])
        .chain_update(key)
        .chain_update(value)
        .chain_update(next_key)
        .finalize()
        .into()
}

/// BLAKE2b-256(0x01 || balance || left label || right label).
pub(crate) fn internal_label(balance: i8, left: &Label, right: &Label) -> Label {
    let [balance] = balance.to_be_bytes();
    Blake2b256::new()
        .chain_update([1, balance])
        .chain_update(left)
        .chain_update(right)
        .finalize()
        .into()
}
