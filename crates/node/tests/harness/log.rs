//! Empty locations for the logs of chains.

use std::fs;
use std::path::Path;

/// The URL of an empty location in the bucket of `PROOFLIGHT_S3`, or else in this folder.
pub(crate) fn anywhere(folder: &Path) -> String {
    let Ok(bucket) = std::env::var("PROOFLIGHT_S3") else { return in_folder(folder) };
    let name = folder.file_name().unwrap().to_string_lossy();
    format!("{}/{}", bucket.trim_end_matches('/'), name.trim_start_matches('.'))
}

/// The URL of an empty location in this folder, whose files a test may change.
pub(crate) fn in_folder(folder: &Path) -> String {
    let bucket = folder.join("bucket");
    fs::create_dir(&bucket).unwrap();
    format!("file://{}", bucket.display())
}
