//! Proposals in the chain's log, where every leader finds them.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use prooflight_core::{Code, Result};
use prooflight_log::BucketLog;
use tokio::runtime::Handle;

use super::ProposalFolder;
use crate::chain::proposal::{AttemptId, MAX_ATTEMPTS, ProposalStore};
use crate::replication::log::BlockLog;

/// The proposals in a chain's log.
#[derive(Debug)]
pub struct ProposalLog {
    log: BucketLog,
    runtime: Handle,
    /// The attempts that this node created or read, and has not removed yet.
    known: Mutex<BTreeSet<AttemptId>>,
    /// Whether the proposals of earlier runs and of earlier leaders were removed.
    swept: AtomicBool,
    /// Whether the credentials do not permit removals.
    refused: Arc<AtomicBool>,
}

impl ProposalLog {
    /// The proposals in a log, for threads that may block; the runtime must have other threads.
    pub fn new(log: &BlockLog) -> Self {
        let (log, runtime) = (log.bucket_log().clone(), log.runtime().clone());
        let (known, swept, refused) = Default::default();
        Self { log, runtime, known, swept, refused }
    }

    /// Takes over what the leader proposed at the next height before the chain had a log, such as the
    /// genesis block. Authorities may have signed it.
    pub fn take_over(&self, folder: &ProposalFolder, height: u64) -> Result<()> {
        for number in 0..MAX_ATTEMPTS {
            let attempt = AttemptId { height, number };
            let Some(proposal) = folder.read(attempt)? else { break };
            self.create(attempt, &proposal)?;
        }
        height.checked_sub(1).map_or(Ok(()), |newest| folder.published(newest))
    }

    /// Removes proposals that are no longer needed. Those that a failure leaves are removed at the next start.
    fn remove(&self, newest: u64, known: BTreeSet<AttemptId>) {
        let sweep = !self.swept.swap(true, Ordering::Relaxed);
        if self.refused.load(Ordering::Relaxed) || (known.is_empty() && !sweep) {
            return;
        }
        let (log, refused) = (self.log.clone(), self.refused.clone());
        self.runtime.spawn(async move {
            let removed = async {
                for AttemptId { height, number } in known {
                    log.remove_proposal(height, number).await?;
                }
                if sweep { log.remove_old_proposals(newest).await } else { Ok(()) }
            };
            if let Err(error) = removed.await {
                tracing::warn!(reason = %error.reason(), %error, "old proposals stay in the log");
                refused.fetch_or(error.code() != Code::Unavailable, Ordering::Relaxed);
            }
        });
    }
}

impl ProposalStore for ProposalLog {
    fn create(&self, attempt: AttemptId, proposal: &[u8]) -> Result<Vec<u8>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).insert(attempt);
        let AttemptId { height, number } = attempt;
        self.runtime.block_on(self.log.propose(height, number, proposal))
    }

    fn read(&self, attempt: AttemptId) -> Result<Option<Vec<u8>>> {
        let found = self.runtime.block_on(self.log.read_proposal(attempt.height, attempt.number));
        if found.is_some() {
            self.known.lock().unwrap_or_else(PoisonError::into_inner).insert(attempt);
        }
        Ok(found)
    }

    fn published(&self, height: u64) -> Result<()> {
        let later = AttemptId { height: height.saturating_add(1), number: 0 };
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = known.split_off(&later);
        let old = core::mem::replace(&mut *known, kept);
        drop(known);
        self.remove(height, old);
        Ok(())
    }
}
