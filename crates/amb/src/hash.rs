//! Hashes of values, entries, branches and the state: BLAKE2b-256, with a first byte for each kind.

use prooflight_core::merkle::{Blake2bTree, node_hash};
use prooflight_core::{Hash, blake2b256};

use crate::message::{self, HashMessage as _};
use crate::path::KeyBits;
pub use crate::record::{KeyVersion, NodeRecord};

/// The root over no past versions: the hash of the empty string.
pub(crate) const EMPTY_PAST_ROOT: Hash = *b"\x0e\x57\x51\xc0\x26\xe5\x43\xb2\xe8\xab\x2e\xb0\x60\x99\xda\xa1\
                                    \xd1\xe5\xdf\x47\x77\x8f\x77\x87\xfa\xab\x45\xcd\xf1\x2f\xe3\xa8";

/// The hash of a value, as an entry and its past versions have it.
pub fn hash_value(value: &[u8]) -> Hash {
    blake2b256(&[&[message::VALUE_TAG], value])
}

impl KeyVersion {
    /// The hash of the version as a leaf in the tree of past versions.
    pub fn past_leaf(&self) -> Hash {
        message::hash(|message| message.put_past_leaf(self))
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

impl NodeRecord {
    /// The record of an entry with this many versions, at least 1.
    pub(crate) fn entry(key: &[u8], versions: u64, newest: &KeyVersion, past: &Hash) -> Self {
        let hash = message::hash(|message| message.put_entry(key, versions, newest, past));
        Self::of_entry(newest, hash)
    }

    /// The record of a branch with a prefix over two nodes.
    pub(crate) fn branch(prefix: KeyBits<'_>, children: [&Self; 2]) -> Self {
        let hash = message::hash(|message| message.put_branch(prefix, children));
        Self::of_branch(children, hash)
    }

    /// The root of the state whose tree has this record.
    pub fn state_root(&self) -> Hash {
        message::hash(|message| message.put_state(self))
    }
}
