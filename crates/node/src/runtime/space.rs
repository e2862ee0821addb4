//! Free disk space. The node stops accepting blocks before it runs out, because a write that fails halfway stops
//! blocks until the next start.

use std::path::{Path, PathBuf};

use prooflight_core::{Error, Reason, Result};

/// The folder of a chain, and the bytes that must stay free on its disk.
#[derive(Clone, Debug)]
pub struct DiskSpace {
    folder: PathBuf,
    min_free: u64,
}

impl DiskSpace {
    /// Requires at least `least` free bytes on the disk of the folder.
    pub fn new(folder: &Path, least: u64) -> Self {
        Self { folder: folder.to_owned(), min_free: least }
    }

    /// `store_failed` if fewer bytes are free, or if the number is unknown.
    pub fn check(&self) -> Result<()> {
        let expected =
            || format!("{} bytes free for blocks in {}", self.min_free, self.folder.display());
        match free(&self.folder) {
            Ok(free) if free < self.min_free => {
                Err(Error::new(Reason::StoreFailed, expected(), free))
            }
            Ok(_) => Ok(()),
            Err(error) => Err(Error::new(Reason::StoreFailed, expected(), error)),
        }
    }
}

/// The bytes available to this process on the disk of a folder.
#[cfg(unix)]
pub(crate) fn free(folder: &Path) -> std::io::Result<u64> {
    let disk = rustix::fs::statvfs(folder)?;
    Ok(disk.f_bavail.saturating_mul(disk.f_frsize))
}

/// The standard library does not report free space on other systems.
#[cfg(not(unix))]
pub(crate) fn free(_folder: &Path) -> std::io::Result<u64> {
    Ok(u64::MAX)
}
