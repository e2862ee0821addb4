//! The store: commits, proofs, going back, garbage collection, proof shards.
//!
//! A block's changes are worked out in [`block`], its leaves go into the tiles of its [`tree`], and its tree
//! into the one over [`blocks`]. What is written, and how it is read back, is in [`record`].

#![allow(
    clippy::cast_possible_truncation,
    reason = "levels are below 256, slots below 6, and leaves below 2^32, which `block::place` checks"
)]

mod before;
mod block;
mod blocks;
mod cache;
mod params;
mod prepare;
mod prove;
mod prune;
mod record;
mod roll_back;
mod root_tree;
mod shard;
mod store;
mod tile;
mod tree;

pub use block::Change;
pub use params::StoreParams;
pub use prepare::PreparedBlock;
pub use prove::{ProvedKeys, prove_at};
pub use shard::ProofShard;
pub use store::{LvmtStore, StateRoot};
