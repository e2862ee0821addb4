//! A sparse Merkle tree with history: values at any block, complete histories, diffs.
//!
//! A block is identified by its root, which the caller trusts. [`verify`] verifies the state of keys at a
//! block, [`verify_history`] every change of one key, [`verify_diff`] every key that changed between two
//! blocks, and [`twap`] averages a history over time.
//!
//! ```
//! use prooflight_core::{Limits, PastState};
//! use prooflight_smt::verify;
//!
//! # fn main() -> prooflight_core::Result<()> {
//! // The example of `test-vectors/spec/smt.md`: block 3 sets the key "a" to 1, block 5 the key "b" to 2.
//! let root = *b"\x80\x2d\x34\x2b\xcd\x14\x40\xc6\xbc\x73\xf4\x65\xfa\x1e\xc1\xec\
//!               \x4c\xf9\x56\x76\x92\x7c\x29\x1d\x9b\x3e\x35\x86\xaa\x11\xdf\xa4";
//! let proof = b"\x01\x03\x01\x01\x02\x04\x5b\xcb\x73\x88\x23\xcd\x69\x86\xc8\xf1\x33\x62\
//!               \x0a\x5f\x04\x2a\x54\xf6\xd3\xa5\x44\xdf\x51\xac\x55\xb3\xe4\x34\x73\x76\
//!               \x7e\xc6\x00\x00\x00\x01\x01";
//! let answers = verify(&root, 6, &[b"a"], proof, &Limits::DEFAULT)?;
//! assert_eq!(*answers, [PastState::Present { value: &[1], since: 3 }]);
//! # Ok(())
//! # }
//! ```
//!
//! Source: Kauer et al. 2025, corrected where its rules are not sound; the formats are in
//! `test-vectors/spec/smt.md`.

#![cfg_attr(docsrs, feature(doc_cfg))]
#![no_std]
#![cfg_attr(not(feature = "prover"), forbid(unsafe_code))]
// With the prover, only `tree::prefetch` may use unsafe code: a measured cache hint.
#![cfg_attr(feature = "prover", deny(unsafe_code))]

extern crate alloc;
#[cfg(feature = "prover")]
extern crate std;

#[cfg(feature = "snapshots")]
pub mod snapshot;
#[cfg(feature = "prover")]
pub mod tree;

mod diff;
pub mod hash;
mod hash_queue;
mod history;
mod part;
pub mod proof;
#[cfg(feature = "chain")]
pub mod state;
mod twap;
mod verify;

pub use diff::{DiffEntry, verify_diff};
pub use history::{ClaimedHistory, MAX_HISTORY_CHANGES, verify_history};
pub use prooflight_core::{KeyHistory, PastState};
pub use twap::{Average, ValueGap, twap};
pub use verify::verify;
