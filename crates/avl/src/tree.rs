//! The interface of trees that the AVL+ algorithms work on; verifier and prover each implement it.

use alloc::vec::Vec;
use prooflight_core::{Error, Reason, Result};

use crate::operation::LeafValue;

/// The index of a node in its arena.
pub(crate) type NodeId = u32;

/// Left or right, so that each algorithm is written once for both sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Left,
    Right,
}

impl Side {
    pub(crate) const fn opposite(self) -> Self {
        match self {
            Self::Left => Self::Right,
            Self::Right => Self::Left,
        }
    }

    /// The change of a balance, height(right) - height(left), when this side grows by one level.
    pub(crate) const fn tilt(self) -> i8 {
        match self {
            Self::Left => -1,
            Self::Right => 1,
        }
    }

    /// Whether a node with this balance is higher on this side.
    pub(crate) const fn is_higher(self, balance: i8) -> bool {
        match self {
            Self::Left => balance < 0,
            Self::Right => balance > 0,
        }
    }
}

/// The kind of a node, as far as the tree knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NodeKind {
    /// Only a label: it stands for a subtree that no operation needs.
    Label,
    Leaf,
    Internal,
}

/// A tree that operations read, mark and change.
///
/// A change takes two steps: `edit` returns the node to write to (the node itself, or a copy that
/// belongs to the batch), then the setters write. A changed node is always linked from a changed parent.
pub(crate) trait EditableTree<'a> {
    /// The tree's representation of a key.
    type Key: Copy;
    /// The tree's representation of a value.
    type Value: Copy;

    fn kind(&self, node: NodeId) -> NodeKind;
    fn child(&self, node: NodeId, side: Side) -> NodeId;
    fn balance(&self, node: NodeId) -> i8;
    fn key(&self, leaf: NodeId) -> Self::Key;
    fn value(&self, leaf: NodeId) -> Self::Value;
    fn value_bytes(&self, leaf: NodeId) -> &[u8];
    fn next_key(&self, leaf: NodeId) -> Self::Key;

    /// Marks a node of the old tree as needed: the proof must expand it.
    fn visit(&mut self, node: NodeId);
    /// Returns the node to write to in place of `node`.
    fn edit(&mut self, node: NodeId) -> NodeId;
    fn set_child(&mut self, node: NodeId, side: Side, child: NodeId);
    fn set_balance(&mut self, node: NodeId, balance: i8);
    fn set_key(&mut self, leaf: NodeId, key: Self::Key);
    fn set_value(&mut self, leaf: NodeId, value: Self::Value);
    fn set_next_key(&mut self, leaf: NodeId, key: Self::Key);
    /// Sets the key that an internal node compares with: the smallest key of its right subtree.
    fn set_separator(&mut self, node: NodeId, key: Self::Key);

    fn new_key(&mut self, key: &'a [u8]) -> Result<Self::Key>;
    fn new_value(&mut self, value: LeafValue<'a>) -> Result<Self::Value>;
    fn new_leaf(&mut self, key: Self::Key, value: Self::Value, next: Self::Key) -> Result<NodeId>;
    /// Adds a balanced internal node over two leaves; the separator is the right leaf's key.
    fn new_internal(&mut self, left: NodeId, right: NodeId, separator: Self::Key)
    -> Result<NodeId>;

    /// Discards a node that is no longer part of the tree.
    fn discard(&mut self, node: NodeId);
    /// Discards a key that is no longer part of the tree.
    fn discard_key(&mut self, key: Self::Key);
    /// Discards a value that is no longer part of the tree.
    fn discard_value(&mut self, value: Self::Value);
}

/// The internal nodes from the root down to a leaf, each with the side that was taken.
pub(crate) type TreePath = Vec<(NodeId, Side)>;

/// Refuses anything but an internal node.
pub(crate) fn expect_internal<'a>(tree: &impl EditableTree<'a>, node: NodeId) -> Result<()> {
    match tree.kind(node) {
        NodeKind::Internal => Ok(()),
        kind => Err(unexpected("an internal node", kind)),
    }
}

#[cold]
pub(crate) fn unexpected(expected: &str, kind: NodeKind) -> Error {
    match kind {
        NodeKind::Label => Error::new(Reason::NodeNotExpanded, expected, "a label"),
        NodeKind::Leaf => Error::new(Reason::TreeShape, expected, "a leaf"),
        NodeKind::Internal => Error::new(Reason::TreeShape, expected, "an internal node"),
    }
}
