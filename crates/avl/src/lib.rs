//! AVL+ batch proofs, byte-compatible with scorex, Ergo and `ergo_avltree_rust`.
//!
//! A dictionary is identified by its 33-byte [`Digest`]. [`verify_batch`] takes the digest before a
//! batch of [`Operation`]s and a proof, and returns the digest after the batch and the old values.
#![cfg_attr(docsrs, feature(doc_cfg))]
#![cfg_attr(not(feature = "prover"), no_std)]
#![forbid(unsafe_code)]

extern crate alloc;

pub mod ergo;
mod hash;
mod operation;
mod params;
mod partial;
mod perform;
mod proof;
#[cfg(feature = "prover")]
mod prover;
mod rebalance;
#[cfg(feature = "chain")]
pub mod state;
mod tree;
mod verify;

pub use operation::{LeafValue, Operation};
pub use params::{Digest, LABEL_LENGTH, Label, MAX_KEY_LENGTH, Mode, Params};
#[cfg(feature = "prover")]
pub use prover::{
    AvlProver, ChunkEntries, PartialBatch, PersistentAvlProver, PreparedBatch, ProvedBatch,
    RevisionAssembly, prove_lookups_at, read_chunk,
};
#[cfg(all(feature = "prover", feature = "chain"))]
pub use prover::{AvlReader, AvlState, CachedAvlParams, CachedAvlState, RevisionFileEvent};
pub use verify::{Neighbours, OldValue, Transition, verify_batch};
