//! Removes the files that killed writers left in a folder: `object_store` writes an object as `NAME#1`, and then
//! links it to its name.

use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::{Duration, SystemTime};

/// The writers of a folder: each has a shared lock on it for as long as it lives.
#[derive(Debug)]
pub(crate) struct FolderWriters {
    folder: PathBuf,
    lock: OnceLock<Option<File>>,
}

/// The longest time of writing an object. If a writer pauses for longer, its create fails, and it retries.
const WRITE_TIME: Duration = Duration::from_hours(1);

/// The folders with objects, and the object beside them.
const OBJECT_FOLDERS: [&str; 3] = ["blocks", "proposed", "snapshots"];
const ROOT_OBJECT: &str = "chain";

impl FolderWriters {
    pub(crate) fn of(folder: &Path) -> Self {
        Self { folder: folder.to_owned(), lock: OnceLock::new() }
    }

    /// Counts this process as a writer, before its first object. Removes the staged files of other writers: all of them if
    /// no other writer is alive, and otherwise those too old to be in writing.
    pub(crate) fn register(&self) {
        self.lock.get_or_init(|| {
            let lock = File::open(&self.folder).ok()?;
            let age = match lock.try_lock() {
                Ok(()) => Duration::ZERO,
                // Where folders cannot be locked, there may be others.
                Err(TryLockError::WouldBlock | TryLockError::Error(_)) => WRITE_TIME,
            };
            self.remove_leftovers(age);
            lock.unlock().and_then(|()| lock.lock_shared()).ok()?;
            Some(lock)
        });
    }

    fn remove_leftovers(&self, age: Duration) {
        remove_in(&self.folder, age, &|name| name == ROOT_OBJECT);
        for folder in OBJECT_FOLDERS {
            remove_below(&self.folder.join(folder), age);
        }
    }
}

fn remove_below(folder: &Path, age: Duration) {
    remove_in(folder, age, &|_| true);
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            remove_below(&entry.path(), age);
        }
    }
}

/// Removes the staged files of objects in a folder; what cannot be removed stays.
fn remove_in(folder: &Path, age: Duration, is_object: &dyn Fn(&str) -> bool) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let staged = name.to_str().and_then(|name| name.split_once('#'));
        let is_staged = staged.is_some_and(|(name, number)| {
            let is_number = !number.is_empty() && number.bytes().all(|it| it.is_ascii_digit());
            is_number && is_object(name)
        });
        let is_file = entry.file_type().is_ok_and(|kind| kind.is_file());
        if is_staged && is_file && (age.is_zero() || is_older(&entry, age)) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

fn is_older(entry: &fs::DirEntry, age: Duration) -> bool {
    let written = entry.metadata().and_then(|found| found.modified()).ok();
    let since = written.and_then(|written| SystemTime::now().duration_since(written).ok());
    since.is_some_and(|since| since >= age)
}

#[cfg(all(test, unix))]
#[allow(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;

    fn stage(folder: &Path, name: &str, age: Duration) -> PathBuf {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, "half an obj").unwrap();
        File::open(&path).unwrap().set_modified(SystemTime::now() - age).unwrap();
        path
    }

    const STAGED_FILES: [&str; 4] = [
        "chain#1",
        "blocks/0000000000000007#1",
        "proposed/0000000000000008/0000#12",
        "snapshots/16/0000000000000015.smt#2",
    ];

    #[test]
    fn what_killed_writers_left_is_removed_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let left = STAGED_FILES.map(|name| stage(folder.path(), name, Duration::ZERO));
        let others = ["notes#1", "blocks/0000000000000006", "blocks/7#x", "blocks/7#", "other/7#1"];
        let others = others.map(|name| stage(folder.path(), name, 2 * WRITE_TIME));
        FolderWriters::of(folder.path()).register();
        assert!(left.iter().all(|path| !path.exists()));
        assert!(others.iter().all(|path| path.exists()));
    }

    #[test]
    fn what_a_living_writer_may_be_writing_stays() {
        let folder = tempfile::tempdir().unwrap();
        let living = FolderWriters::of(folder.path());
        living.register();
        let new = STAGED_FILES.map(|name| stage(folder.path(), name, Duration::ZERO));
        let old = stage(folder.path(), "blocks/0000000000000001#1", WRITE_TIME);
        FolderWriters::of(folder.path()).register();
        assert!(new.iter().all(|path| path.exists()));
        assert!(!old.exists());
        // Once it has ended, by whatever means.
        drop(living);
        FolderWriters::of(folder.path()).register();
        assert!(new.iter().all(|path| !path.exists()));
    }
}
