//! Snapshot files of a chain's blocks, and proofs from them: values at any kept block, histories, diffs.
//!
//! A [`SnapshotWriter`] keeps the newest tree in memory. For each block, or each fixed number of
//! blocks, it writes one file with the nodes that changed, which links to earlier files. A
//! [`SnapshotReader`] proves from the files alone, also in another process. The format is in
//! `docs/storage.md`; the Aldbaran paper calls this part Hyades (sections 5.4 and 6).
//!
//! Each folder uses only those after it: `write`, `read`, `files`, `remote`, `format`.

mod chain;
mod files;
mod format;
mod read;
mod remote;
mod write;

pub use chain::{SmtParams, SmtReader, SmtState};
pub use files::{FileDamage, SnapshotFiles};
pub use format::file_name;
pub use read::{HistoryProof, KeptBlocks, LinkReport, SnapshotProof, SnapshotReader};
pub use remote::RemoteFiles;
pub use write::{PreparedBlock, Retention, SnapshotWriter, WriterOptions};
