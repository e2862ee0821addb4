//! The store: commits, proofs, garbage collection, proof shards.
//!
//! [`block`] computes a block's changes. The leaves are stored in the tiles of the block's [`tree`], and the root of
//! this tree is a leaf of the tree over [`blocks`]. [`record`] defines the records.
//!
//! # Damage
//!
//! A lost record, or an older copy of one, is reported as `store_corrupt` before it leads to a wrong root or proof.
//!
//! | damage | detected |
//! |---|---|
//! | a changed byte | by the checksum of the record, when it is read |
//! | no parameters, in a store that has other records | at opening |
//! | an older or lost head, or one of another branch | at opening, and by a proof: the next block exists, or `hroot` differs |
//! | an older or lost record of the collected blocks | at opening |
//! | older or lost nodes of the root's tree state | at opening, by the sum of their checksums in the head; by a proof |
//! | an older record of a key or an AMT | when it is read for a value or a block: its leaf is not [`current_leaves`]; by a proof |
//! | a lost record of a key | when it is read: an entry on the key's walk has a slot of the key |
//! | a lost record of an AMT | by a block that changes it: it has entries; by a proof |
//! | older or lost owners of an entry | by a block with a new key there: other keys have its slots; by a proof |
//! | lost trees, tiles, nodes over blocks, current leaves, lists of replaced leaves | when they are needed |
//!
//! A proof is verified before it is returned, so the records behind it are intact. A store or a reader with in-memory
//! checks of its state compares the nodes and their versions with checksums in memory, and the commitment of each AMT
//! with its entries, instead of verifying openings. An older copy of a tile, of a block tree's counts, or of current
//! leaves changes no root and no proof; at worst, leaves are collected late.

#![allow(
    clippy::cast_possible_truncation,
    reason = "levels are below 256, slots below 6, and leaves below 2^32, which `block::place` checks"
)]

mod block;
mod blocks;
mod cache;
mod chain;
mod current_leaves;
mod key_head_cache;
mod newest;
mod params;
mod prepare;
mod prove;
mod prune;
mod rebuild;
mod record;
mod replaced;
mod root_tree;
mod shard;
mod store;
mod tile;
mod tree;
mod tree_part;
mod tree_shape;

pub use chain::{LvmtReader, LvmtState, RECENT_STATES};
pub use newest::StateRoot;
pub use params::StoreParams;
pub use prepare::PreparedBlock;
pub use prove::{ProvedKeys, prove_at};
pub use shard::ProofShard;
pub use store::LvmtStore;
