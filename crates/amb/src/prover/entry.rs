//! An entry of the state.

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::vec::Vec;

use prooflight_core::{Hash, Result};

use super::leaf::{Excerpt, Leaf};
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
}

impl Leaf for &Entry {
    fn key(&self) -> &[u8] {
        &self.key
    }

    fn versions(&self) -> u64 {
        1 + self.past.as_ref().map_or(0, |past| past.len())
    }

    fn newest(&self) -> &Version {
        &self.newest
    }

    fn value(&self) -> Result<Cow<'_, [u8]>> {
        Ok(self.value.as_deref().unwrap_or_default().into())
    }

    fn past_root(&self) -> Hash {
        self.past.as_ref().map_or(NO_PAST, |past| past.root())
    }

    fn peaks(&self) -> Cow<'_, [Hash]> {
        self.past.as_ref().map_or(Cow::default(), |past| past.peaks().into())
    }

    fn before(&self, block: u64) -> Result<u64> {
        Ok(self.past.as_ref().map_or(0, |past| past.before(block)))
    }

    fn excerpt(&self, numbers: &[u64], shown_until: u64) -> Result<Excerpt<'_>> {
        match &self.past {
            Some(past) => past.excerpt(numbers, shown_until),
            None => Ok(Excerpt { versions: Vec::new(), hashes: Vec::new() }),
        }
    }
}
