//! Makes a prepared block part of the tree.

use std::vec::Vec;

use rayon::prelude::*;

use super::draft::{BranchPosition, LeafPosition, ShardDraft};
use super::prefetch::prefetch;
use super::shard::Shard;

/// How many nodes ahead of the one being written to prefetch from the slabs.
const PREFETCH_DISTANCE: usize = 12;

/// Writes the nodes of every draft into its shards.
pub(super) fn commit(shards: &mut [Shard], drafts: &[ShardDraft]) {
    let mut work = Vec::with_capacity(drafts.len());
    let (mut rest, mut first) = (shards, 0);
    for draft in drafts {
        let Some(last) = draft.sections.last() else { continue };
        let count = last.shard + 1 - first;
        let (these, others) = rest.split_at_mut(count);
        work.push((these, first, draft));
        (rest, first) = (others, first + count);
    }
    if work.len() > 1 && rayon::current_num_threads() > 1 {
        work.into_par_iter().for_each(|(shards, first, draft)| write(shards, first, draft));
    } else {
        for (shards, first, draft) in work {
            write(shards, first, draft);
        }
    }
}

/// Writes a draft into its shards; the first of them has the index `first` in the tree.
fn write(shards: &mut [Shard], first: usize, draft: &ShardDraft) {
    let shard_of = |section: u32| draft.sections[section as usize].shard - first;
    for section in &draft.sections {
        let shard = &mut shards[section.shard - first];
        shard.root = section.root;
        shard.branches.reserve(section.next_branch as usize - shard.branches.len());
        shard.leaves.reserve(section.next_leaf as usize - shard.leaves.len());
    }
    for (at, (branch, place)) in draft.branches.iter().zip(&draft.branch_positions).enumerate() {
        if let Some(&BranchPosition { section, slot, .. }) =
            draft.branch_positions.get(at + PREFETCH_DISTANCE)
        {
            prefetch(&shards[shard_of(section)].branches, slot);
        }
        put(&mut shards[shard_of(place.section)].branches, place.slot, *branch);
    }
    for (at, (leaf, place)) in draft.leaves.iter().zip(&draft.leaf_positions).enumerate() {
        if let Some(&LeafPosition { section, slot, .. }) =
            draft.leaf_positions.get(at + PREFETCH_DISTANCE)
        {
            prefetch(&shards[shard_of(section)].leaves, slot);
        }
        put(&mut shards[shard_of(place.section)].leaves, place.slot, *leaf);
    }
}

/// Replaces an item, or appends one: new slots come in order.
fn put<T>(slab: &mut Vec<T>, slot: u32, item: T) {
    match slab.get_mut(slot as usize) {
        Some(place) => *place = item,
        None => slab.push(item),
    }
}
