//! An entry as proofs show it, in memory or in a store.

use alloc::borrow::Cow;
use alloc::vec::Vec;

use prooflight_core::{Hash, Result};

use crate::hash::KeyVersion;

/// An entry of a tree that proofs are written from.
pub(super) trait ProvableEntry {
    fn key(&self) -> &[u8];

    /// The number of its versions.
    fn versions(&self) -> u64;

    /// The newest version.
    fn newest(&self) -> &KeyVersion;

    /// The newest version's value, which must not be a tombstone.
    fn value(&self) -> Result<Cow<'_, [u8]>>;

    /// The root over the past versions.
    fn past_root(&self) -> Hash;

    /// The roots of the perfect trees over the past versions, largest first.
    fn peaks(&self) -> Cow<'_, [Hash]>;

    /// The number of past versions of blocks before this one.
    fn before(&self, block: u64) -> Result<u64>;

    /// Some past versions, at least one, with their values up to a block.
    fn excerpt(&self, numbers: &[u64], shown_until: u64) -> Result<VersionExcerpt<'_>>;
}

/// Some past versions of an entry.
pub(super) struct VersionExcerpt<'e> {
    /// Their blocks and contents.
    pub(super) versions: Vec<(u64, VersionContent<'e>)>,
    /// The hashes that lead from them to the root over the past versions.
    pub(super) hashes: Vec<Hash>,
}

/// The content of a version.
#[derive(Clone, Debug)]
pub(super) enum VersionContent<'e> {
    Tombstone,
    /// A value that is shown.
    Value(Cow<'e, [u8]>),
    /// A value of which only the hash is shown.
    Hash(Hash),
}
