//! Test vectors: reads the files of `test-vectors/`, runs them natively, and makes the synthetic ones.
//!
//! A program that only runs vectors needs only [`run`]:
//!
//! ```
//! # fn main() -> prooflight_core::Result<()> {
//! let json = r#"{
//!   "schema": "schema/vectors_v1.json", "scheme": "avl", "origin": "an example",
//!   "license": "MIT OR Apache-2.0", "numberOfTests": 1, "notes": {},
//!   "testGroups": [{ "type": "AvlBatch", "tests": [{
//!     "tcId": 1, "comment": "a proof that ends before it begins", "flags": [],
//!     "input": { "keyLength": 1, "valueLength": null, "digest": "0x", "ops": [], "proof": "0x",
//!                "mode": "strict" },
//!     "result": "invalid", "expectedError": "invalid_input", "expectedReason": "digest_length" }]
//!   }]
//! }"#;
//! let report = prooflight_vectors::run(json)?;
//! assert_eq!((report.passed(), report.failed()), (1, 0));
//! # Ok(())
//! # }
//! ```
//!
//! The files are specified in `test-vectors/spec/vectors.md`. A new scheme brings a
//! module with the inputs of its group types, an arm in `run::verify`, and its generators.

#![forbid(unsafe_code)]

mod amb;
pub mod amt;
mod answer;
pub mod avl;
pub mod chain;
mod edits;
pub mod ergo;
pub mod file;
#[cfg(feature = "generate")]
pub mod generate;
pub mod history;
pub mod input;
pub mod key_range;
pub mod limits;
pub mod lmpt;
pub mod lvmt;
pub mod mpt;
mod mpt_sent;
mod run;
pub mod smt;
pub mod state;

pub use answer::VerifierAnswer;
pub use run::{FileReport, TestReport, run, run_with, verify};
