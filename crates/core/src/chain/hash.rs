//! The hash of chains.

pub use crate::merkle::Blake2bTree;
use crate::{Hash, blake2b256};

/// Maps a raw key of the state to the key of a scheme with 32-byte keys: its BLAKE2b-256.
pub fn state_key(key: &[u8]) -> Hash {
    blake2b256(&[key])
}
