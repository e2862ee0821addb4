//! The AVL+ state of a chain: the dictionary in a store, with one revision per block.

use std::path::Path;

use prooflight_core::chain::state_key;
use prooflight_core::statement::Statement;
use prooflight_core::store::{
    Prepared, RawKeyChange, ReadStore, StateProof, StateReader, StateStore, Store,
};
use prooflight_core::{Result, Scheme};

use super::lookup::prove_lookups_at;
use super::persistent::{PersistentAvlProver, PreparedBatch};
use super::revision_file::RevisionFile;
use crate::operation::Operation;
use crate::params::Params;

/// The AVL+ state of a chain. The state of every block stays in the store until it is pruned.
///
/// Revision 0 of the dictionary is empty; block h creates revision h + 1. Its keys are the hashes
/// of raw keys.
#[derive(Debug)]
pub struct AvlState<S> {
    dictionary: PersistentAvlProver<S>,
}

impl<S: Store> StateStore for AvlState<S> {
    type Source = S;
    /// The parameters from [`state_params`](crate::state::state_params).
    type Params = Params;
    type Next = PreparedBatch;
    type Reader = AvlReader<S::Snapshot>;

    fn open(source: S, params: Params) -> Result<Self> {
        Ok(Self { dictionary: PersistentAvlProver::open(source, params)? })
    }

    fn height(&self) -> Option<u64> {
        self.dictionary.revision().checked_sub(1)
    }

    fn root(&self) -> Vec<u8> {
        self.dictionary.prover().digest().0.to_vec()
    }

    fn prepare(&self, changes: &[RawKeyChange<'_>]) -> Result<Prepared<PreparedBatch>> {
        let mut hashed: Vec<_> =
            changes.iter().map(|change| (state_key(change.key), change.value)).collect();
        hashed.sort_unstable_by_key(|(key, _)| *key);
        let batch: Vec<_> = hashed
            .iter()
            .map(|(key, value)| match value {
                Some(value) => Operation::InsertOrUpdate { key, value },
                None => Operation::RemoveIfExists { key },
            })
            .collect();
        let mut next = self.dictionary.prepare(&batch)?;
        Ok(Prepared {
            root: next.proved.digest.0.to_vec(),
            writes: next.take_writes(),
            transition: Some(core::mem::take(&mut next.proved.proof)),
            next,
        })
    }

    fn commit(&mut self, next: PreparedBatch) -> Result<()> {
        self.dictionary.commit(next).map(|_| ())
    }

    fn prune(&mut self, oldest: u64) -> Result<()> {
        let revision = oldest.saturating_add(1);
        if revision <= self.dictionary.oldest_revision() {
            return Ok(());
        }
        self.dictionary.prune(revision)
    }

    fn reader(&mut self) -> Result<Self::Reader> {
        let store = self.dictionary.store().snapshot()?;
        Ok(AvlReader { store, params: *self.dictionary.prover().params() })
    }
}

impl<S: Store> AvlState<S> {
    /// Opens the state with the nodes in a file. Also returns the first id after those of the file, or 0 if it was not
    /// used.
    pub(super) fn open_with_file(
        store: S,
        params: Params,
        file: &Path,
        identity: &[u8; 16],
    ) -> Result<(Self, u64)> {
        let open_file = |next_id| RevisionFile::open(file, &params, identity, next_id);
        let (dictionary, end) = PersistentAvlProver::open_with(store, params, open_file)?;
        Ok((Self { dictionary }, end))
    }

    pub(super) const fn dictionary(&self) -> &PersistentAvlProver<S> {
        &self.dictionary
    }
}

/// Proves the AVL+ state of a chain from a snapshot of its store.
#[derive(Clone, Debug)]
pub struct AvlReader<R> {
    store: R,
    params: Params,
}

impl<R: ReadStore> StateReader for AvlReader<R> {
    fn prove(&self, statement: &Statement<'_>) -> Result<StateProof> {
        let Statement::Keys { height, keys } = *statement else {
            return Err(statement.unknown_to(Scheme::Avl));
        };
        let hashes: Vec<_> = keys.iter().map(|key| state_key(key)).collect();
        let hashes: Vec<&[u8]> = hashes.iter().map(|hash| &hash[..]).collect();
        let revision = height.saturating_add(1);
        let proved = prove_lookups_at(&self.store, &self.params, revision, &hashes)?;
        Ok(StateProof::at(height, proved.digest.0, proved.proof))
    }
}
