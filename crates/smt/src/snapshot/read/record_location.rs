//! Where the record of a leaf is in a file.

use core::ops::Range;

use prooflight_core::store::RawKeyChange;
use prooflight_core::{Error, Result};

use crate::snapshot::format::header::HEADER_BYTES;
use crate::snapshot::format::record;
use crate::snapshot::format::{NodeRef, corrupt, file_name};

/// The location of a leaf's record.
#[derive(Clone, Copy, Debug)]
pub(super) struct RecordLocation {
    pub(super) node: NodeRef,
    /// The last block of its file.
    pub(super) last: u64,
    /// Where the record begins.
    pub(super) at: u64,
    /// Where the records of the file end.
    pub(super) end: u64,
}

impl RecordLocation {
    /// The length of the record at the start of `bytes`.
    pub(super) fn length(&self, bytes: &[u8]) -> Result<usize> {
        let head = bytes.first_chunk().ok_or_else(|| self.impossible())?;
        Ok(record::lengths(*head).0)
    }

    /// The bytes of the file that a record of this length takes.
    pub(super) fn range(&self, length: usize) -> Result<Range<u64>> {
        let end = self.at.checked_add(length as u64).filter(|end| *end <= self.end);
        let end = end.filter(|_| self.at >= HEADER_BYTES as u64);
        Ok(self.at..end.ok_or_else(|| self.impossible())?)
    }

    /// Decodes the record.
    pub(super) fn change<'r>(&self, record: &'r [u8]) -> Result<RawKeyChange<'r>> {
        record::read(record).map(|(change, _)| change).ok_or_else(|| self.impossible())
    }

    #[cold]
    pub(super) fn impossible(&self) -> Error {
        impossible(self.last, "place of a record")
    }
}

#[cold]
pub(super) fn impossible(last: u64, what: &str) -> Error {
    corrupt(&file_name(last), format_args!("a possible {what}"), "another one")
}
