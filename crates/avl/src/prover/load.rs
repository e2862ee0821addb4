//! Loads a revision of a dictionary from its store, and checks all of it.
//!
//! A node is written after its children, so its id is larger than theirs. Nodes are read by descending ids, which
//! reads the store sequentially. Each must have the label that its parent commits to. Then the order and the heights
//! of the nodes are checked in memory.

use prooflight_core::store::{ReadStore, corrupt};
use prooflight_core::{Error, Hex, Result};

use super::arena::{Arena, ArenaSlabs, Node, index, prefix};
use super::descending_reader::DescendingReader;
use super::node_queue::NodeQueue;
use super::record::{NodeRecord, TreeRoot};
use super::revision_file::RevisionFile;
use crate::hash::{LabelPreimage, labels, write_preimage};
use crate::params::{Digest, Label, Params};
use crate::tree::{NodeId, NodeKind};

/// A dictionary, and the store's id of every node.
pub(super) struct LoadedRevision {
    pub(super) arena: Arena,
    pub(super) ids: Vec<u64>,
}

/// Loads a revision, with the nodes of a file if there is one. Every label, height, separator and neighbour is
/// recomputed and compared.
pub(super) fn load(
    store: &impl ReadStore,
    file: Option<&mut RevisionFile>,
    root: &TreeRoot,
    params: &Params,
) -> Result<LoadedRevision> {
    let mut loader = RevisionLoader {
        params,
        loaded: ArenaSlabs::default(),
        labels: Vec::new(),
        ids: Vec::new(),
        queue: NodeQueue::default(),
        unchecked: Vec::new(),
        labels_to_check: LabelQueue::default(),
    };
    let top = loader.expect(root.id, &root.label)?;
    let mut nodes = DescendingReader::new(store, file);
    while let Some((id, node)) = loader.queue.pop() {
        let added = nodes.read(id).and_then(|record| loader.add(id, node, &record));
        // A damaged node can lead to errors in other nodes; the check names the damaged one first.
        if added.is_err() || loader.labels_to_check.is_full() {
            loader.labels_to_check.check()?;
        }
        added?;
    }
    loader.labels_to_check.check()?;
    loader.finish(top, root)
}

/// A queue of nodes whose labels are still to be checked, in batches.
#[derive(Default)]
struct LabelQueue {
    /// Each node's id, the label that its parent commits to, and the end of its preimage.
    nodes: Vec<(u64, Label, usize)>,
    preimages: Vec<u8>,
}

impl LabelQueue {
    /// The number of nodes hashed at once.
    const HASH_BATCH: usize = 64;

    fn add(&mut self, id: u64, label: Label, preimage: &LabelPreimage<'_>) {
        write_preimage(preimage, &mut self.preimages);
        self.nodes.push((id, label, self.preimages.len()));
    }

    const fn is_full(&self) -> bool {
        self.nodes.len() >= Self::HASH_BATCH
    }

    /// Checks the labels; `store_corrupt` names the first node that has another one.
    fn check(&mut self) -> Result<()> {
        let mut start = 0;
        let preimages = self.nodes.iter().map(|(_, _, end)| {
            let preimage = &self.preimages[start..*end];
            start = *end;
            preimage
        });
        for ((id, expected, _), label) in self.nodes.iter().zip(labels(preimages)) {
            if label != *expected {
                let expected = format_args!("node {id} with the label {}", Hex(expected));
                return Err(corrupt(expected, Hex(&label)));
            }
        }
        self.nodes.clear();
        self.preimages.clear();
        Ok(())
    }
}

struct RevisionLoader<'p> {
    params: &'p Params,
    /// Of an internal node, `key` is not known before its order is checked; of a leaf, `right`.
    loaded: ArenaSlabs,
    /// The labels that the parents commit to.
    labels: Vec<Label>,
    ids: Vec<u64>,
    /// The nodes still to be read.
    queue: NodeQueue,
    /// The separator of each internal node, and the next key of each leaf. No label covers a separator; a next key must
    /// be the key of the next leaf.
    unchecked: Vec<u8>,
    labels_to_check: LabelQueue,
}

/// The properties of a subtree that the checks need.
#[derive(Clone, Copy)]
struct SubtreeBounds {
    height: u32,
    /// The smallest key.
    first: u32,
}

/// The remaining work, in order.
enum CheckStep {
    Enter { node: NodeId, depth: usize },
    Leave { node: NodeId },
}

impl RevisionLoader<'_> {
    /// Makes room for a node with this label.
    fn expect(&mut self, id: u64, label: &Label) -> Result<NodeId> {
        let at = index(self.loaded.nodes.len())?;
        let none = Node { left: 0, right: 0, key: 0, prefix: 0, balance: 0, kind: NodeKind::Label };
        self.loaded.nodes.push(none);
        self.labels.push(*label);
        self.ids.push(id);
        self.unchecked.resize(self.unchecked.len() + self.params.key_length, 0);
        self.queue.push(id, at);
        Ok(at)
    }

    /// Adds a node that was read; its label is checked later.
    fn add(&mut self, id: u64, at: NodeId, record: &[u8]) -> Result<()> {
        let record = NodeRecord::decode(record, self.params.key_length).map_err(|error| {
            corrupt(format_args!("node {id}, {}", error.expected()), error.found())
        })?;
        let expected = self.labels[at as usize];
        self.labels_to_check.add(id, expected, &record.preimage());
        let (node, unchecked) = match record {
            NodeRecord::Leaf { key, next_key, value } => {
                self.params.check_value(value.len()).map_err(|error| {
                    corrupt(format_args!("node {id}, {}", error.expected()), error.found())
                })?;
                let (first, left) =
                    (index(self.loaded.keys.len())?, index(self.loaded.values.len())?);
                self.loaded.keys.push(key.into());
                self.loaded.values.push(value.into());
                let kind = NodeKind::Leaf;
                (Node { left, right: 0, key: first, prefix: 0, balance: 0, kind }, next_key)
            }
            NodeRecord::Internal { balance, separator, ids, labels } => {
                let child = |loader: &mut Self, side: usize| {
                    if ids[side] >= id {
                        let expected = format_args!("a child of node {id} with a smaller id");
                        return Err(corrupt(expected, ids[side]));
                    }
                    loader.expect(ids[side], &labels[side])
                };
                let (left, right) = (child(self, 0)?, child(self, 1)?);
                let (prefix, kind) = (prefix(separator), NodeKind::Internal);
                (Node { left, right, key: 0, prefix, balance, kind }, separator)
            }
        };
        self.loaded.nodes[at as usize] = node;
        let length = self.params.key_length;
        self.unchecked[at as usize * length..][..length].copy_from_slice(unchecked);
        Ok(())
    }

    /// Checks the order and the heights of the nodes, from left to right.
    fn finish(mut self, top: NodeId, root: &TreeRoot) -> Result<LoadedRevision> {
        let mut pending = vec![CheckStep::Enter { node: top, depth: 0 }];
        let mut done: Vec<SubtreeBounds> = Vec::new();
        let mut last: Option<NodeId> = None;
        while let Some(step) = pending.pop() {
            match step {
                CheckStep::Enter { depth: 256.., .. } => {
                    return Err(corrupt("a tree of at most 255 levels", "more"));
                }
                CheckStep::Enter { node, depth } => match self.loaded.nodes[node as usize] {
                    Node { left, right, kind: NodeKind::Internal, .. } => {
                        let depth = depth + 1;
                        pending.push(CheckStep::Leave { node });
                        pending.push(CheckStep::Enter { node: right, depth });
                        pending.push(CheckStep::Enter { node: left, depth });
                    }
                    Node { key, .. } => {
                        self.check_next_leaf(last.replace(node), node)?;
                        done.push(SubtreeBounds { height: 0, first: key });
                    }
                },
                CheckStep::Leave { node } => {
                    let (Some(right), Some(left)) = (done.pop(), done.pop()) else {
                        return Err(corrupt("two children", "fewer"));
                    };
                    done.push(self.check_internal(node, left, right)?);
                }
            }
        }
        self.check_last_leaf(last)?;
        let height = done.pop().map_or(0, |tree| tree.height);
        let height = u8::try_from(height)
            .map_err(|_| -> Error { corrupt("a height of at most 255", "more") })?;
        let found = Digest::new(&root.label, height);
        let expected = root.digest();
        if found != expected {
            return Err(corrupt(format_args!("digest {expected}"), found));
        }
        let arena = Arena::from_slabs(self.loaded, self.labels, top, height);
        Ok(LoadedRevision { arena, ids: self.ids })
    }

    /// Checks that a leaf is the one after another, or the first.
    fn check_next_leaf(&mut self, before: Option<NodeId>, leaf: NodeId) -> Result<()> {
        let key_id = self.loaded.nodes[leaf as usize].key;
        let key = &self.loaded.keys[key_id as usize][..];
        let follows = match before {
            Some(before) => self.unchecked(before) == key,
            None => key.iter().all(|byte| *byte == 0),
        };
        if !follows || key >= self.unchecked(leaf) {
            let id = self.ids[leaf as usize];
            let expected = format_args!("the leaf after the one before at node {id}");
            return Err(corrupt(expected, "another leaf"));
        }
        if let Some(before) = before {
            self.loaded.nodes[before as usize].right = key_id;
        }
        Ok(())
    }

    /// Checks that the last leaf ends with the upper sentinel, which becomes its next key.
    fn check_last_leaf(&mut self, last: Option<NodeId>) -> Result<()> {
        let sentinel = vec![0xff; self.params.key_length];
        let Some(last) = last.filter(|&last| self.unchecked(last) == sentinel) else {
            return Err(corrupt("the upper sentinel after the last leaf", "another key"));
        };
        self.loaded.nodes[last as usize].right = index(self.loaded.keys.len())?;
        self.loaded.keys.push(sentinel.into_boxed_slice());
        Ok(())
    }

    /// Checks the balance and the separator of a node above two subtrees.
    fn check_internal(
        &mut self,
        at: NodeId,
        left: SubtreeBounds,
        right: SubtreeBounds,
    ) -> Result<SubtreeBounds> {
        let id = self.ids[at as usize];
        let balance = self.loaded.nodes[at as usize].balance;
        let difference = i64::from(right.height) - i64::from(left.height);
        if difference != i64::from(balance) || !(-1..=1).contains(&balance) {
            return Err(corrupt(format_args!("balance {difference} at node {id}"), balance));
        }
        if *self.loaded.keys[right.first as usize] != *self.unchecked(at) {
            return Err(corrupt(format_args!("its smallest right key at node {id}"), "another"));
        }
        self.loaded.nodes[at as usize].key = right.first;
        Ok(SubtreeBounds { height: left.height.max(right.height) + 1, first: left.first })
    }

    /// The separator of a node, or the next key of a leaf.
    fn unchecked(&self, node: NodeId) -> &[u8] {
        let length = self.params.key_length;
        &self.unchecked[node as usize * length..][..length]
    }
}
