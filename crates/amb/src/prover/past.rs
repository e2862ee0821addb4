//! The past of an entry: what its versions were, and the hashes that prove them.

use alloc::borrow::Cow;
use alloc::vec::Vec;

use prooflight_core::merkle::{Blake2bTree, Subtree, multiproof, multiproof_root};
use prooflight_core::store::{ReadStore, corrupt};
use prooflight_core::{Error, Hash, Hex, Limits, Reason, Result};

use super::entry::PageEntry;
use super::stored_record::value_key;
use super::stored_version::{MissingVersions, StoredVersion, peaks_of};
use crate::hash::{hash_value, past_root};

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
