//! Snapshot files of a chain's blocks, and proofs from them: values at any kept block, histories, diffs.
//!
//! A [`SnapshotWriter`] has the newest tree in memory, and writes for each block, or for a fixed number
//! of blocks, one file of the nodes that changed, which points into the files before. A [`SnapshotReader`] proves from the
//! files alone, also in another process. The format is in `docs/storage.md`; the Aldbaran paper calls
//! this part Hyades (sections 5.4 and 6).

mod branches;
mod chain;
mod check;
mod clusters;
mod files;
mod foreign;
mod group;
mod header;
mod leaves;
mod link;
mod manifest;
mod nodes;
mod open;
mod pages;
mod prove;
mod publish;
mod reader;
mod record;
mod retention;
mod shards;
mod spare;
mod writer;

pub use chain::{SmtParams, SmtReader, SmtState};
pub use check::Damage;
pub use files::Files;
pub use reader::{KeptBlocks, Proved, ProvedHistory, SnapshotReader};
pub use record::Record;
pub use retention::Retention;
pub use writer::{Options, PreparedBlock, SnapshotWriter};

use core::fmt::Display;

use prooflight_core::{Error, Reason};

/// A file has other bytes than were written into it.
#[cold]
fn corrupt(file: &str, expected: impl Display, found: impl Display) -> Error {
    Error::new(Reason::StoreCorrupt, format_args!("{expected} in the file {file}"), found)
}
