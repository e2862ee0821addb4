//! The next block: its entries, the branches above them, and their hashes level by level.

use alloc::vec::Vec;
use core::mem;
use core::ops::Range;

use prooflight_core::store::Change;
use prooflight_core::{Error, Hash, Hex, Reason, Result};

use super::entry::Entry;
use super::hashing::hash_all;
use super::tree::{Branch, Child, Link, Place, Tree};
use crate::hash::{MAX_KEY, Message, Record, Version, value_message};
use crate::question::{Root, check_length, invalid};
use crate::way::{Bits, bit, first_difference};

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
        Root { hash: Hash::default(), height: block }.check()?;
        if self.height.is_some_and(|height| block <= height) {
            return Err(invalid("a block after the newest", block));
        }
        if !changes.is_sorted_by(|a, b| a.key < b.key) {
            return Err(invalid("changes ascending by key", "others"));
        }
        changes.iter().try_for_each(|change| check_length(change.key, MAX_KEY))?;
        let entries = self.entries.len() + changes.len();
        // A tree has fewer branches than entries.
        u32::try_from(entries).map(|_| ()).map_err(|_| {
            Error::new(Reason::DictionaryFull, format_args!("{} entries", u32::MAX), entries)
        })
    }

    /// Finds the entry nearest to the key of each change.
    fn find(&self, changes: &[Change<'_>]) -> Result<Vec<Known>> {
        let find = |change: &Change<'_>| {
            let Some(entry) = self.nearest(change.key) else {
                return Known { entry: 0, differs_at: Some(0) };
            };
            let differs_at = first_difference(change.key, &self.entries[entry as usize].key);
            Known { entry, differs_at }
        };
        let known: Vec<Known> = changes.iter().map(find).collect();
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
        let values = changes.iter().filter_map(|change| change.value.map(value_message));
        let mut values = hash_all(values, Vec::as_slice).into_iter();
        let old = known.iter().filter(|known| known.differs_at.is_none());
        let old = old.map(|known| self.entries[known.entry as usize].newest.past_message());
        let mut leaves = hash_all(old, Message::as_bytes).into_iter();
        let mut entries = Vec::with_capacity(changes.len());
        for (change, known) in changes.iter().zip(known) {
            let newest = Version { block, value: change.value.and_then(|_| values.next()) };
            if known.differs_at.is_some() {
                // At most 2^32 entries: checked.
                entries.push(u32::try_from(self.entries.len()).unwrap_or(u32::MAX));
                self.entries.push(Entry::new(change.key, newest, change.value));
            } else {
                entries.push(known.entry);
                let entry = &mut self.entries[known.entry as usize];
                entry.write(newest, change.value, leaves.next().unwrap_or_default());
            }
        }
        let of = |&entry: &u32| &self.entries[entry as usize];
        let messages = entries.iter().map(of).map(|entry| {
            Message::entry(&entry.key, entry.versions(), &entry.newest, &entry.past_root())
        });
        let hashes = hash_all(messages, Message::as_bytes);
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
            for (place, run) in mem::take(&mut runs) {
                match self.node_for(place, &run, changes, known, entries) {
                    None => {
                        let entry = run.start;
                        let (link, record) = (Link::Entry(entries[entry]), records[entry]);
                        *self.at(place) = Child { link, record };
                    }
                    Some(branch) => {
                        level.push((branch, place));
                        let depth = self.branches[branch as usize].depth.into();
                        let left = changes[run.clone()].partition_point(|it| !bit(it.key, depth));
                        let middle = run.start + left;
                        let sides = [(false, run.start..middle), (true, middle..run.end)];
                        let sides = sides.into_iter().filter(|(_, run)| !run.is_empty());
                        runs.extend(sides.map(|(side, run)| (Place::Child { branch, side }, run)));
                    }
                }
            }
            levels.push(level);
        }
        levels
    }

    /// The branch that a run of changes leads to at a place, perhaps a new one; none if the run is the entry there.
    fn node_for(
        &mut self,
        place: Place,
        run: &Range<usize>,
        changes: &[Change<'_>],
        known: &[Known],
        entries: &[u32],
    ) -> Option<u32> {
        let node = *self.at(place);
        // The first bit in which the keys of the run and those of the node differ, and the node's side.
        let turn =
            |at: usize| known[at].differs_at.map(|depth| (depth, !bit(changes[at].key, depth)));
        let (entry, split) = match node.link {
            Link::Empty => {
                let first = changes[run.start].key;
                let depth = first_difference(first, changes[run.end - 1].key);
                (entries[run.start], depth.map(|depth| (depth, false)))
            }
            Link::Entry(entry) => (entry, run.clone().filter_map(turn).min()),
            Link::Branch(branch) => {
                let Branch { depth, entry, .. } = self.branches[branch as usize];
                let split = run.clone().filter_map(turn).min();
                match split.filter(|(split, _)| *split < depth.into()) {
                    None => return Some(branch),
                    split => (entry, split),
                }
            }
        };
        let (depth, side) = split?;
        let mut children = [Child::default(); 2];
        children[usize::from(side)] = node;
        let depth = u16::try_from(depth).unwrap_or(u16::MAX);
        let branch = u32::try_from(self.branches.len()).unwrap_or(u32::MAX);
        self.branches.push(Branch { depth, entry, children });
        self.at(place).link = Link::Branch(branch);
        Some(branch)
    }

    /// Hashes branches, the deepest level first.
    fn hash(&mut self, levels: &[Vec<(u32, Place)>]) {
        for level in levels.iter().rev() {
            let of = |&(branch, _): &(u32, Place)| &self.branches[branch as usize];
            let messages = level.iter().map(of).map(|branch| {
                let key = &self.entries[branch.entry as usize].key;
                Message::branch(Bits::of(key, branch.depth.into()), branch.records())
            });
            let hashes = hash_all(messages, Message::as_bytes);
            for (&(branch, place), hash) in level.iter().zip(hashes) {
                let record = Record::of_branch(self.branches[branch as usize].records(), hash);
                self.at(place).record = record;
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

impl Branch {
    /// The records of its children.
    fn records(&self) -> [&Record; 2] {
        self.children.each_ref().map(|child| &child.record)
    }
}
