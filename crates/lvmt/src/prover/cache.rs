//! What is kept in memory of the newest state, so that blocks need not read it.

use alloc::vec;
use alloc::vec::Vec;

use super::record::AmtRecord;

/// What has been met of the newest state near the root.
#[derive(Debug)]
pub(super) struct Cache {
    /// Whether an entry of the root AMT is known to have no free slot.
    full: Vec<bool>,
    /// The AMTs at level 1 that are known.
    amts: Vec<Option<AmtRecord>>,
}

impl Cache {
    pub(super) fn new(log_n: u8) -> Self {
        let n = 1 << log_n;
        Self { full: vec![false; n], amts: vec![None; n] }
    }

    /// Whether the entry of the root AMT at an index is known to have no free slot.
    pub(super) fn is_full(&self, index: u32) -> bool {
        self.full[index as usize]
    }

    /// An AMT that is known, below an index of the root AMT.
    pub(super) fn amt(&self, level: u8, index: u32) -> Option<AmtRecord> {
        if level == 1 { self.amts[index as usize] } else { None }
    }

    pub(super) fn take_over(&mut self, full: &[u32], amts: &[(u32, AmtRecord)]) {
        for &index in full {
            self.full[index as usize] = true;
        }
        for &(index, amt) in amts {
            self.amts[index as usize] = Some(amt);
        }
    }
}
