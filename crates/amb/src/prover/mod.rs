//! The state in memory or in a store, and the proofs of every kind.

mod branch;
mod entry;
mod hashing;
mod leaf;
mod page;
mod past;
mod prove;
mod store;
mod tree;
mod update;
mod write;

pub use page::PageSize;
pub use store::{AmbBlock, AmbReader, AmbState, RECENT_BLOCKS, ReceivedPage, StateAssembly};
pub use tree::MemoryTree;
