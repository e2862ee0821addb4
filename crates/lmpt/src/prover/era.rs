//! Eras: a block's operations as entries, and the sums that end an era.

use alloc::vec::Vec;

use prooflight_core::chain::LmptConfig;
use prooflight_core::keccak256;
use prooflight_core::store::RawKeyChange;

use super::trie::Leaf;
use crate::leaf;

/// The sums of the current era.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct EraSums {
    pub(super) blocks: u64,
    pub(super) operations: u64,
    /// 64 bytes and the value's length for each operation.
    pub(super) bytes: u64,
}

impl EraSums {
    /// The sums after a block whose values have these lengths; that of a deletion is 0.
    pub(super) fn with(self, values: impl Iterator<Item = usize>) -> Self {
        let (mut operations, mut bytes) = (self.operations, self.bytes);
        for length in values {
            operations = operations.saturating_add(1);
            bytes = bytes.saturating_add(64).saturating_add(length as u64);
        }
        Self { blocks: self.blocks.saturating_add(1), operations, bytes }
    }

    /// The sums after a block of these entries.
    pub(super) fn with_entries(self, entries: &[Leaf]) -> Self {
        // A leaf begins with a tag.
        self.with(entries.iter().map(|(_, leaf)| leaf.len().saturating_sub(1)))
    }

    /// Whether the era ends with these sums.
    pub(super) fn end(self, eras: &LmptConfig) -> bool {
        self.blocks >= eras.era_blocks.into()
            || self.operations >= eras.era_ops.into()
            || self.bytes >= eras.era_bytes
    }
}

/// A block's operations by key hash, ascending; the last one of a key counts.
pub(super) fn entries(changes: &[RawKeyChange<'_>]) -> Vec<Leaf> {
    let entry =
        |change: &RawKeyChange<'_>| (keccak256(&[change.key]), leaf::encode(change.value).into());
    let mut entries: Vec<Leaf> = changes.iter().map(entry).collect();
    sort(&mut entries);
    entries
}

/// Sorts entries by key; the last one of a key stays.
pub(super) fn sort(entries: &mut Vec<Leaf>) {
    entries.reverse();
    entries.sort_by_key(|(key, _)| *key);
    entries.dedup_by_key(|(key, _)| *key);
}
