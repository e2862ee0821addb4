//! An entry of the state.

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::vec::Vec;

use prooflight_core::{Hash, Result};

use super::leaf::{ProvableEntry, VersionExcerpt};
use super::past::{PastVersion, PastVersions};
use crate::hash::{EMPTY_PAST_ROOT, KeyVersion};

/// A key that was ever set, with its versions.
#[derive(Clone, Debug)]
pub(super) struct MemoryEntry {
    pub(super) key: Box<[u8]>,
    /// The newest version.
    pub(super) newest: KeyVersion,
    /// Its value; `None` for a tombstone.
    pub(super) value: Option<Box<[u8]>>,
    /// The past versions; `None` if absent.
    past: Option<Box<PastVersions>>,
}

impl MemoryEntry {
    /// An entry with its first version.
    pub(super) fn new(key: &[u8], newest: KeyVersion, value: Option<&[u8]>) -> Self {
        Self { key: key.into(), newest, value: value.map(Into::into), past: None }
    }

    /// Reads a word of each of its cache lines.
    pub(super) fn read(&self) -> u64 {
        let lengths = [&self.key, self.value.as_ref().unwrap_or(&self.key)].map(|it| it.len());
        let [key, value] = lengths.map(|length| length as u64);
        key ^ value ^ self.newest.block ^ u64::from(self.past.is_some())
    }

    /// Reads the first byte of its key.
    pub(super) fn read_key(&self) -> u64 {
        self.key.first().copied().unwrap_or_default().into()
    }

    /// Reads a word of its past.
    pub(super) fn read_past(&self) -> u64 {
        self.past.as_ref().map_or(0, |past| past.len())
    }

    /// Adds a version; `leaf` is the hash of the one that it follows.
    pub(super) fn write(&mut self, newest: KeyVersion, value: Option<&[u8]>, leaf: Hash) {
        let value = core::mem::replace(&mut self.value, value.map(Into::into));
        let block = core::mem::replace(&mut self.newest, newest).block;
        let version = PastVersion { block, value };
        match &mut self.past {
            Some(past) => past.push(version, leaf),
            None => self.past = Some(Box::new(PastVersions::new(version, leaf))),
        }
    }
}

impl ProvableEntry for &MemoryEntry {
    fn key(&self) -> &[u8] {
        &self.key
    }

    fn versions(&self) -> u64 {
        1 + self.past.as_ref().map_or(0, |past| past.len())
    }

    fn newest(&self) -> &KeyVersion {
        &self.newest
    }

    fn value(&self) -> Result<Cow<'_, [u8]>> {
        Ok(self.value.as_deref().unwrap_or_default().into())
    }

    fn past_root(&self) -> Hash {
        self.past.as_ref().map_or(EMPTY_PAST_ROOT, |past| past.root())
    }

    fn peaks(&self) -> Cow<'_, [Hash]> {
        self.past.as_ref().map_or(Cow::default(), |past| past.peaks().into())
    }

    fn before(&self, block: u64) -> Result<u64> {
        Ok(self.past.as_ref().map_or(0, |past| past.before(block)))
    }

    fn excerpt(&self, numbers: &[u64], shown_until: u64) -> Result<VersionExcerpt<'_>> {
        match &self.past {
            Some(past) => past.excerpt(numbers, shown_until),
            None => Ok(VersionExcerpt { versions: Vec::new(), hashes: Vec::new() }),
        }
    }
}
