//! A made-up beacon chain through all forks, with committees whose secrets are known.
//!
//! It uses only the public types of the crate under test.

pub mod chain;
pub mod encode;
pub mod execution;
pub mod keys;
pub mod targets;
pub mod tree;

pub use chain::{BeaconChain, MessageFields, MisplacedObject};
pub use keys::CommitteeKeys;
