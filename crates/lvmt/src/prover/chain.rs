//! The LVMT state of a chain: the newest in the store, and recent ones in snapshots of it.

use alloc::collections::VecDeque;
use alloc::sync::Arc;
use alloc::vec::Vec;

use prooflight_core::statement::Statement;
use prooflight_core::store::{
    Prepared, RawKeyChange, ReadStore, StateProof, StateReader, StateStore, Store,
};
use prooflight_core::{Error, Reason, Result, Scheme};

use super::params::StoreParams;
use super::prepare::PreparedBlock;
use super::prove::{StateChecks, prove};
use super::store::LvmtStore;

/// The number of recent blocks whose states can be proved, so that a client can send further queries about the head
/// that it has just verified.
pub const RECENT_STATES: usize = 16;

/// The number of blocks between two collections of replaced leaves.
const PRUNE_INTERVAL_BLOCKS: u64 = 64;

/// The LVMT state of a chain.
///
/// Only the newest state is in the store. For the last [`RECENT_STATES`] blocks with a reader, a snapshot is kept.
#[derive(Debug)]
pub struct LvmtState<S: Store> {
    store: LvmtStore<S>,
    /// Ascending by height.
    recent: VecDeque<(u64, Arc<RecentState<S::Snapshot>>)>,
}

/// A state that can be proved.
#[derive(Debug)]
struct RecentState<R> {
    snapshot: R,
    checks: StateChecks,
}

impl<S: Store + Sync> StateStore for LvmtState<S> {
    type Source = S;
    type Params = StoreParams;
    type Next = PreparedBlock;
    type Reader = LvmtReader<S::Snapshot>;

    fn open(source: S, params: StoreParams) -> Result<Self> {
        Ok(Self { store: LvmtStore::open(source, params)?, recent: VecDeque::new() })
    }

    fn height(&self) -> Option<u64> {
        self.store.height()
    }

    fn root(&self) -> Vec<u8> {
        self.store.root().to_vec()
    }

    fn prepare(&self, changes: &[RawKeyChange<'_>]) -> Result<Prepared<PreparedBlock>> {
        let mut next = self.store.prepare(changes)?;
        let writes = core::mem::take(&mut next.writes);
        Ok(Prepared { root: next.root.to_vec(), writes, transition: None, next })
    }

    fn commit(&mut self, next: PreparedBlock) -> Result<()> {
        self.store.commit(next)?;
        match self.height() {
            Some(height) if height.is_multiple_of(PRUNE_INTERVAL_BLOCKS) => self.prune(height),
            _ => Ok(()),
        }
    }

    fn prune(&mut self, oldest: u64) -> Result<()> {
        let is_newer = self.store.oldest().is_some_and(|given_up| oldest > given_up);
        if is_newer { self.store.prune(oldest) } else { Ok(()) }
    }

    fn reader(&mut self) -> Result<Self::Reader> {
        if let Some(height) = self.height() {
            self.store.catch_up()?;
            self.recent.retain(|(at, _)| *at != height);
            let (snapshot, known) = (self.store.snapshot()?, self.store.state_checks());
            self.recent.push_back((height, Arc::new(RecentState { snapshot, checks: known })));
            if self.recent.len() > RECENT_STATES {
                self.recent.pop_front();
            }
        }
        let states = self.recent.iter().cloned().collect();
        Ok(LvmtReader { params: self.store.params().clone(), states })
    }
}

/// Proves the newest LVMT state of a chain and recent ones.
#[derive(Debug)]
pub struct LvmtReader<R> {
    params: StoreParams,
    /// Ascending by height.
    states: Vec<(u64, Arc<RecentState<R>>)>,
}

impl<R: ReadStore> StateReader for LvmtReader<R> {
    fn prove(&self, statement: &Statement<'_>) -> Result<StateProof> {
        let Statement::Keys { height, keys } = *statement else {
            return Err(statement.unknown_to(Scheme::Lvmt));
        };
        let state = self.states.iter().find(|(at, _)| *at == height);
        let (_, state) = state.ok_or_else(|| self.not_kept(height))?;
        let proved = prove(&state.snapshot, &self.params, height, keys, Some(&state.checks))?;
        Ok(StateProof::at(height, proved.root, proved.proof))
    }
}

impl<R> LvmtReader<R> {
    #[cold]
    fn not_kept(&self, height: u64) -> Error {
        match (self.states.first(), self.states.last()) {
            (Some((oldest, _)), Some((newest, _))) => {
                let expected = format_args!("a block of {oldest} to {newest}");
                Error::new(Reason::VersionUnavailable, expected, height)
            }
            _ => Error::new(Reason::VersionUnavailable, "a first block", height),
        }
    }
}
