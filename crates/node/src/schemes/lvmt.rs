//! LVMT: values of raw keys with their versions, in the embedded store.

use std::sync::Arc;

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
        let Some(lvmt) = &config.lvmt else {
            let expected = "the parameters of lvmt in the chain's configuration";
            return Err(Error::new(Reason::InvalidConfig, expected, "none"));
        };
        let (tables, log_arity) = (Arc::new(setup::tables(lvmt, place)?), lvmt.log_arity);
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

    fn check_transition(&self, _: &NormalBlock, _: &[u8]) -> Result<()> {
        Err(Error::new(Reason::InvalidBlock, "no transition of lvmt", "one"))
    }

    fn commit(&mut self, prepared: Prepared<'_>) -> Result<()> {
        let Changes::Lvmt(block) = prepared.changes else { return Err(other_changes()) };
        self.store.commit(*block).map(|_| ())
    }

    fn prune(&mut self, oldest: u64) -> Result<()> {
        let is_newer = self.store.oldest().is_some_and(|kept| oldest > kept);
        if is_newer { self.store.prune(oldest) } else { Ok(()) }
    }

    fn prover(&self) -> Arc<dyn SchemeProver> {
        Arc::new(LvmtProofs { params: self.store.params().clone() })
    }
}

fn change(operation: &StateOperation) -> Change<'_> {
    match operation {
        StateOperation::Set { key, value } => Change::Set { key, value },
        StateOperation::Delete { key } => Change::Delete { key },
    }
}

/// Proves the newest state of a snapshot; older ones are no longer kept.
#[derive(Debug)]
struct LvmtProofs {
    params: StoreParams,
}

impl SchemeProver for LvmtProofs {
    fn prove(
        &self,
        snapshot: &EmbeddedSnapshot,
        height: u64,
        keys: &[&[u8]],
    ) -> Result<(Vec<u8>, Vec<u8>)> {
        let snapshot = namespace(snapshot.clone(), Scheme::Lvmt);
        let proved = prove_at(&snapshot, &self.params, height, keys)?;
        Ok((proved.root.to_vec(), proved.proof))
    }
}
