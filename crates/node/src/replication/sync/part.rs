//! The parts of a state, each of which a replica receives in chunks.

use prooflight_core::Result;
use serde::{Deserialize, Serialize};

use crate::chain::EntryWriter;

/// A part of a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum StatePart {
    Headers,
    Avl,
    Amb,
    Values,
    Smt,
}

/// Receives a part of a state, chunk by chunk.
pub(super) trait PartReceiver {
    fn part(&self) -> StatePart;

    /// Where the next chunk begins; `None` once all chunks have been received.
    fn next(&self) -> Result<Option<Vec<u8>>>;

    /// Checks and stores a chunk.
    fn take(&mut self, chunk: &[u8], new: &mut EntryWriter) -> Result<()>;
}
