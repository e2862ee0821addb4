//! A block, and the layout of its parts in the store.
//!
//! | key | value |
//! |---|---|
//! | `c` | the chain's configuration, borsh |
//! | `n` | the height of the newest block, u64 |
//! | `o` | the height of the oldest block with a body, u64; 0 if there is none |
//! | `h` height u64 | the signed header, borsh |
//! | `b` height u64 | the operations and transition proofs, borsh |
//! | `i` header hash | the height, u64 |
//! | `s` raw key | the newest value |
//! | `t` … | the history tree, `history.rs` |
//! | `x` scheme id … | an authenticated store |
//!
//! Integers in keys, and heights, are big-endian. A block's changes are one atomic batch.

use borsh::{BorshDeserialize, BorshSerialize};
use prooflight_core::chain::{ChainConfig, Header, SignedHeader, StateOperation, operations_root};
use prooflight_core::store::{ReadStore, WriteBatch};
use prooflight_core::{Error, Hash, Hex, Limits, Reason, Result};

use crate::chain::store::{Namespace, corrupt};

pub(crate) const CONFIG_KEY: &[u8] = b"c";
pub(crate) const NEWEST_KEY: &[u8] = b"n";
const OLDEST_KEY: &[u8] = b"o";

/// The most bytes that a block's operations may count, so that a reply can hold the block.
pub(crate) const MAX_BLOCK_BYTES: usize = 8 << 20;

/// The bytes that an operation counts: half of its length in JSON.
pub(crate) fn operation_bytes(operation: &StateOperation) -> usize {
    let value = match operation {
        StateOperation::Set { value, .. } => value.len(),
        StateOperation::Delete { .. } => 0,
    };
    operation.key().len() + value + 20
}

/// A block by its height and hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockRef {
    /// The height of the block.
    pub height: u64,
    /// The hash of its header.
    pub hash: Hash,
}

/// A block: its signed header, its operations, and the proofs that its roots follow from them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// The header, with the signatures of authorities.
    pub header: SignedHeader,
    /// The operations and the proofs.
    pub body: BlockBody,
}

/// A block's operations and transition proofs.
#[derive(Clone, Debug, Default, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct BlockBody {
    /// The normalised operations, ascending by raw key.
    pub operations: Vec<StateOperation>,
    /// For each scheme that has such proofs, by its id: a proof that the operations lead from the
    /// previous block's root to this one's.
    pub transitions: Vec<(u8, Vec<u8>)>,
}

impl BlockBody {
    pub(crate) fn encode(&self) -> Result<Vec<u8>> {
        borsh::to_vec(self).map_err(|error| Error::new(Reason::Bug, "a body that encodes", error))
    }

    pub(crate) fn decode(bytes: &[u8]) -> Result<Self> {
        borsh::from_slice(bytes).map_err(|error| corrupt("a block's body", error))
    }
}

pub(crate) fn encode_config(config: &ChainConfig) -> Result<Vec<u8>> {
    borsh::to_vec(config).map_err(|error| Error::new(Reason::Bug, "a config that encodes", error))
}

/// Decodes a chain's configuration and checks it.
pub(crate) fn decode_config(bytes: &[u8]) -> Result<ChainConfig> {
    let config: ChainConfig = borsh::from_slice(bytes)
        .map_err(|error| Error::new(Reason::InvalidEncoding, "a chain's configuration", error))?;
    config.check()?;
    Ok(config)
}

pub(crate) fn header_key(height: u64) -> Vec<u8> {
    [b"h", &height.to_be_bytes()[..]].concat()
}

pub(crate) fn body_key(height: u64) -> Vec<u8> {
    [b"b", &height.to_be_bytes()[..]].concat()
}

pub(crate) fn height_key(hash: &Hash) -> Vec<u8> {
    [b"i", &hash[..]].concat()
}

/// The part of the store with the raw keys and their newest values.
pub(crate) fn raw_state<S>(store: S) -> Namespace<S> {
    Namespace::new(store, *b"s")
}

/// The store's key for the newest value of a raw key.
pub(crate) fn raw_key(key: &[u8]) -> Vec<u8> {
    [b"s", key].concat()
}

/// Reads the stored header of a block; `None` if the store does not have the block.
pub(crate) fn read_header<S: ReadStore + ?Sized>(
    store: &S,
    height: u64,
) -> Result<Option<SignedHeader>> {
    let Some(bytes) = store.get(&header_key(height))? else { return Ok(None) };
    SignedHeader::decode(&bytes, &Limits::default()).map(Some).map_err(|error| {
        corrupt(format_args!("header {height}, {}", error.expected()), error.found())
    })
}

/// Reads the body of the block with this header; checks its operations against the header.
pub(crate) fn read_body<S: ReadStore + ?Sized>(store: &S, header: &Header) -> Result<BlockBody> {
    let Header { height, ops_root, .. } = header;
    let body = store.get(&body_key(*height))?;
    let body = body.ok_or_else(|| corrupt(format_args!("block {height}"), "none"))?;
    let body = BlockBody::decode(&body)?;
    let root = operations_root(&body.operations);
    if root != *ops_root {
        let expected = format_args!("operations of block {height} with root {}", Hex(ops_root));
        return Err(corrupt(expected, Hex(&root)));
    }
    Ok(body)
}

/// The oldest block whose operations are kept.
pub(crate) fn oldest_kept<S: ReadStore + ?Sized>(store: &S) -> Result<u64> {
    store.get(OLDEST_KEY)?.map_or(Ok(0), |height| decode_height(&height))
}

/// Adds the deletion of the operations and proofs of blocks to a batch, from the oldest that has them.
pub(crate) fn delete_bodies(batch: &mut WriteBatch, oldest: u64, until: u64) {
    (oldest..until).for_each(|height| batch.delete(body_key(height)));
    batch.put(OLDEST_KEY, until.to_be_bytes());
}

/// `version_unavailable` for a block whose operations were deleted.
pub(crate) fn check_kept<S: ReadStore + ?Sized>(store: &S, height: u64) -> Result<()> {
    let oldest = oldest_kept(store)?;
    if height >= oldest {
        return Ok(());
    }
    let expected = format_args!("the operations of block {oldest} or a later one (--keep-blocks)");
    Err(Error::new(Reason::VersionUnavailable, expected, height))
}

/// Decodes a stored height.
pub(crate) fn decode_height(value: &[u8]) -> Result<u64> {
    let bytes = value.try_into();
    let bytes = bytes.map_err(|_| corrupt("a height of 8 bytes", value.len()))?;
    Ok(u64::from_be_bytes(bytes))
}

/// Adds a block and the raw state after it to a batch, without its schemes.
pub(crate) fn put(batch: &mut WriteBatch, block: &Block, hash: &Hash) -> Result<()> {
    let height = block.header.header.height;
    batch.put(header_key(height), block.header.encode());
    batch.put(body_key(height), block.body.encode()?);
    batch.put(height_key(hash), height.to_be_bytes());
    batch.put(NEWEST_KEY, height.to_be_bytes());
    put_state(batch, &block.body.operations);
    Ok(())
}

/// Adds the effect of normalised operations on the raw keys to a batch.
pub(crate) fn put_state(batch: &mut WriteBatch, operations: &[StateOperation]) {
    for operation in operations {
        match operation {
            StateOperation::Set { key, value } => batch.put(raw_key(key), value.clone()),
            StateOperation::Delete { key } => batch.delete(raw_key(key)),
        }
    }
}
