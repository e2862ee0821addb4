//! LVMT: values of raw keys with their versions, in the embedded store.

use std::collections::VecDeque;
use std::sync::{Arc, PoisonError, RwLock};

use prooflight_core::chain::{ChainConfig, StateOperation};
use prooflight_core::store::Store;
use prooflight_core::{Error, Reason, Result, Scheme};
use prooflight_lvmt::{Change, LvmtStore, StoreParams, prove_at};

use super::{
    Changes, NormalBlock, Place, Prepared, SchemeProver, SchemeStore, namespace, other_changes,
    setup,
};
use crate::store::EmbeddedSnapshot;

/// The keys of a chain.
#[derive(Debug)]
pub struct LvmtScheme<S> {
    store: LvmtStore<S>,
}

impl<S: Store + Sync> LvmtScheme<S> {
    /// Opens the keys, or begins without any; `unknown_setup` if this build lacks the chain's setup.
    pub fn open(store: S, config: &ChainConfig, place: Place<'_>) -> Result<Self> {
        let Some(lvmt) = config.lvmt() else {
            let expected = "the parameters of lvmt in the chain's configuration";
            return Err(Error::new(Reason::InvalidConfig, expected, "none"));
        };
        let (tables, log_arity) = (Arc::new(setup::tables(&lvmt, place)?), lvmt.log_arity);
        let params = StoreParams { tables, log_arity, shard: place.options.proof_shard.0 };
        Ok(Self { store: LvmtStore::open(store, params)? })
    }
}

impl<S: Store + Send + Sync> SchemeStore for LvmtScheme<S> {
    fn scheme(&self) -> Scheme {
        Scheme::Lvmt
    }

    fn height(&self) -> Option<u64> {
        self.store.height()
    }

    fn root(&self) -> Vec<u8> {
        self.store.root().to_vec()
    }

    fn prepare<'a>(&self, block: &'a NormalBlock) -> Result<Prepared<'a>> {
        let changes: Vec<_> = block.operations().iter().map(change).collect();
        let mut prepared = self.store.prepare(&changes)?;
        Ok(Prepared {
            root: prepared.root.to_vec(),
            transition: None,
            writes: core::mem::take(&mut prepared.writes),
            changes: Changes::Lvmt(Box::new(prepared)),
        })
    }

    fn commit(&mut self, prepared: Prepared<'_>) -> Result<()> {
        let Changes::Lvmt(block) = prepared.changes else { return Err(other_changes()) };
        self.store.commit(*block)?;
        match self.height() {
            Some(height) if height.is_multiple_of(UNDOABLE) => {
                self.prune(height.saturating_sub(UNDOABLE))
            }
            _ => Ok(()),
        }
    }

    fn prune(&mut self, oldest: u64) -> Result<()> {
        let is_newer = self.store.oldest().is_some_and(|kept| oldest > kept);
        if is_newer { self.store.prune(oldest) } else { Ok(()) }
    }

    fn prover(&self) -> Arc<dyn SchemeProver> {
        let params = self.store.params().clone();
        Arc::new(LvmtProofs { params, recent: RwLock::default() })
    }
}

fn change(operation: &StateOperation) -> Change<'_> {
    match operation {
        StateOperation::Set { key, value } => Change::Set { key, value },
        StateOperation::Delete { key } => Change::Delete { key },
    }
}

/// For so many blocks at least what undoes them is kept; the state itself has no older versions.
const UNDOABLE: u64 = 64;

/// For how many blocks before the newest proofs are made: so long a client may take from one question
/// to the next.
const RECENT: usize = 16;

/// Proves the state of a snapshot after its newest block.
#[derive(Debug)]
struct LvmtProofs {
    params: StoreParams,
    /// The newest snapshots with their heights, ascending.
    recent: RwLock<VecDeque<(u64, EmbeddedSnapshot)>>,
}

impl SchemeProver for LvmtProofs {
    fn prove(
        &self,
        snapshot: &EmbeddedSnapshot,
        height: u64,
        keys: &[&[u8]],
    ) -> Result<(Vec<u8>, Vec<u8>)> {
        let kept = {
            let recent = self.recent.read().unwrap_or_else(PoisonError::into_inner);
            recent.iter().find(|(at, _)| *at == height).map(|(_, snapshot)| snapshot.clone())
        };
        let snapshot = namespace(kept.unwrap_or_else(|| snapshot.clone()), Scheme::Lvmt);
        let proved = prove_at(&snapshot, &self.params, height, keys)?;
        Ok((proved.root.to_vec(), proved.proof))
    }

    fn published(&self, snapshot: &EmbeddedSnapshot, height: u64) {
        let mut recent = self.recent.write().unwrap_or_else(PoisonError::into_inner);
        recent.push_back((height, snapshot.clone()));
        if recent.len() > RECENT {
            recent.pop_front();
        }
    }
}
