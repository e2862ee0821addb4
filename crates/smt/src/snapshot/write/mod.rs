//! Writes the files: keeps the newest tree, lays out the nodes that a block changed, removes what is not kept.

mod background_write;
mod branches;
mod buffer_pool;
mod commit;
mod foreign;
mod group;
mod open;
mod retention;
mod shards;
mod writer;

pub use retention::Retention;
pub use writer::{PreparedBlock, SnapshotWriter, WriterOptions};
