//! The next block: its entries, the branches above them, and their hashes level by level.

use alloc::vec;
use alloc::vec::Vec;
use core::mem;
use core::ops::Range;

use prooflight_core::store::Change;
use prooflight_core::{Error, Hash, Hex, Reason, Result};

use super::branch::{Branch, Child, Link, Node};
use super::entry::Entry;
use super::hashing::hash_all;
use super::leaf::Leaf as _;
use super::tree::{Place, Tree};
use crate::hash::{Record, Version};
use crate::message::{Message as _, VALUE};
use crate::question::{check_changes, invalid};
use crate::way::{bit, first_difference};

impl Tree {
    /// Applies a block's changes, which are normalised: ascending by key, one for each key.
    ///
    /// Returns the root after the block, which is the one before if there are no changes. `invalid_argument` for changes
    /// in another order, or for a block that is not after the newest or not below 2^52; `key_length` for a key longer
    /// than 256 bytes; `key_absent` for a deletion of a key that has no value. A refused block changes nothing.
    pub fn update(&mut self, block: u64, changes: &[Change<'_>]) -> Result<Hash> {
        self.check(block, changes)?;
        let known = self.find(changes)?;
        self.height = Some(block);
        let (entries, records) = self.write(block, changes, &known);
        let levels = self.place(changes, &known, &entries, &records);
        self.hash(&levels);
        Ok(self.root())
    }

    fn check(&self, block: u64, changes: &[Change<'_>]) -> Result<()> {
        if self.height.is_some_and(|height| block <= height) {
            return Err(invalid("a block after the newest", block));
        }
        check_changes(block, changes)?;
        let entries = self.entries.len() + changes.len();
        // A tree has fewer branches than entries.
        if entries <= Link::END as usize {
            return Ok(());
        }
        let expected = format_args!("at most {} entries", Link::END);
        Err(Error::new(Reason::DictionaryFull, expected, entries))
    }

    /// Finds the entry nearest to the key of each change: one of those that share the most first bits with it.
    fn find(&self, changes: &[Change<'_>]) -> Result<Vec<Known>> {
        // All ways go down one branch at a time: none waits for the memory that another one reads.
        let mut links = vec![self.top.link; changes.len()];
        let mut is_below = true;
        while is_below {
            is_below = false;
            for (link, change) in links.iter_mut().zip(changes) {
                if let Node::Branch(branch) = link.node() {
                    *link = self.next(branch, change.key);
                    is_below = true;
                }
            }
        }
        let find = |(link, change): (&Link, &Change<'_>)| {
            let Node::Entry(entry) = link.node() else {
                return Known { entry: 0, differs_at: Some(0) };
            };
            let differs_at = first_difference(change.key, &self.entries[entry as usize].key);
            Known { entry, differs_at }
        };
        let known: Vec<Known> = links.iter().zip(changes).map(find).collect();
        for (change, known) in changes.iter().zip(&known) {
            let is_live = || self.entries[known.entry as usize].value.is_some();
            if change.value.is_none() && !(known.differs_at.is_none() && is_live()) {
                let found = Hex(change.key);
                return Err(Error::new(Reason::KeyAbsent, "a key that has a value", found));
            }
        }
        Ok(known)
    }

    /// Adds a version for each change; returns its entry, and the entry's record.
    fn write(
        &mut self,
        block: u64,
        changes: &[Change<'_>],
        known: &[Known],
    ) -> (Vec<u32>, Vec<Record>) {
        let values = changes.iter().filter_map(|change| change.value);
        let mut values = hash_all(values, |message, value| {
            message.push(VALUE);
            message.put(value);
        })
        .into_iter();
        let old = known.iter().filter(|known| known.differs_at.is_none());
        let old = old.map(|known| &self.entries[known.entry as usize].newest);
        let mut leaves = hash_all(old, Vec::put_past_leaf).into_iter();
        let mut entries = Vec::with_capacity(changes.len());
        for (change, known) in changes.iter().zip(known) {
            let newest = Version { block, value: change.value.and_then(|_| values.next()) };
            if known.differs_at.is_some() {
                // Checked to be below `Link::END`.
                entries.push(u32::try_from(self.entries.len()).unwrap_or(Link::END));
                self.entries.push(Entry::new(change.key, newest, change.value));
            } else {
                entries.push(known.entry);
                let entry = &mut self.entries[known.entry as usize];
                entry.write(newest, change.value, leaves.next().unwrap_or_default());
            }
        }
        let of = |&entry: &u32| &self.entries[entry as usize];
        let hashes = hash_all(entries.iter().map(of), |message, entry| {
            message.put_entry(&entry.key, entry.versions(), &entry.newest, &entry.past_root());
        });
        let record = |(entry, hash)| Record::of_entry(&of(entry).newest, hash);
        let records = entries.iter().zip(hashes).map(record).collect();
        (entries, records)
    }

    /// Puts the entries at their places, under new branches where they need them.
    ///
    /// Returns the branches above them, with their places: level by level, so that none of a level is above another.
    fn place(
        &mut self,
        changes: &[Change<'_>],
        known: &[Known],
        entries: &[u32],
        records: &[Record],
    ) -> Vec<Vec<(u32, Place)>> {
        let mut levels = Vec::new();
        let mut runs = Vec::from([(Place::Top, 0..changes.len())]);
        runs.retain(|(_, run)| !run.is_empty());
        while !runs.is_empty() {
            let mut level = Vec::with_capacity(runs.len());
            // All at once, so that none waits for the memory that another one reads.
            let nodes: Vec<_> = runs.iter().map(|(place, _)| self.node_at(*place)).collect();
            for ((place, run), node) in mem::take(&mut runs).into_iter().zip(nodes) {
                match self.branch_for(place, node, &run, changes, known, entries) {
                    None => {
                        self.set_link(place, Link::entry(entries[run.start]));
                        self.set_record(place, records[run.start]);
                    }
                    Some(branch) => {
                        level.push((branch, place));
                        let depth = self.branches[branch as usize].depth();
                        let left = changes[run.clone()].partition_point(|it| !bit(it.key, depth));
                        let middle = run.start + left;
                        let runs_of = [(false, run.start..middle), (true, middle..run.end)];
                        let runs_of = runs_of.into_iter().filter(|(_, run)| !run.is_empty());
                        let place = |is_right| Place::Child { branch, is_right };
                        runs.extend(runs_of.map(|(is_right, run)| (place(is_right), run)));
                    }
                }
            }
            levels.push(level);
        }
        levels
    }

    /// The node at a place, and the depth of a branch.
    fn node_at(&self, place: Place) -> (Node, usize) {
        let node = self.link(place).node();
        let Node::Branch(branch) = node else { return (node, usize::MAX) };
        (node, self.branches[branch as usize].depth())
    }

    /// The branch that a run of changes leads to at a place, perhaps a new one; none if the run is the entry there.
    fn branch_for(
        &mut self,
        place: Place,
        (node, depth): (Node, usize),
        run: &Range<usize>,
        changes: &[Change<'_>],
        known: &[Known],
        entries: &[u32],
    ) -> Option<u32> {
        let changes = &changes[run.clone()];
        // The first bit in which keys of the run differ from those of the node, and whether the node is on the right.
        let split = if node == Node::Empty {
            let [first, .., last] = changes else { return None };
            first_difference(first.key, last.key).map(|depth| (depth, false))
        } else {
            let turns = changes.iter().zip(&known[run.clone()]);
            let turns = turns.filter_map(|(change, known)| {
                known.differs_at.map(|depth| (depth, !bit(change.key, depth)))
            });
            turns.min().filter(|turn| turn.0 < depth)
        };
        let entry = match (node, split) {
            (Node::Branch(branch), None) => return Some(branch),
            (_, None) => return None,
            (Node::Empty, _) => entries[run.start],
            (Node::Entry(entry), _) => entry,
            (Node::Branch(branch), _) => self.branches[branch as usize].entry,
        };
        let (depth, is_right) = split?;
        let mut children = [Child::EMPTY; 2];
        children[usize::from(is_right)] = self.child(place);
        let key = &self.entries[entry as usize].key;
        let index = u32::try_from(self.branches.len()).unwrap_or(Link::END);
        self.branches.push(Branch::new(depth, entry, key, children));
        self.set_link(place, Link::branch(index));
        Some(index)
    }

    /// Hashes branches, the deepest level first.
    fn hash(&mut self, levels: &[Vec<(u32, Place)>]) {
        for level in levels.iter().rev() {
            let branches = level.iter().map(|&(branch, _)| &self.branches[branch as usize]);
            let hashes = hash_all(branches, |message, branch| {
                message.put_branch(self.prefix(branch), branch.records().each_ref());
            });
            for (&(branch, place), hash) in level.iter().zip(hashes) {
                let children = self.branches[branch as usize].records();
                self.set_record(place, Record::of_branch(children.each_ref(), hash));
            }
        }
    }
}

/// The entry nearest to the key of a change.
#[derive(Clone, Copy)]
struct Known {
    entry: u32,
    /// The first bit in which the keys differ; none if it is the key's own.
    differs_at: Option<usize>,
}
