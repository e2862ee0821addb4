//! The hash of chains.

use crate::merkle::TreeHash;
use crate::{Hash, blake2b256};

/// The trees of a chain: RFC 9162 with [`blake2b256`].
#[derive(Clone, Copy, Debug)]
pub struct Blake2bTree;

impl TreeHash for Blake2bTree {
    fn hash(parts: &[&[u8]]) -> Hash {
        blake2b256(parts)
    }
}

/// Maps a raw key of the state to the key of a scheme with 32-byte keys: its BLAKE2b-256.
pub fn state_key(key: &[u8]) -> Hash {
    blake2b256(&[key])
}
