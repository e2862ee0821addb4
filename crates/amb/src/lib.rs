//! Ordered keys with their versions under one root: values at any block, histories, ranges and counts.
//!
//! A block is identified by its root, which the caller trusts, and the newest root proves the states after all blocks
//! up to it. [`verify`] verifies the state of keys after a block, [`verify_history`] every change of keys,
//! [`verify_range`] all keys between two bounds, [`verify_count`] their number, [`verify_transfer`] entries for a
//! replica, and [`verify_update`] the root after the next block.
//!
//! ```
//! use prooflight_amb::{KeysQuestion, TrustedRoot, verify};
//! use prooflight_core::{Limits, PastState};
//!
//! # fn main() -> prooflight_core::Result<()> {
//! // Block 0 sets the key "a" to 1. This is the whole tree: one leaf.
//! let hash = *b"\x1c\x22\xe0\x0f\x6c\xa7\xae\x7b\x3e\x76\xa2\x91\x65\x12\x30\x95\
//!               \x7d\x73\xfe\x74\x6e\x2e\x30\x1a\x6d\xdf\xed\x22\x21\x57\x4a\x01";
//! let root = TrustedRoot { hash, height: 0 };
//! let proof = b"\x01\x06\x01\x01\x01\x01\x00\x01\x01\x01";
//! let question = KeysQuestion { keys: &[b"a", b"b"], at: 0 };
//! let answers = verify(&root, &question, proof, &Limits::DEFAULT)?;
//! assert_eq!(*answers, [PastState::Present { value: &[1], since: 0 }, PastState::NeverWritten]);
//! # Ok(())
//! # }
//! ```
//!
//! Source: the AMB-tree of the paper on S-Store, with a canonical radix tree over the raw keys; the formats are in
//! `test-vectors/spec/amb.md`.

#![cfg_attr(docsrs, feature(doc_cfg))]
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod answers;
pub mod hash;
mod leaf;
mod limits;
mod message;
mod partial;
mod path;
pub mod proof;
#[cfg(feature = "prover")]
pub mod prover;
mod query;
mod question;
mod read;
mod record;
#[cfg(feature = "chain")]
pub mod state;
mod update;
mod verify;

pub use answers::ReplicaEntry;
pub use limits::{MAX_BOUND_BYTES, MAX_KEY_BYTES};
pub use prooflight_core::{RangeEntry, RangePage};
pub use question::{
    CountQuestion, HistoryQuestion, KeysQuestion, RangeQuestion, TransferQuestion, TrustedRoot,
};
pub use update::{UPDATE_LIMITS, UpdatePart, verify_update};
pub use verify::{
    KeyHistories, verify, verify_count, verify_history, verify_range, verify_transfer,
};
