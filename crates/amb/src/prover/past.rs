//! A past version of an entry.
//!
//! block u64, the [content](super::entry), then the roots of the perfect trees of two or more versions that it completes,
//! smallest first. So the root over any part of the past is in few records.

use alloc::borrow::Cow;
use alloc::vec::Vec;
use core::iter;

use prooflight_core::merkle::{Blake2bTree, Subtree, multiproof, multiproof_root};
use prooflight_core::store::{ReadStore, WriteBatch, corrupt};
use prooflight_core::{Error, Hash, Hex, Limits, Reason, Result};

use super::entry::{PageEntry, put_content, read_content};
use super::stored_record::{
    check, decode, integer, missing_key, past_key, put, require, value_key,
};
use crate::hash::{KeyVersion, hash_value, past_root};
use crate::message::HashMessage as _;

/// Some past versions of an entry.
pub(super) struct VersionExcerpt {
    /// Their blocks and contents.
    pub(super) versions: Vec<(u64, VersionContent<'static>)>,
    /// The hashes that lead from them to the root over the past versions.
    pub(super) hashes: Vec<Hash>,
}

/// The content of a version, as proofs show it.
pub(super) enum VersionContent<'e> {
    Tombstone,
    /// A value that is shown.
    Value(Cow<'e, [u8]>),
    /// A value of which only the hash is shown.
    Hash(Hash),
}

/// A past version of an entry, read from the store.
struct StoredVersion {
    version: KeyVersion,
    /// Its value, if it has one without a record of its own.
    value: Option<Vec<u8>>,
    /// The roots of the perfect trees that it completes, smallest first.
    roots: Vec<Hash>,
}

/// Writes the record of an entry's version, which becomes past.
pub(super) fn put_past(
    writes: &mut WriteBatch,
    (key, number): (&[u8], u64),
    version: &KeyVersion,
    value: Option<&[u8]>,
    roots: &[Hash],
) {
    let mut record = Vec::with_capacity(64);
    record.put(&version.block.to_be_bytes());
    put_content(&mut record, version, value);
    record.put(roots.as_flattened());
    put(writes, past_key(key, number), record);
}

/// The first versions of an entry, if the store began with a later one.
#[derive(Default)]
struct MissingVersions {
    /// The number of them.
    count: u64,
    /// The roots of the perfect trees over them, largest first.
    peaks: Vec<Hash>,
}

/// Writes the record of the first versions of an entry, which the store does not have.
pub(super) fn put_missing(writes: &mut WriteBatch, key: &[u8], count: u64, peaks: &[Hash]) {
    let mut record = Vec::with_capacity(8 + 32 * peaks.len());
    record.put(&count.to_be_bytes());
    record.put(peaks.as_flattened());
    put(writes, missing_key(key), record);
}

/// The number of past versions of blocks before this one.
///
/// `version_unavailable` if the store lacks the versions that determine it.
pub(super) fn before<S: ReadStore + ?Sized>(
    store: &S,
    entry: &PageEntry<'_>,
    block: u64,
) -> Result<u64> {
    let lost = MissingVersions::read(store, &entry.key)?;
    let (mut low, mut high) = (lost.count, entry.versions - 1);
    while low < high {
        let middle = low + (high - low) / 2;
        if StoredVersion::require(store, &entry.key, middle)?.version.block < block {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if low > 0 && low == lost.count {
        // The missing versions are of earlier blocks than the first stored one.
        let first = if low == entry.versions - 1 {
            entry.newest.block
        } else {
            StoredVersion::require(store, &entry.key, low)?.version.block
        };
        if first > block {
            return Err(lost.error(&entry.key));
        }
    }
    Ok(low)
}

/// Consecutive past versions, at least one, with their values up to a block.
///
/// `store_corrupt` if they do not hash to the entry's root; `version_unavailable` if the store began with a later one;
/// `request_too_large` for more than a proof may have.
pub(super) fn excerpt<S: ReadStore + ?Sized>(
    store: &S,
    entry: &PageEntry<'_>,
    numbers: &[u64],
    shown_until: u64,
) -> Result<VersionExcerpt> {
    let key = &entry.key;
    let limits = Limits::DEFAULT;
    if numbers.len() > limits.max_changes {
        let expected = format_args!("at most {} changes", limits.max_changes);
        return Err(Error::new(Reason::RequestTooLarge, expected, numbers.len()));
    }
    let lost = MissingVersions::read(store, key)?;
    if numbers.first().is_some_and(|first| *first < lost.count) {
        return Err(lost.error(key));
    }
    let mut bytes = 0;
    let (mut versions, mut leaves) = (Vec::new(), Vec::new());
    for (number, past) in numbers.iter().zip(StoredVersion::range(store, key, numbers)?) {
        leaves.push((*number, past.version.past_leaf()));
        let block = past.version.block;
        let content = match past.version.value {
            None => VersionContent::Tombstone,
            Some(hash) if block > shown_until => VersionContent::Hash(hash),
            Some(hash) => VersionContent::Value(match past.value {
                Some(value) => value.into(),
                None => value(store, key, *number, &hash)?.into(),
            }),
        };
        if let VersionContent::Value(value) = &content {
            bytes += value.len();
        }
        if bytes > limits.max_proof_bytes {
            let expected = format_args!("values of at most {} bytes", limits.max_proof_bytes);
            return Err(Error::new(Reason::RequestTooLarge, expected, bytes));
        }
        versions.push((block, content));
    }
    let past = entry.versions - 1;
    let mut hashes = Vec::new();
    for part in multiproof(numbers, past)? {
        hashes.push(root_of(store, key, part, &lost)?);
    }
    let root = multiproof_root::<Blake2bTree>(&leaves, past, &mut hashes.iter().copied())?;
    let expected = entry.past_root();
    if root != expected {
        let expected =
            format_args!("past versions of {} with the root {}", Hex(key), Hex(&expected));
        return Err(corrupt(expected, Hex(&root)));
    }
    Ok(VersionExcerpt { versions, hashes })
}

/// The value of a version that has a record of its own.
pub(super) fn value<S: ReadStore + ?Sized>(
    store: &S,
    key: &[u8],
    number: u64,
    hash: &Hash,
) -> Result<Vec<u8>> {
    let value = store.get(&value_key(key, number))?;
    let found = value.as_deref().map(hash_value);
    match (value, found) {
        (Some(value), Some(found)) if found == *hash => Ok(value),
        (_, found) => {
            let expected =
                format_args!("the value of version {number} of {}, {}", Hex(key), Hex(hash));
            Err(match found {
                Some(found) => corrupt(expected, Hex(&found)),
                None => corrupt(expected, "none"),
            })
        }
    }
}

/// The root over some versions: a subtree of the tree over all past ones.
fn root_of<S: ReadStore + ?Sized>(
    store: &S,
    key: &[u8],
    part: Subtree,
    lost: &MissingVersions,
) -> Result<Hash> {
    let mut peaks = Vec::new();
    for peak in peaks_of(part) {
        if peak.last < lost.count {
            peaks.extend(lost.root(peak));
            continue;
        }
        let past = StoredVersion::require(store, key, peak.last)?;
        let root = match peak.level.checked_sub(1) {
            None => Some(past.version.past_leaf()),
            Some(level) => past.roots.get(level as usize).copied(),
        };
        peaks.extend(root);
    }
    Ok(past_root(&peaks, None))
}

/// A perfect tree over versions.
#[derive(Clone, Copy, Debug)]
struct Peak {
    /// The number of its last version, which completes it.
    last: u64,
    /// The number of levels above the versions.
    level: u32,
}

/// The perfect trees of which a subtree is made, largest first.
fn peaks_of(part: Subtree) -> impl Iterator<Item = Peak> {
    let (mut start, end) = (part.start, part.start + part.size);
    iter::from_fn(move || {
        let level = (end - start).checked_ilog2()?;
        let last = start + (1 << level) - 1;
        start = last + 1;
        Some(Peak { last, level })
    })
}

impl MissingVersions {
    /// Empty, unless the store began with a later version.
    fn read<S: ReadStore + ?Sized>(store: &S, key: &[u8]) -> Result<Self> {
        let record = missing_key(key);
        let Some(value) = store.get(&record)? else { return Ok(Self::default()) };
        let name = format_args!("the roots over the first versions of {}", Hex(key));
        decode(&check(&record, value, &name)?, &name, |reader| {
            let count = integer(reader)?;
            let (peaks, _) = reader.take(32 * count.count_ones() as usize)?.as_chunks::<32>();
            Ok(Self { count, peaks: peaks.to_vec() })
        })
    }

    /// The root of one of the perfect trees over them.
    fn root(&self, wanted: Peak) -> Option<Hash> {
        let all = peaks_of(Subtree { start: 0, size: self.count });
        let mut all = all.zip(&self.peaks);
        all.find(|(peak, _)| peak.last == wanted.last && peak.level == wanted.level)
            .map(|(_, root)| *root)
    }

    fn error(&self, key: &[u8]) -> Error {
        let expected = format_args!(
            "version {} of {} or a later one, with which this store began",
            self.count,
            Hex(key)
        );
        Error::new(Reason::VersionUnavailable, expected, "an earlier one")
    }
}

impl StoredVersion {
    fn require<S: ReadStore + ?Sized>(store: &S, key: &[u8], number: u64) -> Result<Self> {
        let name = format_args!("version {number} of {}", Hex(key));
        Self::decode(&require(store, &past_key(key, number), &name)?, number, &name)
    }

    /// Consecutive versions.
    fn range<S: ReadStore + ?Sized>(store: &S, key: &[u8], numbers: &[u64]) -> Result<Vec<Self>> {
        let [first, .., last] = numbers else {
            return numbers.iter().map(|&number| Self::require(store, key, number)).collect();
        };
        let mut records = store.range(&past_key(key, *first), &past_key(key, last + 1));
        let read = |&number: &u64| -> Result<Self> {
            let name = format_args!("version {number} of {}", Hex(key));
            let (key, value) = match records.next().transpose()? {
                Some((found, value)) if found == past_key(key, number) => (found, value),
                _ => return Err(corrupt(name, "none")),
            };
            Self::decode(&check(&key, value, &name)?, number, &name)
        };
        numbers.iter().map(read).collect()
    }

    fn decode(record: &[u8], number: u64, name: &dyn core::fmt::Display) -> Result<Self> {
        decode(record, name, |reader| {
            let block = integer(reader)?;
            let (hash, value) = read_content(reader)?;
            let hash = value.map(hash_value).or(hash);
            let (roots, _) = reader.take(32 * number.trailing_ones() as usize)?.as_chunks::<32>();
            let version = KeyVersion { block, value: hash };
            Ok(Self { version, value: value.map(Vec::from), roots: roots.to_vec() })
        })
    }
}
