//! Hashes of values, entries, branches and the state: BLAKE2b-256, with a first byte for each kind.

use prooflight_core::merkle::{Blake2bTree, node_hash};
use prooflight_core::{Hash, blake2b256};

use crate::way::Bits;

/// The longest key, in bytes.
pub const MAX_KEY: usize = 256;

/// The root over no past versions: the hash of nothing.
pub(crate) const NO_PAST: Hash = *b"\x0e\x57\x51\xc0\x26\xe5\x43\xb2\xe8\xab\x2e\xb0\x60\x99\xda\xa1\
                                    \xd1\xe5\xdf\x47\x77\x8f\x77\x87\xfa\xab\x45\xcd\xf1\x2f\xe3\xa8";

/// The first byte of each message.
mod kind {
    /// Of each leaf of RFC 9162.
    pub(super) const LEAF: u8 = 0x00;
    pub(super) const ENTRY: u8 = 0x10;
    pub(super) const BRANCH: u8 = 0x11;
    pub(super) const VALUE: u8 = 0x12;
    pub(super) const PAST: u8 = 0x13;
    pub(super) const STATE: u8 = 0x15;
}

/// The hash of a value, as an entry and its past versions have it.
pub fn hash_value(value: &[u8]) -> Hash {
    blake2b256(&[&[kind::VALUE], value])
}

/// The message of a value's hash.
#[cfg(feature = "prover")]
pub(crate) fn value_message(value: &[u8]) -> alloc::vec::Vec<u8> {
    [&[kind::VALUE], value].concat()
}

/// A version of a key, with its value's hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Version {
    /// The block that wrote it.
    pub block: u64,
    /// The value's hash; none for a tombstone.
    pub value: Option<Hash>,
}

impl Version {
    /// The hash of the version as a leaf in the tree of past versions.
    pub fn past_leaf(&self) -> Hash {
        self.past_message().hash()
    }

    /// The message of that hash: `00`, for a leaf, and its data.
    pub(crate) fn past_message(&self) -> Message {
        let mut message = Message::new(kind::LEAF);
        message.put(&[kind::PAST]);
        message.put_version(self);
        message
    }

    fn state(&self) -> u8 {
        u8::from(self.value.is_some())
    }
}

/// The root over past versions: that over the perfect trees with the roots `peaks`, largest first, and perhaps one
/// more leaf.
pub(crate) fn past_root(peaks: &[Hash], leaf: Option<Hash>) -> Hash {
    let (last, peaks) = match (leaf, peaks.split_last()) {
        (Some(leaf), _) => (leaf, peaks),
        (None, Some((last, peaks))) => (*last, peaks),
        (None, None) => (NO_PAST, peaks),
    };
    peaks.iter().rev().fold(last, |right, left| node_hash::<Blake2bTree>(left, &right))
}

/// The part of a node that the hash above it commits to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// The newest block that wrote an entry of the node.
    pub version: u64,
    /// The number of live entries.
    pub live: u64,
    /// The number of dead entries.
    pub dead: u64,
    /// The node's hash.
    pub hash: Hash,
}

impl Record {
    /// The record of the empty tree.
    pub const EMPTY: Self = Self { version: 0, live: 0, dead: 0, hash: [0; 32] };

    /// The record of an entry with this many versions, at least 1.
    pub(crate) fn entry(key: &[u8], versions: u64, newest: &Version, past: &Hash) -> Self {
        let hash = Message::entry(key, versions, newest, past).hash();
        Self::of_entry(newest, hash)
    }

    /// The record of an entry whose hash is known.
    pub(crate) fn of_entry(newest: &Version, hash: Hash) -> Self {
        let live = u64::from(newest.value.is_some());
        Self { version: newest.block, live, dead: 1 - live, hash }
    }

    /// The record of a branch with a prefix over two nodes.
    pub(crate) fn branch(prefix: Bits<'_>, children: [&Self; 2]) -> Self {
        let hash = Message::branch(prefix, children).hash();
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
        let mut message = Message::new(kind::STATE);
        message.put_record(self);
        message.hash()
    }

    /// Whether it is the record of the empty tree.
    pub(crate) const fn is_empty(&self) -> bool {
        self.live == 0 && self.dead == 0
    }
}

/// The message of a hash, joined: hashing it is faster than one call for each part.
pub(crate) struct Message {
    bytes: [u8; Self::LONGEST],
    length: usize,
}

impl Message {
    /// The length of the longest message: that of a branch at the last bit of the longest key.
    const LONGEST: usize = 3 + MAX_KEY + 2 * 56;

    /// The message of an entry.
    pub(crate) fn entry(key: &[u8], versions: u64, newest: &Version, past: &Hash) -> Self {
        let mut message = Self::new(kind::ENTRY);
        message.put_u16(key.len());
        message.put(key);
        message.put(&versions.to_be_bytes());
        message.put_version(newest);
        message.put(past);
        message
    }

    /// The message of a branch.
    pub(crate) fn branch(prefix: Bits<'_>, [left, right]: [&Record; 2]) -> Self {
        let mut message = Self::new(kind::BRANCH);
        message.put_u16(prefix.length());
        let (whole, next) = prefix.pre();
        message.put(whole);
        message.put(next.as_slice());
        message.put_record(left);
        message.put_record(right);
        message
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        self.bytes.get(..self.length).unwrap_or_default()
    }

    const fn new(kind: u8) -> Self {
        let mut bytes = [0; Self::LONGEST];
        bytes[0] = kind;
        Self { bytes, length: 1 }
    }

    fn hash(&self) -> Hash {
        blake2b256(&[self.as_bytes()])
    }

    fn put(&mut self, part: &[u8]) {
        let end = self.length + part.len();
        // Keys and prefixes have at most `MAX_KEY` bytes, so every part has room.
        if let Some(room) = self.bytes.get_mut(self.length..end) {
            room.copy_from_slice(part);
            self.length = end;
        }
    }

    /// A key's length or a depth.
    fn put_u16(&mut self, number: usize) {
        let [.., high, low] = number.to_be_bytes();
        self.put(&[high, low]);
    }

    fn put_version(&mut self, version: &Version) {
        self.put(&version.block.to_be_bytes());
        self.put(&[version.state()]);
        self.put(&version.value.unwrap_or_default());
    }

    fn put_record(&mut self, record: &Record) {
        for number in [record.version, record.live, record.dead] {
            self.put(&number.to_be_bytes());
        }
        self.put(&record.hash);
    }
}
