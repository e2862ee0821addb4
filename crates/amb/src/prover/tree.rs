//! The tree in memory.

use alloc::vec::Vec;

use prooflight_core::{Error, Hash, Reason, Result};

use super::branch::{Branch, Child, Link, Node};
use super::entry::Entry;
use crate::hash::Record;
use crate::question::Root;
use crate::way::{Bits, bit};

/// The state of the newest block, with all versions before it.
///
/// Entries and branches are never removed, and their order in memory depends on the order of the blocks; the root does
/// not.
#[derive(Clone, Debug)]
pub struct Tree {
    /// The newest block; none before the first.
    pub(super) height: Option<u64>,
    pub(super) top: Child,
    pub(super) branches: Vec<Branch>,
    pub(super) entries: Vec<Entry>,
}

/// Where a node's record is.
#[derive(Clone, Copy, Debug)]
pub(super) enum Place {
    Top,
    Child { branch: u32, is_right: bool },
}

impl Tree {
    /// The state before the first block.
    pub fn new() -> Self {
        Self { height: None, top: Child::EMPTY, branches: Vec::new(), entries: Vec::new() }
    }

    /// The newest block; none before the first.
    pub const fn height(&self) -> Option<u64> {
        self.height
    }

    /// The root.
    pub fn root(&self) -> Hash {
        self.top.record.state_root()
    }

    /// The number of entries, live and dead.
    pub const fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether no key was ever set.
    pub const fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The value of a key.
    pub fn get(&self, key: &[u8]) -> Option<&[u8]> {
        self.entry(key)?.value.as_deref()
    }

    /// The root with its block; `version_unavailable` before the first block.
    pub(super) fn trusted(&self) -> Result<Root> {
        let Some(height) = self.height else {
            return Err(Error::new(Reason::VersionUnavailable, "a first block", "none"));
        };
        Ok(Root { hash: self.root(), height })
    }

    fn entry(&self, key: &[u8]) -> Option<&Entry> {
        let mut link = self.top.link;
        loop {
            match link.node() {
                Node::Empty => return None,
                Node::Entry(entry) => {
                    let entry = &self.entries[entry as usize];
                    return (*entry.key == *key).then_some(entry);
                }
                Node::Branch(branch) => link = self.next(branch, key),
            }
        }
    }

    /// The child of a branch on the side of a key.
    pub(super) fn next(&self, branch: u32, key: &[u8]) -> Link {
        let branch = &self.branches[branch as usize];
        branch.link(bit(key, branch.depth()))
    }

    /// The prefix of a branch.
    pub(super) fn prefix<'t>(&'t self, branch: &'t Branch) -> Bits<'t> {
        branch.prefix(|| &self.entries[branch.entry as usize].key)
    }

    /// The first bits of the keys of a node.
    pub(super) fn bits(&self, link: Link, length: usize) -> Bits<'_> {
        let entry = match link.node() {
            Node::Empty => return Bits::of(&[], 0),
            Node::Entry(entry) => entry,
            Node::Branch(branch) => self.branches[branch as usize].entry,
        };
        Bits::of(&self.entries[entry as usize].key, length)
    }

    pub(super) fn link(&self, place: Place) -> Link {
        match place {
            Place::Top => self.top.link,
            Place::Child { branch, is_right } => self.branches[branch as usize].link(is_right),
        }
    }

    pub(super) fn child(&self, place: Place) -> Child {
        match place {
            Place::Top => self.top,
            Place::Child { branch, is_right } => self.branches[branch as usize].child(is_right),
        }
    }

    pub(super) fn set_link(&mut self, place: Place, link: Link) {
        match place {
            Place::Top => self.top.link = link,
            Place::Child { branch, is_right } => {
                self.branches[branch as usize].set_link(is_right, link);
            }
        }
    }

    pub(super) fn set_record(&mut self, place: Place, record: Record) {
        match place {
            Place::Top => self.top.record = record,
            Place::Child { branch, is_right } => {
                self.branches[branch as usize].set_record(is_right, record);
            }
        }
    }
}

impl Default for Tree {
    fn default() -> Self {
        Self::new()
    }
}
