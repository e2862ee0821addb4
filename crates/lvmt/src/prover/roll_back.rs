//! Going back to an earlier block.

use alloc::collections::{BTreeMap, btree_map};
use alloc::vec::Vec;

use prooflight_amt::Change;
use prooflight_core::store::{Store, WriteBatch};
use prooflight_core::{Error, Hash, Reason, Result};

use super::before::{AmtBefore, Before, KeyBefore, Written, read_before};
use super::blocks::{self, Blocks};
use super::cache::Cache;
use super::current::ChangedLeaves;
use super::record::{
    BlockRecord, HEAD_KEY, Head, amt_key, before_key, block_key, corrupt, key_key, owners_key, put,
    read_owners,
};
use super::store::LvmtStore;
use super::tree::tile_keys;
use crate::path::{Prefix, index_at};

impl<S: Store + Sync> LvmtStore<S> {
    /// Goes back to the state after a kept block, and forgets the blocks after it.
    ///
    /// `version_unavailable` if it is newer than the newest or older than the oldest kept one.
    pub fn roll_back(&mut self, height: u64) -> Result<()> {
        let newest = self.check_kept(height)?;
        let mut writes = WriteBatch::new();
        let mut commitment = self.commitment;
        let mut undone = Vec::new();
        let mut current = ChangedLeaves::default();
        let mut owners: BTreeMap<(u8, Prefix), Vec<Hash>> = BTreeMap::new();
        // The newest first: what a key was before the oldest of them is put last.
        for block in (height + 1..=newest).rev() {
            let before = read_before(&self.store, block)?;
            commitment = before.commitment;
            undone.extend(self.root_changes(&before));
            let size = BlockRecord::read(&self.store, block)?.size;
            current.remove_block(block, size);
            for place in before.places() {
                current.restore(&self.store, place)?;
            }
            self.put_back(&mut writes, &mut owners, before)?;
            for key in tile_keys(block, size) {
                writes.delete(key);
            }
            writes.delete(block_key(block));
            writes.delete(before_key(block));
        }
        for ((level, path), owners) in owners {
            let key = owners_key(level, &path);
            if owners.is_empty() {
                writes.delete(key);
            } else {
                put(&mut writes, key, owners.as_flattened().to_vec());
            }
        }
        blocks::remove_after(&mut writes, height + 1, newest + 1);
        current.put(&mut writes);
        let draft = self.root_tree.draft(&self.params, &undone, &mut writes)?;
        let blocks = Blocks::read(&self.store, height + 1)?;
        let (hroot, tree_sum) = (blocks.root(), draft.sum);
        let head = Head { blocks: height + 1, commitment, hroot, tree_sum };
        put(&mut writes, HEAD_KEY.to_vec(), head.encode());
        self.store.write(writes)?;
        self.commitment = commitment;
        self.blocks = blocks;
        self.root_tree.take_over(&draft);
        self.cache = Cache::new(self.params.log_n());
        Ok(())
    }

    /// The newest block, if a block is kept; otherwise `version_unavailable`.
    pub(super) fn check_kept(&self, height: u64) -> Result<u64> {
        match self.height() {
            Some(newest) if (self.oldest..=newest).contains(&height) => Ok(newest),
            Some(newest) => Err(Error::new(
                Reason::VersionUnavailable,
                format_args!("a block of {} to {newest}", self.oldest),
                height,
            )),
            None => Err(Error::new(Reason::VersionUnavailable, "a first block", height)),
        }
    }

    /// What taking a block back changes in the root AMT.
    fn root_changes(&self, before: &Before) -> Vec<Change> {
        let log_n = self.params.log_n();
        let of_key = |key: &KeyBefore| {
            let slot = key.state.slot();
            let index = index_at(&key.key_hash, log_n, 0);
            (slot.level == 0).then(|| Change::version(index, slot.number, -1))
        };
        let of_amt = |amt: &AmtBefore| {
            let index = index_at(&amt.key_hash, log_n, 0);
            (amt.level == 1).then(|| Change::version(index, 0, -1))
        };
        let keys = before.keys.iter().filter_map(of_key);
        keys.chain(before.amts.iter().filter_map(of_amt)).collect()
    }

    /// Puts the records back that a block has changed, the newest of all.
    fn put_back(
        &self,
        writes: &mut WriteBatch,
        owners: &mut BTreeMap<(u8, Prefix), Vec<Hash>>,
        before: Before,
    ) -> Result<()> {
        let log_n = self.params.log_n();
        // The keys that got a slot last give it up first.
        for key in before.keys.into_iter().rev() {
            let level = match key.state {
                Written::Before { record, .. } => {
                    put(writes, key_key(&key.key_hash), record);
                    continue;
                }
                Written::Never { slot } => slot.level,
            };
            writes.delete(key_key(&key.key_hash));
            let path = Prefix::new(&key.key_hash, log_n, level + 1);
            let of_entry = match owners.entry((level, path)) {
                btree_map::Entry::Occupied(entry) => entry.into_mut(),
                btree_map::Entry::Vacant(entry) => {
                    entry.insert(read_owners(&self.store, level, &path)?)
                }
            };
            if of_entry.pop() != Some(key.key_hash) {
                return Err(corrupt("the last owner of an entry that got a slot last", "another"));
            }
        }
        for amt in before.amts {
            let key = amt_key(amt.level, &Prefix::new(&amt.key_hash, log_n, amt.level));
            match amt.record {
                Some(record) => put(writes, key, record.encode()),
                None => writes.delete(key),
            }
        }
        Ok(())
    }
}
