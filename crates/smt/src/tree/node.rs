//! What the tree takes, and what it shows of itself.

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
pub struct Entry {
    /// The height of the block that wrote it.
    pub height: u64,
    /// The value's hash; `None` where that block deleted the key.
    pub value_hash: Option<[u8; 32]>,
}

/// A node of the tree, as a visit shows it.
///
/// Visits are depth-first: a branch before its children, the left child and all below it before the
/// right one. A visit goes down into exactly those children whose `height` is not below the first
/// one asked for, so the order alone tells whose child each node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Node<'a> {
    /// Two subtrees that part at one bit of the key hash.
    Branch {
        /// The bit at which the children part, from 0, the most significant, to 255.
        depth: u8,
        /// The larger one of the children's heights.
        height: u64,
        /// The node's hash.
        hash: &'a [u8; 32],
        /// The child whose key hashes have a 0 there.
        left: Child<'a>,
        /// The child whose key hashes have a 1 there.
        right: Child<'a>,
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

/// What a branch knows of a child.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Child<'a> {
    /// What kind of node it is.
    pub kind: Kind,
    /// The block that last changed it.
    pub height: u64,
    /// Its hash.
    pub hash: &'a [u8; 32],
}

/// The kinds of nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Two subtrees.
    Branch,
    /// A key with a value.
    Leaf,
    /// A key that was deleted.
    Tombstone,
}
