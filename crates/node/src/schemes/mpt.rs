//! Merkle Patricia tries of Ethereum's shape: accounts, and the slots of each.

use std::sync::Arc;

use prooflight_core::chain::ChainConfig;
use prooflight_core::store::{Read, Store};
use prooflight_core::{Error, Reason, Result, Scheme};
use prooflight_mpt::{Address, PersistentState, ProvedAccount, Word, prove_state_at};

use super::{
    Changes, NormalBlock, Prepared, SchemeProver, SchemeStore, namespace, not_kept, other_changes,
};
use crate::accounts;
use crate::store::EmbeddedSnapshot;

/// The accounts of a chain. Revision 0 is empty; block h makes revision h + 1.
#[derive(Debug)]
pub struct MptScheme<S> {
    state: PersistentState<S>,
}

impl<S: Store> MptScheme<S> {
    /// Opens the accounts, or begins without any.
    pub fn open(store: S) -> Result<Self> {
        Ok(Self { state: PersistentState::open(store)? })
    }
}

impl<S: Store + Send> SchemeStore for MptScheme<S> {
    fn scheme(&self) -> Scheme {
        Scheme::Mpt
    }

    fn height(&self) -> Option<u64> {
        self.state.revision().checked_sub(1)
    }

    fn root(&self) -> Vec<u8> {
        self.state.root().to_vec()
    }

    fn prepare<'a>(&self, block: &'a NormalBlock) -> Result<Prepared<'a>> {
        let changes =
            block.operations().iter().map(accounts::change).collect::<Result<Vec<_>>>()?;
        let mut prepared = self.state.prepare(&changes)?;
        Ok(Prepared {
            root: prepared.root().to_vec(),
            transition: None,
            writes: prepared.take_writes(),
            changes: Changes::Mpt(prepared),
        })
    }

    fn commit(&mut self, prepared: Prepared<'_>) -> Result<()> {
        let Changes::Mpt(changes) = prepared.changes else { return Err(other_changes()) };
        self.state.commit(&changes).map(|_| ())
    }

    fn prune(&mut self, oldest: u64) -> Result<()> {
        let revision = oldest + 1;
        if revision > self.state.oldest_revision() { self.state.prune(revision) } else { Ok(()) }
    }

    fn prover(&self) -> Arc<dyn SchemeProver> {
        Arc::new(NoKeys)
    }
}

/// Proofs of accounts are not of raw keys.
#[derive(Debug)]
struct NoKeys;

impl SchemeProver for NoKeys {
    fn prove(&self, _: &EmbeddedSnapshot, _: u64, _: &[&[u8]]) -> Result<(Vec<u8>, Vec<u8>)> {
        Err(Error::new(Reason::UnknownStatement, "eth_getProof for the scheme mpt", "raw keys"))
    }
}

/// Proves an account and slots of it after block `height`.
///
/// `unknown_statement` if the chain has no accounts, `version_unavailable` if that state is no longer
/// kept.
pub fn prove_account<R: Read + Clone>(
    snapshot: &R,
    config: &ChainConfig,
    height: u64,
    address: &Address,
    slots: &[Word],
) -> Result<ProvedAccount> {
    if !accounts::has_accounts(config) {
        return Err(not_kept(Scheme::Mpt));
    }
    prove_state_at(&namespace(snapshot.clone(), Scheme::Mpt), height + 1, address, slots)
}
