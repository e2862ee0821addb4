//! The finalized blocks that a client keeps, to detect another one of the same slot.

use alloc::vec::Vec;

use prooflight_core::Hash;

use crate::header::BeaconHeader;
use crate::message::UpdateKind;

/// The largest number of blocks: two periods of the public networks, with one finalized block per epoch.
pub(crate) const MAX_FINALIZED_BLOCKS: usize = 512;

/// The largest total size of kept updates.
const MAX_UPDATE_BYTES: usize = 1 << 20;

/// A finalized block.
#[derive(Clone, Debug)]
pub(crate) struct FinalizedBlock {
    pub(crate) slot: u64,
    pub(crate) root: Hash,
    /// The update that finalized it; `None` for a trusted block, and once the update is no longer kept.
    pub(crate) update: Option<(UpdateKind, Vec<u8>)>,
}

impl FinalizedBlock {
    /// A block that the caller trusts, or that an update finalizes.
    pub(crate) fn new(header: &BeaconHeader, update: Option<(UpdateKind, Vec<u8>)>) -> Self {
        Self { slot: header.slot, root: header.root(), update }
    }
}

/// The newest finalized blocks, ascending by slot.
#[derive(Clone, Debug)]
pub(crate) struct FinalizedBlocks(Vec<FinalizedBlock>);

impl FinalizedBlocks {
    /// `blocks` are in ascending order, and at most [`MAX_FINALIZED_BLOCKS`].
    pub(crate) const fn new(blocks: Vec<FinalizedBlock>) -> Self {
        Self(blocks)
    }

    /// The block of a slot.
    pub(crate) fn at(&self, slot: u64) -> Option<&FinalizedBlock> {
        self.search(slot).ok().and_then(|at| self.0.get(at))
    }

    /// The blocks before a slot.
    pub(crate) fn before(&self, slot: u64) -> impl Iterator<Item = &FinalizedBlock> {
        self.0.iter().take_while(move |block| block.slot < slot)
    }

    /// Adds a block; drops the oldest block, or the oldest updates, above the limits.
    pub(crate) fn insert(&mut self, block: FinalizedBlock) {
        match self.search(block.slot) {
            Ok(at) => {
                if let Some(known) = self.0.get_mut(at)
                    && known.update.is_none()
                {
                    known.update = block.update;
                }
            }
            Err(at) => self.0.insert(at, block),
        }
        if self.0.len() > MAX_FINALIZED_BLOCKS {
            self.0.remove(0);
        }
        let mut bytes = 0;
        for block in self.0.iter_mut().rev() {
            bytes += block.update.as_ref().map_or(0, |(_, ssz)| ssz.len());
            if bytes > MAX_UPDATE_BYTES {
                block.update = None;
            }
        }
    }

    fn search(&self, slot: u64) -> Result<usize, usize> {
        self.0.binary_search_by_key(&slot, |block| block.slot)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    fn block(slot: u64, bytes: usize) -> FinalizedBlock {
        FinalizedBlock { slot, root: [1; 32], update: Some((UpdateKind::Finality, vec![0; bytes])) }
    }

    #[test]
    fn the_oldest_blocks_are_forgotten() {
        let mut blocks = FinalizedBlocks::new(Vec::new());
        let most = MAX_FINALIZED_BLOCKS as u64;
        for slot in 1..=most {
            blocks.insert(block(slot, 1));
        }
        assert!(blocks.at(1).is_some());
        blocks.insert(block(most + 1, 1));
        assert!(blocks.at(1).is_none() && blocks.at(2).is_some());
        // A block older than all of them is not kept.
        blocks.insert(block(1, 1));
        assert!(blocks.at(1).is_none() && blocks.at(2).is_some() && blocks.at(most + 1).is_some());
        assert_eq!(blocks.before(u64::MAX).count(), MAX_FINALIZED_BLOCKS);
    }

    #[test]
    fn blocks_are_remembered_longer_than_their_updates() {
        let mut blocks = FinalizedBlocks::new(Vec::new());
        for slot in [3, 1, 2] {
            blocks.insert(block(slot, MAX_UPDATE_BYTES / 2));
        }
        let has_update = |slot| blocks.at(slot).map(|block| block.update.is_some());
        assert_eq!([1, 2, 3].map(has_update), [Some(false), Some(true), Some(true)]);
        // The first update of a block stays.
        blocks.insert(block(3, 1));
        let (_, ssz) = blocks.at(3).and_then(|block| block.update.as_ref()).unwrap();
        assert_eq!(ssz.len(), MAX_UPDATE_BYTES / 2);
    }
}
