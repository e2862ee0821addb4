//! Takes consecutive records from one read of a file.

use alloc::vec::Vec;

use prooflight_core::Result;

use super::nodes::NodeReader;
use super::record_location::RecordLocation;

/// Recently read bytes of a file, from which consecutive records are taken.
#[derive(Debug, Default)]
pub(super) struct RecordWindow {
    last: u64,
    start: u64,
    bytes: Vec<u8>,
}

/// The bytes that a window reads at once.
const WINDOW_BYTES: u64 = 16 << 10;

impl RecordWindow {
    /// Returns the record of a leaf, from the bytes read before if it is among them.
    pub(super) fn record(&mut self, nodes: &NodeReader, place: &RecordLocation) -> Result<&[u8]> {
        if !self.has(place) {
            self.bytes = nodes.read_record(place, WINDOW_BYTES)?;
            (self.last, self.start) = (place.last, place.at);
        }
        let rest = self.rest(place);
        let length = place.length(rest)?;
        rest.get(..length).ok_or_else(|| place.impossible())
    }

    /// Whether a whole record is among the bytes.
    fn has(&self, place: &RecordLocation) -> bool {
        let rest = self.rest(place);
        self.last == place.last && place.length(rest).is_ok_and(|length| length <= rest.len())
    }

    fn rest(&self, place: &RecordLocation) -> &[u8] {
        let offset = place.at.checked_sub(self.start).and_then(|it| usize::try_from(it).ok());
        offset.and_then(|offset| self.bytes.get(offset..)).unwrap_or_default()
    }
}
