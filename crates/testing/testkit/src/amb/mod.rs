//! Ordered keys exactly as `test-vectors/spec/amb.md` defines them, slow, recursive and simple, and the fuzz target.
//!
//! Everything of the model follows from a dictionary of all versions: trees, roots, answers, and the proofs, whose
//! parts a liar may change before they are written. It shares no code with the crate.

pub mod proof;
pub mod prove;
pub mod query;
pub mod state;
pub mod targets;
pub mod tree;
