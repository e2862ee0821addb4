//! Snapshot files of a chain's blocks, and proofs from them: values at any kept block, histories, diffs.
//!
//! A [`SnapshotWriter`] keeps the newest tree in memory. For each block, or each fixed number of
//! blocks, it writes one file with the nodes that changed, which links to earlier files. A
//! [`SnapshotReader`] proves from the files alone, also in another process. The format is in
//! `docs/storage.md`; the Aldbaran paper calls this part Hyades (sections 5.4 and 6).

mod branches;
mod buffer_pool;
mod chain;
mod check;
mod clusters;
mod copy;
mod files;
mod foreign;
mod group;
mod header;
mod leaves;
mod link;
mod links;
mod local;
mod manifest;
mod newest_file;
mod nodes;
mod open;
mod pages;
mod parallel_map;
mod prove;
mod publish;
mod read_ahead;
mod reader;
mod recent;
mod record;
mod remote_files;
mod retention;
mod shards;
mod single_flight;
mod subtree;
mod transfer;
mod writer;

pub use chain::{SmtParams, SmtReader, SmtState};
pub use check::FileDamage;
pub use files::{SnapshotFiles, file_name};
pub use links::LinkReport;
pub use reader::{HistoryProof, KeptBlocks, SnapshotProof, SnapshotReader};
pub use remote_files::RemoteFiles;
pub use retention::Retention;
pub use writer::{PreparedBlock, SnapshotWriter, WriterOptions};

use core::fmt::Display;

use prooflight_core::{Error, Reason};

/// The error for a file whose bytes are not those that were written.
#[cold]
fn corrupt(file: &str, expected: impl Display, found: impl Display) -> Error {
    Error::new(Reason::StoreCorrupt, format_args!("{expected} in the file {file}"), found)
}
