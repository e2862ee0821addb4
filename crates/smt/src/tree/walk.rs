//! Finds the nodes that a block's changes affect, in rounds from the top down.

use std::vec::Vec;

use super::draft::{
    BranchPosition, DraftSection, LeafPosition, ParentRef, ShardDraft, UNCHANGED_CHILD,
};
use super::node::NodeKind;
use super::order::{BlockChanges, ChangeKey};
use super::prefetch::prefetch;
use super::shard::{
    Branch, Leaf, NodeLink, PATH_BITS, PATH_MASK, Shard, Stamp, bit, first_difference,
    first_set_bit, index,
};
use prooflight_core::Hash;

/// A subtree still to be visited, and the changes in it, at least one.
#[derive(Clone, Copy)]
struct WalkTask {
    node: NodeLink,
    parent: ParentRef,
    section: u32,
    start: u32,
    end: u32,
}

/// The changes of some neighbouring shards, and the nodes that they affect.
pub(super) struct ChangeWalk<'a> {
    pub(super) shards: &'a [Shard],
    pub(super) changes: BlockChanges<'a>,
    /// Sorted, each key once.
    pub(super) keys: Vec<ChangeKey>,
    pub(super) draft: ShardDraft,
    next: Vec<WalkTask>,
}

impl<'a> ChangeWalk<'a> {
    pub(super) fn new(shards: &'a [Shard], changes: BlockChanges<'a>) -> Self {
        Self { shards, changes, keys: Vec::new(), draft: ShardDraft::default(), next: Vec::new() }
    }

    /// Adds a shard and its changes, which are the keys from `start`.
    pub(super) fn add(&mut self, shard: usize, root_hash: Hash, start: u32) {
        let it = &self.shards[shard];
        let section = index(self.draft.sections.len());
        self.draft.sections.push(DraftSection {
            shard,
            root: it.root,
            root_hash,
            root_at: UNCHANGED_CHILD,
            next_branch: index(it.branches.len()),
            next_leaf: index(it.leaves.len()),
        });
        let parent = ParentRef::section(section);
        self.push(WalkTask { node: it.root, parent, section, start, end: index(self.keys.len()) });
    }

    /// Descends the tree, one branch per round in every subtree with changes.
    pub(super) fn run(mut self) -> ShardDraft {
        self.reserve();
        let mut round = Vec::new();
        while !self.next.is_empty() {
            core::mem::swap(&mut round, &mut self.next);
            self.draft.rounds.push(index(self.draft.branches.len()));
            for task in round.drain(..) {
                self.place(task);
            }
        }
        self.draft
    }

    /// Reserves room for the nodes to come, so that growing lists do not copy them repeatedly.
    fn reserve(&mut self) {
        let changes = self.keys.len();
        let of = |section: &DraftSection| self.shards[section.shard].leaves.len();
        let leaves: usize = self.draft.sections.iter().map(of).sum();
        // Paths are shared until there are as many branches as changes; from there each change has its
        // own path down to its leaf.
        let own = leaves.checked_div(changes).and_then(usize::checked_ilog2).unwrap_or(0);
        let branches = changes * (own as usize + 3);
        self.draft.branches.reserve(branches);
        self.draft.branch_positions.reserve(branches);
        self.draft.leaves.reserve(changes);
        self.draft.leaf_positions.reserve(changes);
    }

    /// Puts the subtree's root into the draft and its children among the next tasks.
    fn place(&mut self, task: WalkTask) {
        let (first, last) = (self.keys[task.start as usize], self.keys[task.end as usize - 1]);
        let shard = self.shard(task.section);
        let stamp = task.node.stamp;
        if stamp.is_empty() {
            match self.changes.first_difference(first, last) {
                None => self.new_leaf(task, first),
                Some(depth) => self.new_branch(task, depth, first.prefix, None),
            }
        } else if stamp.kind() == NodeKind::Branch {
            let branch = shard.branch(task.node.slot);
            match self.first_difference(shard, task.node, branch, first, last) {
                None => self.old_branch(task, *branch),
                Some(depth) => {
                    let side = branch.side(depth, || shard.some_key(task.node));
                    self.new_branch(task, depth, first.prefix, Some(side));
                }
            }
        } else {
            let key_hash = shard.leaf(task.node.slot).key_hash();
            match self.first_difference_from(key_hash, first, last) {
                None => self.leaf(task, first, task.node.slot),
                Some(depth) => {
                    let side = bit(key_hash, depth);
                    self.new_branch(task, depth, first.prefix, Some(side));
                }
            }
        }
    }

    /// The first bit in which a key differs from those below a branch; `None` if all keys go through it.
    fn first_difference(
        &self,
        shard: &Shard,
        node: NodeLink,
        branch: &Branch,
        first: ChangeKey,
        last: ChangeKey,
    ) -> Option<u8> {
        let depth = branch.depth();
        let path = branch.path();
        let differing = (first.prefix ^ path | last.prefix ^ path) & PATH_MASK;
        let parting = match first_set_bit(differing) {
            None if depth > PATH_BITS => {
                self.first_difference_from(shard.some_key(node), first, last)
            }
            parting => parting,
        };
        parting.filter(|&it| it < depth)
    }

    /// The first bit in which either of two keys differs from a third one.
    fn first_difference_from(
        &self,
        key_hash: &Hash,
        first: ChangeKey,
        last: ChangeKey,
    ) -> Option<u8> {
        let of = |key| first_difference(&self.changes.of(key).key_hash, key_hash);
        [of(first), of(last)].into_iter().flatten().min()
    }

    fn old_branch(&mut self, task: WalkTask, branch: Branch) {
        let at = index(self.draft.branches.len());
        let depth = branch.depth();
        self.draft.branches.push(branch);
        self.place_branch(task, task.node.slot);
        let middle = self.middle(task, depth);
        for (side, start, end) in [(0, task.start, middle), (1, middle, task.end)] {
            if start < end {
                let parent = ParentRef::branch(at, side);
                self.push(WalkTask { node: branch.child(side), parent, start, end, ..task });
            }
        }
    }

    /// Adds a branch above the old subtree, which becomes its child on the side `old`.
    fn new_branch(&mut self, task: WalkTask, depth: u8, prefix: u64, old: Option<usize>) {
        let at = index(self.draft.branches.len());
        let mut branch = Branch::new(depth, prefix);
        if let Some(side) = old {
            branch.hashes[side] = self.draft.held_hash(task.parent);
            branch.stamps[side] = task.node.stamp;
            branch.slots[side] = task.node.slot;
        }
        let section = &mut self.draft.sections[task.section as usize];
        let slot = section.next_branch;
        section.next_branch += 1;
        self.draft.branches.push(branch);
        self.place_branch(task, slot);
        let middle = self.middle(task, depth);
        for (side, start, end) in [(0, task.start, middle), (1, middle, task.end)] {
            if start < end {
                let parent = ParentRef::branch(at, side);
                self.push(WalkTask { node: branch.child(side), parent, start, end, ..task });
            }
        }
    }

    fn place_branch(&mut self, task: WalkTask, slot: u32) {
        let at = index(self.draft.branch_positions.len());
        let WalkTask { parent, section, .. } = task;
        let children = [UNCHANGED_CHILD; 2];
        self.draft.branch_positions.push(BranchPosition { parent, section, slot, children });
        self.draft.attach(parent, slot, at);
    }

    fn new_leaf(&mut self, task: WalkTask, key: ChangeKey) {
        let section = &mut self.draft.sections[task.section as usize];
        let slot = section.next_leaf;
        section.next_leaf += 1;
        self.leaf(task, key, slot);
    }

    fn leaf(&mut self, task: WalkTask, key: ChangeKey, slot: u32) {
        let change = self.changes.of(key);
        let kind = if change.value_hash.is_some() { NodeKind::Leaf } else { NodeKind::Tombstone };
        let value_hash = change.value_hash.unwrap_or_default();
        let at = index(self.draft.leaves.len());
        self.draft.leaves.push(Leaf([change.key_hash, value_hash]));
        let stamp = Stamp::new(kind, self.changes.height(key));
        let WalkTask { parent, section, .. } = task;
        self.draft.leaf_positions.push(LeafPosition {
            parent,
            section,
            slot,
            change: key.at,
            stamp,
        });
        self.draft.attach(parent, slot, at);
    }

    /// The index of the first key with a 1 at `depth`.
    fn middle(&self, task: WalkTask, depth: u8) -> u32 {
        let keys = &self.keys[task.start as usize..task.end as usize];
        task.start + index(keys.partition_point(|&key| self.changes.bit(key, depth) == 0))
    }

    fn push(&mut self, task: WalkTask) {
        self.shard(task.section).prefetch(task.node);
        if task.end - task.start == 1 {
            prefetch(self.changes.list, self.keys[task.start as usize].at);
        }
        self.next.push(task);
    }

    fn shard(&self, section: u32) -> &'a Shard {
        &self.shards[self.draft.sections[section as usize].shard]
    }
}
