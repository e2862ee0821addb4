//! A sparse Merkle tree with versions: values at any block, complete histories, diffs.
//!
//! Source: the Aldbaran paper, mended where its rules are not sound; the formats are in
//! `test-vectors/SPEC.md`.

#![no_std]

extern crate alloc;
#[cfg(feature = "prover")]
extern crate std;

#[cfg(feature = "prover")]
pub mod prover;
#[cfg(feature = "snapshots")]
pub mod snapshot;

mod diff;
pub mod hash;
mod history;
mod part;
pub mod proof;
mod twap;
mod verify;

pub use diff::{Change, verify_diff};
pub use history::{History, MAX_CHANGES, history_blocks, verify_history};
pub use twap::{Average, Gap, twap};
pub use verify::{Answer, verify};
