//! The part of the newest state that stays in memory, so that blocks do not read it from the store.

use alloc::vec;
use alloc::vec::Vec;

use super::current_leaves::CurrentLeaves;
use super::key_head_cache::KeyHeadCache;
use super::record::AmtRecord;
use crate::proof::KEY_SLOTS;
use prooflight_core::Hash;

/// The parts of the newest state near the root that blocks have read or written.
#[derive(Debug)]
pub(super) struct StateCache {
    /// The owners' marks of each entry of the root AMT; `None` unless it is known to have no free slot.
    full: Vec<Option<OwnerMarks>>,
    /// The known AMTs at level 1.
    amts: Vec<Option<AmtRecord>>,
    pub(super) current: CurrentLeaves,
    pub(super) key_heads: KeyHeadCache,
}

/// A mark for each slot's owner: the end of its hash.
pub(super) type OwnerMarks = [u32; KEY_SLOTS as usize];

/// The marks of owners; `None` while there is a free slot.
pub(super) fn owner_marks(owners: &[Hash]) -> Option<OwnerMarks> {
    let owners: &[Hash; KEY_SLOTS as usize] = owners.try_into().ok()?;
    Some(owners.map(|owner| mark(&owner)))
}

fn mark(owner: &Hash) -> u32 {
    owner.last_chunk().map_or(0, |end| u32::from_be_bytes(*end))
}

impl StateCache {
    pub(super) fn new(log_n: u8) -> Self {
        let n = 1 << log_n;
        let (current, remembered) = (CurrentLeaves::default(), KeyHeadCache::default());
        Self { full: vec![None; n], amts: vec![None; n], current, key_heads: remembered }
    }

    /// Whether the entry of the root AMT at an index is known to have five owners, none of which is the key.
    pub(super) fn is_full_of_others(&self, index: u32, key: &Hash) -> bool {
        self.full[index as usize].is_some_and(|owners| !owners.contains(&mark(key)))
    }

    /// A known AMT below an index of the root AMT.
    pub(super) fn amt(&self, level: u8, index: u32) -> Option<AmtRecord> {
        if level == 1 { self.amts[index as usize] } else { None }
    }

    pub(super) fn adopt(&mut self, full: &[(u32, OwnerMarks)], amts: &[(u32, AmtRecord)]) {
        for &(index, owners) in full {
            self.full[index as usize] = Some(owners);
        }
        for &(index, amt) in amts {
            self.amts[index as usize] = Some(amt);
        }
    }
}
