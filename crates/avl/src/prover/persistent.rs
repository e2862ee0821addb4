//! A dictionary in a store, with its revisions.

use core::fmt;

use prooflight_core::store::{PreparedRevision, Store, TreeRevisions, WriteBatch, node_key};
use prooflight_core::{Error, Reason, Result};

use super::arena::{Arena, BatchChanges, Node};
use super::load::{LoadedRevision, load};
use super::record::{NodeRecord, PARAMS_KEY, TreeRoot, params_record};
use super::revision_file::RevisionFile;
use super::{AvlProver, ProvedBatch};
use crate::operation::Operation;
use crate::params::{Digest, Params};
use crate::tree::{NodeId, NodeKind};

/// An [`AvlProver`] whose revisions all stay in a store until they are pruned.
///
/// Revision 0 is the empty dictionary; each applied batch creates the next. The newest revision is
/// also in memory. Data read from the store is checked like a proof: a changed byte is
/// `store_corrupt`.
#[derive(Debug)]
pub struct PersistentAvlProver<S> {
    revisions: TreeRevisions<S, TreeRoot>,
    prover: AvlProver,
    /// The store's id of each node of the arena.
    ids: Vec<u64>,
}

impl<S: Store> PersistentAvlProver<S> {
    /// Opens the newest revision in a store; writes the empty dictionary into an empty store.
    ///
    /// `invalid_argument` if the store's dictionary has other key or value lengths.
    pub fn open(store: S, params: Params) -> Result<Self> {
        Self::open_with(store, params, |_| None).map(|(prover, _)| prover)
    }

    /// Like [`open`](Self::open), but reads nodes from a file. `open_file` opens it, given the first unused id. Also
    /// returns the first id after those of the file; 0 if not all of its nodes could be used.
    pub(super) fn open_with(
        store: S,
        params: Params,
        open_file: impl FnOnce(u64) -> Option<RevisionFile>,
    ) -> Result<(Self, u64)> {
        params.check(&[])?;
        let asked = params_record(&params);
        if store.get(PARAMS_KEY)?.is_some_and(|kept| kept != asked) {
            return Err(Error::new(
                Reason::InvalidArgument,
                "the key and value lengths that the store was made with",
                format_args!("{params:?}"),
            ));
        }
        let empty = AvlProver::new(params)?;
        let revisions = TreeRevisions::open(store, |writes| {
            writes.put(PARAMS_KEY, asked);
            (first_leaf(&empty.arena, writes), 1)
        })?;
        let (store, root) = (revisions.store(), revisions.root());
        let mut end = 0;
        let loaded = open_file(revisions.next_id()).and_then(|mut file| {
            let loaded = load(store, Some(&mut file), root, &params);
            end = file.end();
            // The error may be in the file alone: load from the store.
            loaded.inspect_err(|_| end = 0).ok()
        });
        let LoadedRevision { arena, ids } =
            loaded.map_or_else(|| load(store, None, root, &params), Ok)?;
        Ok((Self { revisions, prover: AvlProver { params, arena }, ids }, end))
    }

    /// Returns the newest revision.
    pub const fn revision(&self) -> u64 {
        self.revisions.newest()
    }

    /// Returns the oldest kept revision.
    pub const fn oldest_revision(&self) -> u64 {
        self.revisions.oldest()
    }

    /// Returns the dictionary of the newest revision, for reading and for proofs without changes.
    pub const fn prover(&self) -> &AvlProver {
        &self.prover
    }

    /// Returns the digest of a kept revision.
    pub fn digest_at(&self, revision: u64) -> Result<Digest> {
        self.revisions.root_at(revision).map(|root| root.digest())
    }

    /// Proves a batch, writes the next revision, and only then changes the dictionary in memory.
    ///
    /// All or nothing: if an operation or the store fails, nothing has changed.
    pub fn apply_batch(&mut self, ops: &[Operation<'_>]) -> Result<ProvedBatch> {
        let mut prepared = self.prepare(ops)?;
        self.revisions.write(&mut prepared.revision)?;
        self.commit(prepared)
    }

    /// Proves a batch and computes what to write for the next revision, without changing anything.
    ///
    /// For callers that write more than this dictionary in one atomic batch: write
    /// [`PreparedBatch::take_writes`] to this prover's store, then [commit](Self::commit).
    pub fn prepare(&self, ops: &[Operation<'_>]) -> Result<PreparedBatch> {
        let (proved, changes) = self.prover.run(ops)?;
        let first_id = self.revisions.next_id();
        let new_ids = NewIds::assign(&changes, &self.prover.arena, first_id);
        let mut nodes = WriteBatch::new();
        self.put_nodes(&mut nodes, &changes, &new_ids);
        let root = TreeRoot {
            id: new_ids.of(changes.root).unwrap_or_else(|| self.ids[changes.root as usize]),
            label: changes.root_label,
            height: changes.height,
        };
        let next_id = first_id + changes.live.len() as u64;
        let removed = changes.dead_nodes.iter().map(|&node| self.ids[node as usize]).collect();
        let revision = self.revisions.prepare(root, nodes, next_id, removed);
        Ok(PreparedBatch { proved, changes, revision })
    }

    /// Applies a prepared batch whose writes are in the store.
    ///
    /// `invalid_argument` unless it was prepared on top of the newest revision.
    pub fn commit(&mut self, prepared: PreparedBatch) -> Result<ProvedBatch> {
        let PreparedBatch { proved, changes, revision } = prepared;
        let first_id = self.revisions.next_id();
        self.revisions.commit(&revision)?;
        let moved = self.prover.arena.commit(changes)?;
        for (&node, id) in moved.iter().zip(first_id..) {
            let node = node as usize;
            if node >= self.ids.len() {
                self.ids.resize(node + 1, 0);
            }
            self.ids[node] = id;
        }
        Ok(proved)
    }

    /// Removes the revisions before `oldest`, and the nodes that only they used.
    ///
    /// `version_unavailable` if `oldest` itself is not kept.
    pub fn prune(&mut self, oldest: u64) -> Result<()> {
        self.revisions.prune(oldest)
    }

    /// Returns the number of nodes of the newest revision.
    #[cfg(feature = "chain")]
    pub(super) const fn live(&self) -> u64 {
        self.prover.arena.live() as u64
    }

    /// Returns the ids of the nodes of the newest revision.
    #[cfg(feature = "chain")]
    pub(super) fn live_ids(&self) -> Vec<u64> {
        let mut ids = self.ids.clone();
        for &free in self.prover.arena.free() {
            ids[free as usize] = u64::MAX;
        }
        ids.retain(|id| *id != u64::MAX);
        ids
    }

    /// Returns the first id that no node has.
    #[cfg(feature = "chain")]
    pub(super) const fn next_id(&self) -> u64 {
        self.revisions.next_id()
    }

    /// Returns a snapshot of the store.
    pub fn snapshot(&self) -> Result<S::Snapshot> {
        self.revisions.store().snapshot()
    }

    /// Returns the underlying store.
    #[cfg(feature = "chain")]
    pub(super) const fn store(&self) -> &S {
        self.revisions.store()
    }

    /// Returns the store, with everything written.
    pub fn into_store(self) -> S {
        self.revisions.into_store()
    }

    fn put_nodes(&self, batch: &mut WriteBatch, changes: &BatchChanges, new_ids: &NewIds) {
        let arena = &self.prover.arena;
        let id_of = |node: NodeId| new_ids.of(node).unwrap_or_else(|| self.ids[node as usize]);
        for (&live, id) in changes.live.iter().zip(self.revisions.next_id()..) {
            let Node { left, right, key, balance, kind, .. } = *changes.node(live, arena);
            let record = if kind == NodeKind::Leaf {
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

/// A proved batch that has not been written or applied yet.
pub struct PreparedBatch {
    /// The proof, the digest after the batch, and the values before it.
    pub proved: ProvedBatch,
    changes: BatchChanges,
    revision: PreparedRevision<TreeRoot>,
}

impl PreparedBatch {
    /// Takes the writes that store the next revision; empty once taken.
    pub fn take_writes(&mut self) -> WriteBatch {
        core::mem::take(&mut self.revision.writes)
    }
}

impl fmt::Debug for PreparedBatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("PreparedBatch");
        shown.field("after", &self.proved.digest).finish_non_exhaustive()
    }
}

/// Stores the only node of the empty dictionary, under id 0.
fn first_leaf(arena: &Arena, writes: &mut WriteBatch) -> TreeRoot {
    let root = arena.root();
    let leaf = arena.node(root);
    let record = NodeRecord::Leaf {
        key: arena.key(leaf.key),
        next_key: arena.key(leaf.right),
        value: arena.value(leaf.left),
    };
    writes.put(node_key(0), record.encode());
    TreeRoot { id: 0, label: *arena.label(root), height: 0 }
}

/// The store's ids of a batch's new nodes.
struct NewIds {
    first_node: usize,
    ids: Vec<u64>,
}

impl NewIds {
    fn assign(changes: &BatchChanges, arena: &Arena, next_id: u64) -> Self {
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
