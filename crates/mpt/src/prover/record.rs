//! The layout of a trie in its store, in addition to that of
//! [`Revisions`](prooflight_core::store::Revisions).
//!
//! | key | value |
//! |---|---|
//! | `v` revision u64 | begins with root hash, root id u64 |
//! | `n` id u64 | the node's RLP, the id u64 of each node whose hash it has, in order |
//!
//! All integers are big-endian; id 0 means no node. Nodes of less than 32 bytes are embedded in
//! their parent, except for the root. An account's leaf has the id of the root of its storage, if
//! it has storage.

use alloc::vec::Vec;

use prooflight_core::store::{RevisionRoot, corrupt, id_be};
use prooflight_core::{ByteReader, Result};

use super::node::{OverlayRoot, StoredNode, TrieNode, root_hash};
use crate::hash::EMPTY_ROOT;
use crate::rlp;

/// The root of a trie in a store: its hash, and the id of its node.
///
/// A [`PersistentTrie`](crate::PersistentTrie) has one for each revision; another owner of a trie keeps the roots
/// itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TrieRoot(pub(super) OverlayRoot);

impl RevisionRoot for TrieRoot {
    fn encode(&self, record: &mut Vec<u8>) {
        record.extend_from_slice(&root_hash(self.0));
        record.extend_from_slice(&self.0.map_or(0, |root| root.id).to_be_bytes());
    }

    fn decode(reader: &mut ByteReader<'_>) -> Result<Self> {
        let root = StoredNode { hash: reader.array()?, id: id_be(reader)? };
        if (root.id == 0) != (root.hash == EMPTY_ROOT) {
            return Err(corrupt("a root if and only if the trie is not empty", root.id));
        }
        Ok(Self(Some(root).filter(|root| root.id != 0)))
    }
}

/// One node: its RLP, then ids.
#[derive(Clone, Debug)]
pub(super) struct NodeRecord {
    bytes: Vec<u8>,
    rlp_length: usize,
}

impl NodeRecord {
    pub(super) fn new(rlp: Vec<u8>, ids: &[u64]) -> Self {
        let rlp_length = rlp.len();
        let mut bytes = rlp;
        for id in ids {
            bytes.extend_from_slice(&id.to_be_bytes());
        }
        Self { bytes, rlp_length }
    }

    pub(super) fn decode(bytes: Vec<u8>) -> Result<Self> {
        let mut reader = ByteReader::new(&bytes);
        rlp::item(&mut reader).map_err(|error| corrupt(error.expected(), error.found()))?;
        let rlp_length = reader.offset();
        Ok(Self { bytes, rlp_length })
    }

    pub(super) fn rlp(&self) -> &[u8] {
        self.bytes.get(..self.rlp_length).unwrap_or_default()
    }

    pub(super) fn node(&self) -> Result<TrieNode> {
        let ids = self.bytes.get(self.rlp_length..).unwrap_or_default();
        let (ids, rest) = ids.as_chunks::<8>();
        let mut ids = ids.iter().map(|id| u64::from_be_bytes(*id));
        let node = TrieNode::decode(self.rlp(), &mut ids)
            .map_err(|error| corrupt(error.expected(), error.found()))?;
        if ids.next().is_some() || !rest.is_empty() {
            return Err(corrupt("an id for each hash", "more"));
        }
        Ok(node)
    }

    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }
}
