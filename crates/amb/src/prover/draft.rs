//! The tree over neighbouring items, hashed level by level.

use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

use super::hashing::hash_all;
use super::piece::KeyedNode;
use crate::hash::NodeRecord;
use crate::message::HashMessage as _;
use crate::path::{KeyBits, first_difference};

/// The branches over some items.
#[derive(Debug)]
pub(super) struct SubtreeDraft {
    /// The record of each item.
    records: Vec<NodeRecord>,
    /// Each branch follows those below it.
    branches: Vec<DraftBranch>,
    /// `None` without items.
    pub(super) top: Option<DraftNode>,
}

/// A node of a draft.
#[derive(Clone, Copy, Debug)]
pub(super) enum DraftNode {
    Item(usize),
    Branch(usize),
}

#[derive(Debug)]
pub(super) struct DraftBranch {
    pub(super) depth: usize,
    pub(super) children: [DraftNode; 2],
    /// The items below it.
    pub(super) items: Range<usize>,
    pub(super) record: NodeRecord,
    /// The number of branches on the longest path down to an item.
    level: usize,
}

impl SubtreeDraft {
    /// The tree over items, ascending by key; no item is an ancestor of another.
    pub(super) fn over(items: &[impl KeyedNode]) -> Self {
        let mut draft = Self { records: records(items), branches: Vec::new(), top: None };
        // The branches whose right child is not complete yet, with their left ones; the deepest last.
        let mut open: Vec<(usize, DraftNode)> = Vec::new();
        let mut complete = DraftNode::Item(0);
        for (index, pair) in (1..).zip(items.windows(2)) {
            let [left, right] = pair else { continue };
            // Keys differ.
            let depth = first_difference(left.key(), right.key()).unwrap_or_default();
            while let Some((above, left)) = open.pop_if(|(above, _)| *above > depth) {
                complete = draft.add(above, [left, complete]);
            }
            open.push((depth, complete));
            complete = DraftNode::Item(index);
        }
        while let Some((above, left)) = open.pop() {
            complete = draft.add(above, [left, complete]);
        }
        draft.top = (!items.is_empty()).then_some(complete);
        draft.hash(items);
        draft
    }

    pub(super) fn branch(&self, branch: usize) -> &DraftBranch {
        &self.branches[branch]
    }

    /// The branches, each after those below it.
    pub(super) fn branches(&self) -> &[DraftBranch] {
        &self.branches
    }

    pub(super) fn record(&self, at: DraftNode) -> &NodeRecord {
        match at {
            DraftNode::Item(item) => &self.records[item],
            DraftNode::Branch(branch) => &self.branches[branch].record,
        }
    }

    /// The items of a node.
    pub(super) fn items(&self, at: DraftNode) -> Range<usize> {
        match at {
            DraftNode::Item(item) => item..item + 1,
            DraftNode::Branch(branch) => self.branches[branch].items.clone(),
        }
    }

    fn add(&mut self, depth: usize, children: [DraftNode; 2]) -> DraftNode {
        let [left, right] = children.map(|child| self.items(child));
        let level = |child| match child {
            DraftNode::Item(_) => 0,
            DraftNode::Branch(branch) => 1 + self.branches[branch].level,
        };
        let [a, b] = children.map(level);
        let (items, level) = (left.start..right.end, a.max(b));
        self.branches.push(DraftBranch {
            depth,
            children,
            items,
            record: NodeRecord::EMPTY,
            level,
        });
        DraftNode::Branch(self.branches.len() - 1)
    }

    /// Hashes the branches, the lowest level first.
    fn hash(&mut self, items: &[impl KeyedNode]) {
        let levels = self.branches.iter().map(|branch| branch.level + 1).max().unwrap_or(0);
        let mut by_level = vec![Vec::new(); levels];
        for (index, branch) in self.branches.iter().enumerate() {
            by_level[branch.level].push(index);
        }
        for level in by_level {
            let hashes = hash_all(&level, |message, &index| {
                let DraftBranch { depth, children, items: of, .. } = &self.branches[index];
                let prefix = KeyBits::of(items[of.start].key(), *depth);
                message.put_branch(prefix, children.map(|child| self.record(child)));
            });
            for (index, hash) in level.into_iter().zip(hashes) {
                let children = self.branches[index].children.map(|child| self.record(child));
                self.branches[index].record = NodeRecord::of_branch(children, hash);
            }
        }
    }
}

/// The record of each item.
fn records<I: KeyedNode>(items: &[I]) -> Vec<NodeRecord> {
    let entries = items.iter().filter_map(|item| item.entry().ok());
    let mut hashes = hash_all(entries, |message, entry| {
        message.put_entry(&entry.key, entry.versions, &entry.newest, &entry.past_root());
    })
    .into_iter();
    let record = |item: &I| match item.entry() {
        Ok(entry) => NodeRecord::of_entry(&entry.newest, hashes.next().unwrap_or_default()),
        Err(record) => *record,
    };
    items.iter().map(record).collect()
}
