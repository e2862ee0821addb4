//! The accounts of a chain: a state in a store, with one revision per block.

use alloc::vec::Vec;

use prooflight_core::statement::Statement;
use prooflight_core::store::{
    Prepared, RawKeyChange, ReadStore, StateProof, StateReader, StateStore, Store,
};
use prooflight_core::{Result, Scheme};

use super::persistent::PreparedTrie;
use super::state::{PersistentState, StateChange, prove_state_at};

/// The accounts of a chain. The state of every block stays in the store until it is pruned.
///
/// Revision 0 of the state is empty; block h creates revision h + 1. Raw keys and values are
/// encoded as in [`StateChange::from_entry`].
#[derive(Debug)]
pub struct MptState<S> {
    state: PersistentState<S>,
}

impl<S: Store> StateStore for MptState<S> {
    type Source = S;
    type Params = ();
    type Next = PreparedTrie;
    type Reader = MptReader<S::Snapshot>;

    fn open(source: S, (): ()) -> Result<Self> {
        Ok(Self { state: PersistentState::open(source)? })
    }

    fn height(&self) -> Option<u64> {
        self.state.revision().checked_sub(1)
    }

    fn root(&self) -> Vec<u8> {
        self.state.root().to_vec()
    }

    fn prepare(&self, changes: &[RawKeyChange<'_>]) -> Result<Prepared<PreparedTrie>> {
        let change = |change: &RawKeyChange<'_>| StateChange::from_entry(change.key, change.value);
        let changes = changes.iter().map(change).collect::<Result<Vec<_>>>()?;
        let mut next = self.state.prepare(&changes)?;
        let (root, writes) = (next.root().to_vec(), next.take_writes());
        Ok(Prepared { root, writes, transition: None, next })
    }

    fn commit(&mut self, next: PreparedTrie) -> Result<()> {
        self.state.commit(&next).map(|_| ())
    }

    fn prune(&mut self, oldest: u64) -> Result<()> {
        let revision = oldest.saturating_add(1);
        if revision <= self.state.oldest_revision() {
            return Ok(());
        }
        self.state.prune(revision)
    }

    fn reader(&mut self) -> Result<Self::Reader> {
        Ok(MptReader { store: self.state.store().snapshot()? })
    }
}

/// Proves the accounts of a chain from a snapshot of its store; each proof is an
/// [`AccountProof`](crate::AccountProof).
#[derive(Clone, Debug)]
pub struct MptReader<R> {
    store: R,
}

impl<R: ReadStore> StateReader for MptReader<R> {
    fn prove(&self, statement: &Statement<'_>) -> Result<StateProof> {
        let Statement::Account { height, address, slots } = *statement else {
            return Err(statement.unknown_to(Scheme::Mpt));
        };
        let proved = prove_state_at(&self.store, height.saturating_add(1), address, slots)?;
        Ok(StateProof::at(height, proved.state_root, proved.encode()))
    }
}
