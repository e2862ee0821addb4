//! The state of a chain, block by block, and readers that prove it.

use alloc::collections::VecDeque;
use alloc::sync::Arc;
use alloc::vec::Vec;

use prooflight_core::statement::Statement;
use prooflight_core::store::{
    Prepared, RawKeyChange, ReadStore, StateProof, StateReader, StateStore, Store, TransferRequest,
    WriteBatch,
};
use prooflight_core::{Error, Hash, Reason, Result, Scheme};

use super::block::next_block;
use super::cutter::PageSize;
use super::node::{NodeContent, StoredNode};
use super::open::open;
use super::prove::StateProver;
use super::stored_record::{encode_node, head_key, put};
use super::top::TopChild;
use crate::path::bit;
use crate::question::{TrustedRoot, check_changes};
use crate::{CountQuestion, HistoryQuestion, KeysQuestion, RangeQuestion, TransferQuestion};

/// The number of newest blocks against whose roots a reader proves.
pub const RECENT_BLOCKS: usize = 64;

/// The state of a chain in a store.
///
/// The newest root proves the states after all blocks up to it, so nothing is ever deleted, and
/// [`prune`](StateStore::prune) does nothing.
#[derive(Debug)]
pub struct AmbState<S: Store> {
    store: S,
    /// The newest block; `None` before the first.
    height: Option<u64>,
    top: TopChild,
    /// The newest states that readers may be asked about, ascending.
    recent: VecDeque<Arc<RecentState<S::Snapshot>>>,
}

/// A block that has not been written yet.
#[derive(Debug)]
pub struct AmbBlock {
    /// The block before it and its root.
    before: (Option<u64>, Hash),
    height: u64,
    top: TopChild,
}

impl<S: Store> StateStore for AmbState<S> {
    type Source = S;
    type Params = ();
    type Next = AmbBlock;
    type Reader = AmbReader<S::Snapshot>;

    /// Opens the newest state: reads the records of all pages, but no page.
    fn open(store: S, (): ()) -> Result<Self> {
        let (height, top) = match open(&store)? {
            Some((height, top)) => (Some(height), top),
            None => (None, TopChild::EMPTY),
        };
        Ok(Self { store, height, top, recent: VecDeque::new() })
    }

    fn height(&self) -> Option<u64> {
        self.height
    }

    fn root(&self) -> Vec<u8> {
        self.top.record.state_root().to_vec()
    }

    /// Computes the next block; without changes, its root is the one before.
    ///
    /// `invalid_argument` for changes in another order, or for a block that is not below 2^52; `key_length` for a key
    /// longer than 256 bytes; `key_absent` for a deletion of a key that has no value; and those of reading pages.
    fn prepare(&self, changes: &[RawKeyChange<'_>]) -> Result<Prepared<AmbBlock>> {
        let height = self.height.map_or(0, |height| height + 1);
        check_changes(height, changes)?;
        let (top, mut writes) = if changes.is_empty() {
            (self.top.clone(), WriteBatch::new())
        } else {
            next_block(&self.store, &self.top, height, changes)?
        };
        if let Some(before) = self.height {
            writes.delete(head_key(before));
        }
        put(&mut writes, head_key(height), encode_node(&top.record));
        let root = top.record.state_root().to_vec();
        let next = AmbBlock { before: (self.height, self.top.record.hash), height, top };
        Ok(Prepared { root, writes, transition: None, next })
    }

    fn commit(&mut self, next: AmbBlock) -> Result<()> {
        if next.before != (self.height, self.top.record.hash) {
            return Err(Error::new(
                Reason::InvalidArgument,
                format_args!("a block prepared after {:?}", self.height),
                format_args!("one after {:?}, or after another root", next.before.0),
            ));
        }
        (self.height, self.top) = (Some(next.height), next.top);
        Ok(())
    }

    fn prune(&mut self, _: u64) -> Result<()> {
        Ok(())
    }

    fn reader(&mut self) -> Result<Self::Reader> {
        if let Some(height) = self.height
            && self.recent.back().is_none_or(|newest| newest.root.height < height)
        {
            let root = TrustedRoot { hash: self.top.record.state_root(), height };
            let (store, top) = (self.store.snapshot()?, self.top.clone());
            self.recent.push_back(Arc::new(RecentState { store, root, top }));
            if self.recent.len() > RECENT_BLOCKS {
                self.recent.pop_front();
            }
        }
        Ok(AmbReader { recent: self.recent.clone() })
    }
}

impl<S: Store> AmbState<S> {
    /// The newest value of a key, without a proof.
    pub fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>> {
        let mut node = StoredNode::new(&self.store, &self.top);
        loop {
            match node.open()? {
                NodeContent::Branch { depth, children: [left, right] } => {
                    node = if bit(key, depth) { right } else { left };
                }
                NodeContent::Entry(entry)
                    if *entry.entry().key == *key && entry.entry().newest.value.is_some() =>
                {
                    return Ok(Some(entry.value()?.into_owned()));
                }
                NodeContent::Entry(_) | NodeContent::Empty => return Ok(None),
            }
        }
    }

    /// Proves from the newest state; `version_unavailable` before the first block.
    pub fn prover(&self) -> Result<StateProver<'_, S>> {
        let Some(height) = self.height else {
            return Err(Error::new(Reason::VersionUnavailable, "a first block", "none"));
        };
        let root = TrustedRoot { hash: self.top.record.state_root(), height };
        Ok(StateProver::new(root, StoredNode::new(&self.store, &self.top)))
    }

    /// Writes the next block and then adopts it, all or nothing; returns the root after it.
    pub fn apply(&mut self, changes: &[RawKeyChange<'_>]) -> Result<Hash> {
        let Prepared { writes, next, .. } = self.prepare(changes)?;
        self.store.write(writes)?;
        self.commit(next)?;
        Ok(self.top.record.state_root())
    }

    /// The underlying store, to which a caller writes a prepared block.
    pub const fn store_mut(&mut self) -> &mut S {
        &mut self.store
    }
}

/// The state after a block, in a snapshot of its store.
#[derive(Debug)]
struct RecentState<R> {
    store: R,
    root: TrustedRoot,
    top: TopChild,
}

/// Proves the states of a chain against the roots of its newest blocks: the last 64 for which a reader was made.
#[derive(Debug)]
pub struct AmbReader<R> {
    /// Ascending.
    recent: VecDeque<Arc<RecentState<R>>>,
}

impl<R> Clone for AmbReader<R> {
    fn clone(&self) -> Self {
        Self { recent: self.recent.clone() }
    }
}

impl<R: ReadStore> StateReader for AmbReader<R> {
    /// Proves a statement against the newest root; a count of an older block against that block's.
    fn prove(&self, statement: &Statement<'_>) -> Result<StateProof> {
        let newest = self.recent.back().map_or(0, |newest| newest.root.height);
        let root = match *statement {
            Statement::Count { height, .. } => height,
            // No root proves a later block.
            _ => newest.max(statement.height()),
        };
        self.prove_at(root, statement, PageSize::default().entries)
    }

    fn prove_at(&self, root: u64, statement: &Statement<'_>, entries: usize) -> Result<StateProof> {
        let state = self.state(root)?;
        let proving = state.prover();
        let size = PageSize { entries, ..PageSize::default() };
        let proof = match *statement {
            Statement::Keys { height: at, keys } => proving.keys(&KeysQuestion { keys, at }),
            Statement::History { key, from, to } => {
                proving.history(&HistoryQuestion { keys: &[key], from, to })
            }
            Statement::Range { height: at, lo, hi, reverse } => {
                proving.range(&RangeQuestion { lo, hi, at, reverse }, size)
            }
            Statement::Count { height, lo, hi } if height == root => {
                proving.count(&CountQuestion { lo, hi })
            }
            Statement::Count { height, .. } => {
                let expected = format_args!("a count against the root of block {height}");
                return Err(Error::new(Reason::InvalidArgument, expected, root));
            }
            Statement::Account { .. } | Statement::Diff { .. } => {
                return Err(statement.unknown_to(Scheme::Amb));
            }
        };
        Ok(state.state_proof(proof?))
    }

    fn transfer(&self, root: u64, entries: &TransferRequest<'_>) -> Result<StateProof> {
        let state = self.state(root)?;
        let &TransferRequest { lo, hi, after, limit } = entries;
        let size = PageSize { entries: limit, ..PageSize::default() };
        Ok(state.state_proof(state.prover().transfer(&TransferQuestion { lo, hi, after }, size)?))
    }
}

impl<R: ReadStore> AmbReader<R> {
    /// Proves against the root after a recent block; `version_unavailable` for any other.
    pub fn prover(&self, root: u64) -> Result<StateProver<'_, R>> {
        Ok(self.state(root)?.prover())
    }

    /// The state after a recent block; `version_unavailable` for any other.
    fn state(&self, height: u64) -> Result<&RecentState<R>> {
        let at = self.recent.binary_search_by_key(&height, |state| state.root.height);
        let state = at.ok().and_then(|at| self.recent.get(at));
        state.map(|state| &**state).ok_or_else(|| {
            let heights = [self.recent.front(), self.recent.back()];
            match heights.map(|state| state.map(|state| state.root.height)) {
                [Some(oldest), Some(newest)] => {
                    let expected = format_args!("a root of blocks {oldest} to {newest}");
                    Error::new(Reason::VersionUnavailable, expected, height)
                }
                _ => Error::new(Reason::VersionUnavailable, "a first block", "none"),
            }
        })
    }
}

impl<R: ReadStore> RecentState<R> {
    const fn prover(&self) -> StateProver<'_, R> {
        StateProver::new(self.root, StoredNode::new(&self.store, &self.top))
    }

    fn state_proof(&self, proof: Vec<u8>) -> StateProof {
        StateProof::at(self.root.height, self.root.hash, proof)
    }
}
