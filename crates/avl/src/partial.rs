//! The part of a dictionary that a proof expands: an arena of nodes, addressed by index.
//!
//! Keys and values are borrowed from the proof and the operations. Nodes come in post-order, so
//! children have smaller indices than their parent until the first operation.

use alloc::vec;
use alloc::vec::Vec;
use prooflight_core::{Error, Reason, Result};

use crate::hash::{HashableNodes, LabelPreimage, hash_nodes};
use crate::operation::LeafValue;
use crate::params::Label;
use crate::tree::{EditableTree, NodeId, NodeKind, Side};

#[derive(Clone, Copy)]
struct Node {
    /// The left child of an internal node; for a leaf, its index in `leaves`.
    left: u32,
    right: u32,
    balance: i8,
    /// Levels of expanded nodes below this one: 0 for leaves and labels.
    level: u32,
    kind: NodeKind,
    visited: bool,
    changed: bool,
}

struct Leaf<'a> {
    key: &'a [u8],
    value: LeafValue<'a>,
    next_key: &'a [u8],
}

/// The tree that a proof expands, with the label of every node.
pub(crate) struct PartialTree<'a> {
    nodes: Vec<Node>,
    /// `labels[i]` is the label of `nodes[i]`, unless that is an expanded node not hashed yet.
    labels: Vec<Label>,
    leaves: Vec<Leaf<'a>>,
    /// The number of nodes from the proof; the rest are new.
    from_proof: usize,
}

impl<'a> PartialTree<'a> {
    pub(crate) fn with_capacity(nodes: usize) -> Self {
        Self {
            nodes: Vec::with_capacity(nodes),
            labels: Vec::with_capacity(nodes),
            leaves: Vec::with_capacity(nodes / 4),
            from_proof: 0,
        }
    }

    pub(crate) fn push_label(&mut self, label: Label) -> Result<NodeId> {
        self.push(Node::new(NodeKind::Label), label)
    }

    pub(crate) fn push_leaf(
        &mut self,
        key: &'a [u8],
        value: LeafValue<'a>,
        next_key: &'a [u8],
    ) -> Result<NodeId> {
        let left = next_index(self.leaves.len())?;
        self.leaves.push(Leaf { key, value, next_key });
        self.push(Node { left, ..Node::new(NodeKind::Leaf) }, [0; 32])
    }

    pub(crate) fn push_internal(
        &mut self,
        left: NodeId,
        right: NodeId,
        balance: i8,
    ) -> Result<NodeId> {
        let level = self.level(left).max(self.level(right)) + 1;
        self.push(Node { left, right, balance, level, ..Node::new(NodeKind::Internal) }, [0; 32])
    }

    fn push(&mut self, node: Node, label: Label) -> Result<NodeId> {
        let id = next_index(self.nodes.len())?;
        self.nodes.push(node);
        self.labels.push(label);
        Ok(id)
    }

    /// Levels of expanded nodes below a node of the proof.
    pub(crate) fn level(&self, node: NodeId) -> u32 {
        self.nodes[node as usize].level
    }

    pub(crate) fn label(&self, node: NodeId) -> &Label {
        &self.labels[node as usize]
    }

    /// Called once all nodes of the proof are added; hashes them.
    pub(crate) fn complete(&mut self) {
        self.from_proof = self.nodes.len();
        let expanded = |&id: &u32| self.nodes[id as usize].kind != NodeKind::Label;
        let ids: Vec<u32> = (0u32..).take(self.from_proof).filter(expanded).collect();
        self.hash(&ids);
    }

    /// Checks top-down that the tree below the last node can have the height `height`.
    ///
    /// Balances give the heights of the children; an expanded leaf has height 0, an internal node
    /// at least 1; a label can have any height.
    pub(crate) fn check_heights(&self, height: u8) -> Result<()> {
        let mut heights = vec![0u8; self.nodes.len()];
        if let Some(root) = heights.last_mut() {
            *root = height;
        }
        for (id, node) in self.nodes.iter().enumerate().rev() {
            let height = heights[id];
            match node.kind {
                NodeKind::Label => {}
                NodeKind::Leaf if height == 0 => {}
                NodeKind::Leaf => return Err(wrong_height("a leaf at height 0", height)),
                NodeKind::Internal => {
                    let lower = |side: Side| u8::from(side.opposite().is_higher(node.balance)) + 1;
                    let left = height.checked_sub(lower(Side::Left));
                    let right = height.checked_sub(lower(Side::Right));
                    let (Some(left), Some(right)) = (left, right) else {
                        return Err(wrong_height(
                            "an internal node high enough for its balance",
                            height,
                        ));
                    };
                    heights[node.left as usize] = left;
                    heights[node.right as usize] = right;
                }
            }
        }
        Ok(())
    }

    /// Checks that the operations needed every node that the proof expands.
    pub(crate) fn check_all_visited(&self) -> Result<()> {
        let unused = |node: &Node| node.kind != NodeKind::Label && !node.visited;
        match self.nodes[..self.from_proof].iter().position(unused) {
            None => Ok(()),
            Some(at) => Err(Error::new(
                Reason::NodeNotVisited,
                "only nodes that an operation visits",
                format_args!("node {at} of the proof, which no operation visits"),
            )),
        }
    }

    /// Hashes the nodes below `root` that the operations changed.
    pub(crate) fn rehash(&mut self, root: NodeId) {
        let mut changed = Vec::new();
        let mut pending = vec![root];
        while let Some(id) = pending.pop() {
            let node = self.nodes[id as usize];
            if node.changed {
                changed.push(id);
                if node.kind == NodeKind::Internal {
                    pending.extend([node.left, node.right]);
                }
            }
        }
        changed.reverse();
        for &id in &changed {
            let Node { kind, left, right, .. } = self.nodes[id as usize];
            // Unchanged children already have their labels, so they count as level 0.
            let level = |child: u32| {
                let child = self.nodes[child as usize];
                if child.changed { child.level } else { 0 }
            };
            self.nodes[id as usize].level =
                if kind == NodeKind::Internal { level(left).max(level(right)) + 1 } else { 0 };
        }
        self.hash(&changed);
    }

    /// Hashes nodes whose levels are known, in an order with children first.
    fn hash(&mut self, children_first: &[u32]) {
        hash_nodes(self, children_first, |tree, id| tree.nodes[id as usize].level);
    }

    fn leaf(&self, leaf: NodeId) -> &Leaf<'a> {
        &self.leaves[self.nodes[leaf as usize].left as usize]
    }

    fn leaf_mut(&mut self, leaf: NodeId) -> &mut Leaf<'a> {
        &mut self.leaves[self.nodes[leaf as usize].left as usize]
    }
}

impl Node {
    const fn new(kind: NodeKind) -> Self {
        Self { left: 0, right: 0, balance: 0, level: 0, kind, visited: false, changed: false }
    }
}

fn next_index(length: usize) -> Result<u32> {
    u32::try_from(length)
        .map_err(|_| Error::new(Reason::TooManyNodes, "fewer than 2^32 nodes", length))
}

#[cold]
fn wrong_height(expected: &str, height: u8) -> Error {
    Error::new(
        Reason::HeightMismatch,
        expected,
        format_args!("one at height {height}, by the digest and the balances"),
    )
}

impl HashableNodes for PartialTree<'_> {
    fn preimage(&self, id: u32) -> LabelPreimage<'_> {
        let node = self.nodes[id as usize];
        if node.kind == NodeKind::Leaf {
            let Leaf { key, value, next_key } = self.leaf(id);
            return LabelPreimage::Leaf { key, value: value.as_ref(), next_key };
        }
        LabelPreimage::Internal {
            balance: node.balance,
            left: &self.labels[node.left as usize],
            right: &self.labels[node.right as usize],
        }
    }

    fn set_label(&mut self, node: u32, label: Label) {
        self.labels[node as usize] = label;
    }
}

impl<'a> EditableTree<'a> for PartialTree<'a> {
    type Key = &'a [u8];
    type Value = LeafValue<'a>;

    fn kind(&self, node: NodeId) -> NodeKind {
        self.nodes[node as usize].kind
    }

    fn child(&self, node: NodeId, side: Side) -> NodeId {
        let node = &self.nodes[node as usize];
        match side {
            Side::Left => node.left,
            Side::Right => node.right,
        }
    }

    fn balance(&self, node: NodeId) -> i8 {
        self.nodes[node as usize].balance
    }

    fn key(&self, leaf: NodeId) -> &'a [u8] {
        self.leaf(leaf).key
    }

    fn value(&self, leaf: NodeId) -> LeafValue<'a> {
        self.leaf(leaf).value
    }

    fn value_bytes(&self, leaf: NodeId) -> &[u8] {
        self.leaf(leaf).value.as_ref()
    }

    fn next_key(&self, leaf: NodeId) -> &'a [u8] {
        self.leaf(leaf).next_key
    }

    fn visit(&mut self, node: NodeId) {
        self.nodes[node as usize].visited = true;
    }

    fn edit(&mut self, node: NodeId) -> NodeId {
        self.nodes[node as usize].changed = true;
        node
    }

    fn set_child(&mut self, node: NodeId, side: Side, child: NodeId) {
        let node = &mut self.nodes[node as usize];
        match side {
            Side::Left => node.left = child,
            Side::Right => node.right = child,
        }
    }

    fn set_balance(&mut self, node: NodeId, balance: i8) {
        self.nodes[node as usize].balance = balance;
    }

    fn set_key(&mut self, leaf: NodeId, key: &'a [u8]) {
        self.leaf_mut(leaf).key = key;
    }

    fn set_value(&mut self, leaf: NodeId, value: LeafValue<'a>) {
        self.leaf_mut(leaf).value = value;
    }

    fn set_next_key(&mut self, leaf: NodeId, key: &'a [u8]) {
        self.leaf_mut(leaf).next_key = key;
    }

    /// Internal keys are not hashed, so a verifier does not have them.
    fn set_separator(&mut self, _node: NodeId, _key: &'a [u8]) {}

    fn new_key(&mut self, key: &'a [u8]) -> Result<&'a [u8]> {
        Ok(key)
    }

    fn new_value(&mut self, value: LeafValue<'a>) -> Result<LeafValue<'a>> {
        Ok(value)
    }

    fn new_leaf(&mut self, key: &'a [u8], value: LeafValue<'a>, next: &'a [u8]) -> Result<NodeId> {
        let leaf = self.push_leaf(key, value, next)?;
        Ok(self.edit(leaf))
    }

    fn new_internal(&mut self, left: NodeId, right: NodeId, _key: &'a [u8]) -> Result<NodeId> {
        let node = self.push_internal(left, right, 0)?;
        Ok(self.edit(node))
    }

    fn discard(&mut self, _node: NodeId) {}

    fn discard_key(&mut self, _key: &'a [u8]) {}

    fn discard_value(&mut self, _value: LeafValue<'a>) {}
}
