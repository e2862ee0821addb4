//! The version of a chain's folder: of its files, and of the keys and values of its store.
//!
//! The file `format` has it in decimal. It is read before anything else, so that a folder of a later version is not
//! touched, and one of an earlier version is brought up to date first.

use std::fs::{self, File};
use std::io::{ErrorKind, Write};
use std::path::Path;

use prooflight_core::{Error, Reason, Result};

use crate::chain::store::EmbeddedStore;
use crate::runtime::files;

/// The version that this program reads and writes.
pub(super) const FORMAT_VERSION: u32 = 4;

const FORMAT_FILE: &str = "format";

/// An upgrade of a folder, and of its store, to the next version. A killed one is started again.
type FolderUpgrade = fn(&Path, &mut EmbeddedStore) -> Result<()>;

/// The upgrades, from version 0 on. That was before folders said their version; nothing else differs. From version 2
/// on, the store keeps kinds of keys apart. Version 3 has other nodes of `lvmt`, whose store brings itself up to date when it
/// is opened. Version 4 keeps more kinds apart, has other records of these nodes, and may lack them after an import that was
/// killed.
const UPGRADES: [FolderUpgrade; FORMAT_VERSION as usize] =
    [|_, _| Ok(()), |_, store| store.divide(), |_, _| Ok(()), |_, store| store.divide()];

/// Returns the version of a chain's folder; `invalid_argument` if it is a later one.
pub(super) fn check(folder: &Path) -> Result<u32> {
    let found = read(folder)?;
    if found <= FORMAT_VERSION {
        return Ok(found);
    }
    let expected = format_args!(
        "a chain of format {FORMAT_VERSION} or before in {}: run the prooflight-node that wrote it, or a later one",
        folder.display()
    );
    Err(Error::new(Reason::InvalidArgument, expected, format_args!("format {found}")))
}

/// Brings the folder of a chain up to date. Its store is open, so no other process uses the folder.
pub(super) fn upgrade(folder: &Path, store: &mut EmbeddedStore) -> Result<()> {
    let found = check(folder)?;
    for (version, upgrade) in (1..).zip(UPGRADES).skip(found as usize) {
        upgrade(folder, store)?;
        write(folder, version)?;
        tracing::info!(folder = %folder.display(), version, "the chain's folder was brought up to date");
    }
    Ok(())
}

/// Writes the present version into the folder of a new chain.
pub(super) fn begin(folder: &Path) -> Result<()> {
    write(folder, FORMAT_VERSION)
}

fn read(folder: &Path) -> Result<u32> {
    let path = folder.join(FORMAT_FILE);
    let wrong = |found: &dyn core::fmt::Display| {
        Error::new(Reason::StoreCorrupt, format_args!("a number in {}", path.display()), found)
    };
    match files::read_to_string(&path) {
        Ok(text) => text.trim_end().parse().map_err(|error| wrong(&error)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(0),
        Err(error) if error.kind() == ErrorKind::InvalidData => Err(wrong(&error)),
        Err(error) => Err(failed(&path, &error)),
    }
}

fn write(folder: &Path, version: u32) -> Result<()> {
    let (path, new) = (folder.join(FORMAT_FILE), folder.join("format.new"));
    let write = || -> std::io::Result<()> {
        let mut file = File::create(&new)?;
        writeln!(file, "{version}")?;
        file.sync_all()?;
        fs::rename(&new, &path)?;
        File::open(folder)?.sync_all()
    };
    write().map_err(|error| failed(&path, &error))
}

fn failed(path: &Path, error: &std::io::Error) -> Error {
    Error::new(Reason::StoreFailed, format_args!("the file {}", path.display()), error)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_upgraded_once_and_a_later_or_damaged_one_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let format = folder.path().join(FORMAT_FILE);
        let mut store = crate::chain::store::open(&folder.path().join("store")).unwrap();
        let mut upgrade = || upgrade(folder.path(), &mut store);
        upgrade().unwrap();
        assert_eq!(fs::read_to_string(&format).unwrap(), format!("{FORMAT_VERSION}\n"));
        upgrade().unwrap();
        let later = format!("{}\n", FORMAT_VERSION + 1);
        for (content, reason) in [
            (later.as_bytes(), Reason::InvalidArgument),
            (b"", Reason::StoreCorrupt),
            (b"one", Reason::StoreCorrupt),
            (b"-1", Reason::StoreCorrupt),
            (b"\xff", Reason::StoreCorrupt),
        ] {
            fs::write(&format, content).unwrap();
            assert_eq!(upgrade().unwrap_err().reason(), reason);
            assert_eq!(fs::read(&format).unwrap(), content);
        }
    }
}
