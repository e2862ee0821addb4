//! The changes of a block in the order of the tree.

use std::vec;
use std::vec::Vec;

use super::node::HashedChange;
use super::shard::{SHARDS, bit, first_difference, first_set_bit, prefix};

/// A change's index among the changes, and the start of its key hash, which nearly always decides a comparison.
#[derive(Clone, Copy, Debug)]
pub(super) struct ChangeKey {
    pub(super) prefix: u64,
    pub(super) at: u32,
    pub(super) effect: ChangeEffect,
}

/// The effect of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ChangeEffect {
    Set,
    Delete,
    /// A delete of a key that is not live.
    None,
}

/// The changes by shard; within a shard, in their original order.
pub(super) struct ShardKeys {
    pub(super) keys: Vec<ChangeKey>,
    /// Where each shard's keys start, and where those of the last shard end.
    pub(super) starts: [u32; SHARDS + 1],
}

impl ShardKeys {
    pub(super) fn new(changes: &[HashedChange]) -> Self {
        let mut starts = [0; SHARDS + 1];
        for change in changes {
            starts[usize::from(change.key_hash[0]) + 1] += 1;
        }
        for shard in 0..SHARDS {
            starts[shard + 1] += starts[shard];
        }
        let mut next = starts;
        let mut keys =
            vec![ChangeKey { prefix: 0, at: 0, effect: ChangeEffect::None }; changes.len()];
        for (at, change) in (0..).zip(changes) {
            let place = &mut next[usize::from(change.key_hash[0])];
            let effect =
                if change.value_hash.is_some() { ChangeEffect::Set } else { ChangeEffect::Delete };
            keys[*place as usize] = ChangeKey { prefix: prefix(&change.key_hash), at, effect };
            *place += 1;
        }
        Self { keys, starts }
    }
}

/// Changes, looked up by their [`ChangeKey`]s.
#[derive(Clone, Copy)]
pub(super) struct BlockChanges<'a> {
    pub(super) list: &'a [HashedChange],
    pub(super) heights: ChangeHeights<'a>,
}

/// The heights of the blocks that wrote the changes.
#[derive(Clone, Copy)]
pub(super) enum ChangeHeights<'a> {
    /// One block.
    Block(u64),
    /// Many blocks, while a tree is restored.
    Each(&'a [u64]),
}

impl<'a> BlockChanges<'a> {
    pub(super) fn of(self, key: ChangeKey) -> &'a HashedChange {
        &self.list[key.at as usize]
    }

    pub(super) fn height(self, key: ChangeKey) -> u64 {
        match self.heights {
            ChangeHeights::Block(height) => height,
            ChangeHeights::Each(heights) => heights[key.at as usize],
        }
    }

    /// Sorts by key hash; keeps only the last change of each key.
    pub(super) fn sort(self, keys: &mut [ChangeKey], sorted: &mut Vec<ChangeKey>) {
        keys.sort_unstable_by(|a, b| {
            a.prefix
                .cmp(&b.prefix)
                .then_with(|| self.of(*a).key_hash.cmp(&self.of(*b).key_hash))
                .then_with(|| a.at.cmp(&b.at))
        });
        let from = sorted.len();
        for &key in &*keys {
            match sorted[from..].last_mut() {
                Some(last) if self.first_difference(*last, key).is_none() => *last = key,
                _ => sorted.push(key),
            }
        }
    }

    pub(super) fn bit(self, key: ChangeKey, depth: u8) -> usize {
        match depth {
            0..64 => (key.prefix >> (63 - depth) & 1) as usize,
            _ => bit(&self.of(key).key_hash, depth),
        }
    }

    /// The first bit in which two keys differ.
    pub(super) fn first_difference(self, one: ChangeKey, other: ChangeKey) -> Option<u8> {
        match one.prefix ^ other.prefix {
            0 => first_difference(&self.of(one).key_hash, &self.of(other).key_hash),
            differing => first_set_bit(differing),
        }
    }
}
