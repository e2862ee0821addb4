//! Writes proofs as `proof` reads them.

use alloc::vec::Vec;

use prooflight_core::{Envelope, Hash, envelope, write_integer};

use super::past::VersionContent;
use crate::hash::NodeRecord;
use crate::path::{KeyBits, whole_byte_count};

/// A message, written node by node.
pub(super) struct ProofWriter {
    bytes: Vec<u8>,
    /// The block of the root.
    height: u64,
}

impl ProofWriter {
    pub(super) fn new(kind: Envelope, height: u64) -> Self {
        Self { bytes: Vec::from([envelope::ENVELOPE_VERSION, kind.scheme.id(), kind.kind]), height }
    }

    pub(super) const fn len(&self) -> usize {
        self.bytes.len()
    }

    pub(super) fn finish(self) -> Vec<u8> {
        self.bytes
    }

    /// The cut of a page.
    pub(super) fn cut(&mut self, cut: Option<&[u8]>) {
        self.bytes.push(u8::from(cut.is_some()));
        if let Some(cut) = cut {
            self.string(cut);
        }
    }

    pub(super) fn integer(&mut self, integer: u64) {
        write_integer(integer, &mut self.bytes);
    }

    pub(super) fn hash(&mut self, hash: &Hash) {
        self.bytes.extend_from_slice(hash);
    }

    pub(super) fn closed(&mut self, node: &NodeRecord) {
        self.integer(node.live);
        self.integer(node.dead);
        if !node.is_empty() {
            self.age(node.version);
            self.hash(&node.hash);
        }
    }

    /// The head of a branch with this prefix; `path` is the length of the path to it.
    pub(super) fn branch(&mut self, prefix: KeyBits<'_>, path: usize) {
        self.integer((prefix.length() - path + 2) as u64);
        if prefix.length() > path {
            let (whole, next) = prefix.pre();
            self.bytes.extend_from_slice(whole.get(whole_byte_count(path)..).unwrap_or_default());
            self.bytes.extend(next);
        }
    }

    /// The key of a leaf that is not that of a requested key.
    pub(super) fn key(&mut self, key: &[u8], path: usize) {
        self.string(key.get(whole_byte_count(path)..).unwrap_or_default());
    }

    pub(super) fn age(&mut self, block: u64) {
        self.integer(self.height - block);
    }

    /// A version's content.
    pub(super) fn content(&mut self, content: &VersionContent<'_>) {
        match content {
            VersionContent::Tombstone => self.bytes.push(0),
            VersionContent::Value(value) => {
                self.bytes.push(1);
                self.string(value);
            }
            VersionContent::Hash(hash) => {
                self.bytes.push(1);
                self.hash(hash);
            }
        }
    }

    fn string(&mut self, bytes: &[u8]) {
        self.integer(bytes.len() as u64);
        self.bytes.extend_from_slice(bytes);
    }
}
