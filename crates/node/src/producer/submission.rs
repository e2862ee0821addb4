//! Operations that wait for a block.

use std::pin::Pin;
use std::sync::Arc;

use prooflight_core::chain::StateOperation;
use prooflight_core::{Error, Reason, Result};
use tokio::sync::{mpsc, oneshot};

use super::BlockConditions;
use crate::api::producer::BlockSubmitter;
use crate::chain::block::BlockRef;

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

impl BlockSubmitter for Submitter {
    fn submit(
        &self,
        operations: Vec<StateOperation>,
    ) -> Pin<Box<dyn Future<Output = Result<BlockRef>> + Send + '_>> {
        Box::pin(Self::submit(self, operations))
    }
}

impl Submitter {
    /// Submits operations, like [`BlockSubmitter::submit`].
    pub async fn submit(&self, operations: Vec<StateOperation>) -> Result<BlockRef> {
        self.conditions.check_quorum()?;
        let (reply, receiver) = oneshot::channel();
        self.submissions
            .try_send(Submission { operations, reply })
            .map_err(|_| Error::new(Reason::Busy, "fewer waiting submissions", "too many"))?;
        receiver.await.unwrap_or_else(|_| {
            Err(Error::new(Reason::Busy, "a node that makes blocks", "one that is stopping"))
        })
    }
}

/// Tells submitters which block has their operations, or why none has.
pub(super) fn answer(submissions: Vec<Submission>, result: &Result<BlockRef>) {
    for submission in submissions {
        // Fails if the caller no longer waits.
        let _ = submission.reply.send(result.clone());
    }
}
