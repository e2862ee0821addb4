//! The messages about historical proofs, in borsh; `PastState` and `KeyHistory` are those of `answers`.
//!
//! ```text
//! struct Change { key: Vec<u8>, height: u64, value: Option<Vec<u8>> }
//! ```

use prooflight_core::{Hash, Limits};
use prooflight_smt::{Average, DiffEntry, ValueGap};

use crate::limits::history_limits;
use crate::wire::{ResponseValue, ResponseWriter, requests, responses};

requests! {
    /// The keys of a query at a block, and the block's root.
    struct SmtKeysRequest<'a> { root: Hash, height: u64, limits: Limits, keys: Vec<&'a [u8]>, }

    /// A key and a range of blocks.
    struct BlockRange<'a> { key: &'a [u8], from: u64, to: u64, limits: Limits = history_limits, }

    /// A range, and the roots that its history is verified against.
    struct SmtHistoryRequest<'a> { blocks: BlockRange<'a>, roots: Vec<(u64, Hash)>, }

    /// A history, and the time to average over.
    struct TwapRequest<'a> {
        history: SmtHistoryRequest<'a>,
        timestamps: Vec<(u64, u64)>,
        start: u64,
        end: u64,
    }

    /// A range of blocks, and the root of the last one.
    struct SmtDiffRequest { root: Hash, from: Option<u64>, to: u64, limits: Limits, }
}

responses! {
    extern struct Average { sum: [u8; 40], covered_ms: u64, gaps: Vec<ValueGap>, }
    extern struct ValueGap { from_ms: u64, to_ms: u64, }
}

/// A `Change`.
impl ResponseValue for DiffEntry<'_> {
    fn write(&self, response: &mut ResponseWriter) {
        response.write(self.key);
        response.write(&self.answer.changed_at().unwrap_or_default());
        response.write(&self.answer.value());
    }
}

/// Encodes an `Average`.
pub(crate) fn average(average: &Average) -> Vec<u8> {
    average.encode(64 + 16 * average.gaps.len())
}

/// Encodes `Vec<Change>`.
pub(crate) fn changes(changes: &[DiffEntry<'_>]) -> Vec<u8> {
    changes.encode(96 * changes.len())
}
