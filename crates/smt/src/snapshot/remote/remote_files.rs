//! Files that are not in a local folder and have no manifest, such as those of a bucket.

use core::fmt::Debug;
use core::ops::Range;

use bytes::Bytes;
use prooflight_core::Result;

/// Remote files that are created once, in the order of their blocks from block 0 on, and never replaced.
///
/// There is no manifest: the newest file is the last one that exists. Calls block the thread; several threads may
/// call at once.
pub trait RemoteFiles: Debug + Send + Sync {
    /// The number of blocks in each file; `None` while there is no file.
    fn blocks_per_file(&self) -> Result<Option<u64>>;

    /// Reads a range of a file, truncated at the end of the file; `None` if it does not exist.
    fn read_range(&self, name: &str, range: Range<u64>) -> Result<Option<Bytes>>;
}
