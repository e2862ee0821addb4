//! AVL+: keys are hashes of raw keys, operations go in ascending order of them.

use std::sync::Arc;

use prooflight_avl::{Operation, Params, PersistentAvlProver, prove_lookups_at, verify_batch};
use prooflight_core::chain::{ChainConfig, StateOperation, state_key};
use prooflight_core::store::Store;
use prooflight_core::{Limits, Result, Scheme};

use super::{Changes, NormalBlock, Prepared, SchemeProver, SchemeStore, namespace, other_changes};
use crate::store::EmbeddedSnapshot;

/// The AVL+ dictionary of a chain. Its revision 0 is empty; block h makes revision h + 1.
#[derive(Debug)]
pub struct AvlScheme<S> {
    prover: PersistentAvlProver<S>,
}

impl<S: Store> AvlScheme<S> {
    /// Opens the dictionary, or begins an empty one.
    pub fn open(store: S, config: &ChainConfig) -> Result<Self> {
        Ok(Self { prover: PersistentAvlProver::open(store, params(config))? })
    }
}

impl<S: Store + Send> SchemeStore for AvlScheme<S> {
    fn scheme(&self) -> Scheme {
        Scheme::Avl
    }

    fn height(&self) -> Option<u64> {
        self.prover.revision().checked_sub(1)
    }

    fn root(&self) -> Vec<u8> {
        self.prover.prover().digest().0.to_vec()
    }

    fn prepare<'a>(&self, block: &'a NormalBlock) -> Result<Prepared<'a>> {
        let mut prepared = self.prover.prepare(&batch(block))?;
        Ok(Prepared {
            root: prepared.proved.digest.0.to_vec(),
            transition: Some(core::mem::take(&mut prepared.proved.proof)),
            writes: prepared.take_writes(),
            changes: Changes::Avl(Box::new(prepared)),
        })
    }

    fn check_transition(&self, block: &NormalBlock, proof: &[u8]) -> Result<()> {
        let prover = self.prover.prover();
        verify_batch(&prover.digest(), &batch(block), proof, prover.params()).map(|_| ())
    }

    fn commit(&mut self, prepared: Prepared<'_>) -> Result<()> {
        let Changes::Avl(batch) = prepared.changes else { return Err(other_changes()) };
        self.prover.commit(*batch).map(|_| ())
    }

    fn prune(&mut self, oldest: u64) -> Result<()> {
        let revision = oldest + 1;
        if revision > self.prover.oldest_revision() { self.prover.prune(revision) } else { Ok(()) }
    }

    fn prover(&self) -> Arc<dyn SchemeProver> {
        Arc::new(AvlProofs { params: *self.prover.prover().params() })
    }
}

/// A block as the dictionary has it.
fn batch(block: &NormalBlock) -> Vec<Operation<'_>> {
    let operations = block.by_key_hash().into_iter().map(|(key, operation)| match operation {
        StateOperation::Set { value, .. } => Operation::InsertOrUpdate { key, value },
        StateOperation::Delete { .. } => Operation::RemoveIfExists { key },
    });
    operations.collect()
}

#[derive(Debug)]
struct AvlProofs {
    params: Params,
}

impl SchemeProver for AvlProofs {
    fn prove(
        &self,
        snapshot: &EmbeddedSnapshot,
        height: u64,
        keys: &[&[u8]],
    ) -> Result<(Vec<u8>, Vec<u8>)> {
        let snapshot = namespace(snapshot.clone(), Scheme::Avl);
        let hashes: Vec<_> = keys.iter().map(|key| state_key(key)).collect();
        let hashes: Vec<&[u8]> = hashes.iter().map(|hash| &hash[..]).collect();
        let proved = prove_lookups_at(&snapshot, &self.params, height + 1, &hashes)?;
        Ok((proved.digest.0.to_vec(), proved.proof))
    }
}

/// Keys of 32 bytes and variable values, as large and as many as the chain's limits allow.
fn params(config: &ChainConfig) -> Params {
    let most = |limit: u32| usize::try_from(limit).unwrap_or(usize::MAX);
    let params = Params::new(32, None).with_max_operations(most(config.limits.max_ops));
    let limits = Limits { max_value_bytes: most(config.limits.max_value), ..params.limits };
    Params { limits, ..params }
}
