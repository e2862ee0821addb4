//! Reads snapshot files from a bucket.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use prooflight_core::{Error, Reason, Result};
use prooflight_log::Bucket;
use prooflight_smt::snapshot::{RemoteFiles, SnapshotFiles};
use tokio::runtime::Handle;

use super::BUCKET_FOLDER;

/// The snapshot files in a bucket.
#[derive(Debug)]
pub struct BucketFiles {
    bucket: Bucket,
    runtime: Handle,
    /// The number in the name of the files' folder, once that is known.
    blocks_per_file: OnceLock<u64>,
}

impl BucketFiles {
    /// Reads the files on this runtime, for threads outside of it.
    pub const fn new(bucket: Bucket, runtime: Handle) -> Self {
        Self { bucket, runtime, blocks_per_file: OnceLock::new() }
    }
}

/// The snapshot files in a bucket, as [`BucketFiles`] reads them.
pub fn files(bucket: Bucket, runtime: Handle) -> SnapshotFiles {
    SnapshotFiles::remote(Arc::new(BucketFiles::new(bucket, runtime)))
}

impl RemoteFiles for BucketFiles {
    /// The smallest number, if there are several folders.
    fn blocks_per_file(&self) -> Result<Option<u64>> {
        if let Some(known) = self.blocks_per_file.get() {
            return Ok(Some(*known));
        }
        let found = self.runtime.block_on(self.bucket.contents(BUCKET_FOLDER))?;
        let numbers = found.folders.iter().filter_map(|name| name.parse().ok());
        let least: Option<u64> = numbers.filter(|number| *number > 0).min();
        Ok(least.map(|least| *self.blocks_per_file.get_or_init(|| least)))
    }

    fn read_range(&self, name: &str, range: Range<u64>) -> Result<Option<Bytes>> {
        let Some(blocks_per_file) = self.blocks_per_file.get() else {
            let expected = format_args!("the folder {BUCKET_FOLDER} of {}", self.bucket.name());
            return Err(Error::new(Reason::StoreCorrupt, expected, "none yet"));
        };
        let name = format!("{BUCKET_FOLDER}/{blocks_per_file}/{name}");
        self.runtime.block_on(self.bucket.read_range(&name, range))
    }
}
