//! States rebuilt from the blocks in the store.

use alloc::sync::Arc;
use alloc::vec::Vec;
use std::sync::{Mutex, MutexGuard, PoisonError};

use prooflight_core::store::{ReadStore, corrupt};
use prooflight_core::{Error, Reason, Result};

use super::era::{EraSums, sort};
use super::record::{
    EraSnapshot, NEWEST_KEY, NewestBlock, OLDEST_KEY, StoreRecord, block_key, decode_block,
    era_key, snapshot_key,
};
use super::trie::{LayerTrie, Leaf};
use super::version::{StateVersion, VersionQueue};
use crate::LayerRoots;

/// Rebuilds the states after block `height` of an era, and up to `count` - 1 before it in the era.
///
/// The era before makes the intermediate trie, and the era's own blocks the delta. Each state has the roots that
/// its block's record has, else `store_corrupt`.
pub(super) fn replay<S: ReadStore + ?Sized>(
    store: &S,
    era: u64,
    height: u64,
    count: u64,
) -> Result<VersionQueue> {
    let first = u64::require(store, &era_key(era), era)?;
    let Some(start) = first.checked_sub(1).filter(|start| *start <= height) else {
        return Err(corrupt(format_args!("an era {era} up to block {height}"), first));
    };
    let snapshot = EraSnapshot::require(store, &snapshot_key(era), era)?.root;
    snapshot.check(store)?;
    let mut intermediate = LayerBuilder::default();
    if let Some(before) = era.checked_sub(1) {
        for height in u64::require(store, &era_key(before), before)?..first {
            intermediate.add(read_block(store, height)?.1);
        }
    }
    let mut version = StateVersion {
        height: start,
        era,
        operations: 0,
        sums: EraSums::default(),
        snapshot,
        intermediate: intermediate.finish(),
        delta: LayerTrie::default(),
    };
    version.check(&read_block(store, start)?.0)?;
    let mut versions = VersionQueue::new();
    let from = height.saturating_sub(count.saturating_sub(1));
    if start >= from {
        versions.push_back(Arc::new(version.clone()));
    }
    let mut delta = LayerBuilder::default();
    for height in first..=height {
        let (roots, entries) = read_block(store, height)?;
        version.height = height;
        version.operations = entries.len() as u64;
        version.sums = version.sums.with_entries(&entries);
        delta.add(entries);
        if height >= from {
            version.delta = delta.finish();
            version.check(&roots)?;
            versions.push_back(Arc::new(version.clone()));
        }
    }
    Ok(versions)
}

fn read_block<S: ReadStore + ?Sized>(store: &S, height: u64) -> Result<(LayerRoots, Vec<Leaf>)> {
    let record = store.get(&block_key(height))?;
    let record = record.ok_or_else(|| corrupt(format_args!("block {height}"), "none"))?;
    decode_block(height, &record)
}

/// Builds a layer from many blocks: nodes are made for thousands of entries at once.
#[derive(Default)]
struct LayerBuilder {
    trie: LayerTrie,
    waiting: Vec<Leaf>,
}

/// The most pending entries.
const MAX_PENDING_ENTRIES: usize = 1 << 16;

impl LayerBuilder {
    fn add(&mut self, mut entries: Vec<Leaf>) {
        self.waiting.append(&mut entries);
        if self.waiting.len() >= MAX_PENDING_ENTRIES {
            self.finish();
        }
    }

    fn finish(&mut self) -> LayerTrie {
        sort(&mut self.waiting);
        self.trie = self.trie.with(&self.waiting);
        self.waiting.clear();
        self.trie.clone()
    }
}

/// Replays blocks that are no longer in memory, one at a time; the last results stay.
#[derive(Debug, Default)]
pub(super) struct ReplayCache {
    running: Mutex<()>,
    cached: Mutex<VersionQueue>,
}

/// The number of replayed states that stay in memory.
const MAX_CACHED_STATES: usize = 2;

impl ReplayCache {
    /// The state after a block; `busy` while another one is replayed, `version_unavailable` if the store does not
    /// keep it.
    pub(super) fn version<S: ReadStore + ?Sized>(
        &self,
        store: &S,
        height: u64,
    ) -> Result<Arc<StateVersion>> {
        let era = kept_era(store, height)?;
        if let Some(cached) = self.find(height) {
            return Ok(cached);
        }
        let Ok(running) = self.running.try_lock() else {
            let expected = "no other replay of an old block";
            return Err(Error::new(Reason::Busy, expected, "one that is under way"));
        };
        let version = match self.find(height) {
            Some(cached) => cached,
            None => replay(store, era, height, 1)?
                .pop_back()
                .ok_or_else(|| corrupt(format_args!("block {height}"), "none"))?,
        };
        let mut cached = self.cached();
        cached.retain(|cached| cached.height != height);
        cached.push_back(version.clone());
        if cached.len() > MAX_CACHED_STATES {
            cached.pop_front();
        }
        drop(running);
        Ok(version)
    }

    fn find(&self, height: u64) -> Option<Arc<StateVersion>> {
        self.cached().iter().find(|version| version.height == height).cloned()
    }

    fn cached(&self) -> MutexGuard<'_, VersionQueue> {
        self.cached.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The era whose layers block `height` shows; `version_unavailable` if the store does not keep it.
fn kept_era<S: ReadStore + ?Sized>(store: &S, height: u64) -> Result<u64> {
    let newest = NewestBlock::require(store, NEWEST_KEY, "")?;
    let oldest = u64::require(store, OLDEST_KEY, "era")?;
    let first = |era: u64| u64::require(store, &era_key(era), era);
    let start = first(oldest)?.saturating_sub(1);
    if !(start..=newest.height).contains(&height) {
        let expected = format_args!("a block of {start} to {}", newest.height);
        return Err(Error::new(Reason::VersionUnavailable, expected, height));
    }
    // The last era that begins after a block of at most this height.
    let (mut era, mut above) = (oldest, newest.era.saturating_add(1));
    while above - era > 1 {
        let middle = era + (above - era) / 2;
        if first(middle)? <= height.saturating_add(1) { era = middle } else { above = middle }
    }
    Ok(era)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;
    use crate::prover::{LmptParams, LmptState};
    use prooflight_core::chain::LmptConfig;
    use prooflight_core::store::{MemoryStore, RawKeyChange, StateStore};

    #[test]
    fn a_second_replay_is_busy_and_the_last_two_stay() {
        let eras = LmptConfig { era_blocks: 3, ..LmptConfig::default() };
        let mut state = LmptState::open(MemoryStore::default(), LmptParams::new(eras)).unwrap();
        for height in 0..10_u8 {
            state.apply(&[RawKeyChange::set(&[height], b"value")]).unwrap();
        }
        let store = state.into_store();
        let replays = ReplayCache::default();
        let reason = |height| replays.version(&store, height).err().map(|error| error.reason());
        for height in [4, 5, 6] {
            assert_eq!(replays.version(&store, height).unwrap().height, height);
        }
        let running = replays.running.lock().unwrap();
        assert_eq!([4, 5, 6].map(reason), [Some(Reason::Busy), None, None]);
        assert_eq!(reason(10), Some(Reason::VersionUnavailable));
        drop(running);
        assert_eq!(reason(4), None);
    }
}
