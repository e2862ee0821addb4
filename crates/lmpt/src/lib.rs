//! Layered Merkle Patricia tries: a small trie of recent writes over another one over a large snapshot.
//!
//! Source: Choi et al., "LMPT: A Novel Authenticated Data Structure to Eliminate Storage Bottlenecks for
//! High Performance Blockchains"; `test-vectors/spec/lmpt.md`.
#![cfg_attr(docsrs, feature(doc_cfg))]
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;
#[cfg(feature = "prover")]
extern crate std;

mod layer;
mod leaf;
pub mod proof;
#[cfg(feature = "prover")]
mod prover;
#[cfg(feature = "chain")]
pub mod state;
mod verify;

pub use layer::{EMPTY_ROOTS, Layer, LayerRoots};
#[cfg(feature = "prover")]
pub use prover::{
    EraMerger, LmptBlock, LmptMerging, LmptParams, LmptReader, LmptState, MERGE_PART_KEYS,
    MergeEvent, MergingParams, RECENT_BLOCKS,
};
pub use verify::{LayeredValue, verify};
