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

pub mod hash;
pub mod proof;
