//! Vector commitments over BN254 with short openings, verified with one product of pairings.
//!
//! A commitment binds a vector of scalars. [`verify_openings`] checks claims about single entries
//! against commitments, under a setup given by its [`VerifyingKey`]; the caller must trust both.
//!
//! ```
//! use prooflight_amt::{INFINITY, Opening, OpeningKind, Scalar, VerifyingKey, verify_openings};
//!
//! # fn main() -> prooflight_core::Result<()> {
//! let key = VerifyingKey::ppot(16)?;
//! // The zero vector: its commitment and all its opening points are infinity.
//! let opening = Opening {
//!     commitment: INFINITY,
//!     index: 7,
//!     value: Scalar::ZERO,
//!     kind: OpeningKind::Tree { log_arity: 2 },
//!     points: &[INFINITY; 8],
//! };
//! verify_openings(&[opening], &key)?;
//! assert!(verify_openings(&[Opening { value: Scalar::from(1), ..opening }], &key).is_err());
//! # Ok(())
//! # }
//! ```
//!
//! With the feature `prover`, `Tables` make commitments and single-point openings, and a
//! `TreeState` makes tree openings.
//!
//! Source: Li et al. 2023, section 4 (authenticated multipoint evaluation tree), with smaller openings;
//! specified in `test-vectors/spec/amt.md`.

#![cfg_attr(docsrs, feature(doc_cfg))]
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;
#[cfg(feature = "prover")]
extern crate std;

mod buckets;
mod dev;
mod domain;
mod key;
mod msm;
mod opening;
mod pairing;
mod point;
#[cfg(feature = "prover")]
mod prover;
mod scalar;
mod transcript;
mod trusted;
mod verify;

pub use domain::MAX_LOG_N;
pub use key::VerifyingKey;
pub use opening::{Opening, OpeningKind};
pub use point::{INFINITY, PointBytes};
#[cfg(feature = "prover")]
pub use prover::{
    BuildProgress, EntryChange, IndexClass, Point, ProverSetup, TableParts, Tables, TreeDraft,
    TreeState, open_entries,
};
pub use scalar::{SLOTS, Scalar, VERSION_BITS};
pub use trusted::trusted_key;
pub use verify::verify_openings;
#[cfg(feature = "prover")]
pub use verify::verify_openings_with;
