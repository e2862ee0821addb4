//! An entry as a page stores it.
//!
//! key length u16, key, number of versions u64, newest block u64, [content], the roots of the perfect trees over the past
//! versions, largest first.
//!
//! [content]: super::stored_version

use alloc::borrow::Cow;
use alloc::vec::Vec;

use prooflight_core::merkle::{Blake2bTree, node_hash};
use prooflight_core::store::{WriteBatch, corrupt};
use prooflight_core::{ByteReader, Error, Hash, Hex, Reason, Result};

use super::MAX_INLINE_BYTES;
use super::stored_record::{integer, short, value_key};
use super::stored_version::{put_content, put_past, read_content};
use crate::hash::{EMPTY_PAST_ROOT, KeyVersion, past_root};
use crate::message::HashMessage as _;

/// A key that was ever set, as its page stores it.
#[derive(Clone, Debug)]
pub(super) struct PageEntry<'p> {
    pub(super) key: Cow<'p, [u8]>,
    /// The number of its versions, at least 1.
    pub(super) versions: u64,
    pub(super) newest: KeyVersion,
    /// The newest value, if there is one and it has no record of its own.
    pub(super) value: Option<Cow<'p, [u8]>>,
    /// The roots of the perfect trees over the past versions, largest first.
    pub(super) peaks: Cow<'p, [Hash]>,
}

/// A change of a block.
#[derive(Clone, Copy, Debug)]
pub(super) struct EntryWrite<'p> {
    pub(super) key: &'p [u8],
    pub(super) value: Option<&'p [u8]>,
    /// The version that it creates.
    pub(super) version: KeyVersion,
}

impl<'p> PageEntry<'p> {
    /// The entry of a key that was never set.
    pub(super) fn new(write: &EntryWrite<'p>, writes: &mut WriteBatch) -> Result<Self> {
        let mut entry = Self {
            key: Cow::Borrowed(write.key),
            versions: 1,
            newest: write.version,
            value: None,
            peaks: Cow::default(),
        };
        if write.value.is_none() {
            return Err(absent(write.key));
        }
        entry.put_value(write.value, writes);
        Ok(entry)
    }

    /// The entry with one more version.
    pub(super) fn written(
        mut self,
        write: &EntryWrite<'p>,
        writes: &mut WriteBatch,
    ) -> Result<Self> {
        if write.value.is_none() && self.newest.value.is_none() {
            return Err(absent(write.key));
        }
        let number = self.versions - 1;
        let mut hash = self.newest.past_leaf();
        let (mut peaks, mut roots) = (self.peaks.into_owned(), Vec::new());
        for _ in 0..number.trailing_ones() {
            let left = peaks.pop().unwrap_or_default();
            hash = node_hash::<Blake2bTree>(&left, &hash);
            roots.push(hash);
        }
        peaks.push(hash);
        put_past(writes, (&self.key, number), &self.newest, self.value.as_deref(), &roots);
        (self.newest, self.value, self.peaks) = (write.version, None, peaks.into());
        self.versions += 1;
        self.put_value(write.value, writes);
        Ok(self)
    }

    fn put_value(&mut self, value: Option<&'p [u8]>, writes: &mut WriteBatch) {
        match value {
            Some(value) if value.len() > MAX_INLINE_BYTES => {
                writes.put(value_key(&self.key, self.versions - 1), value);
            }
            _ => self.value = value.map(Cow::Borrowed),
        }
    }

    /// The root over the past versions.
    pub(super) fn past_root(&self) -> Hash {
        if self.peaks.is_empty() { EMPTY_PAST_ROOT } else { past_root(&self.peaks, None) }
    }

    pub(super) fn into_owned(self) -> PageEntry<'static> {
        PageEntry {
            key: self.key.into_owned().into(),
            versions: self.versions,
            newest: self.newest,
            value: self.value.map(|value| value.into_owned().into()),
            peaks: self.peaks.into_owned().into(),
        }
    }

    pub(super) fn encode(&self, page: &mut Vec<u8>) {
        page.put_u16(self.key.len());
        page.put(&self.key);
        page.put(&self.versions.to_be_bytes());
        page.put(&self.newest.block.to_be_bytes());
        put_content(page, &self.newest, self.value.as_deref());
        page.put(self.peaks.as_flattened());
    }

    /// Reads an entry; the hash of a value in the page is not known yet.
    pub(super) fn decode(reader: &mut ByteReader<'p>) -> Result<Self> {
        let length = short(reader)?;
        let key = Cow::Borrowed(reader.take(length)?);
        let (versions, block) = (integer(reader)?, integer(reader)?);
        let Some(past) = versions.checked_sub(1) else {
            return Err(corrupt("at least one version", 0));
        };
        let (value, content) = read_content(reader)?;
        let (peaks, _) = reader.take(32 * past.count_ones() as usize)?.as_chunks::<32>();
        let newest = KeyVersion { block, value };
        Ok(Self { key, versions, newest, value: content.map(Cow::Borrowed), peaks: peaks.into() })
    }
}

#[cold]
fn absent(key: &[u8]) -> Error {
    Error::new(Reason::KeyAbsent, "a key that has a value", Hex(key))
}
