//! The state in memory, and the proofs of every kind.

mod branch;
mod entry;
mod hashing;
mod page;
mod past;
mod prove;
mod tree;
mod update;
mod write;

pub use page::PageSize;
pub use tree::Tree;
