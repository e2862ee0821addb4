//! The next block: its entries, the branches above them, and their hashes level by level.

use alloc::vec::Vec;
use core::hint::black_box;
use core::mem;
use core::ops::Range;

use prooflight_core::store::RawKeyChange;
use prooflight_core::{Error, Hash, Hex, Reason, Result};

use super::branch::{LinkedNode, MemoryBranch, MemoryChild, MemoryLink};
use super::entry::MemoryEntry;
use super::hashing::BatchHasher;
use super::leaf::ProvableEntry as _;
use super::tree::{MemoryTree, RecordSlot};
use crate::hash::{KeyVersion, NodeRecord};
use crate::message::{HashMessage as _, VALUE_TAG};
use crate::path::{bit, first_difference};
use crate::question::{check_changes, invalid};

/// The most changes that are processed together, so that their data stays in the nearest caches.
///
/// Each step first reads the memory that it needs, for all of them at once: such reads overlap, but not those with
/// work between them.
const PART_CHANGES: usize = 256;

impl MemoryTree {
    /// Applies a block's changes, which are normalised: ascending by key, one for each key.
    ///
    /// Returns the root after the block, which is the one before if there are no changes. `invalid_argument` for changes
    /// in another order, or for a block that is not after the newest or not below 2^52; `key_length` for a key longer
    /// than 256 bytes; `key_absent` for a deletion of a key that has no value. A refused block changes nothing.
    pub fn update(&mut self, block: u64, changes: &[RawKeyChange<'_>]) -> Result<Hash> {
        self.check(block, changes)?;
        let targets = self.find(changes)?;
        self.height = Some(block);
        if changes.is_empty() {
            return Ok(self.root());
        }
        let block = BlockChanges { number: block, changes, targets: &targets };
        let mut work = WorkBuffers::default();
        let (mut top, mut parts) = (BranchLevels::default(), Vec::new());
        self.open(&block, (RecordSlot::Top, 0..changes.len()), PART_CHANGES, &mut top, &mut parts);
        // In the order of their changes, in which `find` has numbered the new entries.
        parts.sort_unstable_by_key(|(_, run)| run.start);
        for (place, run) in parts {
            self.update_part(&block, place, run, &mut work);
        }
        self.hash(&top, &mut work);
        Ok(self.root())
    }

    fn check(&self, block: u64, changes: &[RawKeyChange<'_>]) -> Result<()> {
        if self.height.is_some_and(|height| block <= height) {
            return Err(invalid("a block after the newest", block));
        }
        check_changes(block, changes)?;
        let entries = self.entries.len() + changes.len();
        // A tree has fewer branches than entries.
        if entries <= MemoryLink::END as usize {
            return Ok(());
        }
        let expected = format_args!("at most {} entries", MemoryLink::END);
        Err(Error::new(Reason::DictionaryFull, expected, entries))
    }

    /// Finds the entry of each change; new ones get the next numbers.
    fn find(&self, changes: &[RawKeyChange<'_>]) -> Result<Vec<ChangeTarget>> {
        let mut targets = Vec::with_capacity(changes.len());
        let mut links = Vec::new();
        let mut next = self.entries.len();
        for changes in changes.chunks(PART_CHANGES) {
            self.nearest(changes, &mut links);
            for (change, link) in changes.iter().zip(&links) {
                let (entry, differs_at) = match link.node() {
                    LinkedNode::Entry(entry) => {
                        let key = &*self.entries[entry as usize].key;
                        let is_own = change.key == key;
                        (entry, if is_own { None } else { first_difference(change.key, key) })
                    }
                    _ => (0, Some(0)),
                };
                let is_live = || self.entries[entry as usize].value.is_some();
                if change.value.is_none() && !(differs_at.is_none() && is_live()) {
                    let found = Hex(change.key);
                    return Err(Error::new(Reason::KeyAbsent, "a key that has a value", found));
                }
                let entry = if differs_at.is_some() {
                    next += 1;
                    // Checked to be below `MemoryLink::END`.
                    u32::try_from(next - 1).unwrap_or(MemoryLink::END)
                } else {
                    entry
                };
                targets.push(ChangeTarget { entry, differs_at });
            }
        }
        Ok(targets)
    }

    /// Finds the entry nearest to the key of each change: one of those that share the most first bits with it.
    fn nearest(&self, changes: &[RawKeyChange<'_>], links: &mut Vec<MemoryLink>) {
        links.clear();
        links.resize(changes.len(), self.top.link);
        // All paths descend one branch at a time, so that their memory accesses overlap.
        let mut is_below = true;
        while is_below {
            is_below = false;
            read_all(links.iter().map(|link| match link.node() {
                LinkedNode::Branch(branch) => self.branches[branch as usize].depth() as u64,
                _ => 0,
            }));
            for (link, change) in links.iter_mut().zip(changes) {
                if let LinkedNode::Branch(branch) = link.node() {
                    *link = self.next(branch, change.key);
                    is_below = true;
                }
            }
        }
        let entry = |link: &MemoryLink| match link.node() {
            LinkedNode::Entry(entry) => self.entries.get(entry as usize),
            _ => None,
        };
        read_all(links.iter().filter_map(entry).map(MemoryEntry::read));
        read_all(links.iter().filter_map(entry).map(MemoryEntry::read_key));
    }

    /// Updates the tree below a place from a run of changes that belong there.
    fn update_part(
        &mut self,
        block: &BlockChanges<'_>,
        place: RecordSlot,
        run: Range<usize>,
        work: &mut WorkBuffers,
    ) {
        self.write(block, run.clone(), work);
        let start = run.start;
        let (mut levels, mut leaves) = (mem::take(&mut work.levels), mem::take(&mut work.leaves));
        self.open(block, (place, run), 0, &mut levels, &mut leaves);
        for (place, run) in leaves.drain(..) {
            self.set_link(place, MemoryLink::entry(block.targets[run.start].entry));
            self.set_record(place, work.records[run.start - start]);
        }
        self.hash(&levels, work);
        (work.levels, work.leaves) = (levels, leaves);
    }

    /// Adds a version for each change of a run; leaves the records of their entries in `work`.
    fn write(&mut self, block: &BlockChanges<'_>, run: Range<usize>, work: &mut WorkBuffers) {
        let WorkBuffers { hasher, hashes, values, records, .. } = work;
        let (changes, targets) = (&block.changes[run.clone()], &block.targets[run]);
        let old = targets.iter().filter(|target| target.differs_at.is_none());
        let old = old.map(|target| &self.entries[target.entry as usize]);
        read_all(old.clone().map(MemoryEntry::read));
        read_all(old.clone().map(MemoryEntry::read_past));
        let set = changes.iter().filter_map(|change| change.value);
        hasher.hash_all(set, values, |message, value| {
            message.push(VALUE_TAG);
            message.put(value);
        });
        hasher.hash_all(old.map(|entry| &entry.newest), hashes, Vec::put_past_leaf);
        let (mut of_values, mut of_old) = (values.drain(..), hashes.drain(..));
        for (change, target) in changes.iter().zip(targets) {
            let value = change.value.and_then(|_| of_values.next());
            let newest = KeyVersion { block: block.number, value };
            if target.differs_at.is_some() {
                self.entries.push(MemoryEntry::new(change.key, newest, change.value));
            } else {
                let entry = &mut self.entries[target.entry as usize];
                entry.write(newest, change.value, of_old.next().unwrap_or_default());
            }
        }
        drop((of_values, of_old));
        let of = |target: &ChangeTarget| &self.entries[target.entry as usize];
        hasher.hash_all(changes.iter().zip(targets), hashes, |message, (change, target)| {
            let entry = of(target);
            message.put_entry(change.key, entry.versions(), &entry.newest, &entry.past_root());
        });
        let record = |(target, hash): (_, &Hash)| NodeRecord::of_entry(&of(target).newest, *hash);
        records.clear();
        records.extend(targets.iter().zip(&*hashes).map(record));
    }

    /// Descends with a run of changes, through the existing branches and the new ones that it needs.
    ///
    /// Adds to `rest` the runs, with their places, that have at most `most` changes or are a single entry. The branches
    /// above them are in `levels`.
    fn open(
        &mut self,
        block: &BlockChanges<'_>,
        run: ChangeRun,
        most: usize,
        levels: &mut BranchLevels,
        rest: &mut Vec<ChangeRun>,
    ) {
        levels.branches.clear();
        levels.starts.clear();
        let (mut runs, mut below) = (Vec::from([run]), Vec::new());
        while !runs.is_empty() {
            levels.starts.push(levels.branches.len());
            read_all(runs.iter().map(|&(place, _)| match self.link(place).node() {
                LinkedNode::Branch(branch) => self.branches[branch as usize].read(),
                _ => 0,
            }));
            for (place, run) in runs.drain(..) {
                let is_open = run.len() > most;
                let branch = if is_open { self.branch_for(block, place, &run) } else { None };
                let Some(branch) = branch else {
                    rest.push((place, run));
                    continue;
                };
                levels.branches.push((branch, place));
                let depth = self.branches[branch as usize].depth();
                let changes = &block.changes[run.clone()];
                let middle = run.start + changes.partition_point(|it| !bit(it.key, depth));
                for (is_right, run) in [(false, run.start..middle), (true, middle..run.end)] {
                    if !run.is_empty() {
                        below.push((RecordSlot::Child { branch, is_right }, run));
                    }
                }
            }
            mem::swap(&mut runs, &mut below);
        }
    }

    /// The branch that a run of changes leads to at a place, perhaps a new one; `None` if the run is the entry
    /// there.
    fn branch_for(
        &mut self,
        block: &BlockChanges<'_>,
        place: RecordSlot,
        run: &Range<usize>,
    ) -> Option<u32> {
        let node = self.link(place).node();
        let (changes, targets) = (&block.changes[run.clone()], &block.targets[run.clone()]);
        // The first bit in which keys of the run differ from those of the node, and whether the node is on the right.
        let split = if node == LinkedNode::Empty {
            let [first, .., last] = changes else { return None };
            first_difference(first.key, last.key).map(|depth| (depth, false))
        } else {
            let depth = match node {
                LinkedNode::Branch(branch) => self.branches[branch as usize].depth(),
                _ => usize::MAX,
            };
            let turns = changes.iter().zip(targets).filter_map(|(change, target)| {
                target.differs_at.map(|depth| (depth, !bit(change.key, depth)))
            });
            turns.min().filter(|turn| turn.0 < depth)
        };
        let entry = match (node, split) {
            (LinkedNode::Branch(branch), None) => return Some(branch),
            (_, None) => return None,
            // Perhaps not added yet.
            (LinkedNode::Empty, _) => targets.first()?.entry,
            (LinkedNode::Entry(entry), _) => entry,
            (LinkedNode::Branch(branch), _) => self.branches[branch as usize].entry,
        };
        let (depth, is_right) = split?;
        let mut children = [MemoryChild::EMPTY; 2];
        children[usize::from(is_right)] = self.child(place);
        let key = match node {
            LinkedNode::Empty => changes.first()?.key,
            _ => &self.entries[entry as usize].key,
        };
        let index = u32::try_from(self.branches.len()).unwrap_or(MemoryLink::END);
        self.branches.push(MemoryBranch::new(depth, entry, key, children));
        self.set_link(place, MemoryLink::branch(index));
        Some(index)
    }

    /// Hashes branches, the deepest level first.
    fn hash(&mut self, levels: &BranchLevels, work: &mut WorkBuffers) {
        let WorkBuffers { hasher, hashes, .. } = work;
        let mut end = levels.branches.len();
        for &start in levels.starts.iter().rev() {
            let level = &levels.branches[start..end];
            end = start;
            let branches = level.iter().map(|&(branch, _)| &self.branches[branch as usize]);
            hasher.hash_all(branches, hashes, |message, branch| {
                message.put_branch(self.prefix(branch), branch.records().each_ref());
            });
            for (&(branch, place), &hash) in level.iter().zip(&*hashes) {
                let children = self.branches[branch as usize].records();
                self.set_record(place, NodeRecord::of_branch(children.each_ref(), hash));
            }
        }
    }
}

/// Reads all of these words, without waiting for one before it reads the next.
fn read_all(words: impl Iterator<Item = u64>) {
    black_box(words.fold(0, |all, word| all ^ word));
}

/// A block's changes, with their entries.
struct BlockChanges<'b> {
    number: u64,
    changes: &'b [RawKeyChange<'b>],
    targets: &'b [ChangeTarget],
}

/// The entry of a change.
#[derive(Clone, Copy)]
struct ChangeTarget {
    /// Its index; a new entry is not added yet.
    entry: u32,
    /// For a new one, the first bit in which its key differs from the nearest; `None` if the key has an
    /// entry.
    differs_at: Option<usize>,
}

/// Changes that belong below a place.
type ChangeRun = (RecordSlot, Range<usize>);

/// Branches with their places, level by level, so that none of a level is above another.
#[derive(Default)]
struct BranchLevels {
    branches: Vec<(u32, RecordSlot)>,
    /// Where each level begins.
    starts: Vec<usize>,
}

/// Buffers that are reused for every part.
#[derive(Default)]
struct WorkBuffers {
    hasher: BatchHasher,
    hashes: Vec<Hash>,
    values: Vec<Hash>,
    /// The records of the part's entries.
    records: Vec<NodeRecord>,
    levels: BranchLevels,
    leaves: Vec<ChangeRun>,
}
