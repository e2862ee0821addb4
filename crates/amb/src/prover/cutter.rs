//! Where a page of a range is cut.

use alloc::vec::Vec;

/// How large a page may become before it is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageSize {
    /// The most entries that it opens, at least 1; those that answer nothing count, too. Default 4,096.
    pub entries: usize,
    /// Bytes of the proof after which it is cut. Default 2 MiB.
    pub bytes: usize,
}

impl Default for PageSize {
    fn default() -> Self {
        Self { entries: 4096, bytes: 2 << 20 }
    }
}

/// Decides where a page is cut, while its entries are written in the order of the answers.
pub(super) struct PageCutter {
    size: PageSize,
    is_reverse: bool,
    entries: usize,
    /// The key of the last entry that fits.
    last: Vec<u8>,
}

impl PageCutter {
    pub(super) const fn new(size: PageSize, is_reverse: bool) -> Self {
        Self { size, is_reverse, entries: 0, last: Vec::new() }
    }

    pub(super) const fn is_reverse(&self) -> bool {
        self.is_reverse
    }

    /// Adds an entry with which the proof has this many bytes; returns the cut before it if it does not fit.
    ///
    /// The first one always fits. A page is cut at the end of its last key: a reversed one at the key itself.
    pub(super) fn add(&mut self, key: &[u8], bytes: usize) -> Option<Vec<u8>> {
        if self.entries > 0 && (self.entries >= self.size.entries || bytes > self.size.bytes) {
            let end: &[u8] = if self.is_reverse { &[] } else { &[0] };
            return Some([&self.last, end].concat());
        }
        self.entries += 1;
        self.last.clear();
        self.last.extend_from_slice(key);
        None
    }
}
