//! The record of a past version of an entry.
//!
//! block u64, the [content], then the roots of the perfect trees of two or more versions that it completes, smallest first.
//! So the root over any part of the past is in few records. A content is `00` for a tombstone; `01`, length u16 and a
//! value; or `02` and the hash of a value that has a record of its own.
//!
//! [content]: put_content

use alloc::vec::Vec;
use core::iter;

use prooflight_core::merkle::Subtree;
use prooflight_core::store::{ReadStore, WriteBatch, corrupt};
use prooflight_core::{ByteReader, Error, Hash, Hex, Reason, Result};

use super::stored_record::{check, decode, integer, missing_key, past_key, put, require, short};
use crate::hash::{KeyVersion, hash_value};
use crate::message::HashMessage as _;

/// Writes the content of a version: its value if given, otherwise the value's hash.
pub(super) fn put_content(record: &mut Vec<u8>, version: &KeyVersion, value: Option<&[u8]>) {
    match (value, version.value) {
        (_, None) => record.push(0),
        (Some(value), _) => {
            record.push(1);
            // At most `MAX_INLINE_BYTES` bytes.
            record.put_u16(value.len());
            record.put(value);
        }
        (None, Some(hash)) => {
            record.push(2);
            record.put(&hash);
        }
    }
}

/// Reads the content of a version: the hash of its value and the value. The hash is zeros if the value
/// itself is stored.
pub(super) fn read_content<'r>(
    reader: &mut ByteReader<'r>,
) -> Result<(Option<Hash>, Option<&'r [u8]>)> {
    match reader.u8()? {
        0 => Ok((None, None)),
        1 => {
            let length = short(reader)?;
            Ok((Some(Hash::default()), Some(reader.take(length)?)))
        }
        2 => Ok((Some(reader.array()?), None)),
        other => Err(corrupt("a content of 0 to 2", other)),
    }
}

/// A past version of an entry, read from the store.
pub(super) struct StoredVersion {
    pub(super) version: KeyVersion,
    /// Its value, if it has one without a record of its own.
    pub(super) value: Option<Vec<u8>>,
    /// The roots of the perfect trees that it completes, smallest first.
    pub(super) roots: Vec<Hash>,
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
pub(super) struct MissingVersions {
    /// The number of them.
    pub(super) count: u64,
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

/// A perfect tree over versions.
#[derive(Clone, Copy, Debug)]
pub(super) struct Peak {
    /// The number of its last version, which completes it.
    pub(super) last: u64,
    /// The number of levels above the versions.
    pub(super) level: u32,
}

/// The perfect trees of which a subtree is made, largest first.
pub(super) fn peaks_of(part: Subtree) -> impl Iterator<Item = Peak> {
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
    pub(super) fn read<S: ReadStore + ?Sized>(store: &S, key: &[u8]) -> Result<Self> {
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
    pub(super) fn root(&self, wanted: Peak) -> Option<Hash> {
        let all = peaks_of(Subtree { start: 0, size: self.count });
        let mut all = all.zip(&self.peaks);
        all.find(|(peak, _)| peak.last == wanted.last && peak.level == wanted.level)
            .map(|(_, root)| *root)
    }

    pub(super) fn error(&self, key: &[u8]) -> Error {
        let expected = format_args!(
            "version {} of {} or a later one, with which this store began",
            self.count,
            Hex(key)
        );
        Error::new(Reason::VersionUnavailable, expected, "an earlier one")
    }
}

impl StoredVersion {
    pub(super) fn require<S: ReadStore + ?Sized>(
        store: &S,
        key: &[u8],
        number: u64,
    ) -> Result<Self> {
        let name = format_args!("version {number} of {}", Hex(key));
        Self::decode(&require(store, &past_key(key, number), &name)?, number, &name)
    }

    /// Consecutive versions.
    pub(super) fn range<S: ReadStore + ?Sized>(
        store: &S,
        key: &[u8],
        numbers: &[u64],
    ) -> Result<Vec<Self>> {
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
