//! The next block: the pages that it changes, and the branches above them.

use alloc::collections::BTreeSet;
use alloc::vec::Vec;

use prooflight_core::Result;
use prooflight_core::store::{Change, Read, WriteBatch};

use super::branches::above_pages;
use super::draft::Draft;
use super::entry::{Entry, Write};
use super::item::Piece;
use super::record::{page_key, summary_key};
use super::route::{Part, route};
use super::top::Child;
use super::{page, top};
use crate::hash::Version;
use crate::message::{Message as _, VALUE};
use crate::prover::hashing::hash_all;

/// The tree after a block, and the writes that lead to it.
///
/// The changes ascend by key. `key_absent` for a deletion of a key that has no value.
pub(super) fn next<S: Read + ?Sized>(
    store: &S,
    before: &Child,
    block: u64,
    changes: &[Change<'_>],
) -> Result<(Child, WriteBatch)> {
    let mut writes = WriteBatch::new();
    let changes = versions(block, changes);
    let parts = route(before, &changes);
    let read = |part: &Part<'_>| match part {
        Part::Page(child, _) => page::read(store, child.key()),
        Part::Node(_) | Part::New(_) => Ok(Vec::new()),
    };
    let pages = parts.iter().map(read).collect::<Result<Vec<_>>>()?;
    let mut pieces = Vec::new();
    for (part, bytes) in parts.iter().zip(&pages) {
        match part {
            Part::Node(child) => pieces.push(Piece::Node((*child).clone())),
            Part::New(run) => merge(Vec::new(), &changes[run.clone()], &mut pieces, &mut writes)?,
            Part::Page(child, run) => {
                let entries = page::entries(child.key(), bytes, &child.record)?;
                merge(entries, &changes[run.clone()], &mut pieces, &mut writes)?;
            }
        }
    }
    let mut firsts = BTreeSet::new();
    let after = above_pages(&Draft::over(&pieces), &pieces, |entries, child| {
        page::write(&mut writes, entries, &child.record);
        if let top::Node::Page(first) = &child.node {
            firsts.insert(first.clone());
        }
    });
    for part in &parts {
        if let Part::Page(child, _) = part
            && !firsts.contains(child.key())
        {
            writes.delete(page_key(child.key()));
            writes.delete(summary_key(child.key()));
        }
    }
    Ok((after, writes))
}

/// The version that each change creates.
fn versions<'p>(block: u64, changes: &[Change<'p>]) -> Vec<Write<'p>> {
    let values = changes.iter().filter_map(|change| change.value);
    let mut hashes = hash_all(values, |message, value| {
        message.push(VALUE);
        message.put(value);
    })
    .into_iter();
    let write = |&Change { key, value }: &Change<'p>| {
        let version = Version { block, value: value.and_then(|_| hashes.next()) };
        Write { key, value, version }
    };
    changes.iter().map(write).collect()
}

/// Adds the changes to entries; both ascend.
fn merge<'p>(
    entries: Vec<Entry<'p>>,
    changes: &[Write<'p>],
    pieces: &mut Vec<Piece<'p>>,
    writes: &mut WriteBatch,
) -> Result<()> {
    let mut entries = entries.into_iter().peekable();
    for change in changes {
        while let Some(entry) = entries.next_if(|entry| *entry.key < *change.key) {
            pieces.push(Piece::Entry(entry));
        }
        let entry = match entries.next_if(|entry| *entry.key == *change.key) {
            Some(entry) => entry.written(change, writes)?,
            None => Entry::new(change, writes)?,
        };
        pieces.push(Piece::Entry(entry));
    }
    pieces.extend(entries.map(Piece::Entry));
    Ok(())
}
