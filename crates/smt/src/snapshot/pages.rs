//! Reads snapshot files, which never change, and caches their pages.

use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

use bytes::Bytes;
use prooflight_core::Result;

use super::corrupt;
use super::files::{Files, file_name};
use super::recent::Recent;

const PAGE_BYTES: u64 = 4096;

/// Reads ranges of files page by page, and caches the recently used pages.
#[derive(Debug)]
pub(super) struct Pages {
    files: Files,
    /// By the last block of a file, and the number of the page.
    recent: Recent<(u64, u64), Bytes>,
}

impl Pages {
    pub(super) fn new(files: Files, cache_bytes: u64) -> Self {
        Self { files, recent: Recent::new(cache_bytes) }
    }

    pub(super) fn files(&self) -> &Files {
        &self.files
    }

    /// Reads a range of the file whose group ends with block `last`, truncated at the end of the file. Of a local
    /// folder it is not cached: its caller caches what is in it.
    pub(super) fn read_once(&self, last: u64, range: Range<u64>) -> Result<Vec<u8>> {
        if self.files.is_local() {
            self.files.read_open(last, range)
        } else {
            self.read(last, range)
        }
    }

    /// Reads a range of the file whose group ends with block `last`; `store_corrupt` if the file is
    /// too short.
    pub(super) fn read(&self, last: u64, range: Range<u64>) -> Result<Vec<u8>> {
        let length = range.end.saturating_sub(range.start).min(PAGE_BYTES);
        let mut bytes = Vec::with_capacity(usize::try_from(length).unwrap_or_default());
        self.extend(last, range, &mut bytes)?;
        Ok(bytes)
    }

    /// Like [`read`](Self::read), for a length known at compile time.
    pub(super) fn read_array<const N: usize>(&self, last: u64, at: u64) -> Result<[u8; N]> {
        let (number, offset) = (at / PAGE_BYTES, (at % PAGE_BYTES) as usize);
        let page = self.page(last, number)?;
        if let Some(array) = page.get(offset..).and_then(|rest| rest.first_chunk()) {
            return Ok(*array);
        }
        let bytes = self.read(last, at..at.saturating_add(N as u64))?;
        bytes.first_chunk().copied().ok_or_else(|| cut_off(last))
    }

    fn extend(&self, last: u64, range: Range<u64>, bytes: &mut Vec<u8>) -> Result<()> {
        let mut at = range.start;
        while at < range.end {
            let (number, offset) = (at / PAGE_BYTES, (at % PAGE_BYTES) as usize);
            let page = self.page(last, number)?;
            let rest = page.get(offset..).filter(|rest| !rest.is_empty());
            let rest = rest.ok_or_else(|| cut_off(last))?;
            let wanted = usize::try_from(range.end - at).unwrap_or(usize::MAX);
            let taken = &rest[..rest.len().min(wanted)];
            bytes.extend_from_slice(taken);
            at += taken.len() as u64;
        }
        Ok(())
    }

    fn page(&self, last: u64, number: u64) -> Result<Bytes> {
        let key = (last, number);
        if let Some(page) = self.recent.get(key) {
            return Ok(page);
        }
        // Read without a lock: other threads can use cached pages meanwhile.
        let start = number.saturating_mul(PAGE_BYTES);
        let range = start..start.saturating_add(PAGE_BYTES);
        let page = if self.files.is_local() {
            self.files.read_open(last, range)?.into()
        } else {
            self.files.read_range(&file_name(last), range)?
        };
        self.recent.insert(key, PAGE_BYTES, page.clone());
        Ok(page)
    }
}

#[cold]
fn cut_off(last: u64) -> prooflight_core::Error {
    let name: String = file_name(last);
    corrupt(&name, "the whole file", "one that is cut off")
}
