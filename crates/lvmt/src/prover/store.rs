//! The store: a block is prepared, written, committed.

use alloc::vec::Vec;
use core::fmt;

use prooflight_amt::Point;
use prooflight_core::store::{RawKeyChange, Store, WriteBatch};
use prooflight_core::{Error, Reason, Result};

use super::block::check_never_written;
use super::blocks::BlocksTree;
use super::newest::{NewestState, StateRoot};
use super::params::StoreParams;
use super::prepare::PreparedBlock;
use super::prove::{ProvedKeys, StateChecks, prove};
use super::rebuild::rebuild_root_tree;
use super::record::{
    HEAD_KEY, OLDEST_KEY, PARAMS_KEY, StateHead, corrupt, put, read, read_key, read_oldest,
};
use crate::path::key_hash;

/// Values of keys with their versions, kept in a store; every block creates the next state.
///
/// Memory holds the root AMT's tree state, the commitments of the level-1 AMTs that blocks have changed, and the
/// tables, which stores can share. Every read is checked: a changed byte, a lost record and an older copy of
/// a record are `store_corrupt`. Source: Li et al. 2023, section 4.
pub struct LvmtStore<S> {
    pub(super) store: S,
    pub(super) newest: NewestState,
    pub(super) oldest: u64,
}

impl<S: Store + Sync> LvmtStore<S> {
    /// Opens the newest state of a store; an empty store begins without any key.
    ///
    /// After a killed import, the nodes of the root's tree state are rebuilt. `invalid_argument` if the store was created
    /// with another layout, setup, shape or shard.
    pub fn open(mut store: S, params: StoreParams) -> Result<Self> {
        params.check()?;
        match read(&store, PARAMS_KEY)? {
            None => {
                if let Some(entry) = store.range(&[], &[0xff]).next() {
                    entry?;
                    return Err(corrupt("the parameters that the store was made with", "none"));
                }
                let mut writes = WriteBatch::new();
                put(&mut writes, PARAMS_KEY.to_vec(), params.encode());
                let blocks = BlocksTree::default();
                let (commitment, hroot) = (Point::ZERO, blocks.root());
                let head = StateHead { blocks: 0, commitment, hroot, tree_sum: Some(0) };
                put(&mut writes, HEAD_KEY.to_vec(), head.encode());
                put(&mut writes, OLDEST_KEY.to_vec(), 0_u64.to_be_bytes().to_vec());
                store.write(writes)?;
            }
            kept => {
                params.check_store(kept.as_deref())?;
                if StateHead::read(&store)?.tree_sum.is_none() {
                    rebuild_root_tree(&mut store, &params)?;
                }
            }
        }
        let newest = NewestState::read(&store, params)?;
        let oldest = read_oldest(&store, newest.blocks.size())?;
        Ok(Self { store, newest, oldest })
    }

    /// The newest block; `None` before the first.
    pub const fn height(&self) -> Option<u64> {
        self.newest.height()
    }

    /// The last block whose replaced leaves [`prune`](Self::prune) has collected; `None` before the first.
    pub fn oldest(&self) -> Option<u64> {
        self.height().map(|_| self.oldest)
    }

    /// The root of the newest state.
    pub fn root(&self) -> StateRoot {
        self.newest.root()
    }

    /// The shape of the store, and the keys that it can prove.
    pub const fn params(&self) -> &StoreParams {
        &self.newest.params
    }

    /// The newest value of a key, without a proof.
    pub fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>> {
        let key_hash = key_hash(key);
        let cache = &self.newest.cache;
        let Some((record, head)) = read_key(&self.store, &key_hash)? else {
            check_never_written(&self.store, self.params(), cache, &key_hash)?;
            cache.key_heads.insert(key_hash, None);
            return Ok(None);
        };
        cache.current.check(&self.store, head.place)?;
        cache.key_heads.insert(key_hash, Some(head));
        Ok(head.value(record))
    }

    /// Proves values and absences of keys in the newest state.
    ///
    /// Errors are those of [`prove_at`](super::prove_at).
    pub fn prove(&self, keys: &[&[u8]]) -> Result<ProvedKeys> {
        let Some(height) = self.height() else {
            return Err(Error::new(Reason::VersionUnavailable, "a first block", "none"));
        };
        prove(&self.store, self.params(), height, keys, Some(&self.state_checks()))
    }

    /// Rebuilds the nodes that [unproved](StoreParams::defer_proof_nodes) blocks skipped, so that the newest state can be
    /// proved. Opening the store does the same by reading every key.
    pub fn catch_up(&mut self) -> Result<()> {
        let mut writes = WriteBatch::new();
        let newest = &mut self.newest;
        let Some(settled) = newest.root_tree.catch_up(&newest.params, &mut writes)? else {
            return Ok(());
        };
        let (head, _) = StateHead::read_with_blocks(&self.store)?;
        put(
            &mut writes,
            HEAD_KEY.to_vec(),
            StateHead { tree_sum: Some(settled.sum), ..head }.encode(),
        );
        self.store.write(writes)?;
        newest.root_tree.adopt_rebuilt(settled);
        Ok(())
    }

    /// The in-memory checks of the newest state.
    pub(super) fn state_checks(&self) -> StateChecks {
        StateChecks { root: self.root(), nodes: self.newest.root_tree.checksums() }
    }

    /// Writes the next block and then adopts it, all or nothing. Returns the root after it.
    pub fn apply(&mut self, changes: &[RawKeyChange<'_>]) -> Result<StateRoot> {
        let mut prepared = self.prepare(changes)?;
        self.store.write(core::mem::take(&mut prepared.writes))?;
        self.commit(prepared)
    }

    /// Computes the writes of the next block; changes nothing.
    ///
    /// For a caller that writes more than this store in one atomic batch: it writes
    /// [`PreparedBlock::writes`] to this store's store, and then [commits](Self::commit). The last
    /// change of a key wins; the delete of a key that has no value before the block does nothing.
    pub fn prepare(&self, changes: &[RawKeyChange<'_>]) -> Result<PreparedBlock> {
        PreparedBlock::new(&self.store, &self.newest, changes)
    }

    /// Adopts a prepared block whose writes are in the store; returns the root after it.
    ///
    /// `invalid_argument` if it was prepared for another state than the newest.
    pub fn commit(&mut self, prepared: PreparedBlock) -> Result<StateRoot> {
        let next = self.newest.blocks.size();
        if prepared.before != self.root() || prepared.blocks.size() != next + 1 {
            return Err(Error::new(
                Reason::InvalidArgument,
                format_args!("a block prepared at height {next}"),
                format_args!("one prepared at height {}", prepared.blocks.size() - 1),
            ));
        }
        let newest = &mut self.newest;
        newest.commitment = prepared.commitment;
        newest.blocks = prepared.blocks;
        newest.cache.adopt(&prepared.full, &prepared.amts);
        newest.cache.current.adopt(prepared.current);
        newest.cache.key_heads.clear();
        newest.root_tree.adopt(&prepared.tree_draft);
        Ok(prepared.root)
    }

    /// A snapshot of the underlying store.
    pub(super) fn snapshot(&self) -> Result<S::Snapshot> {
        self.store.snapshot()
    }

    /// The underlying store, to which a caller writes a prepared block.
    pub const fn store_mut(&mut self) -> &mut S {
        &mut self.store
    }

    /// Returns the underlying store.
    pub fn into_store(self) -> S {
        self.store
    }
}

impl<S> fmt::Debug for LvmtStore<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let blocks = self.newest.blocks.size();
        f.debug_struct("LvmtStore").field("blocks", &blocks).finish_non_exhaustive()
    }
}
