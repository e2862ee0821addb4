//! The layout of the layers in their store.
//!
//! | key | value |
//! |---|---|
//! | `p` | `era_blocks` u32, `era_ops` u32, `era_bytes` u64, whether there are `f` records u8 |
//! | `h` | the newest block: height u64, era u64, its roots |
//! | `o` | the oldest kept era u64 |
//! | `e` era u64 | the era's first block u64 |
//! | `b` block u64 | the roots after the block, then its entries, ascending: key hash, length u32, leaf value |
//! | `v` era u64 | the snapshot of the era: root hash, root id u64, next id u64, the number u64 of its `r` records |
//! | `m` | the unfinished merge: era u64, parts u64, keys u64 that are done, root hash, root id u64, first id u64, next id u64 |
//! | `r` era u64, part u64 | ids u64 of nodes of the snapshot before that this one no longer has |
//! | `f` key hash | the value in the newest snapshot, or in the unfinished one; only if asked for |
//! | `n` id u64 | a node of a snapshot, as `prooflight-mpt` writes it |
//!
//! All integers are big-endian. The records up to `r` but `b` end with a checksum over key and value
//! ([`seal`]). A block's roots and a node's hash tell whether its record is damaged.

use alloc::vec::Vec;
use core::fmt;

use prooflight_core::chain::LmptConfig;
use prooflight_core::store::sealed::{seal, unseal};
use prooflight_core::store::{ReadStore, RevisionRoot, WriteBatch, corrupt, id_be};
use prooflight_core::{ByteReader, Hash, Hex, Result};
use prooflight_mpt::TrieRoot;

use super::trie::Leaf;
use crate::LayerRoots;

/// A record with a checksum.
pub(super) trait StoreRecord: Sized {
    /// The name in messages.
    const NAME: &'static str;

    fn encode(&self, record: &mut Vec<u8>);

    fn decode(reader: &mut ByteReader<'_>) -> Result<Self>;

    /// Writes the record.
    fn put(&self, writes: &mut WriteBatch, key: Vec<u8>) {
        let mut record = Vec::new();
        self.encode(&mut record);
        let value = seal(&key, record);
        writes.put(key, value);
    }

    /// Reads the record, if there is one; `store_corrupt` if it is damaged.
    fn read<S: ReadStore + ?Sized>(store: &S, key: &[u8]) -> Result<Option<Self>> {
        let Some(value) = store.get(key)? else { return Ok(None) };
        let record = unseal(key, value);
        let record = record.ok_or_else(|| {
            corrupt(format_args!("{} with its checksum", Self::NAME), "another one")
        })?;
        let mut reader = ByteReader::new(&record);
        let decoded = Self::decode(&mut reader);
        let decoded = decoded.and_then(|decoded| reader.finish().map(|()| decoded));
        decoded.map(Some).map_err(|error| {
            corrupt(format_args!("{}, {}", Self::NAME, error.expected()), error.found())
        })
    }

    /// Reads a record that must be there.
    fn require<S: ReadStore + ?Sized>(
        store: &S,
        key: &[u8],
        of: impl fmt::Display,
    ) -> Result<Self> {
        let expected = format_args!("{} {of}", Self::NAME);
        Self::read(store, key)?.ok_or_else(|| corrupt(expected, "none"))
    }
}

pub(super) const PARAMS_KEY: &[u8] = b"p";
pub(super) const NEWEST_KEY: &[u8] = b"h";
pub(super) const OLDEST_KEY: &[u8] = b"o";
pub(super) const MERGE_KEY: &[u8] = b"m";

pub(super) fn era_key(era: u64) -> Vec<u8> {
    numbered(b'e', era)
}

pub(super) fn block_key(height: u64) -> Vec<u8> {
    numbered(b'b', height)
}

pub(super) fn snapshot_key(era: u64) -> Vec<u8> {
    numbered(b'v', era)
}

pub(super) fn removed_key(era: u64, part: u64) -> Vec<u8> {
    [&numbered(b'r', era)[..], &part.to_be_bytes()].concat()
}

pub(super) fn flat_key(key: &Hash) -> Vec<u8> {
    [b"f", &key[..]].concat()
}

fn numbered(kind: u8, number: u64) -> Vec<u8> {
    [&[kind][..], &number.to_be_bytes()].concat()
}

/// The parameters that a store was made with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FixedParams {
    pub(super) eras: LmptConfig,
    pub(super) is_flat: bool,
}

impl StoreRecord for FixedParams {
    const NAME: &'static str = "the parameters that the store was made with";

    fn encode(&self, record: &mut Vec<u8>) {
        let LmptConfig { era_blocks, era_ops, era_bytes } = self.eras;
        record.extend_from_slice(&era_blocks.to_be_bytes());
        record.extend_from_slice(&era_ops.to_be_bytes());
        record.extend_from_slice(&era_bytes.to_be_bytes());
        record.push(self.is_flat.into());
    }

    fn decode(reader: &mut ByteReader<'_>) -> Result<Self> {
        let (era_blocks, era_ops) = (reader.u32_be()?, reader.u32_be()?);
        let eras = LmptConfig { era_blocks, era_ops, era_bytes: id_be(reader)? };
        Ok(Self { eras, is_flat: reader.u8()? != 0 })
    }
}

/// The newest block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NewestBlock {
    pub(super) height: u64,
    pub(super) era: u64,
    pub(super) roots: LayerRoots,
}

impl StoreRecord for NewestBlock {
    const NAME: &'static str = "the newest block";

    fn encode(&self, record: &mut Vec<u8>) {
        record.extend_from_slice(&self.height.to_be_bytes());
        record.extend_from_slice(&self.era.to_be_bytes());
        record.extend_from_slice(&self.roots.encode());
    }

    fn decode(reader: &mut ByteReader<'_>) -> Result<Self> {
        let (height, era) = (id_be(reader)?, id_be(reader)?);
        Ok(Self { height, era, roots: LayerRoots::decode(reader.take(LayerRoots::LENGTH)?)? })
    }
}

/// The oldest kept era, or the first block of an era.
impl StoreRecord for u64 {
    const NAME: &'static str = "the first block or the oldest";

    fn encode(&self, record: &mut Vec<u8>) {
        record.extend_from_slice(&self.to_be_bytes());
    }

    fn decode(reader: &mut ByteReader<'_>) -> Result<Self> {
        id_be(reader)
    }
}

/// The snapshot of an era.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct EraSnapshot {
    pub(super) root: TrieRoot,
    /// The first id that no node has had.
    pub(super) next_id: u64,
    /// The number of records of removed nodes.
    pub(super) parts: u64,
}

impl StoreRecord for EraSnapshot {
    const NAME: &'static str = "the snapshot of era";

    fn encode(&self, record: &mut Vec<u8>) {
        self.root.encode(record);
        record.extend_from_slice(&self.next_id.to_be_bytes());
        record.extend_from_slice(&self.parts.to_be_bytes());
    }

    fn decode(reader: &mut ByteReader<'_>) -> Result<Self> {
        let root = TrieRoot::decode(reader)?;
        Ok(Self { root, next_id: id_be(reader)?, parts: id_be(reader)? })
    }
}

/// The progress of a merge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct MergeState {
    /// The era during which it runs.
    pub(super) era: u64,
    pub(super) parts: u64,
    /// The number of keys of the intermediate trie that are done.
    pub(super) keys: u64,
    pub(super) root: TrieRoot,
    /// Ids from this one on are of this merge.
    pub(super) first_id: u64,
    pub(super) next_id: u64,
}

impl StoreRecord for MergeState {
    const NAME: &'static str = "the unfinished merge";

    fn encode(&self, record: &mut Vec<u8>) {
        for number in [self.era, self.parts, self.keys] {
            record.extend_from_slice(&number.to_be_bytes());
        }
        self.root.encode(record);
        record.extend_from_slice(&self.first_id.to_be_bytes());
        record.extend_from_slice(&self.next_id.to_be_bytes());
    }

    fn decode(reader: &mut ByteReader<'_>) -> Result<Self> {
        Ok(Self {
            era: id_be(reader)?,
            parts: id_be(reader)?,
            keys: id_be(reader)?,
            root: TrieRoot::decode(reader)?,
            first_id: id_be(reader)?,
            next_id: id_be(reader)?,
        })
    }
}

/// Ids of nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RemovedNodes(pub(super) Vec<u64>);

impl StoreRecord for RemovedNodes {
    const NAME: &'static str = "the removed nodes of era";

    fn encode(&self, record: &mut Vec<u8>) {
        self.0.iter().for_each(|id| record.extend_from_slice(&id.to_be_bytes()));
    }

    fn decode(reader: &mut ByteReader<'_>) -> Result<Self> {
        let mut ids = Vec::new();
        while !reader.rest().is_empty() {
            ids.push(id_be(reader)?);
        }
        Ok(Self(ids))
    }
}

/// The record of a block.
pub(super) fn encode_block(roots: &LayerRoots, entries: &[Leaf]) -> Vec<u8> {
    let bytes = entries.iter().map(|(_, value)| 32 + 4 + value.len()).sum::<usize>();
    let mut record = Vec::with_capacity(LayerRoots::LENGTH + bytes);
    record.extend_from_slice(&roots.encode());
    for (key, value) in entries {
        record.extend_from_slice(key);
        // A value of 4 GiB would not fit into a block.
        record.extend_from_slice(&u32::try_from(value.len()).unwrap_or(u32::MAX).to_be_bytes());
        record.extend_from_slice(value);
    }
    record
}

/// Reads the record of a block: the roots after it, and its entries.
pub(super) fn decode_block(height: u64, record: &[u8]) -> Result<(LayerRoots, Vec<Leaf>)> {
    let read = || {
        let mut reader = ByteReader::new(record);
        let roots = LayerRoots::decode(reader.take(LayerRoots::LENGTH)?)?;
        let mut entries: Vec<Leaf> = Vec::new();
        while !reader.rest().is_empty() {
            let (key, length) = (reader.array()?, reader.u32_be()?);
            let value = reader.take(usize::try_from(length).unwrap_or(usize::MAX))?;
            if entries.last().is_some_and(|(before, _)| *before >= key) {
                return Err(corrupt("keys that ascend", Hex(&key)));
            }
            entries.push((key, value.into()));
        }
        Ok((roots, entries))
    };
    read().map_err(|error: prooflight_core::Error| {
        corrupt(format_args!("block {height}: {}", error.expected()), error.found())
    })
}
