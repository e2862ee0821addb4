//! The top levels, above the shards, with a place for every possible node.

use core::ops::Range;
use std::boxed::Box;
use std::vec;
use std::vec::Vec;

use super::node::NodeKind;
use super::shard::{SHARD_BITS, SHARDS, Stamp};
use crate::hash::{self, Preimage, hash_nodes};
use prooflight_core::Hash;

/// A subtree of the top levels or a whole shard: its stamp and hash, zeros if it is empty.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SubtreeHash {
    pub(super) stamp: Stamp,
    pub(super) hash: Hash,
}

/// The root is at 1, the children of `at` at `2 * at` and `2 * at + 1`, the shards at the end.
///
/// A place is a branch if both children have keys; otherwise it is a copy of its only nonempty child.
#[derive(Clone, Debug)]
pub(super) struct TopLevels(Box<[SubtreeHash]>);

impl TopLevels {
    pub(super) fn new() -> Self {
        Self(vec![SubtreeHash::default(); 2 * SHARDS].into_boxed_slice())
    }

    pub(super) fn at(&self, at: usize) -> &SubtreeHash {
        &self.0[at]
    }

    pub(super) fn root(&self) -> &SubtreeHash {
        &self.0[1]
    }

    pub(super) fn is_empty(&self) -> bool {
        self.root().stamp.is_empty()
    }

    pub(super) fn shard(&self, shard: usize) -> &SubtreeHash {
        &self.0[SHARDS + shard]
    }

    /// The top levels with these shards changed, in ascending order.
    pub(super) fn with(&self, shards: impl Iterator<Item = (usize, SubtreeHash)>) -> Self {
        let mut top = self.clone();
        let mut changed: Vec<usize> = shards
            .map(|(shard, subtree)| {
                top.0[SHARDS + shard] = subtree;
                SHARDS + shard
            })
            .collect();
        for _ in 0..SHARD_BITS {
            for at in &mut changed {
                *at /= 2;
            }
            changed.dedup();
            top.hash(&changed);
        }
        top
    }

    /// Hashes the changed places of one level.
    fn hash(&mut self, changed: &[usize]) {
        let mut branches = Vec::new();
        let mut preimages = Vec::new();
        for &at in changed {
            match self.branch(at) {
                Some([left, right]) => {
                    preimages.push(preimage(Self::depth(at), left, right));
                    branches.push(at);
                }
                None => self.0[at] = self.0[self.only_child(at)],
            }
        }
        let mut hashes = vec![[0; 32]; preimages.len()];
        hash_nodes(&preimages, &mut hashes);
        for (at, hash) in branches.into_iter().zip(hashes) {
            let height = self.0[2 * at].stamp.height().max(self.0[2 * at + 1].stamp.height());
            self.0[at] = SubtreeHash { stamp: Stamp::new(NodeKind::Branch, height), hash };
        }
    }

    /// Follows only children from a nonempty place down to a branch or a shard.
    pub(super) fn node(&self, mut at: usize) -> usize {
        while at < SHARDS && self.branch(at).is_none() {
            at = self.only_child(at);
        }
        at
    }

    /// The depth of a branch at this place.
    pub(super) fn depth(at: usize) -> u8 {
        let [depth, ..] = at.ilog2().to_le_bytes();
        depth
    }

    /// The shards below a place.
    pub(super) fn shards(at: usize) -> Range<usize> {
        let height = SHARD_BITS - at.ilog2() as usize;
        (at << height) - SHARDS..((at + 1) << height) - SHARDS
    }

    /// The children, if there is a branch at this place.
    fn branch(&self, at: usize) -> Option<[&SubtreeHash; 2]> {
        let children = [&self.0[2 * at], &self.0[2 * at + 1]];
        children.iter().all(|it| !it.stamp.is_empty()).then_some(children)
    }

    /// The place of the only nonempty child.
    fn only_child(&self, at: usize) -> usize {
        2 * at + usize::from(self.0[2 * at].stamp.is_empty())
    }
}

fn preimage(depth: u8, left: &SubtreeHash, right: &SubtreeHash) -> Preimage {
    Preimage::branch(depth, child(left), child(right))
}

fn child(subtree: &SubtreeHash) -> hash::ChildHash<'_> {
    hash::ChildHash { height: subtree.stamp.height(), hash: &subtree.hash }
}
