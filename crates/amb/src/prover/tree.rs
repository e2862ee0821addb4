//! The tree in memory.

use alloc::vec::Vec;

use prooflight_core::{Error, Hash, Reason, Result};

use super::branch::{Branch, Child, Link, Node};
use super::entry::Entry;
use super::page::PageSize;
use super::prove::{self, Opened, Proving};
use crate::hash::Record;
use crate::question::{Count, Get, Hist, Range, Root, Transfer};
use crate::way::{Bits, bit};

/// The state of the newest block, with all versions before it.
///
/// Entries and branches are never removed, and their order in memory depends on the order of the blocks; the root does
/// not.
#[derive(Clone, Debug)]
pub struct Tree {
    /// The newest block; `None` before the first.
    pub(super) height: Option<u64>,
    pub(super) top: Child,
    pub(super) branches: Vec<Branch>,
    pub(super) entries: Vec<Entry>,
}

/// The location of a node's record.
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

    /// The newest block; `None` before the first.
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

    /// Proves the state of keys after a block.
    ///
    /// Errors of all proofs: `version_unavailable` before the first block, those of the verifier for arguments, and
    /// `request_too_large` for a proof of more than 8 MiB.
    pub fn prove(&self, question: &Get<'_>) -> Result<Vec<u8>> {
        self.proving()?.get(question)
    }

    /// Proves every change of keys in a range of blocks.
    pub fn prove_history(&self, question: &Hist<'_>) -> Result<Vec<u8>> {
        self.proving()?.history(question)
    }

    /// Proves a range, or the first page of it.
    pub fn prove_range(&self, question: &Range<'_>, size: PageSize) -> Result<Vec<u8>> {
        self.proving()?.range(question, size)
    }

    /// Proves the number of keys in a range.
    pub fn prove_count(&self, question: &Count<'_>) -> Result<Vec<u8>> {
        self.proving()?.count(question)
    }

    /// Proves the entries of a range for a replica, or the first page of them.
    pub fn prove_transfer(&self, question: &Transfer<'_>, size: PageSize) -> Result<Vec<u8>> {
        self.proving()?.transfer(question, size)
    }

    /// Proves a partial tree on which operations on these keys can be executed.
    pub fn prove_update(&self, keys: &[&[u8]]) -> Result<Vec<u8>> {
        self.proving()?.update(keys)
    }

    fn proving(&self) -> Result<Proving<TreeNode<'_>>> {
        let Some(height) = self.height else {
            return Err(Error::new(Reason::VersionUnavailable, "a first block", "none"));
        };
        let top = TreeNode { tree: self, child: self.top };
        Ok(Proving { root: Root { hash: self.root(), height }, top })
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

/// A node of a tree in memory.
#[derive(Clone, Copy)]
struct TreeNode<'t> {
    tree: &'t Tree,
    child: Child,
}

impl<'t> prove::Node for TreeNode<'t> {
    type Entry = &'t Entry;

    fn record(&self) -> &Record {
        &self.child.record
    }

    fn key(&self) -> &[u8] {
        let entry = match self.child.link.node() {
            Node::Empty => return &[],
            Node::Entry(entry) => entry,
            Node::Branch(branch) => self.tree.branches[branch as usize].entry,
        };
        &self.tree.entries[entry as usize].key
    }

    fn open(&self) -> Result<Opened<Self>> {
        Ok(match self.child.link.node() {
            Node::Empty => Opened::Empty,
            Node::Entry(entry) => Opened::Entry(&self.tree.entries[entry as usize]),
            Node::Branch(branch) => {
                let branch = &self.tree.branches[branch as usize];
                let child = |is_right| Self { tree: self.tree, child: branch.child(is_right) };
                Opened::Branch { depth: branch.depth(), children: [false, true].map(child) }
            }
        })
    }
}

impl Default for Tree {
    fn default() -> Self {
        Self::new()
    }
}
