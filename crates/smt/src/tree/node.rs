//! The tree's input and output types: changes, entries and visited nodes.

/// One write of a block: the last one that the block makes to its key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HashedChange {
    /// The key's hash.
    pub key_hash: [u8; 32],
    /// The new value's hash; `None` deletes the key, and does nothing to a key that is not live.
    pub value_hash: Option<[u8; 32]>,
}

/// A key's newest entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyEntry {
    /// The height of the block that wrote it.
    pub height: u64,
    /// The value's hash; `None` if that block deleted the key.
    pub value_hash: Option<[u8; 32]>,
}

/// A node of the tree, as a visit shows it.
///
/// Visits are depth-first: a branch before its children, the left subtree before the right one. A visit
/// descends into exactly those children whose `height` is not below the requested one, so the order alone
/// determines the parent of each node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VisitedNode<'a> {
    /// Two subtrees that differ at one bit of the key hash.
    Branch {
        /// The bit in which the children differ, from 0, the most significant, to 255.
        depth: u8,
        /// The larger one of the children's heights.
        height: u64,
        /// The node's hash.
        hash: &'a [u8; 32],
        /// The child whose key hashes have a 0 at this bit.
        left: VisitedChild<'a>,
        /// The child whose key hashes have a 1 at this bit.
        right: VisitedChild<'a>,
    },
    /// A key's newest entry.
    Leaf {
        /// The height of the block that wrote it.
        height: u64,
        /// The node's hash.
        hash: &'a [u8; 32],
        /// The key's hash.
        key_hash: &'a [u8; 32],
        /// The value's hash; `None` in a tombstone.
        value_hash: Option<&'a [u8; 32]>,
    },
}

/// A child as its branch describes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VisitedChild<'a> {
    /// The kind of node.
    pub kind: NodeKind,
    /// The block that last changed it.
    pub height: u64,
    /// Its hash.
    pub hash: &'a [u8; 32],
}

/// The kinds of nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeKind {
    /// Two subtrees.
    Branch,
    /// A key with a value.
    Leaf,
    /// A key that was deleted.
    Tombstone,
}
