//! Deletes old states, and reverts new blocks.

use alloc::sync::Arc;

use prooflight_core::store::{Store, WriteBatch};
use prooflight_core::{Error, Reason, Result};

use super::chain::LmptState;
use super::merge::collect;
use super::record::{
    NEWEST_KEY, NewestBlock, OLDEST_KEY, StoreRecord, block_key, era_key, snapshot_key,
};
use super::replay::replay;

impl<S: Store> LmptState<S> {
    /// Deletes the records that only states before block `oldest` need, one batch per era.
    ///
    /// Merges delete the nodes of their snapshots, a part of them at a time; [`collect`](Self::collect) deletes all.
    pub(super) fn forget_before(&mut self, oldest: u64) -> Result<()> {
        let Some(newest) = self.newest().filter(|newest| oldest <= newest.height) else {
            let newest = self.newest().map(|newest| newest.height);
            let expected = format_args!("a block of at most {newest:?}");
            return Err(Error::new(Reason::VersionUnavailable, expected, oldest));
        };
        let newest_era = newest.era;
        while self.oldest < newest_era {
            let next = self.oldest + 1;
            let first = u64::require(&self.store, &era_key(next), next)?;
            if first > oldest.saturating_add(1) {
                break;
            }
            let mut writes = WriteBatch::new();
            // The blocks of the era that ends stay: they are the next one's intermediate trie.
            let start = u64::require(&self.store, &era_key(self.oldest), self.oldest)?;
            let forgotten = match self.oldest.checked_sub(1) {
                Some(before) => {
                    writes.delete(era_key(before));
                    u64::require(&self.store, &era_key(before), before)?..start
                }
                None => 0..start,
            };
            forgotten.for_each(|height| writes.delete(block_key(height)));
            writes.delete(snapshot_key(self.oldest));
            next.put(&mut writes, OLDEST_KEY.to_vec());
            self.store.write(writes)?;
            self.oldest = next;
        }
        self.versions.retain(|version| version.height >= oldest);
        Ok(())
    }

    /// Deletes the nodes that only forgotten snapshots have; [`prune`](prooflight_core::store::StateStore::prune)
    /// leaves them to the merges.
    pub fn collect(&mut self) -> Result<()> {
        if self.versions.is_empty() {
            return Ok(());
        }
        loop {
            let mut writes = WriteBatch::new();
            if !collect(&self.store, &mut writes, 1)? {
                return Ok(());
            }
            self.store.write(writes)?;
        }
    }

    /// Reverts the blocks after `height`, which must be in the current era.
    ///
    /// `version_unavailable` if `height` is before the block that ended the last era, or after the newest.
    pub fn roll_back(&mut self, height: u64) -> Result<()> {
        let Some(newest) = self.newest().cloned() else {
            return Err(Error::new(Reason::VersionUnavailable, "a first block", "none"));
        };
        let era = newest.era;
        let start = u64::require(&self.store, &era_key(era), era)?.saturating_sub(1);
        if !(start..=newest.height).contains(&height) {
            let expected = format_args!("a block of {start} to {}", newest.height);
            return Err(Error::new(Reason::VersionUnavailable, expected, height));
        }
        let mut versions = self.versions.clone();
        versions.retain(|version| version.height <= height);
        if versions.back().is_none_or(|version| version.height < height) {
            versions = replay(&self.store, era, height, 1)?;
        }
        let Some(version) = versions.back() else { return Ok(()) };
        let mut writes = WriteBatch::new();
        (height + 1..=newest.height).for_each(|height| writes.delete(block_key(height)));
        NewestBlock { height, era, roots: version.roots() }.put(&mut writes, NEWEST_KEY.to_vec());
        self.store.write(writes)?;
        self.versions = versions;
        // Earlier readers may still replay reverted blocks into the cache that they share.
        self.replays = Arc::default();
        Ok(())
    }
}
