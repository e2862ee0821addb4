//! Carries the files of a newest tree to another folder, piece by piece.

use alloc::string::String;

use bytes::Bytes;
use prooflight_core::{Error, Hash, Reason, Result};

use super::check::{last_of, read_header, read_whole};
use super::files::{Files, missing};
use super::manifest::Manifest;

impl Files {
    /// The first file of blocks of at most `newest` after the one of this name; none after the last one.
    pub fn next_file(&self, after: &str, newest: u64) -> Result<Option<String>> {
        let Some(manifest) = Manifest::read(self)? else { return Ok(None) };
        let newest = newest.min(manifest.newest);
        let is_next = |name: &String| {
            name.as_str() > after && last_of(name).is_some_and(|last| last <= newest)
        };
        Ok(self.list()?.into_keys().find(is_next))
    }

    /// At most so many bytes of a file from here on, and whether it ends with them.
    ///
    /// `invalid_argument` for a name that no file of blocks has; `store_corrupt` if there is none of this name.
    pub fn piece(&self, name: &str, from: u64, most: u64) -> Result<(Bytes, bool)> {
        check_name(name)?;
        let bytes = self.read_range(name, from..from.saturating_add(most))?;
        let is_last = (bytes.len() as u64) < most;
        Ok((bytes, is_last))
    }

    /// Reads a whole file and compares its checksums; returns its last block and the root that it has for it.
    ///
    /// `store_corrupt` if it is not as it was written. Its writer made the checksums: only the nodes, hashed up to a trusted
    /// root when the folder is opened, show that the newest tree is right.
    pub fn check_file(&self, name: &str) -> Result<(u64, Hash)> {
        check_name(name)?;
        let last = last_of(name).ok_or_else(|| missing(name))?;
        let (header, ..) = read_whole(self, last)?;
        Ok((last, header.root_hash))
    }

    /// Writes the manifest of a folder that keeps the blocks of the file with this name alone: earlier files are only there
    /// because its tree has nodes in them.
    pub fn keep_from(&self, name: &str, blocks_per_file: u64) -> Result<()> {
        let last = last_of(name).ok_or_else(|| missing(name))?;
        let (header, newest_header) = read_header(self, last)?;
        Manifest { blocks_per_file, oldest: header.first, newest: last, newest_header }.write(self)
    }
}

fn check_name(name: &str) -> Result<()> {
    if last_of(name).is_some() {
        return Ok(());
    }
    let expected = "the name of a file of blocks";
    Err(Error::new(Reason::InvalidArgument, expected, "another"))
}
