//! The snapshot files of `smt` in the bucket of a chain's log: `smt/BLOCKS/FILE`, byte for byte as in a folder.
//!
//! The files follow from the blocks, so any node that has a file may create the object, and no object is replaced. A
//! file is created only after its predecessor, from block 0 on. So the newest file is the one without a successor, and
//! no manifest is needed. Source: `docs/scale.md`.

mod bucket_files;
mod headers;
mod publish;
mod watch;

pub use bucket_files::{BucketFiles, files};
pub use headers::{HeaderReader, LogHeaders};
pub use publish::publish;
pub use watch::watch;

/// The folder in the bucket. It has a subfolder for each number of blocks per file.
const BUCKET_FOLDER: &str = "smt";
