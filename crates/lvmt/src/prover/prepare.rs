//! The writes of a block.

use alloc::vec::Vec;
use core::fmt;

use prooflight_amt::Point;
use prooflight_core::store::{RawKeyChange, ReadStore, WriteBatch};
use prooflight_core::{Hash, Result};
use rayon::prelude::*;

use super::block::{BlockChanges, MIN_ITEMS_PER_THREAD, WrittenAmt, WrittenKey, place};
use super::blocks::BlocksTree;
use super::cache::{OwnerMarks, owner_marks};
use super::current_leaves::ChangedLeaves;
use super::newest::{NewestState, StateRoot, state_root};
use super::record::{
    AmtRecord, HEAD_KEY, KeyHead, StateHead, amt_key, key_record_key, owners_key, put, sealed,
};
use super::replaced::put_replaced;
use super::root_tree::RootDraft;
use super::shard::ProofShard;
use super::tree::put_tree;
use crate::path::index_at;

/// A block that has been computed but not written.
pub struct PreparedBlock {
    /// The root after the block.
    pub root: StateRoot,
    /// The writes of the block.
    pub writes: WriteBatch,
    pub(super) before: StateRoot,
    pub(super) commitment: Point,
    pub(super) blocks: BlocksTree,
    /// The indices of the root AMT whose entries have no free slot.
    pub(super) full: Vec<(u32, OwnerMarks)>,
    /// The AMTs at level 1 that have changed, by their index in the root AMT.
    pub(super) amts: Vec<(u32, AmtRecord)>,
    pub(super) tree_draft: RootDraft,
    pub(super) current: ChangedLeaves,
}

impl PreparedBlock {
    /// Computes the next block of a store and its writes.
    pub(super) fn new<S: ReadStore + Sync>(
        store: &S,
        before: &NewestState,
        changes: &[RawKeyChange<'_>],
    ) -> Result<Self> {
        let params = &before.params;
        let block = BlockChanges::new(store, params, &before.cache, changes)?;
        let number = before.blocks.size();
        let mut writes = WriteBatch::new();

        let live = |leaf| params.shard.proves(block.leaf_key_hash(leaf), params.log_n());
        let live = (params.shard != ProofShard::None).then_some(live);
        let current = put_current(&mut writes, store, before, &block)?;
        let tree_root = put_tree(&mut writes, number, block.leaves(), live);
        let mut blocks = before.blocks.clone();
        blocks.append(&tree_root, &mut writes);
        // The first block replaces nothing.
        if number > 0 {
            let proved = |key_hash: &Hash| params.shard.proves(key_hash, params.log_n());
            let replaced = block.replaced().filter(|(key_hash, _)| proved(key_hash));
            put_replaced(&mut writes, number, replaced.map(|(_, place)| place));
        }

        put_keys(&mut writes, number, &block)?;
        let amts = put_amts(&mut writes, number, &block)?;
        for ((level, path), entry) in block.entries.iter().filter(|(_, entry)| entry.has_new) {
            let owners = entry.owners.as_flattened().to_vec();
            put(&mut writes, owners_key(*level, path), owners);
        }
        let mut commitment = [before.commitment];
        let numbered: Vec<_> = block.root_changes.iter().map(|change| (0, *change)).collect();
        params.tables.update(&mut commitment, &numbered)?;
        let [commitment] = commitment;
        let tree_draft = before.root_tree.draft(params, &block.root_changes, &mut writes)?;
        let (hroot, tree_sum) = (blocks.root(), tree_draft.sum);
        let head = StateHead { blocks: blocks.size(), commitment, hroot, tree_sum };
        put(&mut writes, HEAD_KEY.to_vec(), head.encode());

        let index = |key_hash| index_at(key_hash, params.log_n(), 0);
        let of_root = block.entries.iter().filter(|((level, _), _)| *level == 0);
        let full = of_root.filter_map(|(_, entry)| {
            owner_marks(&entry.owners).map(|full| (index(&entry.owners[0]), full))
        });
        Ok(Self {
            root: state_root(&commitment, &blocks),
            writes,
            before: before.root(),
            commitment,
            blocks,
            full: full.collect(),
            amts: amts.into_iter().map(|(key_hash, amt)| (index(key_hash), amt)).collect(),
            tree_draft,
            current,
        })
    }
}

/// Writes the current leaves after a block.
fn put_current<S: ReadStore>(
    writes: &mut WriteBatch,
    store: &S,
    before: &NewestState,
    block: &BlockChanges<'_>,
) -> Result<ChangedLeaves> {
    let mut current = ChangedLeaves::default();
    for (_, replaced) in block.replaced() {
        current.replace(store, &before.cache.current, replaced)?;
    }
    let leaves = block.keys.len() + block.amts.len();
    current.add_block(before.blocks.size(), leaves as u32);
    current.put(writes);
    Ok(current)
}

fn put_keys(writes: &mut WriteBatch, number: u64, block: &BlockChanges<'_>) -> Result<()> {
    let of_key = |(index, key): (usize, &WrittenKey<'_>)| {
        let (slot, version, place) = (key.slot, key.version, place(number, index)?);
        let head = KeyHead { slot, version, place, has_value: key.value.is_some() };
        let record = head.encode(key.value.unwrap_or_default());
        Ok(sealed(key_record_key(&key.key_hash), record))
    };
    let records = block.keys.par_iter().with_min_len(MIN_ITEMS_PER_THREAD).enumerate().map(of_key);
    for (key, record) in records.collect::<Result<Vec<_>>>()? {
        writes.put(key, record);
    }
    Ok(())
}

/// Writes the AMTs; returns those at level 1, each with the hash of a key below it.
fn put_amts<'b>(
    writes: &mut WriteBatch,
    number: u64,
    block: &'b BlockChanges<'_>,
) -> Result<Vec<(&'b Hash, AmtRecord)>> {
    let of_amt = |(index, amt): (usize, &'b WrittenAmt)| {
        let place = place(number, block.keys.len() + index)?;
        let record = AmtRecord { version: amt.version, place, commitment: amt.commitment };
        Ok((amt, record, sealed(amt_key(amt.level, &amt.prefix), record.encode())))
    };
    let records = block.amts.par_iter().with_min_len(MIN_ITEMS_PER_THREAD).enumerate().map(of_amt);
    let mut below_root = Vec::new();
    for (amt, record, (key, value)) in records.collect::<Result<Vec<_>>>()? {
        writes.put(key, value);
        if amt.level == 1 {
            below_root.push((&amt.key_hash, record));
        }
    }
    Ok(below_root)
}

impl fmt::Debug for PreparedBlock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let block = self.blocks.size() - 1;
        f.debug_struct("PreparedBlock").field("block", &block).finish_non_exhaustive()
    }
}
