//! Transfers the files of the newest tree to another folder, piece by piece.

use alloc::vec::Vec;

use bytes::Bytes;
use prooflight_core::{Error, Hash, Reason, Result};

use super::SnapshotFiles;
use super::check::{read_header, read_whole};
use crate::snapshot::format::manifest::Manifest;
use crate::snapshot::format::{file_name, last_block, missing};

impl SnapshotFiles {
    /// The last block of each file that has only blocks up to `newest`, ascending.
    pub fn last_blocks(&self, newest: u64) -> Result<Vec<u64>> {
        let Some(manifest) = self.manifest()? else { return Ok(Vec::new()) };
        let newest = newest.min(manifest.newest);
        let lasts = self.list()?.into_keys().filter_map(|name| last_block(&name));
        Ok(lasts.filter(|last| *last <= newest).collect())
    }

    /// Reads up to `most` bytes of a file from position `from`; also returns whether that reached
    /// the end.
    ///
    /// `invalid_argument` if the name is not that of a file of blocks; `store_corrupt` if the file does not
    /// exist.
    pub fn read_piece(&self, name: &str, from: u64, most: u64) -> Result<(Bytes, bool)> {
        check_name(name)?;
        let bytes = self.read_range(name, from..from.saturating_add(most))?;
        let is_last = (bytes.len() as u64) < most;
        Ok((bytes, is_last))
    }

    /// Reads a whole file and compares its checksums; returns its last block and the root recorded for it.
    ///
    /// `store_corrupt` if a checksum does not match. Checksums only detect damage: the tree is trusted once its nodes
    /// hash to a trusted root, which is checked when the folder is opened.
    pub fn check_file(&self, name: &str) -> Result<(u64, Hash)> {
        check_name(name)?;
        let last = last_block(name).ok_or_else(|| missing(name))?;
        let (header, ..) = read_whole(self, last)?;
        Ok((last, header.root_hash))
    }

    /// Reads the whole file of the group that ends with this block, and compares its checksums; `None` if absent.
    ///
    /// `store_corrupt` if a checksum does not match.
    pub fn read_checked(&self, last: u64) -> Result<Option<Bytes>> {
        match read_whole(self, last) {
            Ok((_, _, bytes)) => Ok(Some(bytes)),
            // This is rare, so a second read is acceptable.
            Err(_) if self.read(&file_name(last))?.is_none() => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Writes a manifest that keeps only the blocks of this file. Earlier files are there only because its tree has
    /// nodes in them.
    pub fn keep_only(&self, name: &str, blocks_per_file: u64) -> Result<()> {
        let last = last_block(name).ok_or_else(|| missing(name))?;
        let (header, newest_header) = read_header(self, last)?;
        let oldest = header.first;
        self.write_manifest(&Manifest { blocks_per_file, oldest, newest: last, newest_header })
    }
}

fn check_name(name: &str) -> Result<()> {
    if last_block(name).is_some() {
        return Ok(());
    }
    let expected = "the name of a file of blocks";
    Err(Error::new(Reason::InvalidArgument, expected, "another"))
}
