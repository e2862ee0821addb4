//! The store: a block is prepared, written, committed.

use alloc::sync::Arc;
use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

use prooflight_amt::{Kind, Parts, Point, Tables};
use prooflight_core::merkle::Hash;
use prooflight_core::store::{Store, WriteBatch};
use prooflight_core::{Error, Reason, Result};

use super::before::put_before;
use super::block::{Block, Change, place};
use super::blocks::Blocks;
use super::prove::{ProvedKeys, prove_at};
use super::record::{
    AmtRecord, HEAD_KEY, Head, KeyHead, OLDEST_KEY, PARAMS_KEY, amt_key, key_key, owners_key, put,
    read, read_key, read_oldest,
};
use super::root_tree::RootTree;
use super::shard::ProofShard;
use super::tree::put_tree;
use crate::MAX_LOG_N;
use crate::path::{index_at, key_hash};
use crate::proof::KEY_SLOTS;

/// The shape of a store, and what it can prove.
#[derive(Clone)]
pub struct StoreParams {
    /// The points of the setup, which also say how many entries an AMT has.
    pub tables: Arc<Tables>,
    /// The arity of the root AMT's opening tree is 2 to this; it divides `log_n`.
    pub log_arity: u8,
    /// Which keys can be proved.
    pub shard: ProofShard,
}

/// The root of a state: `aroot`, the commitment of the root AMT, and `hroot`, the root of the tree over blocks.
pub type StateRoot = [u8; 64];

/// Values of keys with their versions, kept in a store; every block makes the next state.
///
/// In memory are the root AMT's tree state, the commitments of the AMTs at level 1 as they are met, and the
/// tables, which stores can share. What is read from the store is checked by checksums: a changed byte
/// is `store_corrupt`. Source: paper section 4.
pub struct LvmtStore<S> {
    pub(super) store: S,
    pub(super) params: StoreParams,
    pub(super) commitment: Point,
    pub(super) blocks: Blocks,
    pub(super) oldest: u64,
    pub(super) cache: Cache,
    pub(super) root_tree: RootTree,
}

impl<S: Store + Sync> LvmtStore<S> {
    /// Opens the newest state in a store, or begins without any key in an empty one.
    ///
    /// `invalid_argument` if the store was made with another setup, shape or shard.
    pub fn open(mut store: S, params: StoreParams) -> Result<Self> {
        params.check()?;
        match read(&store, PARAMS_KEY)? {
            None => {
                let mut writes = WriteBatch::new();
                put(&mut writes, PARAMS_KEY.to_vec(), params.encode());
                let head = Head { blocks: 0, commitment: Point::ZERO };
                put(&mut writes, HEAD_KEY.to_vec(), head.encode());
                put(&mut writes, OLDEST_KEY.to_vec(), 0_u64.to_be_bytes().to_vec());
                store.write(writes)?;
            }
            kept => params.check_store(kept.as_deref())?,
        }
        let head = Head::read(&store)?;
        let (blocks, oldest) = (Blocks::read(&store, head.blocks)?, read_oldest(&store)?);
        let root_tree = RootTree::read(&store, &params)?;
        let (commitment, cache) = (head.commitment, Cache::new(params.log_n()));
        Ok(Self { store, params, commitment, blocks, oldest, cache, root_tree })
    }

    /// The newest block; none before the first.
    pub const fn height(&self) -> Option<u64> {
        self.blocks.size().checked_sub(1)
    }

    /// The oldest block that can be rolled back to; none before the first.
    pub fn oldest(&self) -> Option<u64> {
        self.height().map(|_| self.oldest)
    }

    /// The root of the newest state.
    pub fn root(&self) -> StateRoot {
        state_root(&self.commitment, &self.blocks)
    }

    /// The shape of the store, and what it can prove.
    pub const fn params(&self) -> &StoreParams {
        &self.params
    }

    /// The newest value of a key, without a proof.
    pub fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>> {
        let record = read_key(&self.store, &key_hash(key))?;
        Ok(record.and_then(|(record, head)| head.value(record)))
    }

    /// Proves values and absences of keys in the newest state.
    ///
    /// Errors are those of [`prove_at`].
    pub fn prove(&self, keys: &[&[u8]]) -> Result<ProvedKeys> {
        let Some(height) = self.height() else {
            return Err(Error::new(Reason::VersionUnavailable, "a first block", "none"));
        };
        prove_at(&self.store, &self.params, height, keys)
    }

    /// Writes the next block, and only then goes over to it: all or nothing. Gives the root after it.
    pub fn apply(&mut self, changes: &[Change<'_>]) -> Result<StateRoot> {
        let mut prepared = self.prepare(changes)?;
        self.store.write(core::mem::take(&mut prepared.writes))?;
        self.commit(prepared)
    }

    /// Says what has to be written for the next block; changes nothing.
    ///
    /// For a caller that writes more than this store in one atomic batch: it writes
    /// [`PreparedBlock::writes`] to this store's store, and then [commits](Self::commit). The last
    /// change of a key wins; the delete of a key that has no value before the block does nothing.
    pub fn prepare(&self, changes: &[Change<'_>]) -> Result<PreparedBlock> {
        let (store, params) = (&self.store, &self.params);
        let block = Block::new(store, params, &self.cache, changes)?;
        let number = self.blocks.size();
        let mut writes = WriteBatch::new();

        let live = |leaf| params.shard.proves(block.leaf_key_hash(leaf), params.log_n());
        let live = (params.shard != ProofShard::None).then_some(live);
        let tree_root = put_tree(&mut writes, number, block.leaves(), live);
        let mut blocks = self.blocks.clone();
        blocks.append(&tree_root, &mut writes);

        if number > 0 {
            put_before(&mut writes, number, &self.commitment, &block);
        }
        for (index, key) in block.keys.iter().enumerate() {
            let (slot, version) = (key.slot, key.version);
            let place = place(number, index)?;
            let head = KeyHead { slot, version, place, has_value: key.value.is_some() };
            put(&mut writes, key_key(&key.key_hash), head.encode(key.value.unwrap_or_default()));
        }
        for ((level, path), owners) in &block.owners {
            put(&mut writes, owners_key(*level, path), owners.as_flattened().to_vec());
        }
        let mut amts = Vec::new();
        for (index, amt) in (block.keys.len()..).zip(&block.amts) {
            let (version, commitment) = (amt.version, amt.commitment);
            let record = AmtRecord { version, place: place(number, index)?, commitment };
            put(&mut writes, amt_key(amt.level, &amt.prefix), record.encode());
            if amt.level == 1 {
                amts.push((index_at(&amt.key_hash, params.log_n(), 0), record));
            }
        }
        let mut commitment = [self.commitment];
        let changes = &block.root_changes;
        let numbered: Vec<_> = changes.iter().map(|change| (0, *change)).collect();
        params.tables.update(&mut commitment, &numbered)?;
        let [commitment] = commitment;
        let root_tree = self.root_tree.changed(params, changes, &mut writes)?;
        let head = Head { blocks: blocks.size(), commitment };
        put(&mut writes, HEAD_KEY.to_vec(), head.encode());

        let is_full = |owners: &Vec<Hash>| owners.len() == usize::from(KEY_SLOTS);
        let full =
            block.owners.iter().filter(|((level, _), owners)| *level == 0 && is_full(owners));
        let full = full.map(|(_, owners)| index_at(&owners[0], params.log_n(), 0)).collect();
        Ok(PreparedBlock {
            root: state_root(&commitment, &blocks),
            writes,
            before: self.root(),
            commitment,
            blocks,
            full,
            amts,
            root_tree,
        })
    }

    /// Takes over a prepared block whose writes are in the store; gives the root after it.
    ///
    /// `invalid_argument` if it was prepared for another state than the newest.
    pub fn commit(&mut self, prepared: PreparedBlock) -> Result<StateRoot> {
        if prepared.before != self.root() || prepared.blocks.size() != self.blocks.size() + 1 {
            return Err(Error::new(
                Reason::InvalidArgument,
                format_args!("what was prepared for block {}", self.blocks.size()),
                format_args!("what was prepared for block {}", prepared.blocks.size() - 1),
            ));
        }
        self.commitment = prepared.commitment;
        self.blocks = prepared.blocks;
        self.cache.take_over(&prepared.full, &prepared.amts);
        self.root_tree = prepared.root_tree;
        Ok(prepared.root)
    }

    /// The store, with everything written.
    pub fn into_store(self) -> S {
        self.store
    }
}

/// A block that is not yet written.
pub struct PreparedBlock {
    /// The root after the block.
    pub root: StateRoot,
    /// What has to be written for the block.
    pub writes: WriteBatch,
    before: StateRoot,
    commitment: Point,
    blocks: Blocks,
    /// The indices of the root AMT whose entries have no free slot any more.
    full: Vec<u32>,
    /// The AMTs at level 1 that have changed, by their index in the root AMT.
    amts: Vec<(u32, AmtRecord)>,
    root_tree: RootTree,
}

impl fmt::Debug for PreparedBlock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let block = self.blocks.size() - 1;
        f.debug_struct("PreparedBlock").field("block", &block).finish_non_exhaustive()
    }
}

impl<S> fmt::Debug for LvmtStore<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let blocks = self.blocks.size();
        f.debug_struct("LvmtStore").field("blocks", &blocks).finish_non_exhaustive()
    }
}

impl fmt::Debug for StoreParams {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("StoreParams");
        shown.field("log_n", &self.log_n()).field("log_arity", &self.log_arity);
        shown.field("shard", &self.shard).finish_non_exhaustive()
    }
}

impl StoreParams {
    /// An AMT has 2 to this many entries.
    pub fn log_n(&self) -> u8 {
        self.tables.verifying_key().log_n()
    }

    fn check(&self) -> Result<()> {
        let log_n = self.log_n();
        if log_n > MAX_LOG_N {
            let expected = format_args!("tables with a log_n of at most {MAX_LOG_N}");
            return Err(Error::new(Reason::InvalidArgument, expected, log_n));
        }
        Kind::Tree { log_arity: self.log_arity }.points(log_n)?;
        let needed = Parts { single: true, tree: Some(self.log_arity) };
        if self.shard != ProofShard::None && self.tables.parts() != needed {
            return Err(Error::new(
                Reason::InvalidArgument,
                format_args!("{needed:?} of the tables"),
                format_args!("{:?}", self.tables.parts()),
            ));
        }
        self.shard.check(log_n)
    }

    /// Refuses other parameters than those that the store was made with, as `invalid_argument`.
    pub(super) fn check_store(&self, kept: Option<&[u8]>) -> Result<()> {
        if kept == Some(&self.encode()) {
            return Ok(());
        }
        Err(Error::new(
            Reason::InvalidArgument,
            "the setup, shape and shard that the store was made with",
            "others",
        ))
    }

    fn encode(&self) -> Vec<u8> {
        let shape = [self.log_n(), self.log_arity];
        [&shape[..], &self.shard.encode(), &self.tables.verifying_key().params_id()].concat()
    }
}

/// What has been met of the newest state near the root.
#[derive(Debug)]
pub(super) struct Cache {
    /// Whether an entry of the root AMT is known to have no free slot.
    full: Vec<bool>,
    /// The AMTs at level 1 that are known.
    amts: Vec<Option<AmtRecord>>,
}

impl Cache {
    pub(super) fn new(log_n: u8) -> Self {
        let n = 1 << log_n;
        Self { full: vec![false; n], amts: vec![None; n] }
    }

    /// Whether the entry of the root AMT at an index is known to have no free slot.
    pub(super) fn is_full(&self, index: u32) -> bool {
        self.full[index as usize]
    }

    /// An AMT that is known, below an index of the root AMT.
    pub(super) fn amt(&self, level: u8, index: u32) -> Option<AmtRecord> {
        if level == 1 { self.amts[index as usize] } else { None }
    }

    fn take_over(&mut self, full: &[u32], amts: &[(u32, AmtRecord)]) {
        for &index in full {
            self.full[index as usize] = true;
        }
        for &(index, amt) in amts {
            self.amts[index as usize] = Some(amt);
        }
    }
}

pub(super) fn state_root(commitment: &Point, blocks: &Blocks) -> StateRoot {
    let mut root = [0; 64];
    let (aroot, hroot) = root.split_at_mut(32);
    aroot.copy_from_slice(&commitment.to_bytes());
    hroot.copy_from_slice(&blocks.root());
    root
}
