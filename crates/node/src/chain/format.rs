//! The version of a chain's folder: of its files, and of the keys and values of its store.
//!
//! The file `format` has it in decimal. It is read before anything else, so that a folder of another version is not
//! touched.

use std::fs::{self, File};
use std::io::{ErrorKind, Write};
use std::path::Path;

use prooflight_core::{Error, Reason, Result};

use crate::runtime::files;

/// The version that this program reads and writes.
const FORMAT_VERSION: u32 = 4;

const FORMAT_FILE: &str = "format";

/// Refuses the folder of a chain of another version, as `invalid_argument`.
pub(super) fn check(folder: &Path) -> Result<()> {
    let found = match read(folder)? {
        Some(FORMAT_VERSION) => return Ok(()),
        Some(other) => format!("format {other}"),
        None => "no format number".to_owned(),
    };
    let expected = format_args!(
        "a chain of format {FORMAT_VERSION} in {}: run the version of prooflight-node that wrote it",
        folder.display()
    );
    Err(Error::new(Reason::InvalidArgument, expected, found))
}

/// Writes the version into the folder of a new chain.
pub(super) fn write(folder: &Path) -> Result<()> {
    let (path, new) = (folder.join(FORMAT_FILE), folder.join("format.new"));
    let write = || -> std::io::Result<()> {
        let mut file = File::create(&new)?;
        writeln!(file, "{FORMAT_VERSION}")?;
        file.sync_all()?;
        fs::rename(&new, &path)?;
        File::open(folder)?.sync_all()
    };
    write().map_err(|error| failed(&path, &error))
}

/// The version of a folder; `None` if it has no such file.
fn read(folder: &Path) -> Result<Option<u32>> {
    let path = folder.join(FORMAT_FILE);
    let wrong = |found: &dyn core::fmt::Display| {
        Error::new(Reason::StoreCorrupt, format_args!("a number in {}", path.display()), found)
    };
    match files::read_to_string(&path) {
        Ok(text) => text.trim_end().parse().map(Some).map_err(|error| wrong(&error)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) if error.kind() == ErrorKind::InvalidData => Err(wrong(&error)),
        Err(error) => Err(failed(&path, &error)),
    }
}

fn failed(path: &Path, error: &std::io::Error) -> Error {
    Error::new(Reason::StoreFailed, format_args!("the file {}", path.display()), error)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;

    #[test]
    fn a_folder_of_another_or_a_damaged_format_is_refused_and_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let format = folder.path().join(FORMAT_FILE);
        let refused = check(folder.path()).unwrap_err();
        assert_eq!(refused.reason(), Reason::InvalidArgument);
        assert!(!format.exists());
        write(folder.path()).unwrap();
        check(folder.path()).unwrap();
        let [earlier, later] = [-1, 1]
            .map(|by| format!("{}\n", FORMAT_VERSION.checked_add_signed(by).unwrap()).into_bytes());
        for (content, reason) in [
            (&earlier[..], Reason::InvalidArgument),
            (&later, Reason::InvalidArgument),
            (b"", Reason::StoreCorrupt),
            (b"one", Reason::StoreCorrupt),
            (b"-1", Reason::StoreCorrupt),
            (b"\xff", Reason::StoreCorrupt),
        ] {
            fs::write(&format, content).unwrap();
            assert_eq!(check(folder.path()).unwrap_err().reason(), reason);
            assert_eq!(fs::read(&format).unwrap(), content);
        }
    }
}
