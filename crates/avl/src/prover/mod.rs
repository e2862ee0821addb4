//! The prover: a whole dictionary in memory, and proofs about it.
//!
//! A batch runs on an overlay and leaves the dictionary unchanged; [`AvlProver::prove_batch`] drops
//! the overlay, [`AvlProver::apply_batch`] applies it.

mod arena;
mod batch;
mod bit_set;
#[cfg(feature = "chain")]
mod cached_state;
#[cfg(feature = "chain")]
mod chain;
mod descending_reader;
mod load;
mod lookup;
mod node_queue;
mod pack;
mod persistent;
mod record;
#[cfg_attr(not(feature = "chain"), allow(dead_code, reason = "a chain's state gathers its nodes"))]
mod revision_file;
mod sync;

use std::sync::Arc;

use prooflight_core::{Error, Reason, Result};

use crate::operation::Operation;
use crate::params::{Digest, Params};
use arena::{Arena, BatchChanges};
use batch::BatchOverlay;

#[cfg(feature = "chain")]
pub use cached_state::{CachedAvlParams, CachedAvlState, RevisionFileEvent};
#[cfg(feature = "chain")]
pub use chain::{AvlReader, AvlState};
pub use lookup::prove_lookups_at;
pub use persistent::{PersistentAvlProver, PreparedBatch};
pub use sync::{ChunkEntries, RevisionAssembly, read_chunk};

/// A dictionary that proves batches of operations.
#[derive(Clone, Debug)]
pub struct AvlProver {
    params: Params,
    arena: Arena,
}

/// A batch with its proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProvedBatch {
    /// The proof, in scorex's byte format.
    pub proof: Vec<u8>,
    /// The digest after the batch.
    pub digest: Digest,
    /// For each operation, the previous value of its key. Operations that return the same stored
    /// value share it.
    pub results: Vec<Option<Arc<[u8]>>>,
}

/// A batch whose failed operations are left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartialBatch {
    /// The proof of the operations that succeeded.
    pub proof: Vec<u8>,
    /// The digest after the batch.
    pub digest: Digest,
    /// For each operation, the previous value of its key, or the error.
    pub results: Vec<Result<Option<Arc<[u8]>>>>,
}

impl AvlProver {
    /// Creates an empty dictionary.
    ///
    /// Uses only the lengths and the limits of the parameters. `invalid_argument` if the key length
    /// is 0 or above [`MAX_KEY_LENGTH`](crate::MAX_KEY_LENGTH), or if a fixed value length exceeds
    /// the value limit: even the empty dictionary holds one value.
    pub fn new(params: Params) -> Result<Self> {
        params.check(&[])?;
        if let Some(length) = params.value_length.filter(|&it| it > params.limits.max_value_bytes) {
            return Err(Error::new(
                Reason::InvalidArgument,
                format_args!("a value length of at most {}", params.limits.max_value_bytes),
                length,
            ));
        }
        Ok(Self { params, arena: Arena::new(&params) })
    }

    /// Returns the digest of the dictionary.
    pub fn digest(&self) -> Digest {
        self.arena.digest()
    }

    /// Returns the parameters that verifiers pin.
    pub const fn params(&self) -> &Params {
        &self.params
    }

    /// Returns the value of a key, without a proof; `None` if the key is absent or invalid.
    pub fn get(&self, key: &[u8]) -> Option<&[u8]> {
        self.arena.get(key)
    }

    /// Iterates over all keys and values, in ascending key order.
    pub fn iter(&self) -> impl Iterator<Item = (&[u8], &[u8])> {
        self.arena.entries()
    }

    /// Proves a batch without changing the dictionary.
    ///
    /// Fails if any operation fails; the error's `found` then contains `operation i`.
    pub fn prove_batch(&self, ops: &[Operation<'_>]) -> Result<ProvedBatch> {
        self.run(ops).map(|(batch, _)| batch)
    }

    /// Proves a batch and applies it: all or nothing.
    ///
    /// If any operation fails, the dictionary is unchanged; the error says which operation and why.
    pub fn apply_batch(&mut self, ops: &[Operation<'_>]) -> Result<ProvedBatch> {
        let (batch, changes) = self.run(ops)?;
        self.arena.commit(changes)?;
        Ok(batch)
    }

    /// Proves and applies the operations of a batch that do not fail.
    pub fn apply_possible(&mut self, ops: &[Operation<'_>]) -> Result<PartialBatch> {
        self.params.check(ops)?;
        let mut batch = BatchOverlay::new(&self.arena, &self.params, ops.len());
        let results = ops.iter().map(|op| batch.perform(op)).collect();
        let (proof, changes) = batch.finish()?;
        self.arena.commit(changes)?;
        Ok(PartialBatch { proof, digest: self.digest(), results })
    }

    fn run(&self, ops: &[Operation<'_>]) -> Result<(ProvedBatch, BatchChanges)> {
        self.params.check(ops)?;
        let mut batch = BatchOverlay::new(&self.arena, &self.params, ops.len());
        let mut results = Vec::with_capacity(ops.len());
        for (index, op) in ops.iter().enumerate() {
            results.push(batch.perform(op).map_err(|error| in_operation(index, &error))?);
        }
        let (proof, changes) = batch.finish()?;
        Ok((ProvedBatch { proof, digest: changes.digest(), results }, changes))
    }
}

#[cold]
fn in_operation(index: usize, error: &Error) -> Error {
    let found = format_args!("operation {index}: {}", error.found());
    Error::new(error.reason(), error.expected(), found)
}
