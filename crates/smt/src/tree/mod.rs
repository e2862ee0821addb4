//! The newest state as a tree in memory.
//!
//! A block is computed on a draft, while reads continue to use the tree; only [`MemoryTree::commit`] adopts the
//! draft. Source: Kauer et al. 2025, sections 4 and 5 (Pleiades).

mod commit;
mod draft;
mod node;
mod order;
#[cfg(feature = "snapshots")]
mod part;
#[allow(unsafe_code, reason = "a cache hint, measured there")]
mod prefetch;
mod prepare;
mod prepared_view;
mod prove;
mod shard;
mod top;
mod view;
mod walk;

use core::sync::atomic::{AtomicU64, Ordering};
use std::boxed::Box;
use std::vec;
use std::vec::Vec;

use prooflight_core::{Error, Hash, Reason, Result};

use crate::hash::MAX_HEIGHT;
pub use node::{HashedChange, KeyEntry, NodeKind, VisitedChild, VisitedNode};
use order::{BlockChanges, ChangeHeights};
#[cfg(feature = "snapshots")]
pub(crate) use part::{DraftChild, ShardPart, UpperNode};
pub use prepare::PreparedTree;
use shard::{SHARDS, Shard};
use top::TopLevels;
use view::{TreeView, visit};

/// The newest entry of every key that was ever written, and the hashes above them.
///
/// Keeps only the hashes of values. A tree holds fewer than 2^32 keys whose hashes start with the same byte.
#[derive(Clone, Debug)]
pub struct MemoryTree {
    /// Identifies the tree's state; a prepared block fits only the state that it was made for.
    state: u64,
    height: Option<u64>,
    shards: Box<[Shard]>,
    top: TopLevels,
}

impl MemoryTree {
    /// A tree without keys.
    pub fn new() -> Self {
        let shards = vec![Shard::default(); SHARDS].into_boxed_slice();
        Self { state: next_state(), height: None, shards, top: TopLevels::new() }
    }

    /// The tree after a block, from the newest entry of every key that was ever written.
    ///
    /// Entries come in any order. `invalid_argument` if one is newer than the block at `newest`, or `newest` is
    /// above [`MAX_HEIGHT`].
    pub fn restore(
        newest: u64,
        leaves: impl IntoIterator<Item = (Hash, KeyEntry)>,
    ) -> Result<Self> {
        let mut tree = Self::new();
        let mut leaves = leaves.into_iter().peekable();
        let (mut list, mut heights) = (Vec::new(), Vec::new());
        while leaves.peek().is_some() || tree.height.is_none() {
            list.clear();
            heights.clear();
            for (key_hash, KeyEntry { height, value_hash }) in leaves.by_ref().take(RESTORE_BATCH) {
                if height > newest {
                    let expected = format_args!("entries of blocks up to {newest}");
                    return Err(Error::new(Reason::InvalidArgument, expected, height));
                }
                list.push(HashedChange { key_hash, value_hash });
                heights.push(height);
            }
            let prepared = tree.prepare_changes(newest, &list, ChangeHeights::Each(&heights))?;
            tree.commit(&prepared)?;
        }
        Ok(tree)
    }

    /// The root after the newest block; 32 zero bytes for a tree without keys.
    pub fn root(&self) -> Hash {
        self.top.root().hash
    }

    /// The height of the newest block.
    pub const fn height(&self) -> Option<u64> {
        self.height
    }

    /// The number of keys ever written, deleted ones included.
    pub fn len(&self) -> usize {
        self.shards.iter().map(|shard| shard.leaves.len()).sum()
    }

    /// Whether no key was ever written.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A key's newest entry; `None` if it was never written.
    pub fn get(&self, key_hash: &Hash) -> Option<KeyEntry> {
        self.shards[usize::from(key_hash[0])].get(key_hash)
    }

    /// Calls `show` with every node of at least this height, depth first; see [`VisitedNode`].
    pub fn visit<'t>(&'t self, first_height: u64, show: impl FnMut(VisitedNode<'t>)) {
        visit(&self.view(), |place| place.stamp.height() >= first_height, show);
    }

    /// Proves the state of keys at the newest block: their values, when they were deleted, or that they
    /// were never written.
    ///
    /// `value` returns the value of a key that has one. `version_unavailable` before the first block,
    /// `store_corrupt` if a value is not the one that was written; errors of `value` are passed on.
    pub fn prove<V: AsRef<[u8]>>(
        &self,
        key_hashes: &[Hash],
        value: impl FnMut(&Hash) -> Result<V>,
    ) -> Result<Vec<u8>> {
        let height = self.height.ok_or_else(|| {
            Error::new(Reason::VersionUnavailable, "a tree with at least one block", "no block yet")
        })?;
        let mut key_hashes = key_hashes.to_vec();
        key_hashes.sort_unstable();
        key_hashes.dedup();
        prove::prove(&self.view(), height, key_hashes, value)
    }

    /// Computes a block without changing the tree.
    ///
    /// Changes may come in any order; the last change of a key counts. Deletes of keys that are not live do
    /// nothing. Runs on rayon's current pool; the result does not depend on it. `invalid_argument` if the
    /// block is below the newest one or above [`MAX_HEIGHT`], `too_many_operations` above [`MAX_BLOCK_CHANGES`],
    /// `dictionary_full` if the tree cannot hold more keys.
    pub fn prepare(&self, height: u64, changes: &[HashedChange]) -> Result<PreparedTree> {
        self.prepare_changes(height, changes, ChangeHeights::Block(height))
    }

    fn view(&self) -> TreeView<'_> {
        TreeView { top: &self.top, shards: &self.shards }
    }

    fn prepare_changes(
        &self,
        height: u64,
        list: &[HashedChange],
        heights: ChangeHeights<'_>,
    ) -> Result<PreparedTree> {
        let from = self.height.unwrap_or(0);
        if !(from..=MAX_HEIGHT).contains(&height) {
            let expected = format_args!("a block from {from} to {MAX_HEIGHT}");
            return Err(Error::new(Reason::InvalidArgument, expected, height));
        }
        let fullest = self.shards.iter().map(|shard| shard.leaves.len()).max();
        check_room(list.len(), fullest.unwrap_or(0))?;
        let changes = BlockChanges { list, heights };
        Ok(PreparedTree::new(self.state, height, &self.shards, &self.top, changes))
    }

    /// Adopts a prepared block.
    ///
    /// `invalid_argument`, with the tree unchanged, if it was prepared on another state.
    pub fn commit(&mut self, prepared: &PreparedTree) -> Result<()> {
        if prepared.base != self.state {
            let expected = "a block prepared on the tree's current state";
            return Err(Error::new(
                Reason::InvalidArgument,
                expected,
                "one prepared on another state",
            ));
        }
        commit::commit(&mut self.shards, &prepared.drafts);
        self.top = prepared.top.clone();
        self.height = Some(prepared.height);
        self.state = next_state();
        Ok(())
    }

    /// Prepares a block and commits it; returns the root.
    pub fn update(&mut self, height: u64, changes: &[HashedChange]) -> Result<Hash> {
        let prepared = self.prepare(height, changes)?;
        self.commit(&prepared)?;
        Ok(self.root())
    }
}

/// The most changes that are prepared at once, 2^22.
///
/// Each changes at most 256 branches, so an index and a side fit in 31 bits.
pub const MAX_BLOCK_CHANGES: usize = 1 << 22;

/// The most leaves of a shard; it has fewer branches.
const MAX_SHARD_LEAVES: usize = u32::MAX as usize;

/// The number of leaves that a restored tree adds at a time.
const RESTORE_BATCH: usize = 1 << 17;

impl Default for MemoryTree {
    fn default() -> Self {
        Self::new()
    }
}

/// Refuses changes that might exhaust the indices; `leaves` is the number of leaves of the fullest shard.
fn check_room(changes: usize, leaves: usize) -> Result<()> {
    if changes > MAX_BLOCK_CHANGES {
        let expected = format_args!("at most {MAX_BLOCK_CHANGES} changes");
        return Err(Error::new(Reason::TooManyOperations, expected, changes));
    }
    if leaves > MAX_SHARD_LEAVES - MAX_BLOCK_CHANGES {
        let expected = "fewer than 2^32 keys whose hashes start with one byte";
        return Err(Error::new(Reason::DictionaryFull, expected, leaves));
    }
    Ok(())
}

/// A number that no other state of any tree has.
fn next_state() -> u64 {
    static NEXT_STATE: AtomicU64 = AtomicU64::new(0);
    NEXT_STATE.fetch_add(1, Ordering::Relaxed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_indices_are_not_enough_for_is_refused() {
        let reason = |changes, leaves| check_room(changes, leaves).map_err(|it| it.reason());
        let most = MAX_SHARD_LEAVES - MAX_BLOCK_CHANGES;
        assert_eq!(reason(MAX_BLOCK_CHANGES, most), Ok(()));
        assert_eq!(reason(MAX_BLOCK_CHANGES + 1, 0), Err(Reason::TooManyOperations));
        assert_eq!(reason(0, most + 1), Err(Reason::DictionaryFull));
    }
}
