//! An entry of the state.

use alloc::boxed::Box;

use prooflight_core::Hash;

use super::past::{Past, PastVersion};
use crate::hash::{NO_PAST, Version};

/// A key that was ever set, with its versions.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) key: Box<[u8]>,
    /// The newest version.
    pub(super) newest: Version,
    /// Its value; none for a tombstone.
    pub(super) value: Option<Box<[u8]>>,
    /// The other versions; none if there is no other.
    past: Option<Box<Past>>,
}

impl Entry {
    /// An entry with its first version.
    pub(super) fn new(key: &[u8], newest: Version, value: Option<&[u8]>) -> Self {
        Self { key: key.into(), newest, value: value.map(Into::into), past: None }
    }

    /// Adds a version; `leaf` is the hash of the one that it follows.
    pub(super) fn write(&mut self, newest: Version, value: Option<&[u8]>, leaf: Hash) {
        let value = core::mem::replace(&mut self.value, value.map(Into::into));
        let block = core::mem::replace(&mut self.newest, newest).block;
        self.past.get_or_insert_default().push(PastVersion { block, value }, leaf);
    }

    /// The other versions.
    pub(super) fn past(&self) -> Option<&Past> {
        self.past.as_deref()
    }

    /// The number of versions.
    pub(super) fn versions(&self) -> u64 {
        1 + self.past().map_or(0, Past::len)
    }

    /// The root over the other versions.
    pub(super) fn past_root(&self) -> Hash {
        self.past().map_or(NO_PAST, Past::root)
    }
}
