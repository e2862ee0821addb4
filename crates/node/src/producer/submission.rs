//! Operations that wait for a block.

use std::sync::Arc;

use prooflight_core::chain::StateOperation;
use prooflight_core::{Error, Hash, Reason, Result};
use tokio::sync::{mpsc, oneshot};

use super::BlockConditions;

/// The block that includes a submission.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockRef {
    /// Its height.
    pub height: u64,
    /// The hash of its header.
    pub hash: Hash,
}

/// Operations that must go into the same block, in order.
#[derive(Debug)]
pub struct Submission {
    pub(super) operations: Vec<StateOperation>,
    pub(super) reply: oneshot::Sender<Result<BlockRef>>,
}

/// Accepts submissions for the next block.
#[derive(Clone, Debug)]
pub struct Submitter {
    pub(super) submissions: mpsc::Sender<Submission>,
    pub(super) conditions: Arc<BlockConditions>,
}

impl Submitter {
    /// Submits operations, and waits until the block that includes them is on disk.
    ///
    /// `busy` if too many submissions are waiting already; `read_only` from a standby; `quorum_missing` at once
    /// if the block would wait for signatures.
    pub async fn submit(&self, operations: Vec<StateOperation>) -> Result<BlockRef> {
        self.conditions.check_quorum()?;
        let (included, receiver) = oneshot::channel();
        self.submissions
            .try_send(Submission { operations, reply: included })
            .map_err(|_| Error::new(Reason::Busy, "fewer waiting submissions", "too many"))?;
        receiver.await.unwrap_or_else(|_| {
            Err(Error::new(Reason::Busy, "a node that makes blocks", "one that is stopping"))
        })
    }
}

/// Tells submitters which block has their operations, or why none has.
pub(super) fn answer(submissions: Vec<Submission>, result: &Result<BlockRef>) {
    for submission in submissions {
        // A caller that is gone does not wait for the answer.
        let _ = submission.reply.send(result.clone());
    }
}
