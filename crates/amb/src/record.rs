//! What the hashes of the tree commit to: versions of keys, and records of nodes.

use prooflight_core::Hash;

/// A version of a key, with its value's hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyVersion {
    /// The block that wrote it.
    pub block: u64,
    /// The value's hash; `None` for a tombstone.
    pub value: Option<Hash>,
}

impl KeyVersion {
    /// The byte that distinguishes values from tombstones.
    pub(crate) fn state(&self) -> u8 {
        u8::from(self.value.is_some())
    }
}

/// The part of a node that the hash above it commits to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NodeRecord {
    /// The newest block that wrote an entry of the node.
    pub version: u64,
    /// The number of live entries.
    pub live: u64,
    /// The number of dead entries.
    pub dead: u64,
    /// The node's hash.
    pub hash: Hash,
}

impl NodeRecord {
    /// The record of the empty tree.
    pub const EMPTY: Self = Self { version: 0, live: 0, dead: 0, hash: [0; 32] };

    /// The record of an entry whose hash is known.
    pub(crate) fn of_entry(newest: &KeyVersion, hash: Hash) -> Self {
        let live = u64::from(newest.value.is_some());
        Self { version: newest.block, live, dead: 1 - live, hash }
    }

    /// The record of a branch whose hash is known.
    pub(crate) fn of_branch([left, right]: [&Self; 2], hash: Hash) -> Self {
        Self {
            version: left.version.max(right.version),
            live: left.live + right.live,
            dead: left.dead + right.dead,
            hash,
        }
    }

    /// Whether it is the record of the empty tree.
    pub(crate) const fn is_empty(&self) -> bool {
        self.live == 0 && self.dead == 0
    }
}
