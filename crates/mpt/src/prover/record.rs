//! How a trie looks in its store.
//!
//! | key | value |
//! |---|---|
//! | `h` | the newest version u64, the oldest kept version u64 |
//! | `v` version u64 | root hash, root id u64, first id u64, next id u64, removed ids u64… |
//! | `n` id u64 | the node's RLP, the id u64 of each node whose hash it has, in order |
//!
//! All integers are big-endian; an id of 0 is none. Nodes of less than 32 bytes are inside their
//! parent, but for the root. An account's leaf has the id of its storage's root, if it has storage.
//! Nodes are never changed: a version writes its new nodes under ids that no version had before,
//! `first..next`, and lists the ids that it no longer uses.

use alloc::vec::Vec;
use core::fmt;

use prooflight_core::store::Read;
use prooflight_core::{Error, Reader, Reason, Result};

use super::node::{Node, Stored};
use super::overlay::{Root, root_hash};
use crate::hash::EMPTY_ROOT;
use crate::rlp;

pub(super) const HEAD_KEY: &[u8] = b"h";

pub(super) fn version_key(version: u64) -> Vec<u8> {
    [b"v", &version.to_be_bytes()[..]].concat()
}

pub(super) fn node_key(id: u64) -> Vec<u8> {
    [b"n", &id.to_be_bytes()[..]].concat()
}

/// The newest version and the oldest one that is kept.
#[derive(Clone, Copy, Debug)]
pub(super) struct Head {
    pub(super) newest: u64,
    pub(super) oldest: u64,
}

impl Head {
    pub(super) fn encode(self) -> Vec<u8> {
        [self.newest.to_be_bytes(), self.oldest.to_be_bytes()].concat()
    }

    fn decode(record: &[u8]) -> Result<Self> {
        let mut reader = Reader::new(record);
        let head = Self { newest: u64_be(&mut reader)?, oldest: u64_be(&mut reader)? };
        reader.finish()?;
        Ok(head)
    }

    /// Refuses a version that is not kept, as `version_unavailable`.
    pub(super) fn check_kept(self, version: u64) -> Result<()> {
        if (self.oldest..=self.newest).contains(&version) {
            return Ok(());
        }
        let kept = format_args!("a version of {} to {}", self.oldest, self.newest);
        Err(Error::new(Reason::VersionUnavailable, kept, version))
    }
}

/// The head of a store; none if the store is empty.
pub(super) fn read_head<S: Read + ?Sized>(store: &S) -> Result<Option<Head>> {
    let Some(record) = store.get(HEAD_KEY)? else { return Ok(None) };
    Head::decode(&record)
        .map(Some)
        .map_err(|error| corrupt(format_args!("the entry h, {}", error.expected()), error.found()))
}

/// The version of a store, if it is kept.
pub(super) fn read_kept<S: Read + ?Sized>(store: &S, version: u64) -> Result<VersionRecord> {
    read_head(store)?.ok_or_else(|| corrupt("an entry h", "none"))?.check_kept(version)?;
    read_version(store, version)
}

/// One version of a trie.
#[derive(Clone, Debug)]
pub(super) struct VersionRecord {
    pub(super) root: Root,
    pub(super) first_id: u64,
    pub(super) next_id: u64,
    /// Nodes of the version before that this one no longer has.
    pub(super) removed: Vec<u64>,
}

impl VersionRecord {
    pub(super) fn encode(&self) -> Vec<u8> {
        let mut record = root_hash(self.root).to_vec();
        let root_id = self.root.map_or(0, |root| root.id);
        for id in [root_id, self.first_id, self.next_id].iter().chain(&self.removed) {
            record.extend_from_slice(&id.to_be_bytes());
        }
        record
    }

    fn decode(record: &[u8]) -> Result<Self> {
        let mut reader = Reader::new(record);
        let root = Stored { hash: reader.array()?, id: u64_be(&mut reader)? };
        if (root.id == 0) != (root.hash == EMPTY_ROOT) {
            return Err(corrupt("a root if and only if the trie is not empty", root.id));
        }
        let mut version = Self {
            root: Some(root).filter(|root| root.id != 0),
            first_id: u64_be(&mut reader)?,
            next_id: u64_be(&mut reader)?,
            removed: Vec::new(),
        };
        while !reader.rest().is_empty() {
            version.removed.push(u64_be(&mut reader)?);
        }
        Ok(version)
    }
}

pub(super) fn read_version<S: Read + ?Sized>(store: &S, version: u64) -> Result<VersionRecord> {
    let record = store
        .get(&version_key(version))?
        .ok_or_else(|| corrupt(format_args!("version {version}"), "none"))?;
    VersionRecord::decode(&record).map_err(|error| {
        corrupt(format_args!("version {version}, {}", error.expected()), error.found())
    })
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
        let mut reader = Reader::new(&bytes);
        rlp::item(&mut reader).map_err(|error| corrupt(error.expected(), error.found()))?;
        let rlp_length = reader.offset();
        Ok(Self { bytes, rlp_length })
    }

    pub(super) fn rlp(&self) -> &[u8] {
        self.bytes.get(..self.rlp_length).unwrap_or_default()
    }

    pub(super) fn node(&self) -> Result<Node> {
        let ids = self.bytes.get(self.rlp_length..).unwrap_or_default();
        let (ids, rest) = ids.as_chunks::<8>();
        let mut ids = ids.iter().map(|id| u64::from_be_bytes(*id));
        let node = Node::decode(self.rlp(), &mut ids)
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

fn u64_be(reader: &mut Reader<'_>) -> Result<u64> {
    reader.array().map(u64::from_be_bytes)
}

#[cold]
pub(super) fn corrupt(expected: impl fmt::Display, found: impl fmt::Display) -> Error {
    Error::new(Reason::StoreCorrupt, expected, found)
}
