//! A made-up beacon chain through all forks, with committees whose secrets are known.
//!
//! Nothing of it uses the crate under test but its public types.

pub mod chain;
pub mod encode;
pub mod execution;
pub mod keys;
pub mod targets;
pub mod tree;

pub use chain::{Chain, Lie, Recipe};
pub use keys::Committee;
