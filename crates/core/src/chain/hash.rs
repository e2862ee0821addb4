//! The hash of chains.

use blake2::Blake2b;
use blake2::digest::{Digest as _, consts::U32};

use crate::merkle::{Hash, TreeHash};

/// BLAKE2b with a digest length of 32 bytes.
pub fn blake2b256(parts: &[&[u8]]) -> Hash {
    parts.iter().fold(Blake2b::<U32>::new(), Blake2b::<U32>::chain_update).finalize().into()
}

/// The trees of a chain: RFC 9162 with [`blake2b256`].
#[derive(Clone, Copy, Debug)]
pub struct Blake2bTree;

impl TreeHash for Blake2bTree {
    fn hash(parts: &[&[u8]]) -> Hash {
        blake2b256(parts)
    }
}
