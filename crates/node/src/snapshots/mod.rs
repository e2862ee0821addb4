//! The snapshot files of `smt` in the bucket of a chain's log: `smt/BLOCKS/FILE`, byte for byte as in a folder.
//!
//! They follow from the blocks, so whoever has a file may create it, and it is never replaced. A file is created only
//! after the one before it, from block 0 on: the newest is the one after which there is none, and no manifest says so.
//! Source: `docs/scale.md`.

mod far;
mod headers;
mod publish;
mod watch;

pub use far::{InBucket, files};
pub use headers::{HeaderReader, LogHeaders};
pub use publish::publish;
pub use watch::watch;

/// The folder in the bucket. In it, files with as many blocks each are in a folder of their own.
const FOLDER: &str = "smt";
