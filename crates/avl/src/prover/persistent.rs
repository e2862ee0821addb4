//! A dictionary that is kept in a store, with its versions.

use core::fmt;

use prooflight_core::store::{Store, WriteBatch};
use prooflight_core::{Error, Reason, Result};

use super::arena::{Arena, Changes, Node};
use super::load::{LoadedVersion, load};
use super::record::{
    HEAD_KEY, Head, NodeRecord, PARAMS_KEY, VersionRecord, node_key, params_record, read_head,
    read_version, version_key,
};
use super::{AvlProver, ProvedBatch};
use crate::operation::Operation;
use crate::params::{Digest, Params};
use crate::tree::{Kind, NodeId};

/// An [`AvlProver`] whose every version is kept in a store until it is pruned.
///
/// Version 0 is the empty dictionary; each applied batch makes the next version. The newest version
/// is in memory as well. What is read from the store is checked as a proof would be: a store with a
/// changed byte is `store_corrupt`.
#[derive(Debug)]
pub struct PersistentAvlProver<S> {
    store: S,
    prover: AvlProver,
    /// The store's id of each node of the arena.
    ids: Vec<u64>,
    head: Head,
    next_id: u64,
}

impl<S: Store> PersistentAvlProver<S> {
    /// Opens the newest version in a store, or writes the empty dictionary into an empty one.
    ///
    /// `invalid_argument` if the store's dictionary has other key or value lengths.
    pub fn open(store: S, params: Params) -> Result<Self> {
        params.check(&[])?;
        let Some(kept) = store.get(PARAMS_KEY)? else { return Self::create(store, params) };
        let asked = params_record(&params);
        if kept != asked {
            return Err(Error::new(
                Reason::InvalidArgument,
                "the key and value lengths that the store was made with",
                format_args!("{params:?}"),
            ));
        }
        let head = read_head(&store)?;
        let version = read_version(&store, head.newest)?;
        let LoadedVersion { arena, ids } = load(&store, &version, &params)?;
        let prover = AvlProver { params, arena };
        Ok(Self { store, prover, ids, head, next_id: version.next_id })
    }

    fn create(mut store: S, params: Params) -> Result<Self> {
        let prover = AvlProver::new(params)?;
        let root = prover.arena.root();
        let head = Head { newest: 0, oldest: 0 };
        let version = VersionRecord {
            root_id: 0,
            root_label: *prover.arena.label(root),
            height: 0,
            first_id: 0,
            next_id: 1,
            removed: Vec::new(),
        };
        let mut batch = WriteBatch::new();
        batch.put(PARAMS_KEY, params_record(&params));
        batch.put(HEAD_KEY, head.encode());
        batch.put(version_key(0), version.encode());
        let leaf = prover.arena.node(root);
        let record = NodeRecord::Leaf {
            key: prover.arena.key(leaf.key),
            next_key: prover.arena.key(leaf.right),
            value: prover.arena.value(leaf.left),
        };
        batch.put(node_key(0), record.encode());
        store.write(batch)?;
        Ok(Self { store, prover, ids: vec![0], head, next_id: 1 })
    }

    /// The newest version.
    pub const fn version(&self) -> u64 {
        self.head.newest
    }

    /// The oldest version that can be rolled back to.
    pub const fn oldest_version(&self) -> u64 {
        self.head.oldest
    }

    /// The dictionary of the newest version, for reading and for proofs that change nothing.
    pub const fn prover(&self) -> &AvlProver {
        &self.prover
    }

    /// The digest of a kept version.
    pub fn digest_at(&self, version: u64) -> Result<Digest> {
        self.check_kept(version)?;
        let record = read_version(&self.store, version)?;
        Ok(Digest::new(&record.root_label, record.height))
    }

    /// Proves a batch, writes the next version, and only then changes the dictionary in memory.
    ///
    /// All or nothing: if an operation fails, or the store does, nothing has changed.
    pub fn apply_batch(&mut self, ops: &[Operation<'_>]) -> Result<ProvedBatch> {
        let mut prepared = self.prepare(ops)?;
        self.store.write(core::mem::take(&mut prepared.writes))?;
        self.commit(prepared)
    }

    /// Proves a batch and says what has to be written for the next version; changes nothing.
    ///
    /// For a caller that writes more than this dictionary in one atomic batch: it writes
    /// [`PreparedBatch::writes`] to this prover's store, and then [commits](Self::commit).
    pub fn prepare<'a>(&self, ops: &[Operation<'a>]) -> Result<PreparedBatch<'a>> {
        let (proved, changes) = self.prover.run(ops)?;
        let head = Head { newest: self.head.newest + 1, ..self.head };
        let new_ids = NewIds::assign(&changes, &self.prover.arena, self.next_id);
        let mut writes = WriteBatch::new();
        self.put_nodes(&mut writes, &changes, &new_ids);
        let version = VersionRecord {
            root_id: new_ids.of(changes.root).unwrap_or_else(|| self.ids[changes.root as usize]),
            root_label: changes.root_label,
            height: changes.height,
            first_id: self.next_id,
            next_id: self.next_id + changes.live.len() as u64,
            removed: changes.dead_nodes.iter().map(|&node| self.ids[node as usize]).collect(),
        };
        writes.put(version_key(head.newest), version.encode());
        writes.put(HEAD_KEY, head.encode());
        let before = self.prover.digest();
        Ok(PreparedBatch { proved, writes, changes, before, head, next_id: version.next_id })
    }

    /// Takes over a prepared batch whose writes are in the store.
    ///
    /// `invalid_argument` if it was prepared for another version than the newest.
    pub fn commit(&mut self, prepared: PreparedBatch<'_>) -> Result<ProvedBatch> {
        let PreparedBatch { proved, changes, before, head, next_id, .. } = prepared;
        if head.newest != self.head.newest + 1 || before != self.prover.digest() {
            return Err(Error::new(
                Reason::InvalidArgument,
                format_args!("a batch that was prepared for version {}", self.head.newest + 1),
                format_args!("one for version {} after {before}", head.newest),
            ));
        }
        let moved = self.prover.arena.commit(&changes)?;
        for (&node, id) in moved.iter().zip(self.next_id..) {
            let node = node as usize;
            if node >= self.ids.len() {
                self.ids.resize(node + 1, 0);
            }
            self.ids[node] = id;
        }
        // Pruning in between has moved the oldest version.
        self.head.newest = head.newest;
        self.next_id = next_id;
        Ok(proved)
    }

    /// Goes back to a kept version and forgets the newer ones.
    ///
    /// `version_unavailable` if it is newer than the newest or older than the oldest kept one.
    pub fn roll_back(&mut self, version: u64) -> Result<()> {
        self.check_kept(version)?;
        let record = read_version(&self.store, version)?;
        let LoadedVersion { arena, ids } = load(&self.store, &record, &self.prover.params)?;
        let head = Head { newest: version, ..self.head };
        let mut batch = WriteBatch::new();
        for id in record.next_id..self.next_id {
            batch.delete(node_key(id));
        }
        for newer in version + 1..=self.head.newest {
            batch.delete(version_key(newer));
        }
        batch.put(HEAD_KEY, head.encode());
        self.store.write(batch)?;
        self.prover.arena = arena;
        self.ids = ids;
        self.head = head;
        self.next_id = record.next_id;
        Ok(())
    }

    /// Forgets the versions before `oldest`, and the nodes that only they had.
    ///
    /// `version_unavailable` if `oldest` itself is not kept.
    pub fn prune(&mut self, oldest: u64) -> Result<()> {
        self.check_kept(oldest)?;
        let head = Head { oldest, ..self.head };
        let mut batch = WriteBatch::new();
        for version in self.head.oldest..oldest {
            batch.delete(version_key(version));
            for id in read_version(&self.store, version + 1)?.removed {
                batch.delete(node_key(id));
            }
        }
        batch.put(HEAD_KEY, head.encode());
        self.store.write(batch)?;
        self.head = head;
        Ok(())
    }

    /// The store, with everything written.
    pub fn into_store(self) -> S {
        self.store
    }

    fn check_kept(&self, version: u64) -> Result<()> {
        self.head.check_kept(version)
    }

    fn put_nodes(&self, batch: &mut WriteBatch, changes: &Changes<'_>, new_ids: &NewIds) {
        let arena = &self.prover.arena;
        let id_of = |node: NodeId| new_ids.of(node).unwrap_or_else(|| self.ids[node as usize]);
        for (&live, id) in changes.live.iter().zip(self.next_id..) {
            let Node { left, right, key, balance, kind, .. } = *changes.node(live, arena);
            let record = if kind == Kind::Leaf {
                NodeRecord::Leaf {
                    key: changes.key(key, arena),
                    next_key: changes.key(right, arena),
                    value: changes.value(left, arena),
                }
            } else {
                NodeRecord::Internal {
                    balance,
                    separator: changes.key(key, arena),
                    ids: [id_of(left), id_of(right)],
                    labels: [*changes.label(left, arena), *changes.label(right, arena)],
                }
            };
            batch.put(node_key(id), record.encode());
        }
    }
}

/// A batch that is proved, and not yet written or applied.
pub struct PreparedBatch<'a> {
    /// The proof, the digest after the batch, and the values before it.
    pub proved: ProvedBatch,
    /// What the next version is in the store.
    pub writes: WriteBatch,
    changes: Changes<'a>,
    /// The digest of the version that the batch is for.
    before: Digest,
    head: Head,
    next_id: u64,
}

impl fmt::Debug for PreparedBatch<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("PreparedBatch");
        shown.field("before", &self.before).field("after", &self.proved.digest);
        shown.finish_non_exhaustive()
    }
}

/// The store's ids of a batch's new nodes.
struct NewIds {
    first_node: usize,
    ids: Vec<u64>,
}

impl NewIds {
    fn assign(changes: &Changes<'_>, arena: &Arena, next_id: u64) -> Self {
        let (first_node, ..) = arena.ends();
        let mut ids = vec![0; changes.nodes.len()];
        for (&node, id) in changes.live.iter().zip(next_id..) {
            ids[node as usize - first_node] = id;
        }
        Self { first_node, ids }
    }

    fn of(&self, node: NodeId) -> Option<u64> {
        (node as usize).checked_sub(self.first_node).map(|at| self.ids[at])
    }
}
