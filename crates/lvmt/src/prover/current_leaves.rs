//! The current leaves: the newest of their key or AMT.
//!
//! The record of a key or an AMT names the place of its newest leaf, which is current until a block writes the
//! key or AMT again. An older copy of such a record names a place that is not current. The store keeps one bit for
//! each leaf, in parts of 4,096 bits. A block reads and writes only a few parts.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use prooflight_core::Result;
use prooflight_core::store::{ReadStore, WriteBatch};

use super::record::{corrupt, current_key, put, read};
use crate::proof::LeafPlace;

/// The number of leaves in a part.
const LEAVES_PER_PART: u32 = 4096;

/// The bits of a part, the first leaf in the lowest bit of the first byte; those after the last byte are 0.
type LeafBits = Vec<u8>;

/// Parts by block and by number in the block.
type LeafBitParts = BTreeMap<(u64, u32), LeafBits>;

/// A cache of recently changed parts.
#[derive(Debug, Default)]
pub(super) struct CurrentLeaves(LeafBitParts);

/// The largest number of cached parts: 8 MB.
const MAX_CACHED_PARTS: usize = 1 << 14;

impl CurrentLeaves {
    /// Checks that a place is current; otherwise `store_corrupt`, since the record that names it is an older copy.
    pub(super) fn check<S: ReadStore + ?Sized>(&self, store: &S, place: LeafPlace) -> Result<()> {
        let (name, bit) = locate(place);
        let is_current = match self.0.get(&name) {
            Some(bits) => has(bits, bit),
            None => has(&read_part(store, name)?, bit),
        };
        if is_current { Ok(()) } else { Err(older(place)) }
    }

    /// Adopts a block's changes.
    pub(super) fn adopt(&mut self, changed: ChangedLeaves) {
        for (name, bits) in changed.0 {
            if bits.is_empty() {
                self.0.remove(&name);
            } else {
                self.0.insert(name, bits);
            }
        }
        if self.0.len() > MAX_CACHED_PARTS {
            self.0.clear();
        }
    }
}

/// The parts that a block changes.
#[derive(Debug, Default)]
pub(super) struct ChangedLeaves(LeafBitParts);

impl ChangedLeaves {
    /// Replaces the leaf at a place by a newer one; `store_corrupt` if it is not current.
    pub(super) fn replace<S: ReadStore + ?Sized>(
        &mut self,
        store: &S,
        known: &CurrentLeaves,
        place: LeafPlace,
    ) -> Result<()> {
        let (name, bit) = locate(place);
        let bits = self.part(store, known, name)?;
        if !has(bits, bit) {
            return Err(older(place));
        }
        bits[bit / 8] ^= 1 << (bit % 8);
        Ok(())
    }

    /// Adds a block whose leaves are all current.
    pub(super) fn add_block(&mut self, block: u64, size: u32) {
        for (part, first) in (0..).zip((0..size).step_by(LEAVES_PER_PART as usize)) {
            let leaves = (size - first).min(LEAVES_PER_PART);
            let mut bits = alloc::vec![0xff; leaves.div_ceil(8) as usize];
            if let (Some(last), 1..) = (bits.last_mut(), leaves % 8) {
                *last = (1 << (leaves % 8)) - 1;
            }
            self.0.insert((block, part), bits);
        }
    }

    /// Writes the parts; deletes those without a current leaf.
    pub(super) fn put(&mut self, writes: &mut WriteBatch) {
        for ((block, part), bits) in &mut self.0 {
            bits.truncate(bits.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1));
            let key = current_key(*block, *part);
            if bits.is_empty() {
                writes.delete(key);
            } else {
                put(writes, key, bits.clone());
            }
        }
    }

    fn part<S: ReadStore + ?Sized>(
        &mut self,
        store: &S,
        known: &CurrentLeaves,
        name: (u64, u32),
    ) -> Result<&mut LeafBits> {
        use alloc::collections::btree_map::Entry;
        Ok(match self.0.entry(name) {
            Entry::Occupied(bits) => bits.into_mut(),
            Entry::Vacant(entry) => entry.insert(match known.0.get(&name) {
                Some(bits) => bits.clone(),
                None => read_part(store, name)?,
            }),
        })
    }
}

/// The part that covers a place, and the bit's number in that part.
const fn locate(place: LeafPlace) -> ((u64, u32), usize) {
    ((place.block, place.index / LEAVES_PER_PART), (place.index % LEAVES_PER_PART) as usize)
}

fn has(bits: &[u8], bit: usize) -> bool {
    bits.get(bit / 8).is_some_and(|byte| byte >> (bit % 8) & 1 == 1)
}

fn read_part<S: ReadStore + ?Sized>(store: &S, (block, part): (u64, u32)) -> Result<LeafBits> {
    Ok(read(store, &current_key(block, part))?.unwrap_or_default())
}

#[cold]
fn older(place: LeafPlace) -> prooflight_core::Error {
    corrupt(
        "the newest record of a key or an AMT",
        format_args!("one whose leaf, {} of block {}, is not current", place.index, place.block),
    )
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;
    use prooflight_core::store::{MemoryStore, Store};

    #[test]
    fn a_leaf_is_current_until_it_is_replaced() {
        let (mut store, mut known) = (MemoryStore::default(), CurrentLeaves::default());
        for (block, size) in [(0, 1), (1, 8), (2, 4096), (3, 4097), (4, 9000)] {
            let mut changed = ChangedLeaves::default();
            changed.add_block(block, size);
            let mut writes = WriteBatch::new();
            changed.put(&mut writes);
            store.write(writes).unwrap();
            if block % 2 == 0 {
                known.adopt(changed);
            }
            let last = LeafPlace { block, index: size - 1 };
            for known in [&known, &CurrentLeaves::default()] {
                known.check(&store, last).unwrap();
                assert!(known.check(&store, LeafPlace { index: size, ..last }).is_err());
            }
            let mut changed = ChangedLeaves::default();
            for index in 0..size {
                changed.replace(&store, &known, LeafPlace { block, index }).unwrap();
            }
            assert!(changed.replace(&store, &known, last).is_err());
            let mut writes = WriteBatch::new();
            changed.put(&mut writes);
            store.write(writes).unwrap();
            known.adopt(changed);
            assert!(known.check(&store, last).is_err());
            assert!(store.get(&current_key(block, 0)).unwrap().is_none());
        }
    }
}
