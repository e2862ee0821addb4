//! Space on disk: blocks stop before it runs out, because a write that fails halfway stops them until
//! the next start.

use std::path::{Path, PathBuf};

use prooflight_core::{Error, Reason, Result};

/// The folder of a chain, and the space that must be left there.
#[derive(Clone, Debug)]
pub struct Space {
    folder: PathBuf,
    least: u64,
}

impl Space {
    /// Asks for at least this many free bytes where the folder is.
    pub fn new(folder: &Path, least: u64) -> Self {
        Self { folder: folder.to_owned(), least }
    }

    /// `store_failed` if there are fewer, or if that cannot be found out.
    pub fn check(&self) -> Result<()> {
        let expected =
            || format!("{} bytes free for blocks in {}", self.least, self.folder.display());
        match free(&self.folder) {
            Ok(free) if free < self.least => Err(Error::new(Reason::StoreFailed, expected(), free)),
            Ok(_) => Ok(()),
            Err(error) => Err(Error::new(Reason::StoreFailed, expected(), error)),
        }
    }
}

/// The bytes that are free for this process on the disk of a folder.
#[cfg(unix)]
pub(crate) fn free(folder: &Path) -> std::io::Result<u64> {
    let disk = rustix::fs::statvfs(folder)?;
    Ok(disk.f_bavail.saturating_mul(disk.f_frsize))
}

/// Elsewhere the standard library does not tell.
#[cfg(not(unix))]
pub(crate) fn free(_folder: &Path) -> std::io::Result<u64> {
    Ok(u64::MAX)
}
