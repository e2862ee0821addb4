//! LVMT: the newest value of a key, or its absence, against `(aroot, hroot)` and the height.
//!
//! Source: Li et al. 2023 (`docs/papers.md`); the formats are in `test-vectors/spec/lvmt.md`.

#![cfg_attr(docsrs, feature(doc_cfg))]
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;
#[cfg(feature = "prover")]
extern crate std;

pub mod leaf;
mod params;
pub mod path;
pub mod proof;
#[cfg(feature = "prover")]
mod prover;
mod shared_points;
#[cfg(feature = "chain")]
pub mod state;
mod trees;
mod verify;
mod walk;

pub use params::{LvmtRoot, MAX_LOG_N, Params};
#[cfg(feature = "prover")]
pub use prover::{
    LvmtReader, LvmtState, LvmtStore, PreparedBlock, ProofShard, ProvedKeys, RECENT_STATES,
    StateRoot, StoreParams, prove_at,
};
pub use verify::{VersionedState, verify};
