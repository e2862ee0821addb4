//! The tree in memory.

use alloc::vec::Vec;

use prooflight_core::{Error, Hash, Reason, Result};

use super::entry::Entry;
use crate::hash::Record;
use crate::question::Root;
use crate::way::{Bits, bit};

/// The state of the newest block, with all versions before it.
///
/// Entries and branches are never removed, and their order in memory depends on the order of the blocks; the root does
/// not.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    /// The newest block; none before the first.
    pub(super) height: Option<u64>,
    pub(super) top: Child,
    pub(super) branches: Vec<Branch>,
    pub(super) entries: Vec<Entry>,
}

/// A branch, with the records of its children, so that its hash needs nothing else.
#[derive(Clone, Debug)]
pub(super) struct Branch {
    pub(super) depth: u16,
    /// An entry below it, whose key has its prefix.
    pub(super) entry: u32,
    pub(super) children: [Child; 2],
}

/// A node: where it is, and its record.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Child {
    pub(super) link: Link,
    pub(super) record: Record,
}

/// Where a node is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Link {
    #[default]
    Empty,
    Entry(u32),
    Branch(u32),
}

/// Where a node's record is.
#[derive(Clone, Copy, Debug)]
pub(super) enum Place {
    Top,
    Child { branch: u32, side: bool },
}

impl Tree {
    /// The state before the first block.
    pub fn new() -> Self {
        Self::default()
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
        let entry = &self.entries[self.nearest(key)? as usize];
        (*entry.key == *key).then_some(entry)
    }

    /// An entry whose key has as many first bits in common with a key as any.
    pub(super) fn nearest(&self, key: &[u8]) -> Option<u32> {
        let mut link = self.top.link;
        loop {
            match link {
                Link::Empty => return None,
                Link::Entry(entry) => return Some(entry),
                Link::Branch(branch) => {
                    let branch = &self.branches[branch as usize];
                    link = branch.children[usize::from(bit(key, branch.depth.into()))].link;
                }
            }
        }
    }

    /// The first bits of the keys of a node, of which it must have one.
    pub(super) fn bits(&self, link: Link, length: usize) -> Bits<'_> {
        let entry = match link {
            Link::Empty => return Bits::of(&[], 0),
            Link::Entry(entry) => entry,
            Link::Branch(branch) => self.branches[branch as usize].entry,
        };
        Bits::of(&self.entries[entry as usize].key, length)
    }

    pub(super) fn at(&mut self, place: Place) -> &mut Child {
        match place {
            Place::Top => &mut self.top,
            Place::Child { branch, side } => {
                &mut self.branches[branch as usize].children[usize::from(side)]
            }
        }
    }
}
