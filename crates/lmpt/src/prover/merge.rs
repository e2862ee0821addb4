//! The merge of an era: its intermediate trie is applied to its snapshot, which makes that of the next era.
//!
//! It runs in parts while blocks are made. A part is one batch, and the next one begins where the store is.

use alloc::vec::Vec;
use core::iter::Peekable;

use prooflight_core::store::{RawKeyChange, ReadStore, WriteBatch, corrupt, node_key};
use prooflight_core::{Error, Reason, Result};

use super::record::{
    EraSnapshot, MERGE_KEY, MergeState, OLDEST_KEY, RemovedNodes, StoreRecord, flat_key,
    removed_key, snapshot_key,
};
use super::trie::{LayerTrie, Leaf, TrieLeaves};
use super::version::value_of;
use crate::leaf;

/// The most keys of a part.
pub const MERGE_PART_KEYS: usize = 4096;

/// Records of removed nodes that a part collects at most: more than a part writes, so that none are left over.
const MAX_COLLECTED_RECORDS: usize = 2;

/// The merge of the current era, in parts.
///
/// Made by [`LmptState::merger`](super::LmptState::merger).
#[derive(Debug)]
pub struct EraMerger {
    state: MergeState,
    left: Peekable<TrieLeaves>,
    /// The keys of the whole merge.
    total: u64,
    part_keys: usize,
    is_flat: bool,
    is_done: bool,
}

impl EraMerger {
    /// The merge during an era, from where it stopped.
    pub(super) fn open<S: ReadStore + ?Sized>(
        store: &S,
        era: u64,
        intermediate: &LayerTrie,
        (part_keys, is_flat): (usize, bool),
    ) -> Result<Self> {
        let state = match MergeState::read(store, MERGE_KEY)? {
            Some(state) if state.era == era => state,
            Some(state) => {
                return Err(corrupt(format_args!("a merge of era {era}"), state.era));
            }
            None => {
                let before = EraSnapshot::require(store, &snapshot_key(era), era)?;
                let (root, first_id, next_id) = (before.root, before.next_id, before.next_id);
                MergeState { era, parts: 0, keys: 0, root, first_id, next_id }
            }
        };
        let is_done = EraSnapshot::read(store, &snapshot_key(era + 1))?.is_some();
        if !is_done && store.get(&removed_key(era + 1, state.parts))?.is_some() {
            let found = format_args!("a record of part {}", state.parts);
            return Err(corrupt(format_args!("{} parts of the merge", state.parts), found));
        }
        let total = intermediate.length() as u64;
        let done = usize::try_from(state.keys).unwrap_or(usize::MAX);
        let mut left = intermediate.leaves();
        if state.keys > total {
            return Err(corrupt(format_args!("a merge of {total} keys"), state.keys));
        }
        if done > 0 {
            let _ = left.nth(done - 1);
        }
        Ok(Self { state, left: left.peekable(), total, part_keys, is_flat, is_done })
    }

    /// The era during which the merge runs.
    pub const fn era(&self) -> u64 {
        self.state.era
    }

    /// The number of merged keys, and that of the whole merge.
    pub const fn progress(&self) -> (u64, u64) {
        (if self.is_done { self.total } else { self.state.keys }, self.total)
    }

    /// The writes of the next part; `None` after the last one.
    ///
    /// Call it only once the previous part is in the store. If that failed, drop the merger and make
    /// another one.
    pub fn next<S: ReadStore + ?Sized>(&mut self, store: &S) -> Result<Option<WriteBatch>> {
        if self.is_done {
            return Ok(None);
        }
        let leaves: Vec<Leaf> = self.left.by_ref().take(self.part_keys.max(1)).collect();
        let MergeState { era, parts, root, first_id, next_id, .. } = self.state;
        let changes = leaves.iter().map(|(key, leaf)| {
            // The snapshot has no tombstones.
            RawKeyChange { key, value: (**leaf != *leaf::TOMBSTONE_LEAF).then_some(&**leaf) }
        });
        let mut changed = root.change(store, next_id, changes)?;
        let mut writes = changed.writes;
        // No other snapshot has a node that an earlier part of this merge made.
        changed.removed.retain(|id| {
            let is_older = *id < first_id;
            if !is_older {
                writes.delete(node_key(*id));
            }
            is_older
        });
        RemovedNodes(changed.removed).put(&mut writes, removed_key(era + 1, parts));
        if self.is_flat {
            put_flat(&mut writes, &leaves)?;
        }
        collect(store, &mut writes, MAX_COLLECTED_RECORDS)?;
        self.state.parts += 1;
        self.state.keys += leaves.len() as u64;
        self.state.root = changed.root;
        self.state.next_id = changed.next_id;
        if self.left.peek().is_some() {
            self.state.put(&mut writes, MERGE_KEY.to_vec());
        } else {
            writes.delete(MERGE_KEY);
            let parts = self.state.parts;
            let done = EraSnapshot { root: changed.root, next_id: changed.next_id, parts };
            done.put(&mut writes, snapshot_key(era + 1));
            self.is_done = true;
        }
        Ok(Some(writes))
    }
}

/// The snapshot that the merge of an era has made; `store_failed` if it is not done.
pub(super) fn finished_merge<S: ReadStore + ?Sized>(store: &S, era: u64) -> Result<EraSnapshot> {
    let Some(snapshot) = EraSnapshot::read(store, &snapshot_key(era + 1))? else {
        let expected = format_args!("the finished merge of era {era}, before a block that ends it");
        return Err(Error::new(Reason::StoreFailed, expected, "one that is under way"));
    };
    snapshot.root.check(store)?;
    Ok(snapshot)
}

/// Writes the flat values of leaves.
pub(super) fn put_flat(writes: &mut WriteBatch, leaves: &[Leaf]) -> Result<()> {
    for (key, leaf) in leaves {
        match value_of(leaf)? {
            Some(value) => writes.put(flat_key(key), value),
            None => writes.delete(flat_key(key)),
        }
    }
    Ok(())
}

/// Deletes nodes that only snapshots before the oldest kept one have, of at most this many records.
///
/// Returns whether there were any.
pub(super) fn collect<S: ReadStore + ?Sized>(
    store: &S,
    writes: &mut WriteBatch,
    records: usize,
) -> Result<bool> {
    let oldest = u64::require(store, OLDEST_KEY, "era")?;
    let mut any = false;
    for entry in store.range(&removed_key(0, 0), &removed_key(oldest + 1, 0)).take(records) {
        let (key, _) = entry?;
        let RemovedNodes(ids) = RemovedNodes::require(store, &key, oldest)?;
        for id in ids {
            writes.delete(node_key(id));
        }
        writes.delete(key);
        any = true;
    }
    Ok(any)
}
