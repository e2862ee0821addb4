//! Verifies statements about a chain's state against its headers, for every scheme.
//!
//! A caller that has accepted a header by the rules of `prooflight_core::chain` sends a server a
//! [`Statement`] and passes the proof to [`verify`]; [`verify_average`] averages a history, and
//! [`verify_block`] goes from one block to the next. Trust comes from the [`Trust`] and the headers
//! alone. The rules are in the module `state` of each scheme's crate; this crate decides which scheme
//! answers which statement.
//!
//! Source: `test-vectors/spec/chain.md`, sections 7 to 9, 12 and 13.

#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod answer;
#[cfg(feature = "smt")]
mod average;
#[cfg(feature = "avl")]
mod block;
mod trust;
mod verify;

pub use answer::{Answer, KeyState, Value};
#[cfg(feature = "smt")]
pub use average::verify_average;
#[cfg(feature = "avl")]
pub use block::{Before, verify_block};
#[cfg(feature = "amb")]
pub use prooflight_amb::{Entry, Page};
pub use prooflight_core::statement::Statement;
#[cfg(any(feature = "amb", feature = "smt"))]
pub use prooflight_core::{Answer as PastState, History};
#[cfg(feature = "smt")]
pub use prooflight_smt::{Average, Change, Gap};
pub use trust::Trust;
#[cfg(feature = "lvmt")]
pub use trust::{Setup, setup_key};
pub use verify::verify;
