//! Snapshot files of a chain's blocks, and proofs from them: values at any kept block, histories, diffs.
//!
//! A [`SnapshotWriter`] keeps the newest tree in memory. For each block, or each fixed number of
//! blocks, it writes one file with the nodes that changed, which links to earlier files. A
//! [`SnapshotReader`] proves from the files alone, also in another process. The format is in
//! `docs/storage.md`; the Aldbaran paper calls this part Hyades (sections 5.4 and 6).

mod ahead;
mod branches;
mod carry;
mod chain;
mod check;
mod clusters;
mod copy;
mod far;
mod files;
mod foreign;
mod group;
mod header;
mod leaves;
mod link;
mod links;
mod local;
mod manifest;
mod nodes;
mod open;
mod ordered;
mod pages;
mod prove;
mod publish;
mod reader;
mod recent;
mod record;
mod retention;
mod shards;
mod spare;
mod subtree;
mod together;
mod turns;
mod writer;

pub use chain::{SmtParams, SmtReader, SmtState};
pub use check::Damage;
pub use far::FarFiles;
pub use files::{Files, file_name};
pub use links::CheckedLinks;
pub use reader::{KeptBlocks, Proved, ProvedHistory, SnapshotReader};
pub use retention::Retention;
pub use writer::{Options, PreparedBlock, SnapshotWriter};

use core::fmt::Display;

use prooflight_core::{Error, Reason};

/// The error for a file whose bytes are not those that were written.
#[cold]
fn corrupt(file: &str, expected: impl Display, found: impl Display) -> Error {
    Error::new(Reason::StoreCorrupt, format_args!("{expected} in the file {file}"), found)
}
