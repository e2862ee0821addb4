//! Verifies statements about a chain's state against its headers, for every scheme.
//!
//! A caller that has accepted a header by the rules of `prooflight_core::chain` sends a server a
//! [`Statement`] and passes the proof to [`verify`]; [`verify_average`] averages a history, and
//! [`verify_block`] goes from one block to the next. Trust comes from the [`Trust`] and the headers
//! alone. The rules are in the module `state` of each scheme's crate; this crate decides which scheme
//! answers which statement.
//!
//! Source: `test-vectors/spec/chain.md`, sections 7 to 9, 12 and 13.

#![cfg_attr(docsrs, feature(doc_cfg))]
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod answer;
#[cfg(feature = "smt")]
mod average;
#[cfg(feature = "avl")]
mod block;
mod schemes;
mod trust;
mod verify;

pub use answer::{KeyState, ProvenValue, StatementAnswer};
#[cfg(feature = "smt")]
pub use average::verify_average;
#[cfg(feature = "avl")]
pub use block::{PreviousState, verify_block};
pub use prooflight_core::statement::Statement;
pub use prooflight_core::{KeyHistory, PastState, RangeEntry, RangePage};
#[cfg(feature = "smt")]
pub use prooflight_smt::{Average, DiffEntry, ValueGap};
pub use trust::Trust;
#[cfg(feature = "lvmt")]
pub use trust::{TrustedSetup, setup_key};
pub use verify::verify;
