//! Transfers a revision of a dictionary to another store, in chunks that are checked against its digest.
//!
//! The shape of the tree depends on the order of writes, so it cannot be rebuilt from the values. A chunk is the tree
//! in post-order, as in a proof, with some consecutive leaves expanded and the labels of all other subtrees.

use std::collections::HashMap;

use prooflight_core::store::{
    ReadStore, StoreEntry, WriteBatch, corrupt, node_key, only_revision, require_node, root_at,
};
use prooflight_core::{Error, Hex, Reason, Result};

use super::record::{NodeRecord, PARAMS_KEY, TreeRoot, params_record};
use crate::params::{Digest, Label, Params};
use crate::partial::PartialTree;
use crate::proof::{END_TOKEN, LABEL_TOKEN, LEAF_TOKEN, decode};
use crate::tree::{EditableTree, NodeId, NodeKind, Side};

/// Reads a chunk of a kept revision: the leaves from the key `from` on, at least one, until it has `enough` bytes.
///
/// `store_corrupt` if a node does not have the label that its parent commits to; `version_unavailable` if the revision is
/// not kept.
pub fn read_chunk<S: ReadStore + ?Sized>(
    store: &S,
    params: &Params,
    revision: u64,
    from: &[u8],
    enough: usize,
) -> Result<Vec<u8>> {
    let root: TreeRoot = root_at(store, revision)?;
    let mut chunk = ChunkWriter { bytes: Vec::new(), leaves: 0, after_leaf: false };
    let mut pending = vec![ChunkStep::Enter(root.id, root.label)];
    while let Some(step) = pending.pop() {
        let (id, label) = match step {
            ChunkStep::Enter(_, label) if chunk.leaves > 0 && chunk.bytes.len() >= enough => {
                chunk.label(&label);
                continue;
            }
            ChunkStep::Enter(id, label) => (id, label),
            ChunkStep::Skip(label) => {
                chunk.label(&label);
                continue;
            }
            ChunkStep::Leave(balance) => {
                chunk.bytes.push(balance);
                continue;
            }
        };
        let record = require_node(store, id)?;
        let node = NodeRecord::decode(&record, params.key_length).map_err(|error| {
            corrupt(format_args!("node {id}, {}", error.expected()), error.found())
        })?;
        if node.label() != label {
            return Err(corrupt(format_args!("the committed label at node {id}"), "another"));
        }
        match node {
            NodeRecord::Leaf { key, .. } if key < from => chunk.label(&label),
            NodeRecord::Leaf { key, next_key, value } => chunk.leaf(key, next_key, value, params),
            NodeRecord::Internal { balance, separator, ids, labels } => {
                let [balance] = balance.to_be_bytes();
                pending.extend([ChunkStep::Leave(balance), ChunkStep::Enter(ids[1], labels[1])]);
                pending.push(if from >= separator {
                    ChunkStep::Skip(labels[0])
                } else {
                    ChunkStep::Enter(ids[0], labels[0])
                });
            }
        }
    }
    chunk.bytes.push(END_TOKEN);
    Ok(chunk.bytes)
}

/// The remaining work, in post-order.
enum ChunkStep {
    Enter(u64, Label),
    Skip(Label),
    Leave(u8),
}

struct ChunkWriter {
    bytes: Vec<u8>,
    leaves: u64,
    /// Whether the last node is a leaf; then the next leaf's key is omitted.
    after_leaf: bool,
}

impl ChunkWriter {
    fn label(&mut self, label: &Label) {
        self.bytes.push(LABEL_TOKEN);
        self.bytes.extend_from_slice(label);
        self.after_leaf = false;
    }

    fn leaf(&mut self, key: &[u8], next_key: &[u8], value: &[u8], params: &Params) {
        self.bytes.push(LEAF_TOKEN);
        if !self.after_leaf {
            self.bytes.extend_from_slice(key);
        }
        self.bytes.extend_from_slice(next_key);
        if params.value_length.is_none() {
            // A stored value is within the limit, which is below 2^32.
            let length = u32::try_from(value.len()).unwrap_or(u32::MAX);
            self.bytes.extend_from_slice(&length.to_be_bytes());
        }
        self.bytes.extend_from_slice(value);
        self.leaves += 1;
        self.after_leaf = true;
    }
}

/// A revision under construction from chunks, in order.
///
/// Only the chunk and one path of the tree are in memory.
#[derive(Debug)]
pub struct RevisionAssembly {
    params: Params,
    digest: Digest,
    /// The key of the first leaf of the next chunk.
    next: Vec<u8>,
    next_id: u64,
    /// The subtrees that are complete, but whose parents are not.
    complete: HashMap<Label, StoredSubtree>,
    root: Option<TreeRoot>,
}

/// A subtree in the store.
#[derive(Clone, Debug)]
struct StoredSubtree {
    id: u64,
    /// The smallest key.
    first: Vec<u8>,
}

/// The contents of a chunk.
#[derive(Debug, Default)]
pub struct ChunkEntries {
    /// The entries for the store, ascending, above those of all earlier chunks.
    pub nodes: Vec<StoreEntry>,
    /// The keys and their values, ascending.
    pub values: Vec<StoreEntry>,
}

impl RevisionAssembly {
    /// Starts the dictionary of a trusted digest.
    pub fn new(digest: Digest, params: Params) -> Self {
        let next = vec![0; params.key_length];
        Self { params, digest, next, next_id: 0, complete: HashMap::new(), root: None }
    }

    /// The first key of the next chunk; `None` once the revision is complete.
    pub fn next(&self) -> Option<&[u8]> {
        if self.root.is_none() { Some(&self.next) } else { None }
    }

    /// Checks a chunk, and returns the nodes that it completes.
    ///
    /// Errors are those of a proof if the chunk does not have the root of the digest, and `key_not_in_leaf` if it does
    /// not start with the next leaf. On error nothing changes.
    pub fn take(&mut self, chunk: &[u8]) -> Result<ChunkEntries> {
        let decoded = decode(chunk, &self.digest, chunk.len() as u64, &self.params)?;
        decoded.directions.finish()?;
        let (tree, root) = (decoded.tree, decoded.root);
        self.check_leaves(&tree, root)?;
        let mut taken = ChunkEntries::default();
        let mut known: Vec<Option<StoredSubtree>> = Vec::new();
        // Children come before their parents.
        for node in 0..=root {
            let subtree = match tree.kind(node) {
                NodeKind::Label => self.complete.get(tree.label(node)).cloned(),
                NodeKind::Leaf => Some(self.leaf(&tree, node, &mut taken)),
                NodeKind::Internal => self.internal(&tree, node, &known, &mut taken),
            };
            known.push(subtree);
        }
        self.root = known.pop().flatten().map(|StoredSubtree { id, .. }| TreeRoot {
            id,
            label: *tree.label(root),
            height: self.digest.height(),
        });
        Ok(taken)
    }

    /// The writes that make the nodes of all chunks the only revision of an empty store; `invalid_argument` if chunks are
    /// missing.
    pub fn finish(&self, revision: u64) -> Result<WriteBatch> {
        let root = self.root.ok_or_else(|| {
            let expected = format_args!("the chunk from {} on", Hex(&self.next));
            Error::new(Reason::InvalidArgument, expected, "none")
        })?;
        let mut writes = only_revision(revision, root, self.next_id);
        writes.put(PARAMS_KEY, params_record(&self.params));
        Ok(writes)
    }

    /// Checks that the chunk has consecutive leaves, starting with the next one.
    fn check_leaves(&mut self, tree: &PartialTree<'_>, root: NodeId) -> Result<()> {
        let mut next = self.next.clone();
        let mut leaves = (0..=root).filter(|&node| tree.kind(node) == NodeKind::Leaf).peekable();
        if leaves.peek().is_none() || self.root.is_some() {
            let expected = format_args!("the leaf of {}", Hex(&next));
            return Err(Error::new(Reason::KeyNotInLeaf, expected, "none, or none is left"));
        }
        for leaf in leaves {
            if tree.key(leaf) != next {
                let expected = format_args!("the leaf of {}", Hex(&next));
                return Err(Error::new(Reason::KeyNotInLeaf, expected, Hex(tree.key(leaf))));
            }
            next = tree.next_key(leaf).to_vec();
        }
        self.next = next;
        Ok(())
    }

    fn leaf(
        &mut self,
        tree: &PartialTree<'_>,
        leaf: NodeId,
        taken: &mut ChunkEntries,
    ) -> StoredSubtree {
        let (key, next_key, value) = (tree.key(leaf), tree.next_key(leaf), tree.value_bytes(leaf));
        // The first leaf is the lower sentinel, which is no key.
        if key.iter().any(|byte| *byte != 0) {
            taken.values.push((key.to_vec(), value.to_vec()));
        }
        let id = self.put(&NodeRecord::Leaf { key, next_key, value }, taken);
        StoredSubtree { id, first: key.to_vec() }
    }

    /// An internal node, if both of its children are complete; otherwise keeps the complete one for a later chunk.
    fn internal(
        &mut self,
        tree: &PartialTree<'_>,
        node: NodeId,
        known: &[Option<StoredSubtree>],
        taken: &mut ChunkEntries,
    ) -> Option<StoredSubtree> {
        let children = [Side::Left, Side::Right].map(|side| tree.child(node, side));
        let labels = children.map(|child| *tree.label(child));
        match children.map(|child| known[child as usize].as_ref()) {
            [Some(left), Some(right)] => {
                for label in &labels {
                    self.complete.remove(label);
                }
                let (balance, ids) = (tree.balance(node), [left.id, right.id]);
                let record = NodeRecord::Internal { balance, separator: &right.first, ids, labels };
                Some(StoredSubtree { id: self.put(&record, taken), first: left.first.clone() })
            }
            subtrees => {
                let waiting = labels.into_iter().zip(subtrees);
                let waiting = waiting.filter_map(|(label, it)| Some((label, it?.clone())));
                self.complete.extend(waiting);
                None
            }
        }
    }

    fn put(&mut self, record: &NodeRecord<'_>, taken: &mut ChunkEntries) -> u64 {
        let id = self.next_id;
        self.next_id += 1;
        taken.nodes.push((node_key(id), record.encode()));
        id
    }
}
