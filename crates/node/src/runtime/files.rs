//! Files that are read when a program starts.
//!
//! Opening a FIFO blocks until somebody writes to it, and reading a device may never end. So before anything in a
//! folder is opened, [`check_folder`] checks that it contains only files and folders.

use std::fs::{self, File, FileType, OpenOptions};
use std::io;
use std::path::Path;

use prooflight_core::{Error, Reason, Result};

/// Reads a file; an error if the path is not a file.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    check_file(path)?;
    fs::read(path)
}

/// Reads a text file; an error if the path is not a file.
pub fn read_to_string(path: &Path) -> io::Result<String> {
    check_file(path)?;
    fs::read_to_string(path)
}

/// Checks that a path is a file; otherwise an error that names what it is.
pub fn check_file(path: &Path) -> io::Result<()> {
    let kind = fs::metadata(path).map(|found| found.file_type())?;
    if kind.is_file() { Ok(()) } else { Err(io::Error::other(name(kind))) }
}

/// Checks that a folder and the folders in it, which may be links, contain only files and folders.
///
/// `store_failed` with the path of a FIFO, a socket or a device. A folder that is missing or unreadable is
/// skipped: the code that needs it reports that.
pub fn check_folder(folder: &Path) -> Result<()> {
    let mut folders = vec![(folder.to_owned(), true)];
    while let Some((folder, is_first)) = folders.pop() {
        let Ok(entries) = fs::read_dir(&folder) else { continue };
        for entry in entries.flatten() {
            let path = entry.path();
            let Ok(own) = entry.file_type() else { continue };
            let is_link = own.is_symlink();
            let kind = if is_link { fs::metadata(&path).map(|it| it.file_type()) } else { Ok(own) };
            match kind {
                Ok(kind) if kind.is_dir() => {
                    // Other links are not followed: they may lead in circles or out of the folder.
                    let is_own =
                        is_first && entry.file_name().to_str().is_some_and(is_chain_folder);
                    if !is_link || is_own {
                        folders.push((path, false));
                    }
                }
                Ok(kind) if !kind.is_file() => {
                    let expected = format_args!("a file {}", path.display());
                    return Err(Error::new(Reason::StoreFailed, expected, name(kind)));
                }
                // A file, or a link without a target.
                Ok(_) | Err(_) => {}
            }
        }
    }
    Ok(())
}

/// Whether a folder of this name in a chain's or a log's folder may be a link to another disk.
fn is_chain_folder(name: &str) -> bool {
    ["blocks", "lvmt", "proposed", "snapshots", "store"].contains(&name)
}

#[cfg(unix)]
fn name(kind: FileType) -> &'static str {
    use std::os::unix::fs::FileTypeExt as _;
    match kind {
        _ if kind.is_dir() => "a folder",
        _ if kind.is_fifo() => "a FIFO",
        _ if kind.is_socket() => "a socket",
        _ => "a device",
    }
}

#[cfg(not(unix))]
fn name(kind: FileType) -> &'static str {
    if kind.is_dir() { "a folder" } else { "no file" }
}

/// Creates a file that only its owner can read.
#[cfg(unix)]
pub(crate) fn create_private(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)
}

#[cfg(not(unix))]
pub(crate) fn create_private(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create_new(true).open(path)
}
