//! Files that are not in a local folder and have no manifest: what they offer, and how to find the newest one.

mod newest_file;
mod parallel_map;
mod remote_files;

pub(super) use newest_file::find_newest;
pub(super) use parallel_map::{MAX_THREADS, parallel_map};
pub use remote_files::RemoteFiles;
