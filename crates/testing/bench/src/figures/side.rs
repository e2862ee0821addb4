//! The interface of the structures that the figures compare.

use prooflight_bench::Result;
use prooflight_bench::sstore::{Key, KeyVersion, Value};

/// A structure in memory; roots of blocks that it returned are trusted.
pub(crate) trait FigureSide {
    /// A proof of the newest value of a key.
    type Proof;
    /// A proof of versions of a key.
    type History;

    /// Puts values of distinct keys at a block, and computes the root.
    fn put(&mut self, block: u64, changes: &[(Key, Value)]) -> Result<()>;

    /// Frees what only older blocks need; its time does not count.
    fn forget(&mut self) -> Result<()> {
        Ok(())
    }

    /// Proves the newest value of a key.
    fn get(&self, key: &Key) -> Result<Self::Proof>;

    fn verify(&self, key: &Key, proof: &Self::Proof) -> Result<Option<Value>>;

    fn bytes(proof: &Self::Proof) -> usize;

    /// Prepares for histories after the last block; its time does not count.
    fn settle(&mut self) -> Result<()> {
        Ok(())
    }

    /// Proves the versions of a key that was written in each of the blocks `from..=to`.
    fn hist(&self, key: &Key, from: u64, to: u64) -> Result<Self::History>;

    /// Returns the verified versions of the blocks `from..=to`, newest first.
    fn verify_hist(
        &self,
        key: &Key,
        from: u64,
        to: u64,
        proof: &Self::History,
    ) -> Result<Vec<KeyVersion>>;

    fn history_bytes(proof: &Self::History) -> usize;

    /// The bytes of a proof of all keys from one on, for each byte of these keys and their values;
    /// `None` without such proofs.
    fn range_overhead(&self, _lo: &Key, _entries: usize) -> Result<Option<f64>> {
        Ok(None)
    }
}

#[allow(clippy::cast_precision_loss, reason = "the numbers are only displayed")]
pub(super) fn displayed(number: usize) -> f64 {
    number as f64
}
