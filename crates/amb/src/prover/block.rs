//! The next block: the pages that it changes, and the branches above them.

use alloc::collections::BTreeSet;
use alloc::vec::Vec;

use prooflight_core::Result;
use prooflight_core::store::{RawKeyChange, ReadStore, WriteBatch};

use super::branches::above_pages;
use super::draft::SubtreeDraft;
use super::entry::{EntryWrite, PageEntry};
use super::hashing::hash_values;
use super::piece::TreePiece;
use super::route::{RoutePart, route};
use super::stored_record::{page_key, summary_key};
use super::top::TopChild;
use super::{page, top};
use crate::hash::KeyVersion;

/// The tree after a block, and the writes that lead to it.
///
/// The changes ascend by key. `key_absent` for a deletion of a key that has no value.
pub(super) fn next_block<S: ReadStore + ?Sized>(
    store: &S,
    before: &TopChild,
    block: u64,
    changes: &[RawKeyChange<'_>],
) -> Result<(TopChild, WriteBatch)> {
    let mut writes = WriteBatch::new();
    let changes = entry_writes(block, changes);
    let parts = route(before, &changes);
    let read = |part: &RoutePart<'_>| match part {
        RoutePart::Page(child, _) => page::read(store, child.key()),
        RoutePart::Node(_) | RoutePart::New(_) => Ok(Vec::new()),
    };
    let pages = parts.iter().map(read).collect::<Result<Vec<_>>>()?;
    let mut pieces = Vec::new();
    for (part, bytes) in parts.iter().zip(&pages) {
        match part {
            RoutePart::Node(child) => pieces.push(TreePiece::Node((*child).clone())),
            RoutePart::New(run) => {
                merge(Vec::new(), &changes[run.clone()], &mut pieces, &mut writes)?;
            }
            RoutePart::Page(child, run) => {
                let entries = page::entries(child.key(), bytes, &child.record)?;
                merge(entries, &changes[run.clone()], &mut pieces, &mut writes)?;
            }
        }
    }
    let mut firsts = BTreeSet::new();
    let after = above_pages(&SubtreeDraft::over(&pieces), &pieces, |entries, child| {
        page::write(&mut writes, entries, &child.record);
        if let top::TopNode::Page(first) = &child.node {
            firsts.insert(first.clone());
        }
    });
    for part in &parts {
        if let RoutePart::Page(child, _) = part
            && !firsts.contains(child.key())
        {
            writes.delete(page_key(child.key()));
            writes.delete(summary_key(child.key()));
        }
    }
    Ok((after, writes))
}

/// The version that each change creates.
fn entry_writes<'p>(block: u64, changes: &[RawKeyChange<'p>]) -> Vec<EntryWrite<'p>> {
    let values = changes.iter().filter_map(|change| change.value);
    let mut hashes = hash_values(values).into_iter();
    let write = |&RawKeyChange { key, value }: &RawKeyChange<'p>| {
        let version = KeyVersion { block, value: value.and_then(|_| hashes.next()) };
        EntryWrite { key, value, version }
    };
    changes.iter().map(write).collect()
}

/// Adds the changes to entries; both ascend.
fn merge<'p>(
    entries: Vec<PageEntry<'p>>,
    changes: &[EntryWrite<'p>],
    pieces: &mut Vec<TreePiece<'p>>,
    writes: &mut WriteBatch,
) -> Result<()> {
    let mut entries = entries.into_iter().peekable();
    for change in changes {
        while let Some(entry) = entries.next_if(|entry| *entry.key < *change.key) {
            pieces.push(TreePiece::Entry(entry));
        }
        let entry = match entries.next_if(|entry| *entry.key == *change.key) {
            Some(entry) => entry.written(change, writes)?,
            None => PageEntry::new(change, writes)?,
        };
        pieces.push(TreePiece::Entry(entry));
    }
    pieces.extend(entries.map(TreePiece::Entry));
    Ok(())
}
