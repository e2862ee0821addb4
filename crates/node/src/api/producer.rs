//! What the API needs of the part that makes blocks.

use std::pin::Pin;

use prooflight_core::Result;
use prooflight_core::chain::StateOperation;

use crate::chain::block::BlockRef;
use crate::runtime::metrics::Metrics;

/// Accepts operations for the next block.
pub trait BlockSubmitter: Send + Sync {
    /// Submits operations, and waits until the block that includes them is on disk.
    ///
    /// `busy` if too many submissions are waiting already; `read_only` from a standby; `quorum_missing` at once
    /// if the block would wait for signatures.
    fn submit(
        &self,
        operations: Vec<StateOperation>,
    ) -> Pin<Box<dyn Future<Output = Result<BlockRef>> + Send + '_>>;
}

/// Whether blocks can be made now.
pub trait BlockReadiness: Send + Sync {
    /// Returns the time for a block that is made now, or why none can be made.
    fn check(&self) -> Result<u64>;

    /// Records the authorities that are missing.
    fn count(&self, metrics: &Metrics);

    /// Takes the present time as right after the clock was set, and returns it.
    fn confirm_clock(&self) -> u64;
}
