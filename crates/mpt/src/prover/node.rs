//! Nodes in memory while a batch changes them.

use alloc::boxed::Box;
use alloc::vec::Vec;

use prooflight_core::store::corrupt;
use prooflight_core::{Hash, Limits, Result};

use crate::hash::EMPTY_ROOT;
use crate::node::{self, ChildRef};

/// A node in the store: the hash that its parent commits to, and its id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct StoredNode {
    pub(super) hash: Hash,
    pub(super) id: u64,
}

/// The root of a trie after a batch; `None` if it is empty.
pub(super) type OverlayRoot = Option<StoredNode>;

/// Returns the hash of a root.
pub(super) fn root_hash(root: OverlayRoot) -> Hash {
    root.map_or(EMPTY_ROOT, |root| root.hash)
}

/// A node's reference to its child.
#[derive(Clone, Debug, Default)]
pub(super) enum ChildLink {
    #[default]
    Empty,
    Stored(StoredNode),
    /// A node in memory: changed by this batch, or embedded in its parent.
    InMemory(Box<TrieNode>),
}

/// A node. Paths have one nibble per byte.
#[derive(Clone, Debug)]
pub(super) enum TrieNode {
    Leaf {
        path: Vec<u8>,
        value: Vec<u8>,
        /// The id of the root node of the trie that the value commits to, if any.
        below: Option<u64>,
    },
    Extension {
        path: Vec<u8>,
        child: ChildLink,
    },
    Branch {
        children: Box<[ChildLink; 16]>,
        value: Vec<u8>,
    },
}

impl TrieNode {
    /// Decodes a node from its RLP and the ids of the nodes that it refers to by hash, in order.
    pub(super) fn decode(rlp: &[u8], ids: &mut impl Iterator<Item = u64>) -> Result<Self> {
        Self::from_verified(node::Node::decode(rlp, &Limits::NONE)?, ids)
    }

    fn from_verified(node: node::Node<'_>, ids: &mut impl Iterator<Item = u64>) -> Result<Self> {
        Ok(match node {
            node::Node::Leaf { path, value } => {
                Self::Leaf { path: path.to_nibbles(), value: value.to_vec(), below: ids.next() }
            }
            node::Node::Extension { path, child } => Self::Extension {
                path: path.to_nibbles(),
                child: ChildLink::from_verified(child, ids)?,
            },
            node::Node::Branch(branch) => {
                let mut children: Box<[ChildLink; 16]> = Box::default();
                for (nibble, child) in children.iter_mut().enumerate() {
                    *child = ChildLink::from_verified(branch.child(nibble)?, ids)?;
                }
                Self::Branch { children, value: branch.value.to_vec() }
            }
        })
    }
}

impl ChildLink {
    fn from_verified(child: ChildRef<'_>, ids: &mut impl Iterator<Item = u64>) -> Result<Self> {
        Ok(match child {
            ChildRef::Empty => Self::Empty,
            ChildRef::Hash(hash) => {
                let id = ids.next().ok_or_else(|| corrupt("an id for each hash", "fewer"))?;
                Self::Stored(StoredNode { hash: *hash, id })
            }
            ChildRef::Inline(payload) => {
                let inside = node::Node::from_items(payload, &Limits::NONE)?;
                // An embedded node is too short to refer to other nodes by hash.
                Self::from(TrieNode::from_verified(inside, &mut core::iter::empty())?)
            }
        })
    }
}

impl From<TrieNode> for ChildLink {
    fn from(node: TrieNode) -> Self {
        Self::InMemory(Box::new(node))
    }
}

impl From<Option<StoredNode>> for ChildLink {
    fn from(root: Option<StoredNode>) -> Self {
        root.map_or(Self::Empty, Self::Stored)
    }
}
