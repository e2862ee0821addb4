//! Makes blocks of submitted operations, on a thread of its own.

mod conditions;
#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests fail by panicking")]
mod halving;
mod shared_log;
mod submission;

pub use conditions::BlockConditions;
pub use submission::{Submission, Submitter};

use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use prooflight_core::{Code, Error, Result};
use submission::answer;
use tokio::sync::{mpsc, watch};

use crate::chain::block::{BlockRef, MAX_BLOCK_BYTES, operation_bytes};
use crate::replication::log::SharedLog;
use crate::runtime::clock::now_ms;
use crate::runtime::metrics::Metrics;
use crate::signing::collector::{BlockSigner, NextBlock};
use crate::{BlockRetention, Chain, View};

/// When blocks are made, and what is kept of older ones.
#[derive(Clone, Copy, Debug)]
pub struct BlockPace {
    /// The shortest time between two blocks; 0 makes one as soon as there is an operation.
    pub interval: Duration,
    /// Whether to make blocks without operations, too.
    pub empty_blocks: bool,
    /// What is kept of older blocks.
    pub keep: BlockRetention,
}

/// Starts to make blocks; each is published once it is on disk.
///
/// With a `shared` log, every block is first published in the log, which may have blocks of other leaders. The thread
/// ends when every [`Submitter`] is dropped and all submissions are in a block or refused, or with an error other than
/// that of the disk.
pub fn start(
    chain: Chain,
    signing: impl Into<BlockSigner>,
    pace: BlockPace,
    conditions: Arc<BlockConditions>,
    published: watch::Sender<View>,
    metrics: Metrics,
    shared: Option<SharedLog>,
) -> (Submitter, thread::JoinHandle<Result<()>>) {
    let (sender, submissions) = mpsc::channel(MAX_SUBMISSIONS);
    let submitter = Submitter { submissions: sender, conditions: conditions.clone() };
    let producer = Producer {
        chain,
        signing: signing.into(),
        pace,
        conditions,
        published,
        metrics,
        submissions,
        next: None,
        stopped: false,
        shared,
        next_poll: Instant::now(),
    };
    (submitter, thread::spawn(move || producer.run()))
}

/// The shortest time between two attempts while no blocks can be made.
const RETRY_INTERVAL: Duration = Duration::from_millis(100);

/// The most submissions that may wait for a block.
const MAX_SUBMISSIONS: usize = 4096;

struct Producer {
    chain: Chain,
    signing: BlockSigner,
    pace: BlockPace,
    conditions: Arc<BlockConditions>,
    published: watch::Sender<View>,
    metrics: Metrics,
    submissions: mpsc::Receiver<Submission>,
    /// A submission that did not fit into the previous block.
    next: Option<Submission>,
    /// Whether no block could be made at the last attempt.
    stopped: bool,
    shared: Option<SharedLog>,
    /// When to poll the log for blocks of other leaders.
    next_poll: Instant,
}

impl Producer {
    fn run(mut self) -> Result<()> {
        if !self.stand_by()? {
            return Ok(());
        }
        self.resume()?;
        let mut due = Instant::now() + self.pace.interval;
        loop {
            if !self.pace.empty_blocks && self.next.is_none() && !self.wait()? {
                return Ok(());
            }
            thread::sleep(due.saturating_duration_since(Instant::now()));
            let (taken, closed) = self.take();
            if self.signing.is_closed() || (closed && taken.is_empty()) {
                return Ok(());
            }
            due = Instant::now() + self.pace.interval;
            match self.conditions.check() {
                Ok(now_ms) => {
                    if core::mem::take(&mut self.stopped) {
                        tracing::info!("blocks are made again");
                    }
                    self.make(taken, now_ms)?;
                }
                Err(error) => {
                    if !core::mem::replace(&mut self.stopped, true) {
                        tracing::error!(reason = %error.reason(), %error, "no blocks are made");
                    }
                    answer(taken, &Err(error));
                    self.poll_log()?;
                    // Without an interval, empty blocks would be tried without end.
                    due = due.max(Instant::now() + RETRY_INTERVAL);
                }
            }
        }
    }

    /// Finishes the block that was proposed before this node began to lead.
    fn resume(&mut self) -> Result<()> {
        let started = Instant::now();
        let resumed = self.signing.resume(&mut self.chain, now_ms(), self.shared.as_mut());
        let made = match resumed {
            Ok(Some(NextBlock::Invalid(error))) => {
                self.report_invalid_block(&error);
                Ok(())
            }
            Ok(Some(
                NextBlock::Own(view) | NextBlock::Emptied(view, _) | NextBlock::Other(view),
            )) => self.publish_own(view, Vec::new(), started.elapsed()),
            Ok(None) => Ok(()),
            Err(_) if self.signing.is_closed() => Ok(()),
            Err(error) => {
                tracing::error!(reason = %error.reason(), %error, "the proposed block is not finished");
                Err(error)
            }
        };
        made.or_else(|error| self.conditions.record_failure(error))
    }

    /// Takes as many waiting submissions as a block holds; also returns whether no more can come.
    fn take(&mut self) -> (Vec<Submission>, bool) {
        let max = usize::try_from(self.chain.config().limits.max_ops).unwrap_or(usize::MAX);
        let mut taken = Vec::new();
        let (mut count, mut bytes) = (0, 0);
        loop {
            let submission = match self.next.take().map_or_else(|| self.submissions.try_recv(), Ok)
            {
                Ok(submission) => submission,
                Err(error) => return (taken, error == mpsc::error::TryRecvError::Disconnected),
            };
            count += submission.operations.len();
            bytes += submission.operations.iter().map(operation_bytes).sum::<usize>();
            // A single submission fits into a block: its size was checked before it was queued.
            if !taken.is_empty() && (count > max || bytes > MAX_BLOCK_BYTES) {
                self.next = Some(submission);
                return (taken, false);
            }
            taken.push(submission);
        }
    }

    fn make(&mut self, taken: Vec<Submission>, now_ms: u64) -> Result<()> {
        let mut waiting = vec![taken];
        while let Some(taken) = waiting.pop() {
            let retries = self.make_one(taken, now_ms)?;
            waiting.extend(retries.into_iter().rev());
        }
        Ok(())
    }

    /// Tries to make a block. Returns the submissions to retry, those of each further block together.
    fn make_one(&mut self, taken: Vec<Submission>, now_ms: u64) -> Result<Vec<Vec<Submission>>> {
        let started = Instant::now();
        let operations = taken.iter().flat_map(|submission| &submission.operations).cloned();
        let shared = self.shared.as_mut();
        match self.signing.make(&mut self.chain, operations, now_ms, shared) {
            Ok(NextBlock::Own(view)) => {
                let made = self.publish_own(view, taken, started.elapsed());
                made.or_else(|error| self.conditions.record_failure(error))?;
                Ok(Vec::new())
            }
            // Another block was published or proposed first. The operations go into a later block; an empty block
            // is not retried.
            Ok(NextBlock::Other(view)) => {
                self.publish_followed(view, started.elapsed())
                    .or_else(|error| self.conditions.record_failure(error))?;
                // The log may have further blocks.
                self.catch_up()?;
                Ok(if taken.is_empty() { Vec::new() } else { vec![taken] })
            }
            // Another leader published an invalid block of this height, so this one was not published.
            Ok(NextBlock::Invalid(error)) => {
                self.report_invalid_block(&error);
                answer(taken, &Err(error));
                Ok(Vec::new())
            }
            // Blocks with the operations were invalid at every attempt, and one without them was signed.
            Ok(NextBlock::Emptied(view, error)) => {
                let made = self.publish_own(view, Vec::new(), started.elapsed());
                made.or_else(|error| self.conditions.record_failure(error))?;
                Ok(halve(taken, &error))
            }
            // Some errors show only once the block is made: a transition that is too large, or a missing
            // account.
            Err(error) if error.code() == Code::InvalidInput => Ok(halve(taken, &error)),
            // The block stays proposed, and is finished at the next start.
            Err(error) if self.signing.is_closed() => {
                answer(taken, &Err(error));
                Ok(Vec::new())
            }
            Err(error) => {
                tracing::error!(code = %error.code(), reason = %error.reason(), %error, "no block was made");
                answer(taken, &Err(error.clone()));
                // The submissions were valid, so the store failed.
                self.conditions.record_failure(error).map(|()| Vec::new())
            }
        }
    }

    /// Publishes a block of this node to readers, and answers its submitters.
    fn publish_own(&mut self, view: View, taken: Vec<Submission>, took: Duration) -> Result<()> {
        self.metrics.block(took);
        let included = BlockRef { height: view.height(), hash: *view.head_hash() };
        tracing::info!(
            height = included.height,
            hash = %prooflight_core::Hex(&included.hash),
            submissions = taken.len(),
            milliseconds = u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
            "block"
        );
        self.published.send_replace(view);
        self.signing.published(included.height)?;
        answer(taken, &Ok(included));
        self.metrics.store(self.chain.disk_bytes()?);
        self.chain.apply_retention(self.pace.keep)
    }
}

/// Splits submissions that cannot be in one block into two halves, one for each new block. A single one is refused.
fn halve(mut taken: Vec<Submission>, error: &Error) -> Vec<Vec<Submission>> {
    let rest = taken.split_off(taken.len() / 2);
    if taken.is_empty() {
        answer(rest, &Err(error.clone()));
        return Vec::new();
    }
    vec![taken, rest]
}
