//! The messages that are hashed.

use prooflight_core::{Hash, blake2b256};

use crate::limits::MAX_KEY_BYTES;
use crate::path::KeyBits;
use crate::record::{KeyVersion, NodeRecord};

/// The first byte of a value's message.
pub(crate) const VALUE_TAG: u8 = 0x12;

/// The first bytes of the other messages.
mod kind {
    /// Of each leaf of RFC 9162.
    pub(super) const LEAF: u8 = 0x00;
    pub(super) const ENTRY: u8 = 0x10;
    pub(super) const BRANCH: u8 = 0x11;
    pub(super) const PAST: u8 = 0x13;
    pub(super) const STATE: u8 = 0x15;
}

/// A message, to which parts are added.
pub(crate) trait HashMessage {
    /// Adds a part.
    fn put(&mut self, part: &[u8]);

    /// The message of an entry.
    fn put_entry(&mut self, key: &[u8], versions: u64, newest: &KeyVersion, past: &Hash) {
        self.put(&[kind::ENTRY]);
        self.put_u16(key.len());
        self.put(key);
        self.put(&versions.to_be_bytes());
        self.put_version(newest);
        self.put(past);
    }

    /// The message of a branch.
    fn put_branch(&mut self, prefix: KeyBits<'_>, [left, right]: [&NodeRecord; 2]) {
        self.put(&[kind::BRANCH]);
        self.put_u16(prefix.length());
        let (whole, next) = prefix.pre();
        self.put(whole);
        self.put(next.as_slice());
        self.put_record(left);
        self.put_record(right);
    }

    /// The message of a past version, as a leaf.
    fn put_past_leaf(&mut self, version: &KeyVersion) {
        self.put(&[kind::LEAF, kind::PAST]);
        self.put_version(version);
    }

    /// The message of the state root.
    fn put_state(&mut self, record: &NodeRecord) {
        self.put(&[kind::STATE]);
        self.put_record(record);
    }

    /// A key's length or a depth.
    fn put_u16(&mut self, number: usize) {
        let [.., high, low] = number.to_be_bytes();
        self.put(&[high, low]);
    }

    fn put_version(&mut self, version: &KeyVersion) {
        self.put(&version.block.to_be_bytes());
        self.put(&[version.state()]);
        self.put(&version.value.unwrap_or_default());
    }

    fn put_record(&mut self, record: &NodeRecord) {
        for number in [record.version, record.live, record.dead] {
            self.put(&number.to_be_bytes());
        }
        self.put(&record.hash);
    }
}

/// The hash of a message.
pub(crate) fn hash(put: impl FnOnce(&mut MessageBuffer)) -> Hash {
    let mut message = MessageBuffer { bytes: [0; MAX_MESSAGE_BYTES], length: 0 };
    put(&mut message);
    blake2b256(&[message.bytes.get(..message.length).unwrap_or_default()])
}

/// The length of the longest message: that of a branch at the last bit of the longest key.
const MAX_MESSAGE_BYTES: usize = 3 + MAX_KEY_BYTES + 2 * 56;

/// The joined parts of a message: hashing them at once is faster than one call for each.
pub(crate) struct MessageBuffer {
    bytes: [u8; MAX_MESSAGE_BYTES],
    length: usize,
}

impl HashMessage for MessageBuffer {
    fn put(&mut self, part: &[u8]) {
        let end = self.length + part.len();
        // Keys and prefixes have at most `MAX_KEY_BYTES` bytes, so every part has room.
        if let Some(room) = self.bytes.get_mut(self.length..end) {
            room.copy_from_slice(part);
            self.length = end;
        }
    }
}

#[cfg(feature = "prover")]
impl HashMessage for alloc::vec::Vec<u8> {
    fn put(&mut self, part: &[u8]) {
        self.extend_from_slice(part);
    }
}
