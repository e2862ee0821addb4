//! The prover: a whole dictionary in memory, and the proofs about it.
//!
//! A batch runs on an overlay over the dictionary, which stays as it is; [`AvlProver::prove_batch`]
//! drops the overlay, [`AvlProver::apply_batch`] takes it over.

mod arena;
mod batch;
mod bit_set;
#[cfg(feature = "chain")]
mod chain;
mod load;
mod lookup;
mod pack;
mod persistent;
mod record;

use std::sync::Arc;

use prooflight_core::{Error, Reason, Result};

use crate::operation::Operation;
use crate::params::{Digest, Params};
use arena::{Arena, Changes};
use batch::Batch;

#[cfg(feature = "chain")]
pub use chain::{AvlReader, AvlState};
pub use lookup::prove_lookups_at;
pub use persistent::{PersistentAvlProver, PreparedBatch};

/// A dictionary that proves batches of operations.
#[derive(Clone, Debug)]
pub struct AvlProver {
    params: Params,
    arena: Arena,
}

/// A batch with its proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProvedBatch {
    /// The proof, scorex's byte stream.
    pub proof: Vec<u8>,
    /// The digest after the batch.
    pub digest: Digest,
    /// For each operation the value that its key had before it; operations share what is one value.
    pub results: Vec<Option<Arc<[u8]>>>,
}

/// A batch in which operations that fail are left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartialBatch {
    /// The proof of the operations that did not fail.
    pub proof: Vec<u8>,
    /// The digest after the batch.
    pub digest: Digest,
    /// For each operation the value that its key had before it, or why it failed.
    pub results: Vec<Result<Option<Arc<[u8]>>>>,
}

impl AvlProver {
    /// An empty dictionary.
    ///
    /// Of the parameters it uses the lengths and the limits. `invalid_argument` if the key length
    /// is 0 or above [`MAX_KEY_LENGTH`](crate::MAX_KEY_LENGTH), or a fixed value length is above the
    /// limit of a value: the empty dictionary already holds one.
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

    /// The digest of the dictionary.
    pub fn digest(&self) -> Digest {
        self.arena.digest()
    }

    /// What is pinned about the dictionary.
    pub const fn params(&self) -> &Params {
        &self.params
    }

    /// The value of a key, or `None` if it is absent or not a key at all; without a proof.
    pub fn get(&self, key: &[u8]) -> Option<&[u8]> {
        self.arena.get(key)
    }

    /// Every key and value, in ascending order of the keys.
    pub fn iter(&self) -> impl Iterator<Item = (&[u8], &[u8])> {
        self.arena.entries()
    }

    /// Proves a batch without changing the dictionary.
    ///
    /// Fails if any operation does, with `operation i` in the error's `found`.
    pub fn prove_batch(&self, ops: &[Operation<'_>]) -> Result<ProvedBatch> {
        self.run(ops).map(|(batch, _)| batch)
    }

    /// Proves a batch and applies it, all or nothing.
    ///
    /// If any operation fails the dictionary stays as it was; the error says which one and why.
    pub fn apply_batch(&mut self, ops: &[Operation<'_>]) -> Result<ProvedBatch> {
        let (batch, changes) = self.run(ops)?;
        self.arena.commit(changes)?;
        Ok(batch)
    }

    /// Proves and applies those operations of a batch that do not fail.
    pub fn apply_possible(&mut self, ops: &[Operation<'_>]) -> Result<PartialBatch> {
        self.params.check(ops)?;
        let mut batch = Batch::new(&self.arena, &self.params, ops.len());
        let results = ops.iter().map(|op| batch.perform(op)).collect();
        let (proof, changes) = batch.finish()?;
        self.arena.commit(changes)?;
        Ok(PartialBatch { proof, digest: self.digest(), results })
    }

    fn run(&self, ops: &[Operation<'_>]) -> Result<(ProvedBatch, Changes)> {
        self.params.check(ops)?;
        let mut batch = Batch::new(&self.arena, &self.params, ops.len());
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
