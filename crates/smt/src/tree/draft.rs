//! The nodes that a block changes, kept apart from the tree until they are committed.

use std::vec::Vec;

use super::node::NodeKind;
use super::shard::{Branch, Leaf, NodeLink, Stamp, index};
use crate::hash::{LANES, Tweak, hash_lanes};
use prooflight_core::Hash;

/// The changed nodes of some neighbouring shards.
///
/// In breadth-first order: each round is a contiguous range of nodes, none an ancestor of another, and
/// going through the rounds backwards visits children before their parents.
#[derive(Debug, Default)]
pub(super) struct ShardDraft {
    pub(super) sections: Vec<DraftSection>,
    pub(super) branches: Vec<Branch>,
    pub(super) branch_positions: Vec<BranchPosition>,
    pub(super) leaves: Vec<Leaf>,
    pub(super) leaf_positions: Vec<LeafPosition>,
    /// The first branch of each round.
    pub(super) rounds: Vec<u32>,
}

/// A shard in which something changes.
#[derive(Clone, Copy, Debug)]
pub(super) struct DraftSection {
    pub(super) shard: usize,
    pub(super) root: NodeLink,
    pub(super) root_hash: Hash,
    /// The root's place in the draft.
    pub(super) root_at: u32,
    /// The next new slots in the shard.
    pub(super) next_branch: u32,
    pub(super) next_leaf: u32,
}

/// The position of a draft's branch in the tree.
#[derive(Clone, Copy, Debug)]
pub(super) struct BranchPosition {
    pub(super) parent: ParentRef,
    pub(super) section: u32,
    pub(super) slot: u32,
    /// The places of the children in the draft; [`UNCHANGED_CHILD`] for a child that is not in it.
    pub(super) children: [u32; 2],
}

/// The position of a draft's leaf in the tree.
#[derive(Clone, Copy, Debug)]
pub(super) struct LeafPosition {
    pub(super) parent: ParentRef,
    pub(super) section: u32,
    pub(super) slot: u32,
    /// The index of the change that wrote it.
    #[cfg_attr(
        not(feature = "snapshots"),
        allow(dead_code, reason = "read when files are written")
    )]
    pub(super) change: u32,
    pub(super) stamp: Stamp,
}

/// The place of a child that the block does not change.
pub(super) const UNCHANGED_CHILD: u32 = u32::MAX;

/// The parent of a node: a side of a branch of the draft, or a section.
#[derive(Clone, Copy, Debug)]
pub(super) struct ParentRef(u32);

/// The decoded form of a [`ParentRef`].
pub(super) enum ParentNode {
    Branch { at: usize, side: usize },
    Section(usize),
}

impl ParentRef {
    const SECTION_BIT: u32 = 1 << 31;

    pub(super) const fn branch(at: u32, side: usize) -> Self {
        Self(at << 1 | index(side))
    }

    pub(super) const fn section(at: u32) -> Self {
        Self(Self::SECTION_BIT | at)
    }

    pub(super) const fn open(self) -> ParentNode {
        if self.0 & Self::SECTION_BIT == 0 {
            ParentNode::Branch { at: (self.0 >> 1) as usize, side: (self.0 & 1) as usize }
        } else {
            ParentNode::Section((self.0 & !Self::SECTION_BIT) as usize)
        }
    }
}

impl ShardDraft {
    /// Sets the place of a parent's child.
    pub(super) fn attach(&mut self, parent: ParentRef, slot: u32, at: u32) {
        match parent.open() {
            ParentNode::Branch { at: above, side } => {
                self.branches[above].slots[side] = slot;
                self.branch_positions[above].children[side] = at;
            }
            ParentNode::Section(section) => {
                let section = &mut self.sections[section];
                section.root.slot = slot;
                section.root_at = at;
            }
        }
    }

    /// The hash that a parent holds of its child: still the one before the block.
    pub(super) fn held_hash(&self, parent: ParentRef) -> Hash {
        match parent.open() {
            ParentNode::Branch { at, side } => self.branches[at].hashes[side],
            ParentNode::Section(section) => self.sections[section].root_hash,
        }
    }

    fn set_held(&mut self, parent: ParentRef, stamp: Stamp, hash: Hash) {
        match parent.open() {
            ParentNode::Branch { at, side } => {
                let branch = &mut self.branches[at];
                branch.stamps[side] = stamp;
                branch.hashes[side] = hash;
            }
            ParentNode::Section(section) => {
                let section = &mut self.sections[section];
                section.root.stamp = stamp;
                section.root_hash = hash;
            }
        }
    }

    /// Hashes every node once: the leaves, then the branches round by round, children first.
    pub(super) fn hash(&mut self) {
        for from in (0..self.leaves.len()).step_by(LANES) {
            self.hash_leaves(from, LANES.min(self.leaves.len() - from));
        }
        let mut end = self.branches.len();
        for round in (0..self.rounds.len()).rev() {
            let start = self.rounds[round] as usize;
            for from in (start..end).step_by(LANES) {
                self.hash_branches(from, LANES.min(end - from));
            }
            end = start;
        }
    }

    fn hash_leaves(&mut self, from: usize, count: usize) {
        let (places, leaves) = (&self.leaf_positions[from..], &self.leaves[from..]);
        let mut hashes = [[0; 32]; LANES];
        hash_lanes(count, |lane| (places[lane].tweak(), &leaves[lane].0), &mut hashes);
        for (at, hash) in (from..from + count).zip(hashes) {
            let LeafPosition { parent, stamp, .. } = self.leaf_positions[at];
            self.set_held(parent, stamp, hash);
        }
    }

    fn hash_branches(&mut self, from: usize, count: usize) {
        let branches = &self.branches[from..];
        let mut hashes = [[0; 32]; LANES];
        hash_lanes(count, |lane| (branches[lane].tweak(), &branches[lane].hashes), &mut hashes);
        for (at, hash) in (from..from + count).zip(hashes) {
            let stamp = self.branches[at].stamp();
            self.set_held(self.branch_positions[at].parent, stamp, hash);
        }
    }
}

impl LeafPosition {
    fn tweak(&self) -> Tweak {
        match self.stamp.kind() {
            NodeKind::Leaf => Tweak::leaf(self.stamp.height()),
            _ => Tweak::tombstone(self.stamp.height()),
        }
    }
}

impl Branch {
    fn tweak(&self) -> Tweak {
        let [left, right] = self.stamps.map(Stamp::height);
        Tweak::branch(self.depth(), left, right)
    }
}
