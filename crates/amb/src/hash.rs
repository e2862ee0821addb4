//! Hashes of values, entries, branches and the state: BLAKE2b-256, with a first byte for each kind.

use prooflight_core::merkle::{Blake2bTree, node_hash};
use prooflight_core::{Hash, blake2b256};

use crate::message::{self, HashMessage as _};
use crate::path::KeyBits;

/// The longest key, in bytes.
pub const MAX_KEY_BYTES: usize = 256;

/// The root over no past versions: the hash of the empty string.
pub(crate) const EMPTY_PAST_ROOT: Hash = *b"\x0e\x57\x51\xc0\x26\xe5\x43\xb2\xe8\xab\x2e\xb0\x60\x99\xda\xa1\
                                    \xd1\xe5\xdf\x47\x77\x8f\x77\x87\xfa\xab\x45\xcd\xf1\x2f\xe3\xa8";

/// The hash of a value, as an entry and its past versions have it.
pub fn hash_value(value: &[u8]) -> Hash {
    blake2b256(&[&[message::VALUE_TAG], value])
}

/// A version of a key, with its value's hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyVersion {
    /// The block that wrote it.
    pub block: u64,
    /// The value's hash; `None` for a tombstone.
    pub value: Option<Hash>,
}

impl KeyVersion {
    /// The hash of the version as a leaf in the tree of past versions.
    pub fn past_leaf(&self) -> Hash {
        message::hash(|message| message.put_past_leaf(self))
    }

    /// The byte that distinguishes values from tombstones.
    pub(crate) fn state(&self) -> u8 {
        u8::from(self.value.is_some())
    }
}

/// The root over past versions, from the roots of their perfect trees, largest first, and perhaps one more leaf.
pub(crate) fn past_root(peaks: &[Hash], leaf: Option<Hash>) -> Hash {
    let (last, peaks) = match (leaf, peaks.split_last()) {
        (Some(leaf), _) => (leaf, peaks),
        (None, Some((last, peaks))) => (*last, peaks),
        (None, None) => (EMPTY_PAST_ROOT, peaks),
    };
    peaks.iter().rev().fold(last, |right, left| node_hash::<Blake2bTree>(left, &right))
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

    /// The record of an entry with this many versions, at least 1.
    pub(crate) fn entry(key: &[u8], versions: u64, newest: &KeyVersion, past: &Hash) -> Self {
        let hash = message::hash(|message| message.put_entry(key, versions, newest, past));
        Self::of_entry(newest, hash)
    }

    /// The record of an entry whose hash is known.
    pub(crate) fn of_entry(newest: &KeyVersion, hash: Hash) -> Self {
        let live = u64::from(newest.value.is_some());
        Self { version: newest.block, live, dead: 1 - live, hash }
    }

    /// The record of a branch with a prefix over two nodes.
    pub(crate) fn branch(prefix: KeyBits<'_>, children: [&Self; 2]) -> Self {
        let hash = message::hash(|message| message.put_branch(prefix, children));
        Self::of_branch(children, hash)
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

    /// The root of the state whose tree has this record.
    pub fn state_root(&self) -> Hash {
        message::hash(|message| message.put_state(self))
    }

    /// Whether it is the record of the empty tree.
    pub(crate) const fn is_empty(&self) -> bool {
        self.live == 0 && self.dead == 0
    }
}
