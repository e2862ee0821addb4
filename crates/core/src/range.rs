//! The keys between two bounds, as schemes that keep the order of keys prove them.

use alloc::vec::Vec;

/// A part of a range, which is complete up to where it ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RangePage<'a, T> {
    /// The entries of the page: ascending by key, in a reversed range descending.
    pub entries: Vec<T>,
    /// Where the page is cut; `None` if it reaches the end of the range.
    ///
    /// The next page has this as its `lo`, in a reversed range as its `hi`.
    pub next: Option<&'a [u8]>,
    /// The number of entries that the proof shows within the page.
    ///
    /// Of a range these are `entries` and the keys that had no value at the block but were written or deleted later.
    pub opened: usize,
}

/// A key with its value, from a range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RangeEntry<'a> {
    /// The key.
    pub key: Vec<u8>,
    /// Its value.
    pub value: &'a [u8],
    /// The block that set it.
    pub since: u64,
}
