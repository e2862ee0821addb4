//! The layers of a chain in their store: blocks, values, proofs.

use alloc::sync::Arc;
use alloc::vec::Vec;

use prooflight_core::chain::LmptConfig;
use prooflight_core::statement::Statement;
use prooflight_core::store::{
    Prepared, RawKeyChange, ReadStore, StateProof, StateReader, StateStore, Store, WriteBatch,
    corrupt,
};
use prooflight_core::{Error, Reason, Result, Scheme, keccak256};
use prooflight_mpt::TrieRoot;

use super::era::{EraSums, entries};
use super::merge::{EraMerger, MERGE_PART_KEYS, finished_merge, put_flat};
use super::record::{
    EraSnapshot, FixedParams, NEWEST_KEY, NewestBlock, OLDEST_KEY, PARAMS_KEY, StoreRecord,
    block_key, encode_block, era_key, flat_key, snapshot_key,
};
use super::replay::{ReplayCache, replay};
use super::trie::{LayerTrie, Leaf};
use super::version::{RECENT_BLOCKS, StateVersion, VersionQueue, trim, value_of};
use crate::{EMPTY_ROOTS, LayerRoots};

/// The parameters of a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LmptParams {
    /// The eras of the chain.
    pub eras: LmptConfig,
    /// Whether the store keeps a flat copy of the values, for [`LmptState::get`].
    ///
    /// The copy has no hashes, so damage to it goes unnoticed; proofs do not read it.
    pub is_flat: bool,
    /// Whether blocks that are no longer in memory are replayed to be proved.
    pub replays: bool,
    /// The most keys of a merge that are written in one batch, at least 1.
    pub part_keys: usize,
}

impl LmptParams {
    /// The parameters of a chain's store; without a flat copy, and without replays.
    pub const fn new(eras: LmptConfig) -> Self {
        Self { eras, is_flat: false, replays: false, part_keys: MERGE_PART_KEYS }
    }
}

/// The layers of a chain in a store.
///
/// Delta and intermediate are in memory, and the snapshot in the store. An era's [`EraMerger`] makes the snapshot of
/// the next one; it must be done before [`prepare`](StateStore::prepare) meets the block that ends the era.
/// [`merge`](Self::merge) runs it on the calling thread, [`LmptMerging`](super::LmptMerging) on a thread.
#[derive(Debug)]
pub struct LmptState<S> {
    pub(super) store: S,
    pub(super) params: LmptParams,
    /// The newest states; empty before the first block.
    pub(super) versions: VersionQueue,
    /// The oldest kept era.
    pub(super) oldest: u64,
    pub(super) replays: Arc<ReplayCache>,
}

/// A block that has not been written yet.
#[derive(Debug)]
pub struct LmptBlock {
    before: Option<(u64, LayerRoots)>,
    version: StateVersion,
}

impl<S: Store> StateStore for LmptState<S> {
    type Source = S;
    type Params = LmptParams;
    type Next = LmptBlock;
    type Reader = LmptReader<S::Snapshot>;

    /// Opens the newest state, and replays the blocks of two eras.
    ///
    /// `invalid_config` for eras that no chain has, `invalid_argument` if the store was made with other parameters.
    fn open(store: S, params: LmptParams) -> Result<Self> {
        params.eras.check()?;
        let (versions, oldest) = open(&store, &params)?;
        Ok(Self { store, params, versions, oldest, replays: Arc::default() })
    }

    fn height(&self) -> Option<u64> {
        self.newest().map(|version| version.height)
    }

    fn root(&self) -> Vec<u8> {
        self.roots().encode().to_vec()
    }

    /// Computes the next block; `store_failed` if it ends an era whose merge is not done.
    fn prepare(&self, changes: &[RawKeyChange<'_>]) -> Result<Prepared<LmptBlock>> {
        let entries = entries(changes);
        let mut writes = WriteBatch::new();
        let version = match self.newest() {
            None => self.genesis(&entries, &mut writes)?,
            Some(newest) => self.next(newest, &entries, &mut writes)?,
        };
        let (height, era, roots) = (version.height, version.era, version.roots());
        NewestBlock { height, era, roots }.put(&mut writes, NEWEST_KEY.to_vec());
        // No replay begins before block 1.
        let entries = if height == 0 { &[] } else { &entries[..] };
        writes.put(block_key(height), encode_block(&roots, entries));
        let before = self.newest().map(|newest| (newest.height, newest.roots()));
        let (root, next) = (roots.encode().to_vec(), LmptBlock { before, version });
        Ok(Prepared { root, writes, transition: None, next })
    }

    fn commit(&mut self, next: LmptBlock) -> Result<()> {
        let newest = self.newest().map(|newest| (newest.height, newest.roots()));
        if next.before != newest {
            let height = |state: Option<(u64, LayerRoots)>| state.map(|(height, _)| height);
            return Err(Error::new(
                Reason::InvalidArgument,
                format_args!("a block prepared after {:?}", height(newest)),
                format_args!("one after {:?}, or after other roots", height(next.before)),
            ));
        }
        self.versions.push_back(Arc::new(next.version));
        trim(&mut self.versions, self.params.eras.era_ops.into());
        Ok(())
    }

    fn prune(&mut self, oldest: u64) -> Result<()> {
        self.forget_before(oldest)
    }

    fn reader(&mut self) -> Result<Self::Reader> {
        Ok(LmptReader {
            store: self.store.snapshot()?,
            versions: self.versions.clone(),
            replays: self.params.replays.then(|| self.replays.clone()),
        })
    }
}

impl<S: Store> LmptState<S> {
    /// The roots after the newest block.
    pub fn roots(&self) -> LayerRoots {
        self.newest().map_or(EMPTY_ROOTS, |version| version.roots())
    }

    /// The era of the newest block; `None` before the first block.
    pub fn era(&self) -> Option<u64> {
        self.newest().map(|version| version.era)
    }

    /// The newest value of a key, without a proof.
    pub fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>> {
        let Some(newest) = self.newest() else { return Ok(None) };
        if !self.params.is_flat {
            return newest.get(&self.store, key);
        }
        // The merge may have changed the flat value of a key, but then the intermediate trie has the
        // key too.
        let key = keccak256(&[key]);
        match newest.leaf_in_memory(&key) {
            Some(leaf) => value_of(leaf),
            None => self.store.get(&flat_key(&key)),
        }
    }

    /// Proves keys after one of the newest blocks; `version_unavailable` for any other.
    pub fn prove(&self, height: u64, keys: &[&[u8]]) -> Result<StateProof> {
        let version =
            find(&self.versions, height).ok_or_else(|| not_kept(&self.versions, height))?;
        prove(&self.store, &version, keys)
    }

    /// Writes the next block and then adopts it, all or nothing; returns the roots after it.
    ///
    /// It finishes the merge if the block ends an era.
    pub fn apply(&mut self, changes: &[RawKeyChange<'_>]) -> Result<LayerRoots> {
        if self.ends_era(changes) {
            self.merge()?;
        }
        let Prepared { writes, next, .. } = self.prepare(changes)?;
        self.store.write(writes)?;
        self.commit(next)?;
        Ok(self.roots())
    }

    /// Whether the next block ends an era if it has these changes.
    pub fn ends_era(&self, changes: &[RawKeyChange<'_>]) -> bool {
        self.newest().is_some_and(|newest| {
            let values = changes.iter().map(|change| change.value.map_or(0, <[u8]>::len));
            newest.sums.with(values).end(&self.params.eras)
        })
    }

    /// The merge of the current era, continued from its state in the store.
    ///
    /// `version_unavailable` before the first block.
    pub fn merger(&self) -> Result<EraMerger> {
        let Some(newest) = self.newest() else {
            return Err(Error::new(Reason::VersionUnavailable, "a first block", "none"));
        };
        let how = (self.params.part_keys, self.params.is_flat);
        EraMerger::open(&self.store, newest.era, &newest.intermediate, how)
    }

    /// Finishes the merge of the current era.
    pub fn merge(&mut self) -> Result<()> {
        let mut merger = self.merger()?;
        while let Some(part) = merger.next(&self.store)? {
            self.store.write(part)?;
        }
        Ok(())
    }

    /// The underlying store, to which a caller writes a prepared block.
    pub const fn store_mut(&mut self) -> &mut S {
        &mut self.store
    }

    /// Returns the underlying store.
    pub fn into_store(self) -> S {
        self.store
    }

    pub(super) fn newest(&self) -> Option<&Arc<StateVersion>> {
        self.versions.back()
    }

    fn genesis(&self, entries: &[Leaf], writes: &mut WriteBatch) -> Result<StateVersion> {
        let changes = entries.iter().map(|(key, leaf)| RawKeyChange::set(key, leaf));
        let snapshot = TrieRoot::EMPTY.change(&self.store, TrieRoot::FIRST_ID, changes)?;
        *writes = snapshot.writes;
        let (root, next_id) = (snapshot.root, snapshot.next_id);
        EraSnapshot { root, next_id, parts: 0 }.put(writes, snapshot_key(0));
        FixedParams { eras: self.params.eras, is_flat: self.params.is_flat }
            .put(writes, PARAMS_KEY.to_vec());
        0_u64.put(writes, OLDEST_KEY.to_vec());
        1_u64.put(writes, era_key(0));
        if self.params.is_flat {
            put_flat(writes, entries)?;
        }
        Ok(StateVersion {
            height: 0,
            era: 0,
            operations: entries.len() as u64,
            sums: EraSums::default(),
            snapshot: root,
            intermediate: LayerTrie::default(),
            delta: LayerTrie::default(),
        })
    }

    fn next(
        &self,
        newest: &StateVersion,
        entries: &[Leaf],
        writes: &mut WriteBatch,
    ) -> Result<StateVersion> {
        let (era, operations) = (newest.era, entries.len() as u64);
        let (height, sums) = (newest.height + 1, newest.sums.with_entries(entries));
        let delta = newest.delta.with(entries);
        if !sums.end(&self.params.eras) {
            let (snapshot, intermediate) = (newest.snapshot, newest.intermediate.clone());
            return Ok(StateVersion {
                height,
                era,
                operations,
                sums,
                snapshot,
                intermediate,
                delta,
            });
        }
        let snapshot = finished_merge(&self.store, era)?.root;
        (height + 1).put(writes, era_key(era + 1));
        Ok(StateVersion {
            height,
            era: era + 1,
            operations,
            sums: EraSums::default(),
            snapshot,
            intermediate: delta,
            delta: LayerTrie::default(),
        })
    }
}

/// The newest states in a store, and the oldest kept era.
fn open<S: ReadStore + ?Sized>(store: &S, params: &LmptParams) -> Result<(VersionQueue, u64)> {
    let made = FixedParams { eras: params.eras, is_flat: params.is_flat };
    match FixedParams::read(store, PARAMS_KEY)? {
        None => {
            return match store.range(&[], &[0xff]).next().transpose()? {
                Some(_) => Err(corrupt(FixedParams::NAME, "none")),
                None => Ok((VersionQueue::new(), 0)),
            };
        }
        Some(kept) if kept == made => {}
        Some(kept) => {
            let expected = format_args!("the parameters of the store, {kept:?}");
            return Err(Error::new(Reason::InvalidArgument, expected, format_args!("{made:?}")));
        }
    }
    let newest = NewestBlock::require(store, NEWEST_KEY, "")?;
    let oldest = u64::require(store, OLDEST_KEY, "era")?;
    let next = newest.height.saturating_add(1);
    if store.get(&block_key(next))?.is_some() {
        return Err(corrupt(format_args!("block {} as the newest", newest.height), next));
    }
    // The era before the oldest one is kept too, for its layers.
    let before = oldest.saturating_sub(1);
    u64::require(store, &era_key(before), before)?;
    EraSnapshot::require(store, &snapshot_key(oldest), oldest)?;
    let mut versions = replay(store, newest.era, newest.height, RECENT_BLOCKS as u64)?;
    trim(&mut versions, params.eras.era_ops.into());
    if let Some(version) = versions.back() {
        version.check(&newest.roots)?;
    }
    Ok((versions, oldest))
}

/// Proves the states of a chain as they are in a snapshot of its store.
#[derive(Debug)]
pub struct LmptReader<R> {
    store: R,
    /// The states in memory, ascending.
    versions: VersionQueue,
    replays: Option<Arc<ReplayCache>>,
}

impl<R: ReadStore> StateReader for LmptReader<R> {
    /// Proves keys after a block.
    ///
    /// A block that is no longer in memory is replayed if the store's parameters say so: then `busy` while another
    /// one is replayed.
    fn prove(&self, statement: &Statement<'_>) -> Result<StateProof> {
        let Statement::Keys { height, keys } = *statement else {
            return Err(statement.unknown_to(Scheme::Lmpt));
        };
        let version = match (find(&self.versions, height), &self.replays) {
            (Some(version), _) => version,
            (None, Some(replays)) if !self.versions.is_empty() => {
                replays.version(&self.store, height)?
            }
            (None, _) => return Err(not_kept(&self.versions, height)),
        };
        prove(&self.store, &version, keys)
    }
}

fn prove<R: ReadStore + ?Sized>(
    store: &R,
    version: &StateVersion,
    keys: &[&[u8]],
) -> Result<StateProof> {
    let proof = version.prove(store, keys)?;
    Ok(StateProof::at(version.height, version.roots().encode(), proof))
}

fn find(versions: &VersionQueue, height: u64) -> Option<Arc<StateVersion>> {
    let at = versions.binary_search_by_key(&height, |version| version.height).ok()?;
    versions.get(at).cloned()
}

#[cold]
fn not_kept(versions: &VersionQueue, height: u64) -> Error {
    match (versions.front(), versions.back()) {
        (Some(oldest), Some(newest)) => {
            let expected = format_args!("a block of {} to {}", oldest.height, newest.height);
            Error::new(Reason::VersionUnavailable, expected, height)
        }
        _ => Error::new(Reason::VersionUnavailable, "a first block", height),
    }
}
