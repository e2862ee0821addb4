//! States of keys over time, and the keys between two bounds, in borsh.
//!
//! ```text
//! enum   PastState    { Present { since: u64, value: Vec<u8> }, Deleted { deleted_at: u64 }, NeverWritten }
//! struct RangePage<T> { entries: Vec<T>, next: Option<Vec<u8>>, opened: u32 }
//! ```

use prooflight_core::{KeyHistory, PastState, RangeEntry, RangePage};

use crate::wire::{ResponseValue, ResponseWriter, responses};

responses! {
    extern struct KeyHistory<'a> { entering: Option<PastState<'a>>, changes: Vec<PastState<'a>>, }

    extern struct RangeEntry<'a> { key: Vec<u8>, value: &'a [u8], since: u64, }
}

impl ResponseValue for PastState<'_> {
    fn write(&self, response: &mut ResponseWriter) {
        match self {
            Self::Present { value, since } => {
                response.byte(0);
                response.write(since);
                response.write(value);
            }
            Self::Deleted { deleted_at } => {
                response.byte(1);
                response.write(deleted_at);
            }
            Self::NeverWritten => response.byte(2),
        }
    }
}

impl<T: ResponseValue> ResponseValue for RangePage<'_, T> {
    fn write(&self, response: &mut ResponseWriter) {
        response.write(&self.entries);
        response.write(&self.next);
        response.write(&self.opened);
    }
}

/// Encodes a `KeyHistory`.
pub(crate) fn history(history: &KeyHistory<'_>) -> Vec<u8> {
    history.encode(64 + 48 * history.changes.len())
}

/// Encodes `RangePage<RangeEntry>`.
pub(crate) fn entries(page: &RangePage<'_, RangeEntry<'_>>) -> Vec<u8> {
    let bytes = page.entries.iter().map(|entry| 16 + entry.key.len() + entry.value.len());
    page.encode(512 + bytes.sum::<usize>())
}
