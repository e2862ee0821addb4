//! The tree in memory.

use alloc::vec::Vec;

use prooflight_core::{Error, Hash, Reason, Result};

use super::branch::{LinkedNode, MemoryBranch, MemoryChild, MemoryLink};
use super::entry::MemoryEntry;
use super::page::PageSize;
use super::prove::{self, NodeContent, TreeProver};
use crate::hash::NodeRecord;
use crate::path::{KeyBits, bit};
use crate::question::{
    CountQuestion, HistoryQuestion, KeysQuestion, RangeQuestion, TransferQuestion, TrustedRoot,
};

/// The state of the newest block, with all versions before it.
///
/// Entries and branches are never removed, and their order in memory depends on the order of the blocks; the root does
/// not.
#[derive(Clone, Debug)]
pub struct MemoryTree {
    /// The newest block; `None` before the first.
    pub(super) height: Option<u64>,
    pub(super) top: MemoryChild,
    pub(super) branches: Vec<MemoryBranch>,
    pub(super) entries: Vec<MemoryEntry>,
}

/// The location of a node's record.
#[derive(Clone, Copy, Debug)]
pub(super) enum RecordSlot {
    Top,
    Child { branch: u32, is_right: bool },
}

impl MemoryTree {
    /// The state before the first block.
    pub fn new() -> Self {
        Self { height: None, top: MemoryChild::EMPTY, branches: Vec::new(), entries: Vec::new() }
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
    pub fn prove(&self, question: &KeysQuestion<'_>) -> Result<Vec<u8>> {
        self.prover()?.get(question)
    }

    /// Proves every change of keys in a range of blocks.
    pub fn prove_history(&self, question: &HistoryQuestion<'_>) -> Result<Vec<u8>> {
        self.prover()?.history(question)
    }

    /// Proves a range, or the first page of it.
    pub fn prove_range(&self, question: &RangeQuestion<'_>, size: PageSize) -> Result<Vec<u8>> {
        self.prover()?.range(question, size)
    }

    /// Proves the number of keys in a range.
    pub fn prove_count(&self, question: &CountQuestion<'_>) -> Result<Vec<u8>> {
        self.prover()?.count(question)
    }

    /// Proves the entries of a range for a replica, or the first page of them.
    pub fn prove_transfer(
        &self,
        question: &TransferQuestion<'_>,
        size: PageSize,
    ) -> Result<Vec<u8>> {
        self.prover()?.transfer(question, size)
    }

    /// Proves a partial tree on which operations on these keys can be executed.
    pub fn prove_update(&self, keys: &[&[u8]]) -> Result<Vec<u8>> {
        self.prover()?.update(keys)
    }

    fn prover(&self) -> Result<TreeProver<TreeNode<'_>>> {
        let Some(height) = self.height else {
            return Err(Error::new(Reason::VersionUnavailable, "a first block", "none"));
        };
        let top = TreeNode { tree: self, child: self.top };
        Ok(TreeProver { root: TrustedRoot { hash: self.root(), height }, top })
    }

    fn entry(&self, key: &[u8]) -> Option<&MemoryEntry> {
        let mut link = self.top.link;
        loop {
            match link.node() {
                LinkedNode::Empty => return None,
                LinkedNode::Entry(entry) => {
                    let entry = &self.entries[entry as usize];
                    return (*entry.key == *key).then_some(entry);
                }
                LinkedNode::Branch(branch) => link = self.next(branch, key),
            }
        }
    }

    /// The child of a branch on the side of a key.
    pub(super) fn next(&self, branch: u32, key: &[u8]) -> MemoryLink {
        let branch = &self.branches[branch as usize];
        branch.link(bit(key, branch.depth()))
    }

    /// The prefix of a branch.
    pub(super) fn prefix<'t>(&'t self, branch: &'t MemoryBranch) -> KeyBits<'t> {
        branch.prefix(|| &self.entries[branch.entry as usize].key)
    }

    pub(super) fn link(&self, place: RecordSlot) -> MemoryLink {
        match place {
            RecordSlot::Top => self.top.link,
            RecordSlot::Child { branch, is_right } => self.branches[branch as usize].link(is_right),
        }
    }

    pub(super) fn child(&self, place: RecordSlot) -> MemoryChild {
        match place {
            RecordSlot::Top => self.top,
            RecordSlot::Child { branch, is_right } => {
                self.branches[branch as usize].child(is_right)
            }
        }
    }

    pub(super) fn set_link(&mut self, place: RecordSlot, link: MemoryLink) {
        match place {
            RecordSlot::Top => self.top.link = link,
            RecordSlot::Child { branch, is_right } => {
                self.branches[branch as usize].set_link(is_right, link);
            }
        }
    }

    pub(super) fn set_record(&mut self, place: RecordSlot, record: NodeRecord) {
        match place {
            RecordSlot::Top => self.top.record = record,
            RecordSlot::Child { branch, is_right } => {
                self.branches[branch as usize].set_record(is_right, record);
            }
        }
    }
}

/// A node of a tree in memory.
#[derive(Clone, Copy)]
struct TreeNode<'t> {
    tree: &'t MemoryTree,
    child: MemoryChild,
}

impl<'t> prove::ProvableNode for TreeNode<'t> {
    type Entry = &'t MemoryEntry;

    fn record(&self) -> &NodeRecord {
        &self.child.record
    }

    fn key(&self) -> &[u8] {
        let entry = match self.child.link.node() {
            LinkedNode::Empty => return &[],
            LinkedNode::Entry(entry) => entry,
            LinkedNode::Branch(branch) => self.tree.branches[branch as usize].entry,
        };
        &self.tree.entries[entry as usize].key
    }

    fn open(&self) -> Result<NodeContent<Self>> {
        Ok(match self.child.link.node() {
            LinkedNode::Empty => NodeContent::Empty,
            LinkedNode::Entry(entry) => NodeContent::Entry(&self.tree.entries[entry as usize]),
            LinkedNode::Branch(branch) => {
                let branch = &self.tree.branches[branch as usize];
                let child = |is_right| Self { tree: self.tree, child: branch.child(is_right) };
                NodeContent::Branch { depth: branch.depth(), children: [false, true].map(child) }
            }
        })
    }
}

impl Default for MemoryTree {
    fn default() -> Self {
        Self::new()
    }
}
