//! The records of the root AMT's tree state: one for each node and version slot.
//!
//! A new version of a key changes one slot of an entry, and so one of the six parts of each node above it.

use alloc::vec::Vec;

use prooflight_amt::{Point, SLOTS};
use prooflight_core::Result;

use super::record::{corrupt, sealed, tree_part_key};
use super::tree_shape::{EntryVersions, TreeShape};

/// A record to write, or the key of one to delete.
pub(super) type PartWrite = core::result::Result<(Vec<u8>, Vec<u8>), Vec<u8>>;

/// The number of parts of a node.
pub(super) const PARTS_PER_NODE: u32 = 6;
const _: () = assert!(PARTS_PER_NODE as usize == SLOTS);

/// The content of a node in one state.
pub(super) struct Node {
    /// Six points for each child but the last.
    pub(super) points: Vec<Point>,
    /// The versions of the entries below a node at the last level.
    pub(super) entries: Vec<EntryVersions>,
}

impl Node {
    /// The records of its parts that differ from another state, with the numbers of these parts.
    pub(super) fn changed_parts<'n>(
        &'n self,
        number: u32,
        before: &'n Self,
    ) -> impl Iterator<Item = (u32, PartWrite)> + 'n {
        let slots = (0..SLOTS).filter(|slot| self.differs(before, *slot));
        slots.map(move |slot| self.part(number, slot))
    }

    /// The records of all its parts, and their numbers.
    pub(super) fn parts(&self, number: u32) -> impl Iterator<Item = (u32, PartWrite)> + '_ {
        (0..SLOTS).map(move |slot| self.part(number, slot))
    }

    fn differs(&self, other: &Self, slot: usize) -> bool {
        !self.points_of(slot).eq(other.points_of(slot))
            || !self.versions_of(slot).eq(other.versions_of(slot))
    }

    fn part(&self, number: u32, slot: usize) -> (u32, PartWrite) {
        let number = PARTS_PER_NODE * number + slot as u32;
        let key = tree_part_key(number);
        // Parts of zeros are not kept, so that each state has one representation.
        let is_kept = self.points_of(slot).any(|point| *point != Point::ZERO)
            || self.versions_of(slot).any(|version| version != 0);
        (number, if is_kept { Ok(sealed(key, self.encode(slot))) } else { Err(key) })
    }

    fn encode(&self, slot: usize) -> Vec<u8> {
        let mut record = Vec::with_capacity(64 * self.points.len() / SLOTS + 64);
        for point in self.points_of(slot) {
            record.extend_from_slice(&point.to_coordinates());
        }
        let versions: Vec<_> = self.versions_of(slot).collect();
        encode_versions(&versions, &mut record);
        record
    }

    fn points_of(&self, slot: usize) -> impl Iterator<Item = &Point> {
        self.points.iter().skip(slot).step_by(SLOTS)
    }

    fn versions_of(&self, slot: usize) -> impl Iterator<Item = u64> + '_ {
        self.entries.iter().map(move |versions| versions.get(slot).copied().unwrap_or(0))
    }
}

/// A part of a node, from its record.
pub(super) struct NodePart {
    /// One for each child of the node but the last.
    pub(super) points: Vec<Point>,
    /// One for each entry below a node at the last level.
    pub(super) versions: Vec<u64>,
}

impl NodePart {
    pub(super) fn decode(shape: &TreeShape, node: u32, record: &[u8]) -> Result<Self> {
        let split = record.split_at_checked(64 * shape.points());
        let (points, versions) = split.ok_or_else(|| {
            let expected = format_args!("{} points of 64 bytes", shape.points());
            corrupt(expected, format_args!("{} bytes", record.len()))
        })?;
        let decode =
            |bytes| Point::from_coordinates(bytes).map_err(|e| corrupt(e.expected(), e.found()));
        let points: Result<_> = points.as_chunks().0.iter().map(decode).collect();
        let versions = decode_versions(versions, shape.entries(node).len())?;
        Ok(Self { points: points?, versions })
    }
}

/// Appends versions: the length in bytes of the largest one, then each in that length, big-endian. Nothing without
/// versions.
fn encode_versions(versions: &[u64], record: &mut Vec<u8>) {
    let Some(most) = versions.iter().max() else { return };
    let width = (u64::BITS - most.leading_zeros()).div_ceil(8);
    record.push(width as u8);
    for version in versions {
        record.extend_from_slice(&version.to_be_bytes()[8 - width as usize..]);
    }
}

/// Decodes this many versions.
fn decode_versions(record: &[u8], count: usize) -> Result<Vec<u64>> {
    let wrong =
        || corrupt(format_args!("{count} versions"), format_args!("{} bytes", record.len()));
    let Some((width, versions)) = record.split_first() else {
        return if count == 0 { Ok(Vec::new()) } else { Err(wrong()) };
    };
    let width = usize::from(*width);
    if count == 0 || width > 5 || versions.len() != count * width {
        return Err(wrong());
    }
    let version =
        |bytes: &[u8]| bytes.iter().fold(0, |version, byte| version << 8 | u64::from(*byte));
    Ok((0..count).map(|at| version(&versions[width * at..width * (at + 1)])).collect())
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;

    #[test]
    fn versions_take_as_many_bytes_as_the_longest() {
        for (largest, length) in [(0, 1), (255, 5), (256, 9), ((1 << 40) - 1, 21)] {
            let versions = [0, largest.min(1), largest, 0];
            let mut record = Vec::new();
            encode_versions(&versions, &mut record);
            assert_eq!(record.len(), length);
            assert_eq!(decode_versions(&record, 4).unwrap(), versions);
            for damaged in [&record[1..], &record[..length - 1], &[]] {
                assert!(decode_versions(damaged, 4).is_err(), "{damaged:?}");
            }
            assert!(decode_versions(&record, 0).is_err());
        }
        encode_versions(&[], &mut Vec::new());
        assert_eq!(decode_versions(&[], 0).unwrap(), []);
    }
}
