//! The tree over neighbouring items, hashed level by level.

use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

use super::item::Item;
use crate::hash::Record;
use crate::message::Message as _;
use crate::prover::hashing::hash_all;
use crate::way::{Bits, first_difference};

/// The branches over some items.
#[derive(Debug)]
pub(super) struct Draft {
    /// The record of each item.
    records: Vec<Record>,
    /// Each branch follows those below it.
    branches: Vec<Branch>,
    /// `None` without items.
    pub(super) top: Option<At>,
}

/// A node of a draft.
#[derive(Clone, Copy, Debug)]
pub(super) enum At {
    Item(usize),
    Branch(usize),
}

#[derive(Debug)]
pub(super) struct Branch {
    pub(super) depth: usize,
    pub(super) children: [At; 2],
    /// The items below it.
    pub(super) items: Range<usize>,
    pub(super) record: Record,
    /// The number of branches on the longest path down to an item.
    level: usize,
}

impl Draft {
    /// The tree over items, ascending by key; no item is an ancestor of another.
    pub(super) fn over(items: &[impl Item]) -> Self {
        let mut draft = Self { records: records(items), branches: Vec::new(), top: None };
        // The branches whose right child is not complete yet, with their left ones; the deepest last.
        let mut open: Vec<(usize, At)> = Vec::new();
        let mut complete = At::Item(0);
        for (index, pair) in (1..).zip(items.windows(2)) {
            let [left, right] = pair else { continue };
            // Keys differ.
            let depth = first_difference(left.key(), right.key()).unwrap_or_default();
            while let Some((above, left)) = open.pop_if(|(above, _)| *above > depth) {
                complete = draft.add(above, [left, complete]);
            }
            open.push((depth, complete));
            complete = At::Item(index);
        }
        while let Some((above, left)) = open.pop() {
            complete = draft.add(above, [left, complete]);
        }
        draft.top = (!items.is_empty()).then_some(complete);
        draft.hash(items);
        draft
    }

    pub(super) fn branch(&self, branch: usize) -> &Branch {
        &self.branches[branch]
    }

    /// The branches, each after those below it.
    pub(super) fn branches(&self) -> &[Branch] {
        &self.branches
    }

    pub(super) fn record(&self, at: At) -> &Record {
        match at {
            At::Item(item) => &self.records[item],
            At::Branch(branch) => &self.branches[branch].record,
        }
    }

    /// The items of a node.
    pub(super) fn items(&self, at: At) -> Range<usize> {
        match at {
            At::Item(item) => item..item + 1,
            At::Branch(branch) => self.branches[branch].items.clone(),
        }
    }

    fn add(&mut self, depth: usize, children: [At; 2]) -> At {
        let [left, right] = children.map(|child| self.items(child));
        let level = |child| match child {
            At::Item(_) => 0,
            At::Branch(branch) => 1 + self.branches[branch].level,
        };
        let [a, b] = children.map(level);
        let (items, level) = (left.start..right.end, a.max(b));
        self.branches.push(Branch { depth, children, items, record: Record::EMPTY, level });
        At::Branch(self.branches.len() - 1)
    }

    /// Hashes the branches, the lowest level first.
    fn hash(&mut self, items: &[impl Item]) {
        let levels = self.branches.iter().map(|branch| branch.level + 1).max().unwrap_or(0);
        let mut by_level = vec![Vec::new(); levels];
        for (index, branch) in self.branches.iter().enumerate() {
            by_level[branch.level].push(index);
        }
        for level in by_level {
            let hashes = hash_all(&level, |message, &index| {
                let Branch { depth, children, items: of, .. } = &self.branches[index];
                let prefix = Bits::of(items[of.start].key(), *depth);
                message.put_branch(prefix, children.map(|child| self.record(child)));
            });
            for (index, hash) in level.into_iter().zip(hashes) {
                let children = self.branches[index].children.map(|child| self.record(child));
                self.branches[index].record = Record::of_branch(children, hash);
            }
        }
    }
}

/// The record of each item.
fn records<I: Item>(items: &[I]) -> Vec<Record> {
    let entries = items.iter().filter_map(|item| item.entry().ok());
    let mut hashes = hash_all(entries, |message, entry| {
        message.put_entry(&entry.key, entry.versions, &entry.newest, &entry.past_root());
    })
    .into_iter();
    let record = |item: &I| match item.entry() {
        Ok(entry) => Record::of_entry(&entry.newest, hashes.next().unwrap_or_default()),
        Err(record) => *record,
    };
    items.iter().map(record).collect()
}
