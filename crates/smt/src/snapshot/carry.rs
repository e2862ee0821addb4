//! Carries the files of a newest tree to another folder, piece by piece.

use alloc::vec::Vec;

use bytes::Bytes;
use prooflight_core::{Error, Hash, Reason, Result};

use super::check::{last_of, read_header, read_whole};
use super::files::{Files, file_name, missing};
use super::manifest::Manifest;

impl Files {
    /// The last block of each file of blocks of at most `newest`, ascending.
    pub fn last_blocks(&self, newest: u64) -> Result<Vec<u64>> {
        let Some(manifest) = Manifest::read(self)? else { return Ok(Vec::new()) };
        let newest = newest.min(manifest.newest);
        let lasts = self.list()?.into_keys().filter_map(|name| last_of(&name));
        Ok(lasts.filter(|last| *last <= newest).collect())
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

    /// Reads the whole file of the group that ends with this block, and compares its checksums; `None` if there is none.
    ///
    /// `store_corrupt` if it is not as it was written.
    pub fn read_checked(&self, last: u64) -> Result<Option<Bytes>> {
        match read_whole(self, last) {
            Ok((_, _, bytes)) => Ok(Some(bytes)),
            // Rare, so it may cost another look.
            Err(_) if self.read(&file_name(last))?.is_none() => Ok(None),
            Err(error) => Err(error),
        }
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
