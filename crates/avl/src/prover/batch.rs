//! A batch in progress: an overlay over a dictionary that it only reads.

use core::cmp::Ordering;
use std::collections::HashMap;
use std::sync::Arc;

use prooflight_core::{Error, Reason, Result};

use super::arena::{Arena, BatchChanges, KeyId, Node, ValueId, index, prefix};
use super::bit_set::BitSet;
use super::pack::pack;
use crate::hash::{HashableNodes, LabelPreimage, hash_nodes};
use crate::operation::{LeafValue, Operation};
use crate::params::{LABEL_LENGTH, Label, Params};
use crate::perform::{CoveringLeaf, perform};
use crate::tree::{EditableTree, NodeId, NodeKind, Side, TreePath, unexpected};

/// More nodes than one operation can add: it copies two paths, and a sibling or two for each of
/// their nodes.
const MAX_NEW_NODES: usize = 8 * 256;

/// A batch. New nodes, keys and values get the indices that follow those of the dictionary.
pub(super) struct BatchOverlay<'d, 'a> {
    arena: &'d Arena,
    params: &'d Params,
    first_node: usize,
    first_key: usize,
    first_value: usize,
    nodes: Vec<Node>,
    keys: Vec<&'a [u8]>,
    values: Vec<LeafValue<'a>>,
    dead_nodes: Vec<NodeId>,
    dead_keys: Vec<KeyId>,
    dead_values: Vec<ValueId>,
    /// Values already returned as results, so that each is copied only once.
    results: HashMap<ValueId, Arc<[u8]>>,
    /// The nodes of the dictionary that the proof expands.
    visited: BitSet,
    directions: DirectionWriter,
    path: TreePath,
    root: NodeId,
    height: i32,
}

impl<'d, 'a> BatchOverlay<'d, 'a> {
    pub(super) fn new(arena: &'d Arena, params: &'d Params, operations: usize) -> Self {
        let (first_node, first_key, first_value) = arena.ends();
        Self {
            arena,
            params,
            first_node,
            first_key,
            first_value,
            nodes: Vec::with_capacity(operations * 8),
            keys: Vec::new(),
            values: Vec::with_capacity(operations),
            dead_nodes: Vec::with_capacity(operations * 8),
            dead_keys: Vec::new(),
            dead_values: Vec::with_capacity(operations),
            results: HashMap::new(),
            visited: BitSet::new(first_node),
            directions: DirectionWriter::default(),
            path: TreePath::new(),
            root: arena.root(),
            height: i32::from(arena.height()),
        }
    }

    /// Performs one operation. A failed operation has no effect.
    pub(super) fn perform(&mut self, op: &Operation<'a>) -> Result<Option<Arc<[u8]>>> {
        index(self.first_node + self.nodes.len() + MAX_NEW_NODES)?;
        let before = self.directions.length;
        let mut path = core::mem::take(&mut self.path);
        let performed = self.perform_on(&mut path, op);
        self.path = path;
        if performed.is_err() {
            self.directions.truncate(before);
        }
        performed
    }

    fn perform_on(&mut self, path: &mut TreePath, op: &Operation<'a>) -> Result<Option<Arc<[u8]>>> {
        let found = self.descend(path, op.key())?;
        let old = found.matches.then(|| self.result(found.leaf));
        let params = self.params;
        let performed = perform(self, self.root, path, &found, op, params)?;
        self.root = performed.root;
        self.height += performed.height_change;
        Ok(old)
    }

    /// Finds the leaf that covers a key, and records the directions.
    fn descend(&mut self, path: &mut TreePath, key: &[u8]) -> Result<CoveringLeaf> {
        path.clear();
        let prefix = prefix(key);
        let mut id = self.root;
        let mut matches = false;
        loop {
            let node = self.node(id);
            match node.kind {
                NodeKind::Leaf => return Ok(CoveringLeaf { leaf: id, matches }),
                NodeKind::Label => {
                    return Err(unexpected("the next node of a path", NodeKind::Label));
                }
                NodeKind::Internal => {}
            }
            let side = if matches {
                Side::Left
            } else {
                let full = || key.cmp(self.key_bytes(node.key));
                match prefix.cmp(&node.prefix).then_with(full) {
                    Ordering::Less => Side::Left,
                    Ordering::Greater => Side::Right,
                    Ordering::Equal => {
                        matches = true;
                        Side::Right
                    }
                }
            };
            let (left, right) = (node.left, node.right);
            self.directions.push(side);
            path.push((id, side));
            id = match side {
                Side::Left => left,
                Side::Right => right,
            };
        }
    }

    /// Returns the value of a leaf as the result of an operation.
    fn result(&mut self, leaf: NodeId) -> Arc<[u8]> {
        let value = self.node(leaf).left;
        if let Some(known) = self.results.get(&value) {
            return Arc::clone(known);
        }
        let copy = Arc::from(self.value_bytes(leaf));
        self.results.insert(value, Arc::clone(&copy));
        copy
    }

    /// Returns the proof of all operations performed, and their changes.
    pub(super) fn finish(self) -> Result<(Vec<u8>, BatchChanges)> {
        let height = u8::try_from(self.height)
            .map_err(|_| Error::new(Reason::HeightOverflow, "a height of 0 to 255", self.height))?;
        let proof = pack(self.arena, &self.visited, self.params, &self.directions.bytes);
        let live = self.live();
        let labels = self.hash(&live);
        let root_label = *self.label(self.root, &labels);
        let changes = BatchChanges {
            nodes: self.nodes,
            labels,
            keys: self.keys.into_iter().map(Box::from).collect(),
            values: self.values.iter().map(|value| value.as_ref().into()).collect(),
            live,
            dead_nodes: self.dead_nodes,
            dead_keys: self.dead_keys,
            dead_values: self.dead_values,
            root: self.root,
            root_label,
            height,
        };
        Ok((proof, changes))
    }

    /// Returns the new nodes that belong to the new tree, children first.
    fn live(&self) -> Vec<NodeId> {
        let mut live = Vec::with_capacity(self.nodes.len());
        let mut pending = vec![self.root];
        while let Some(id) = pending.pop() {
            if (id as usize) < self.first_node {
                continue;
            }
            live.push(id);
            let node = self.node(id);
            if node.kind == NodeKind::Internal {
                pending.extend([node.left, node.right]);
            }
        }
        live.reverse();
        live
    }

    /// Computes the labels of the new nodes, which are given children first.
    fn hash(&self, live: &[NodeId]) -> Vec<Label> {
        let mut levels = vec![0; self.nodes.len()];
        for &id in live {
            let node = self.node(id);
            // Nodes of the dictionary already have labels, so they count as level 0.
            let level =
                |id: NodeId| (id as usize).checked_sub(self.first_node).map_or(0, |at| levels[at]);
            if node.kind == NodeKind::Internal {
                levels[id as usize - self.first_node] = level(node.left).max(level(node.right)) + 1;
            }
        }
        let labels = vec![[0; LABEL_LENGTH]; self.nodes.len()];
        let mut labelled = BatchLabels { batch: self, labels };
        hash_nodes(&mut labelled, live, |_, id| levels[id as usize - self.first_node]);
        labelled.labels
    }

    fn label<'l>(&'l self, id: NodeId, labels: &'l [Label]) -> &'l Label {
        match (id as usize).checked_sub(self.first_node) {
            Some(at) => &labels[at],
            None => self.arena.label(id),
        }
    }

    fn node(&self, id: NodeId) -> &Node {
        match (id as usize).checked_sub(self.first_node) {
            Some(at) => &self.nodes[at],
            None => self.arena.node(id),
        }
    }

    /// Returns a node that is not part of the dictionary; `edit` returns only such nodes.
    fn node_mut(&mut self, id: NodeId) -> &mut Node {
        &mut self.nodes[id as usize - self.first_node]
    }

    fn key_bytes(&self, id: KeyId) -> &[u8] {
        match (id as usize).checked_sub(self.first_key) {
            Some(at) => self.keys[at],
            None => self.arena.key(id),
        }
    }

    #[expect(clippy::cast_possible_truncation, reason = "perform has checked that there is room")]
    fn next_node(&self) -> NodeId {
        (self.first_node + self.nodes.len()) as NodeId
    }
}

impl<'a> EditableTree<'a> for BatchOverlay<'_, 'a> {
    type Key = KeyId;
    type Value = ValueId;

    fn kind(&self, node: NodeId) -> NodeKind {
        self.node(node).kind
    }

    fn child(&self, node: NodeId, side: Side) -> NodeId {
        let node = self.node(node);
        match side {
            Side::Left => node.left,
            Side::Right => node.right,
        }
    }

    fn balance(&self, node: NodeId) -> i8 {
        self.node(node).balance
    }

    fn key(&self, leaf: NodeId) -> KeyId {
        self.node(leaf).key
    }

    fn value(&self, leaf: NodeId) -> ValueId {
        self.node(leaf).left
    }

    fn value_bytes(&self, leaf: NodeId) -> &[u8] {
        let id = self.node(leaf).left;
        match (id as usize).checked_sub(self.first_value) {
            Some(at) => self.values[at].as_ref(),
            None => self.arena.value(id),
        }
    }

    fn next_key(&self, leaf: NodeId) -> KeyId {
        self.node(leaf).right
    }

    fn visit(&mut self, node: NodeId) {
        if (node as usize) < self.first_node {
            self.visited.insert(node);
        }
    }

    fn edit(&mut self, node: NodeId) -> NodeId {
        if node as usize >= self.first_node {
            return node;
        }
        self.dead_nodes.push(node);
        let copy = self.next_node();
        self.nodes.push(*self.arena.node(node));
        copy
    }

    fn set_child(&mut self, node: NodeId, side: Side, child: NodeId) {
        let node = self.node_mut(node);
        match side {
            Side::Left => node.left = child,
            Side::Right => node.right = child,
        }
    }

    fn set_balance(&mut self, node: NodeId, balance: i8) {
        self.node_mut(node).balance = balance;
    }

    fn set_key(&mut self, leaf: NodeId, key: KeyId) {
        self.node_mut(leaf).key = key;
    }

    fn set_value(&mut self, leaf: NodeId, value: ValueId) {
        self.node_mut(leaf).left = value;
    }

    fn set_next_key(&mut self, leaf: NodeId, key: KeyId) {
        self.node_mut(leaf).right = key;
    }

    fn set_separator(&mut self, node: NodeId, key: KeyId) {
        let prefix = prefix(self.key_bytes(key));
        let node = self.node_mut(node);
        node.key = key;
        node.prefix = prefix;
    }

    fn new_key(&mut self, key: &'a [u8]) -> Result<KeyId> {
        let id = index(self.first_key + self.keys.len())?;
        self.keys.push(key);
        Ok(id)
    }

    fn new_value(&mut self, value: LeafValue<'a>) -> Result<ValueId> {
        let id = index(self.first_value + self.values.len())?;
        self.values.push(value);
        Ok(id)
    }

    fn new_leaf(&mut self, key: KeyId, value: ValueId, next: KeyId) -> Result<NodeId> {
        let id = self.next_node();
        let kind = NodeKind::Leaf;
        self.nodes.push(Node { left: value, right: next, key, prefix: 0, balance: 0, kind });
        Ok(id)
    }

    fn new_internal(&mut self, left: NodeId, right: NodeId, separator: KeyId) -> Result<NodeId> {
        let prefix = prefix(self.key_bytes(separator));
        let (id, key, kind) = (self.next_node(), separator, NodeKind::Internal);
        self.nodes.push(Node { left, right, key, prefix, balance: 0, kind });
        Ok(id)
    }

    fn discard(&mut self, node: NodeId) {
        if (node as usize) < self.first_node {
            self.dead_nodes.push(node);
        }
    }

    fn discard_key(&mut self, key: KeyId) {
        if (key as usize) < self.first_key {
            self.dead_keys.push(key);
        }
    }

    fn discard_value(&mut self, value: ValueId) {
        if (value as usize) < self.first_value {
            self.dead_values.push(value);
        }
    }
}

/// A batch with the labels of its new nodes.
struct BatchLabels<'b, 'd, 'a> {
    batch: &'b BatchOverlay<'d, 'a>,
    labels: Vec<Label>,
}

impl HashableNodes for BatchLabels<'_, '_, '_> {
    fn preimage(&self, id: NodeId) -> LabelPreimage<'_> {
        let node = self.batch.node(id);
        if node.kind == NodeKind::Leaf {
            return LabelPreimage::Leaf {
                key: self.batch.key_bytes(node.key),
                value: self.batch.value_bytes(id),
                next_key: self.batch.key_bytes(node.right),
            };
        }
        LabelPreimage::Internal {
            balance: node.balance,
            left: self.batch.label(node.left, &self.labels),
            right: self.batch.label(node.right, &self.labels),
        }
    }

    fn set_label(&mut self, id: NodeId, label: Label) {
        self.labels[id as usize - self.batch.first_node] = label;
    }
}

/// One bit per internal node descended, least significant bit first, 1 = left.
#[derive(Default)]
struct DirectionWriter {
    bytes: Vec<u8>,
    /// In bits.
    length: usize,
}

impl DirectionWriter {
    fn push(&mut self, side: Side) {
        if self.length.is_multiple_of(8) {
            self.bytes.push(0);
        }
        if let (Side::Left, Some(last)) = (side, self.bytes.last_mut()) {
            *last |= 1 << (self.length & 7);
        }
        self.length += 1;
    }

    fn truncate(&mut self, length: usize) {
        self.length = length;
        self.bytes.truncate(length.div_ceil(8));
        if let (used @ 1.., Some(last)) = (length & 7, self.bytes.last_mut()) {
            *last &= (1 << used) - 1;
        }
    }
}
