//! The layout of an LVMT in its store.
//!
//! | key | value |
//! |---|---|
//! | `p` | `log_n` u8, `log_arity` u8, shard (6 bytes), `params_id`, the version of this layout u8 |
//! | `h` | the number of blocks u64, the root: commitment of the root AMT (64 bytes) and `hroot`, the sum u64 of the `u` records' checksums, which is missing while these are behind |
//! | `l` | the block u64 up to which replaced leaves have been given up |
//! | `k` key hash | the key: level u8, slot u8, version u40, place, tag u8 (1 value, 0 tombstone), value |
//! | `o` level u8, path | the entry: the hashes of the keys that have its slots from 1 on |
//! | `a` level u8, prefix | the AMT: version u40, place, commitment (64 bytes) |
//! | `u` part u32 | a node of the root AMT's tree state, as to one version slot; its number is 6 node + slot: points of 64 bytes; at the last level also the versions of its entries: their width in bytes u8, and one for each |
//! | `b` block u64 | the block's tree: its root, leaves u32, live leaves u32, those of them given up u32 |
//! | `c` block u64, part u32 | which leaves of a block are [current](super::current): bits, without zero bytes at the end |
//! | `t` block u64, level u8, index u32 | a [`Tile`](super::tile::Tile) of a block's tree |
//! | `d` block u64, by u64 | indices u32 of leaves that block `by` gave up in the tree of `block` |
//! | `n` level u8, index u64 | a full subtree of the tree over blocks: its root |
//! | `r` block u64 | the places of the [leaves that the block replaced](super::replaced), which have not been given up |
//!
//! All integers are big-endian, a place is a block u64 and an index u32, a path the prefix of the level
//! below. A commitment is x and y, each 32 bytes little-endian. Every value ends with a checksum (XXH3, 8
//! bytes) over key and value, so that each read detects damage.

use alloc::vec::Vec;
use core::fmt;

use prooflight_amt::Point;
use prooflight_core::store::sealed::{CHECKSUM_BYTES, seal, unseal};
use prooflight_core::store::{ReadStore, WriteBatch};
use prooflight_core::{ByteReader, Error, Hash, Hex, Reason, Result};

use crate::path::Prefix;
use crate::proof::{KEY_SLOTS, KeySlot, LeafPlace, SlotVersion};

pub(super) const PARAMS_KEY: &[u8] = b"p";
pub(super) const HEAD_KEY: &[u8] = b"h";
pub(super) const OLDEST_KEY: &[u8] = b"l";

pub(super) fn key_record_key(key_hash: &Hash) -> Vec<u8> {
    [b"k", &key_hash[..]].concat()
}

/// The record of the owners of an entry's slots; the path is the prefix of the level below.
pub(super) fn owners_key(level: u8, path: &Prefix) -> Vec<u8> {
    [&[b'o', level], path.as_bytes()].concat()
}

pub(super) fn amt_key(level: u8, prefix: &Prefix) -> Vec<u8> {
    [&[b'a', level], prefix.as_bytes()].concat()
}

/// The index of an AMT's entry in its parent: the last bits of its prefix.
pub(super) fn amt_index(key: &[u8], log_n: u8) -> u32 {
    let low = key.iter().rev().take(4).rev();
    let index = low.fold(0_u32, |index, byte| index << 8 | u32::from(*byte));
    index & ((1 << log_n) - 1)
}

pub(super) fn tree_part_key(part: u32) -> Vec<u8> {
    [b"u", &part.to_be_bytes()[..]].concat()
}

pub(super) fn block_key(block: u64) -> Vec<u8> {
    [b"b", &block.to_be_bytes()[..]].concat()
}

pub(super) fn tile_key(block: u64, level: u8, index: u32) -> Vec<u8> {
    [b"t", &block.to_be_bytes()[..], &[level], &index.to_be_bytes()].concat()
}

pub(super) fn current_key(block: u64, part: u32) -> Vec<u8> {
    [b"c", &block.to_be_bytes()[..], &part.to_be_bytes()].concat()
}

pub(super) fn given_up_key(block: u64, by: u64) -> Vec<u8> {
    [b"d", &block.to_be_bytes()[..], &by.to_be_bytes()].concat()
}

pub(super) fn blocks_node_key(level: u8, index: u64) -> Vec<u8> {
    [&[b'n', level][..], &index.to_be_bytes()].concat()
}

pub(super) fn replaced_key(block: u64) -> Vec<u8> {
    [b"r", &block.to_be_bytes()[..]].concat()
}

/// Writes a record with its checksum.
pub(super) fn put(writes: &mut WriteBatch, key: Vec<u8>, record: Vec<u8>) {
    let (key, value) = sealed(key, record);
    writes.put(key, value);
}

/// A record with its checksum, as it is written.
pub(super) fn sealed(key: Vec<u8>, record: Vec<u8>) -> (Vec<u8>, Vec<u8>) {
    let value = seal(&key, record);
    (key, value)
}

/// Reads a record and removes its checksum; a wrong one is `store_corrupt`.
pub(super) fn read<S: ReadStore + ?Sized>(store: &S, key: &[u8]) -> Result<Option<Vec<u8>>> {
    store.get(key)?.map(|value| open(key, value)).transpose()
}

/// Reads a record; `store_corrupt` if absent.
pub(super) fn require<S: ReadStore + ?Sized>(store: &S, key: &[u8]) -> Result<Vec<u8>> {
    read(store, key)?.ok_or_else(|| corrupt(named(key), "none"))
}

/// Checks and removes the checksum of a value that has been read.
pub(super) fn open(key: &[u8], value: Vec<u8>) -> Result<Vec<u8>> {
    unseal(key, value)
        .ok_or_else(|| corrupt(format_args!("{} with its checksum", named(key)), "another one"))
}

/// The checksum of a value as it is written.
pub(super) fn checksum_of(value: &[u8]) -> u64 {
    value.last_chunk().map_or(0, |checksum| u64::from_be_bytes(*checksum))
}

/// Decodes a whole record; a failure is `store_corrupt`.
pub(super) fn decode<T>(
    key: &[u8],
    record: &[u8],
    decode: impl FnOnce(&mut ByteReader<'_>) -> Result<T>,
) -> Result<T> {
    let mut reader = ByteReader::new(record);
    let decoded = decode(&mut reader).and_then(|decoded| reader.finish().map(|()| decoded));
    decoded.map_err(|error| {
        corrupt(format_args!("{}, {}", named(key), error.expected()), error.found())
    })
}

/// The head of a key's record: its slot, and its newest leaf.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct KeyHead {
    pub(super) slot: KeySlot,
    pub(super) version: SlotVersion,
    pub(super) place: LeafPlace,
    /// Whether the leaf is not a tombstone.
    pub(super) has_value: bool,
}

/// The length of a key's record before the value.
const KEY_HEAD_BYTES: usize = 2 + 5 + 12 + 1;

impl KeyHead {
    /// The record of a key with this value, with capacity for its checksum.
    pub(super) fn encode(&self, value: &[u8]) -> Vec<u8> {
        let mut record = Vec::with_capacity(KEY_HEAD_BYTES + value.len() + CHECKSUM_BYTES);
        record.extend_from_slice(&[self.slot.level, self.slot.number]);
        put_version(&mut record, self.version);
        put_place(&mut record, self.place);
        record.push(self.has_value.into());
        record.extend_from_slice(value);
        record
    }

    /// Decodes the head of a record; the value follows.
    pub(super) fn decode(record: &[u8]) -> Result<Self> {
        let mut reader = ByteReader::new(record);
        let slot = KeySlot { level: reader.u8()?, number: reader.u8()? };
        let (version, place) = (take_version(&mut reader)?, take_place(&mut reader)?);
        let has_value = match (reader.u8()?, reader.rest()) {
            (1, _) => true,
            (0, []) => false,
            (tag, _) => return Err(corrupt("a value or a tombstone", tag)),
        };
        Ok(Self { slot, version, place, has_value })
    }

    /// The value, if the key has one.
    pub(super) fn value(self, mut record: Vec<u8>) -> Option<Vec<u8>> {
        self.has_value.then(|| record.split_off(KEY_HEAD_BYTES.min(record.len())))
    }
}

/// Reads the record of a key and decodes its head.
pub(super) fn read_key<S: ReadStore + ?Sized>(
    store: &S,
    key_hash: &Hash,
) -> Result<Option<(Vec<u8>, KeyHead)>> {
    let key = key_record_key(key_hash);
    let Some(record) = read(store, &key)? else { return Ok(None) };
    let head = KeyHead::decode(&record).map_err(|error| {
        corrupt(format_args!("{}, {}", named(&key), error.expected()), error.found())
    })?;
    Ok(Some((record, head)))
}

/// Reads the record of a key; `store_corrupt` if absent.
pub(super) fn require_key<S: ReadStore + ?Sized>(
    store: &S,
    key_hash: &Hash,
) -> Result<(Vec<u8>, KeyHead)> {
    read_key(store, key_hash)?.ok_or_else(|| corrupt(named(&key_record_key(key_hash)), "none"))
}

/// An AMT at level 1 or below: its newest leaf.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct AmtRecord {
    pub(super) version: SlotVersion,
    pub(super) place: LeafPlace,
    pub(super) commitment: Point,
}

impl AmtRecord {
    pub(super) fn encode(&self) -> Vec<u8> {
        let mut record = Vec::with_capacity(5 + 12 + 64 + CHECKSUM_BYTES);
        put_version(&mut record, self.version);
        put_place(&mut record, self.place);
        record.extend_from_slice(&self.commitment.to_coordinates());
        record
    }

    pub(super) fn decode(reader: &mut ByteReader<'_>) -> Result<Self> {
        let (version, place) = (take_version(reader)?, take_place(reader)?);
        Ok(Self { version, place, commitment: Point::from_coordinates(&reader.array()?)? })
    }

    pub(super) fn read<S: ReadStore + ?Sized>(
        store: &S,
        level: u8,
        prefix: &Prefix,
    ) -> Result<Option<Self>> {
        let key = amt_key(level, prefix);
        let Some(record) = read(store, &key)? else { return Ok(None) };
        decode_amt(&key, &record).map(Some)
    }
}

pub(super) fn decode_amt(key: &[u8], record: &[u8]) -> Result<AmtRecord> {
    decode(key, record, AmtRecord::decode)
}

/// The owners of an entry's slots, from slot 1 on.
pub(super) fn decode_owners(key: &[u8], record: &[u8]) -> Result<Vec<Hash>> {
    let (owners, rest) = record.as_chunks::<32>();
    if !rest.is_empty() || !(1..=usize::from(KEY_SLOTS)).contains(&owners.len()) {
        return Err(corrupt(format_args!("{} of 1 to 5 owners", named(key)), record.len()));
    }
    Ok(owners.to_vec())
}

pub(super) fn read_owners<S: ReadStore + ?Sized>(
    store: &S,
    level: u8,
    path: &Prefix,
) -> Result<Vec<Hash>> {
    let key = owners_key(level, path);
    match read(store, &key)? {
        Some(record) => decode_owners(&key, &record),
        None => Ok(Vec::new()),
    }
}

/// A key hash whose bits after the first `bits` are those of `fill`.
pub(super) fn fill_after(key: &Hash, bits: u32, fill: u8) -> Hash {
    let mut filled = *key;
    for (at, byte) in (0..).zip(&mut filled) {
        let kept = bits.saturating_sub(8 * at).min(8);
        let mask = 0xff_u8.checked_shr(kept).unwrap_or(0);
        *byte = *byte & !mask | fill & mask;
    }
    filled
}

/// A block's tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BlockRecord {
    pub(super) root: Hash,
    /// The number of leaves.
    pub(super) size: u32,
    /// The number of leaves that are live in the tiles.
    pub(super) live: u32,
    /// The number of live leaves that have been given up.
    pub(super) given_up: u32,
}

impl BlockRecord {
    pub(super) fn encode(&self) -> Vec<u8> {
        let numbers = [self.size, self.live, self.given_up].map(u32::to_be_bytes);
        [&self.root[..], numbers.as_flattened()].concat()
    }

    pub(super) fn read<S: ReadStore + ?Sized>(store: &S, block: u64) -> Result<Self> {
        let key = block_key(block);
        decode(&key, &require(store, &key)?, |reader| {
            let root = reader.array()?;
            let (size, live, given_up) = (reader.u32_be()?, reader.u32_be()?, reader.u32_be()?);
            Ok(Self { root, size, live, given_up })
        })
    }
}

/// The newest state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct StateHead {
    /// The number of blocks.
    pub(super) blocks: u64,
    /// The commitment of the root AMT.
    pub(super) commitment: Point,
    /// The root of the tree over blocks.
    pub(super) hroot: Hash,
    /// The sum of the checksums of the nodes of the root AMT's tree state; `None` while blocks skip them.
    pub(super) tree_sum: Option<u64>,
}

impl StateHead {
    pub(super) fn encode(&self) -> Vec<u8> {
        let (blocks, sum) = (self.blocks.to_be_bytes(), self.tree_sum.map(u64::to_be_bytes));
        let sum = sum.as_ref().map_or(&[][..], |sum| sum);
        [&blocks[..], &self.commitment.to_coordinates(), &self.hroot, sum].concat()
    }

    pub(super) fn read<S: ReadStore + ?Sized>(store: &S) -> Result<Self> {
        decode(HEAD_KEY, &require(store, HEAD_KEY)?, |reader| {
            let blocks = reader.array().map(u64::from_be_bytes)?;
            let commitment = Point::from_coordinates(&reader.array()?)?;
            let hroot = reader.array()?;
            let is_behind = reader.rest().is_empty();
            let tree_sum = (!is_behind).then(|| reader.array().map(u64::from_be_bytes));
            Ok(Self { blocks, commitment, hroot, tree_sum: tree_sum.transpose()? })
        })
    }
}

/// The block up to which replaced leaves have been given up, in a store of `blocks` blocks.
///
/// An older record is `store_corrupt`: the list of leaves that the next block replaced is gone.
pub(super) fn read_oldest<S: ReadStore + ?Sized>(store: &S, blocks: u64) -> Result<u64> {
    let oldest = decode(OLDEST_KEY, &require(store, OLDEST_KEY)?, |reader| {
        reader.array().map(u64::from_be_bytes)
    })?;
    if oldest.saturating_add(1) < blocks {
        require(store, &replaced_key(oldest + 1))?;
    }
    Ok(oldest)
}

pub(super) fn put_version(record: &mut Vec<u8>, version: SlotVersion) {
    let [_, _, _, low @ ..] = version.get().to_be_bytes();
    record.extend_from_slice(&low);
}

pub(super) fn take_version(reader: &mut ByteReader<'_>) -> Result<SlotVersion> {
    let mut bytes = [0; 8];
    bytes[3..].copy_from_slice(&reader.array::<5>()?);
    let version = u64::from_be_bytes(bytes);
    SlotVersion::new(version).ok_or_else(|| corrupt("a version below 2^40", version))
}

pub(super) fn put_place(record: &mut Vec<u8>, place: LeafPlace) {
    record.extend_from_slice(&place.block.to_be_bytes());
    record.extend_from_slice(&place.index.to_be_bytes());
}

pub(super) fn take_place(reader: &mut ByteReader<'_>) -> Result<LeafPlace> {
    Ok(LeafPlace { block: reader.array().map(u64::from_be_bytes)?, index: reader.u32_be()? })
}

fn named(key: &[u8]) -> impl fmt::Display + '_ {
    let (kind, rest) = key.split_at_checked(1).unwrap_or_default();
    fmt::from_fn(move |f| write!(f, "the entry {}{}", kind.escape_ascii(), Hex(rest)))
}

#[cold]
pub(super) fn corrupt(expected: impl fmt::Display, found: impl fmt::Display) -> Error {
    Error::new(Reason::StoreCorrupt, expected, found)
}
