//! A model of the ordered keys of `test-vectors/spec/amb.md`, slow, recursive and simple, and the fuzz target.
//!
//! The model is a dictionary of all versions, from which trees, roots, answers and proofs follow. A liar may change the
//! parts of a proof before it is encoded. The model shares no code with the crate.

pub mod proof;
pub mod prove;
pub mod query;
pub mod state;
pub mod targets;
pub mod tree;
