//! Sync committees.

use alloc::vec::Vec;

use prooflight_core::{ByteReader, Hash, Result};

use crate::ssz::{bytes_root, hash_pair, merkleize};

/// A compressed BLS key.
pub(crate) type KeyBytes = [u8; 48];

/// The committee that signs in one period.
///
/// A key may occur more than once: a validator with more stake may have several seats.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyncCommittee {
    pub(crate) keys: Vec<KeyBytes>,
    pub(crate) aggregate: KeyBytes,
}

impl SyncCommittee {
    /// Reads the container; the keys are not decoded.
    pub(crate) fn read(reader: &mut ByteReader<'_>, size: usize) -> Result<Self> {
        let keys = reader.take(size.saturating_mul(48))?.as_chunks().0.to_vec();
        Ok(Self { keys, aggregate: reader.array()? })
    }

    /// Whether all bytes are zero, as in an update without a committee.
    pub(crate) fn is_default(&self) -> bool {
        self.keys.iter().chain([&self.aggregate]).all(|key| *key == [0; 48])
    }

    /// `hash_tree_root`.
    pub fn root(&self) -> Hash {
        let keys = self.keys.iter().map(|key| bytes_root(key)).collect();
        hash_pair(&merkleize(keys), &bytes_root(&self.aggregate))
    }
}
