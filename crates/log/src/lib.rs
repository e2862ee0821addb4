//! A chain's log in an object store.
//!
//! A block is published when the object `blocks/HEIGHT` exists, and not before. The store creates an
//! object only once, so each height has one block. There is no lease, lock or clock: any number of
//! leaders may [`publish`](BucketLog::publish), and each learns which block its height has.
//!
//! * [`Bucket`] is a folder in an object store, named by a URL.
//! * [`BucketLog`] is the log of one chain in it.
//! * [`LogReader`] reads its blocks in order, several ahead.
//! * [`copy`] copies it to another bucket.
//!
//! With remote authorities, the log also has the proposals that they are asked to sign:
//! [`BucketLog::propose`].
//!
//! Nothing here replaces an object, or deletes a block: a write whose answer was lost may still arrive,
//! and would make a second block of that height. Only proposals of published blocks are removed.

#![forbid(unsafe_code)]

mod backoff;
mod bucket;
mod copy;
mod entry;
mod log;
mod object;
mod open;
mod proposals;
mod reader;
mod redact;
mod s3;
mod staged_files;
mod startup_retry;

pub use bucket::{Bucket, BucketRequest, CreateOutcome, FolderContents};
pub use copy::{CopyReport, copy};
pub use entry::LogEntry;
pub use log::BucketLog;
pub use reader::LogReader;
