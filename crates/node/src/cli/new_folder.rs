//! A new chain's folder: if the chain cannot be begun, the written files are removed.

use std::ffi::OsString;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use prooflight_core::Result;
use prooflight_node::Chain;

use super::exit::file_error;

/// A folder in which a chain is begun.
pub(super) struct NewFolder {
    folder: PathBuf,
    /// The entries that existed before; `None` if the folder did not exist.
    before: Option<Vec<OsString>>,
}

/// The files and folders of a chain without blocks, besides its store.
const CHAIN_FILES: [&str; 10] = [
    "checkpoint.json",
    "format",
    "genesis.jsonl",
    "log",
    "lvmt",
    "proposed",
    "schemes.json",
    "signed",
    "snapshots",
    "store.new",
];

/// Begins a chain in a folder. If that fails and leaves no chain, every file that was written is removed, including
/// the keys.
pub(super) fn begin_in<T>(folder: &Path, begin: impl FnOnce() -> Result<T>) -> Result<T> {
    let new = NewFolder::of(folder)?;
    begin().inspect_err(|_| new.clear())
}

impl NewFolder {
    /// Lists what is in the folder before a chain is begun there.
    pub(super) fn of(folder: &Path) -> Result<Self> {
        let before = match fs::read_dir(folder) {
            Ok(entries) => {
                let names = entries.map(|entry| entry.map(|entry| entry.file_name()));
                Some(
                    names
                        .collect::<std::io::Result<_>>()
                        .map_err(|error| file_error(folder, &error))?,
                )
            }
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => return Err(file_error(folder, &error)),
        };
        Ok(Self { folder: folder.to_owned(), before })
    }

    /// Removes what a failed start has written, unless a chain exists.
    pub(super) fn clear(&self) {
        if !matches!(Chain::exists(&self.folder), Ok(false)) {
            // A chain without blocks is resumed at the next attempt.
            return;
        }
        let Ok(entries) = fs::read_dir(&self.folder) else { return };
        for entry in entries.flatten() {
            let name = entry.file_name();
            let is_part = name
                .to_str()
                .is_some_and(|name| CHAIN_FILES.contains(&name) || name.starts_with("authority-"));
            if is_part && !self.before.iter().flatten().any(|before| *before == name) {
                // Files that cannot be removed stay: the command reports its first error.
                let _ = if entry.path().is_dir() {
                    fs::remove_dir_all(entry.path())
                } else {
                    fs::remove_file(entry.path())
                };
            }
        }
        if self.before.is_none() {
            // Fails if the folder is not empty, which is right.
            let _ = fs::remove_dir(&self.folder);
        }
    }
}
