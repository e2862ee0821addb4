//! Reads snapshot files, which never change, and caches their pages.

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::ops::Range;

use bytes::Bytes;
use prooflight_core::Result;
use quick_cache::Weighter;
use quick_cache::sync::Cache;

use crate::snapshot::files::SnapshotFiles;
use crate::snapshot::format::{corrupt, failed, file_name};

/// The page size of local files.
const LOCAL_PAGE_BYTES: u64 = 4096;
/// The page size of remote files, where requests cost more than bytes; many files are shorter than
/// a page.
const REMOTE_PAGE_BYTES: u64 = 1 << 16;
/// The most pages in one request.
const MAX_PAGES_PER_READ: u64 = 16;
/// The memory that a cached page takes besides its bytes.
const PAGE_OVERHEAD_BYTES: u64 = 64;

/// Reads ranges of files page by page, and caches the recently used pages.
#[derive(Debug)]
pub(super) struct PageReader {
    files: SnapshotFiles,
    /// By the last block of a file, and the number of the page.
    recent: Arc<Cache<(u64, u64), Bytes, PageWeighter>>,
    page_bytes: u64,
    /// Whether pages that are not cached are read.
    reads_uncached: bool,
}

/// Weighs a page by its memory.
#[derive(Clone, Debug)]
struct PageWeighter;

impl Weighter<(u64, u64), Bytes> for PageWeighter {
    fn weight(&self, _: &(u64, u64), page: &Bytes) -> u64 {
        page.len() as u64 + PAGE_OVERHEAD_BYTES
    }
}

impl PageReader {
    pub(super) fn new(files: SnapshotFiles, cache_bytes: u64) -> Self {
        let page_bytes =
            if files.as_remote().is_some() { REMOTE_PAGE_BYTES } else { LOCAL_PAGE_BYTES };
        let pages = usize::try_from(cache_bytes / page_bytes).unwrap_or(usize::MAX);
        let recent = Arc::new(Cache::with_weighter(pages, cache_bytes, PageWeighter));
        Self { files, recent, page_bytes, reads_uncached: true }
    }

    /// The same pages, but only cached ones are returned; `store_failed` for others.
    pub(super) fn cached(&self) -> Self {
        let Self { files, recent, page_bytes, .. } = self;
        let (files, recent) = (files.clone(), recent.clone());
        Self { files, recent, page_bytes: *page_bytes, reads_uncached: false }
    }

    pub(super) fn files(&self) -> &SnapshotFiles {
        &self.files
    }

    /// Drops the pages of a damaged file, since the file may be written again.
    pub(super) fn forget(&self, last: u64) {
        self.files.forget(last);
        self.recent.retain(|(of, _), _| *of != last);
    }

    /// Reads a range of the file whose group ends with block `last`, truncated at the end of the file. A range of
    /// a local file is not cached: the caller caches what it decodes.
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
        let length = range.end.saturating_sub(range.start).min(self.page_bytes);
        let mut bytes = Vec::with_capacity(usize::try_from(length).unwrap_or_default());
        self.extend(last, range, &mut bytes)?;
        Ok(bytes)
    }

    /// Like [`read`](Self::read), for a length known at compile time.
    pub(super) fn read_array<const N: usize>(&self, last: u64, at: u64) -> Result<[u8; N]> {
        let (number, offset) = self.page_of(at);
        let page = self.page(last, number, number)?;
        if let Some(array) = page.get(offset..).and_then(|rest| rest.first_chunk()) {
            return Ok(*array);
        }
        let bytes = self.read(last, at..at.saturating_add(N as u64))?;
        bytes.first_chunk().copied().ok_or_else(|| self.cut_off(last))
    }

    /// The number of the page with this position, and the position in it.
    fn page_of(&self, at: u64) -> (u64, usize) {
        let offset = at % self.page_bytes;
        (at / self.page_bytes, usize::try_from(offset).unwrap_or(usize::MAX))
    }

    fn extend(&self, last: u64, range: Range<u64>, bytes: &mut Vec<u8>) -> Result<()> {
        let mut at = range.start;
        while at < range.end {
            let (number, offset) = self.page_of(at);
            let page = self.page(last, number, self.page_of(range.end - 1).0)?;
            let rest = page.get(offset..).filter(|rest| !rest.is_empty());
            let rest = rest.ok_or_else(|| self.cut_off(last))?;
            let wanted = usize::try_from(range.end - at).unwrap_or(usize::MAX);
            let taken = &rest[..rest.len().min(wanted)];
            bytes.extend_from_slice(taken);
            at += taken.len() as u64;
        }
        Ok(())
    }

    /// Returns a page. A remote read also fetches the pages after it, up to page `to`.
    fn page(&self, last: u64, number: u64, to: u64) -> Result<Bytes> {
        let key = (last, number);
        if !self.reads_uncached {
            let page = self.recent.get(&key);
            return page.ok_or_else(|| failed(&file_name(last), &"a page that is not cached"));
        }
        // One thread reads the page, others that need it wait for it.
        self.recent.get_or_insert_with(&key, || self.read_pages(last, number, to))
    }

    /// Reads whole pages with one request; caches all but the first, and returns that.
    fn read_pages(&self, last: u64, first: u64, to: u64) -> Result<Bytes> {
        let more = to.saturating_sub(first).min(MAX_PAGES_PER_READ - 1);
        let count = if self.files.as_remote().is_some() { more + 1 } else { 1 };
        let start = first.saturating_mul(self.page_bytes);
        let range = start..start.saturating_add(count.saturating_mul(self.page_bytes));
        if self.files.is_local() {
            return self.files.read_open(last, range).map(Bytes::from);
        }
        let bytes = self.files.read_range(&file_name(last), range)?;
        let length = usize::try_from(self.page_bytes).unwrap_or(usize::MAX);
        if bytes.len() <= length {
            return Ok(bytes);
        }
        // Copied, so that one cached page does not keep the whole reply in memory.
        let mut pages = bytes.chunks(length).map(Bytes::copy_from_slice);
        let page = pages.next().unwrap_or_default();
        for (number, page) in (first + 1..).zip(pages) {
            self.recent.insert((last, number), page);
        }
        Ok(page)
    }

    #[cold]
    fn cut_off(&self, last: u64) -> prooflight_core::Error {
        self.forget(last);
        corrupt(&file_name(last), "the whole file", "one that is cut off")
    }
}
