//! Temporary folders, and the removal of those that killed processes left behind.
//!
//! A process locks its folder as long as it runs, so a folder that can be locked is unused.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use tempfile::TempDir;

/// The prefix of every temporary folder's name.
const FOLDER_PREFIX: &str = "prooflight-scratch-";

/// A temporary folder, removed when this is dropped.
#[derive(Debug)]
pub struct ScratchFolder {
    folder: TempDir,
    _lock: Option<File>,
}

impl ScratchFolder {
    /// A new folder in the system's temporary folder (`TMPDIR`). Unused folders of earlier processes are removed from it.
    pub fn new() -> io::Result<Self> {
        Self::new_in(&std::env::temp_dir())
    }

    /// A new folder in `parent`. Unused folders of earlier processes are removed from it.
    pub fn new_in(parent: &Path) -> io::Result<Self> {
        remove_orphans(parent);
        loop {
            let folder = tempfile::Builder::new().prefix(FOLDER_PREFIX).tempdir_in(parent)?;
            let lock = lock(folder.path());
            // Another process may have removed the folder before it was locked.
            if folder.path().exists() {
                return Ok(Self { folder, _lock: lock });
            }
        }
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }
}

/// Removes the temporary folders in `parent` whose processes have ended. Those that cannot be removed stay.
pub fn remove_orphans(parent: &Path) {
    let Ok(entries) = fs::read_dir(parent) else { return };
    for entry in entries.flatten() {
        let is_own = entry.file_name().to_str().is_some_and(|name| name.starts_with(FOLDER_PREFIX));
        // A link's target is not removed.
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        if is_own && is_folder {
            let path = entry.path();
            // Held until the folder is removed.
            let lock = File::open(&path).ok().filter(|folder| folder.try_lock().is_ok());
            if lock.is_some() && fs::remove_dir_all(&path).is_ok() {
                tracing::info!(folder = %path.display(), "removed the temporary folder of a process that was killed");
            }
        }
    }
}

/// Locks a folder until the result is dropped, or the process ends. Where folders cannot be locked, no folder
/// counts as unused.
fn lock(folder: &Path) -> Option<File> {
    File::open(folder).ok().filter(|folder| folder.lock().is_ok())
}

#[cfg(all(test, unix))]
#[allow(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;

    #[test]
    fn the_folder_of_a_process_that_lives_stays_and_that_of_one_that_was_killed_goes() {
        let parent = tempfile::tempdir().unwrap();
        let living = ScratchFolder::new_in(parent.path()).unwrap();
        fs::write(living.path().join("file"), "in use").unwrap();
        let left = parent.path().join("prooflight-scratch-left");
        let (other, link) =
            (parent.path().join("other"), parent.path().join("prooflight-scratch-link"));
        for folder in [&left, &other] {
            fs::create_dir_all(folder.join("chain/store")).unwrap();
            fs::write(folder.join("chain/store/table"), "left").unwrap();
        }
        std::os::unix::fs::symlink(&other, &link).unwrap();
        let new = ScratchFolder::new_in(parent.path()).unwrap();
        assert!(!left.exists());
        assert!(living.path().join("file").exists() && new.path().exists());
        assert!(other.join("chain/store/table").exists() && link.exists());
        drop(living);
        drop(new);
        assert_eq!(
            fs::read_dir(parent.path()).unwrap().count(),
            2,
            "what is dropped removes its own"
        );
    }
}
