//! Makes the folder of a chain from a backup.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use prooflight_core::store::{ReadStore as _, StoreEntry};
use prooflight_core::{Error, Reason, Result};

use super::stream::{BackupPart, BackupReader};
use super::{BACKUP_FILES, SETUP_FOLDER};
use crate::chain::block::{NEWEST_KEY, decode_height, read_header};
use crate::chain::schemes::SNAPSHOTS_FOLDER;
use crate::chain::store::{Anchor, EmbeddedStore, SEPARATE_PREFIXES, corrupt};

/// Writes a backup into a folder without a chain. Opening the chain then checks it.
///
/// `invalid_reply` if the stream is not a complete backup; `store_failed` if the folder cannot be written.
pub fn receive(from: impl Read, folder: &Path) -> Result<()> {
    let new_store = folder.join("store.new");
    fs::create_dir_all(folder).map_err(|error| failed(folder, &error))?;
    let mut parts = BackupReader::begin(from)?;
    let mut next_entry = || -> Result<Option<StoreEntry>> {
        loop {
            match parts.next()? {
                Some(BackupPart::File(name, length)) => {
                    let path = path(folder, &name)?;
                    let mut file = create(&path).map_err(|error| failed(&path, &error))?;
                    parts.file(length, &mut file)?;
                    file.sync_all().map_err(|error| failed(&path, &error))?;
                }
                Some(BackupPart::Entry(entry)) => return Ok(Some(entry)),
                None => return Ok(None),
            }
        }
    };
    let entries = core::iter::from_fn(|| next_entry().transpose());
    let store = EmbeddedStore::load(&new_store, &SEPARATE_PREFIXES, entries)?;
    let newest = store.get(NEWEST_KEY)?.ok_or_else(|| corrupt("the height of a block", "none"))?;
    let height = decode_height(&newest)?;
    let header = read_header(&store, height)?;
    let header = header.ok_or_else(|| corrupt(format_args!("header {height}"), "none"))?;
    drop(store);
    Anchor::new(folder.join("anchor")).write(height, &header.header.hash())?;
    // Renamed last: without its store, the folder has no chain.
    fs::rename(&new_store, folder.join("store"))
        .and_then(|()| File::open(folder)?.sync_all())
        .map_err(|error| failed(folder, &error))
}

/// The path of a chain's file; refuses names that would lead outside the folder.
fn path(folder: &Path, name: &str) -> Result<PathBuf> {
    let is_plain = |name: &str| {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
        !name.starts_with('.') && !name.is_empty() && name.bytes().all(plain)
    };
    let known = match name.split_once('/') {
        None => BACKUP_FILES.contains(&name),
        Some((within, name)) => {
            [SETUP_FOLDER, SNAPSHOTS_FOLDER].contains(&within) && is_plain(name)
        }
    };
    if known {
        return Ok(folder.join(name));
    }
    let shown: String = name.escape_default().take(100).collect();
    Err(Error::new(Reason::InvalidReply, "the name of a file of a chain", shown))
}

fn create(path: &Path) -> std::io::Result<File> {
    path.parent().map_or(Ok(()), fs::create_dir_all)?;
    File::create_new(path)
}

fn failed(path: &Path, error: &std::io::Error) -> Error {
    Error::new(Reason::StoreFailed, format_args!("a new {}", path.display()), error)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::super::stream::BackupWriter;
    use super::*;

    #[test]
    fn a_stream_writes_no_files_but_those_of_a_chain() {
        for name in ["format", "lvmt/verifying-key", "snapshots/0000000000000004.smt"] {
            path(Path::new("chain"), name).unwrap();
        }
        for name in [
            "",
            "authority-0.key",
            "anchor",
            "store/x",
            "lvmt",
            "lvmt/",
            "lvmt/.x",
            "lvmt/../x",
            "lvmt/a/b",
            "../format",
            "/etc/passwd",
            "snapshots/\n",
            "lvmt\\x",
            "Format",
        ] {
            let folder = tempfile::tempdir().unwrap();
            let mut bytes = Vec::new();
            let mut writer = BackupWriter::begin(&mut bytes).unwrap();
            writer.file(name, 1, &b"1"[..]).unwrap();
            writer.end().unwrap();
            let refused = receive(&bytes[..], folder.path()).unwrap_err();
            assert_eq!(refused.reason(), Reason::InvalidReply, "{name}");
            assert!(!folder.path().join("store").exists());
        }
    }

    #[test]
    fn a_backup_without_a_chain_makes_none() {
        let folder = tempfile::tempdir().unwrap();
        let mut bytes = Vec::new();
        BackupWriter::begin(&mut bytes).unwrap().end().unwrap();
        let refused = receive(&bytes[..], folder.path()).unwrap_err();
        assert_eq!(refused.reason(), Reason::StoreCorrupt);
        assert!(!folder.path().join("store").exists());
    }
}
