//! The parts that all Prooflight verifiers share.
//!
//! * [`Error`], [`Code`] and [`Reason`]: why an input was refused, with the same names in Rust,
//!   wasm, TypeScript, JSON-RPC and the test vectors.
//! * [`ByteReader`]: a strict, bounded reader over bytes that an adversary chose.
//! * `chain` (with the feature of that name): headers, checkpoints and a light client's rules.
//! * [`envelope`]: the three bytes in front of every wire format of Prooflight's own, over borsh.
//! * [`type@Hash`], [`blake2b256`] and [`keccak256`]: the hashes that several schemes share.
//! * [`PastState`], [`KeyHistory`]: the states of keys over time; [`RangePage`]: the keys between two bounds.
//! * [`Scheme`]: the table of authenticated stores.
//! * [`Limits`]: the sizes that a verifier accepts.
//! * [`order()`] and [`distinct`]: sorting with little code.
//! * [`merkle`]: the trees of RFC 9162, generic over the hash.
//! * [`Verified`]: a proven value; only a verifier can make one.
//! * [`statement`]: questions about a chain's state.
//! * [`store`]: the small key-value interface of the stores that provers keep their state in.

#![cfg_attr(docsrs, feature(doc_cfg))]
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

#[cfg(feature = "chain")]
pub mod chain;
pub mod envelope;
mod error;
mod hash;
mod hex;
mod limits;
pub mod merkle;
mod order;
mod past_state;
mod range;
mod reader;
mod scheme;
pub mod statement;
pub mod store;
mod verified;

pub use envelope::Envelope;
pub use error::{Code, Error, Reason, Result};
pub use hash::{Hash, blake2b256, keccak256};
pub use hex::Hex;
pub use limits::Limits;
pub use order::{distinct, order};
pub use past_state::{KeyHistory, PastState};
pub use range::{RangeEntry, RangePage};
pub use reader::{ByteReader, write_integer};
pub use scheme::{Ability, Scheme};
pub use verified::Verified;
