//! Proves from the files: finds the nodes of a block's tree, and checks each against its hash.

pub(super) mod leaves;
mod links;
pub(super) mod nodes;
mod pages;
mod prove;
mod read_ahead;
mod reader;
mod record_location;
mod record_window;
mod subtree;

pub use links::LinkReport;
pub use reader::{HistoryProof, KeptBlocks, SnapshotProof, SnapshotReader};
