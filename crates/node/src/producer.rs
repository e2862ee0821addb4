//! Makes blocks of submitted operations, on a thread of its own.

use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::{Duration, Instant};

use prooflight_core::chain::StateOperation;
use prooflight_core::{Code, Error, Hash, Reason, Result};
use tokio::sync::{mpsc, oneshot, watch};

use crate::authority::Signers;
use crate::block::{MAX_BYTES, bytes_of};
use crate::clock::{Clock, check_not_in_future};
use crate::metrics::Metrics;
use crate::space::Space;
use crate::{Chain, View};

/// When blocks are made, and how many states are kept.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    /// The shortest time between two blocks; 0 makes one as soon as there is an operation.
    pub interval: Duration,
    /// Whether to make blocks without operations, too.
    pub empty_blocks: bool,
    /// The number of blocks before the newest whose states are kept; `None` keeps all.
    pub keep_states: Option<u64>,
}

/// Whether blocks can be made now. Readiness depends on it too.
#[derive(Debug)]
pub struct Conditions {
    views: watch::Receiver<View>,
    clock: Clock,
    space: Space,
    /// The error of the store after which the chain takes no more blocks.
    failed: OnceLock<Error>,
}

impl Conditions {
    /// Blocks can be made while the clock is right, there is space, and the newest block, which these
    /// views have, is not in the future.
    pub fn new(views: watch::Receiver<View>, clock: Clock, space: Space) -> Self {
        Self { views, clock, space, failed: OnceLock::new() }
    }

    /// Returns the time for a block that is made now.
    ///
    /// `store_failed` after a failed write or without space; `clock_jumped`, see [`Clock::now_ms`];
    /// `head_in_future` if the newest block is further ahead of the time than clients allow.
    pub fn check(&self) -> Result<u64> {
        if let Some(error) = self.failed.get() {
            return Err(error.clone());
        }
        self.space.check()?;
        let now_ms = self.clock.now_ms()?;
        let newest = self.views.borrow().head().header.timestamp_ms;
        check_not_in_future(newest, now_ms)?;
        Ok(now_ms)
    }

    /// Takes the present time as right after the clock was set, and returns it.
    pub fn confirm_clock(&self) -> u64 {
        self.clock.confirm()
    }

    /// Remembers that the store could not be written: what is on disk can still be read. Any other
    /// error is returned.
    fn failed(&self, error: Error) -> Result<()> {
        if error.reason() != Reason::StoreFailed {
            return Err(error);
        }
        let expected = format_args!("{}; blocks stop until the next start", error.expected());
        let _ = self.failed.set(Error::new(Reason::StoreFailed, expected, error.found()));
        Ok(())
    }
}

/// The block that includes a submission.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Included {
    /// Its height.
    pub height: u64,
    /// The hash of its header.
    pub hash: Hash,
}

/// Operations that must go into the same block, in order.
#[derive(Debug)]
pub struct Submission {
    operations: Vec<StateOperation>,
    included: oneshot::Sender<Result<Included>>,
}

/// Accepts submissions for the next block.
#[derive(Clone, Debug)]
pub struct Submitter(mpsc::Sender<Submission>);

impl Submitter {
    /// Submits operations, and waits until the block that includes them is on disk.
    ///
    /// `busy` if too many submissions are waiting already.
    pub async fn submit(&self, operations: Vec<StateOperation>) -> Result<Included> {
        let (included, receiver) = oneshot::channel();
        self.0
            .try_send(Submission { operations, included })
            .map_err(|_| Error::new(Reason::Busy, "fewer waiting submissions", "too many"))?;
        receiver.await.unwrap_or_else(|_| {
            Err(Error::new(Reason::Busy, "a node that makes blocks", "one that is stopping"))
        })
    }
}

/// Starts to make blocks; each is published once it is on disk.
///
/// Ends when every [`Submitter`] is dropped and all submissions are in a block or refused, or with an
/// error that is not that of the disk.
pub fn start(
    chain: Chain,
    signers: Signers,
    pace: Pace,
    conditions: Arc<Conditions>,
    published: watch::Sender<View>,
    metrics: Metrics,
) -> (Submitter, thread::JoinHandle<Result<()>>) {
    let (sender, submissions) = mpsc::channel(WAITING);
    let producer = Producer {
        chain,
        signers,
        pace,
        conditions,
        published,
        metrics,
        submissions,
        next: None,
        stopped: false,
    };
    (Submitter(sender), thread::spawn(move || producer.run()))
}

/// The shortest time between two tries while no blocks can be made.
const RETRY: Duration = Duration::from_millis(100);

/// The most submissions that may wait for a block.
const WAITING: usize = 4096;

struct Producer {
    chain: Chain,
    signers: Signers,
    pace: Pace,
    conditions: Arc<Conditions>,
    published: watch::Sender<View>,
    metrics: Metrics,
    submissions: mpsc::Receiver<Submission>,
    /// A submission that did not fit into the previous block.
    next: Option<Submission>,
    /// Whether no block could be made at the last try.
    stopped: bool,
}

impl Producer {
    fn run(mut self) -> Result<()> {
        let mut due = Instant::now() + self.pace.interval;
        loop {
            if !self.pace.empty_blocks && self.next.is_none() {
                self.next = self.submissions.blocking_recv();
                if self.next.is_none() {
                    return Ok(());
                }
            }
            thread::sleep(due.saturating_duration_since(Instant::now()));
            let (taken, closed) = self.take();
            if closed && taken.is_empty() {
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
                    // Without an interval, empty blocks would be tried without end.
                    due = due.max(Instant::now() + RETRY);
                }
            }
        }
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
            bytes += submission.operations.iter().map(bytes_of).sum::<usize>();
            // A single submission was checked before.
            if !taken.is_empty() && (count > max || bytes > MAX_BYTES) {
                self.next = Some(submission);
                return (taken, false);
            }
            taken.push(submission);
        }
    }

    fn make(&mut self, mut taken: Vec<Submission>, now_ms: u64) -> Result<()> {
        let started = Instant::now();
        let operations = taken.iter().flat_map(|submission| &submission.operations).cloned();
        match self.chain.make(operations, now_ms, &self.signers) {
            Ok(view) => {
                let made = self.made(view, taken, started.elapsed());
                made.or_else(|error| self.conditions.failed(error))
            }
            // Some errors show only once the block is made: a transition that is too large, or a missing
            // account. Then each half becomes a block of its own.
            Err(error) if error.code() == Code::InvalidInput => {
                let rest = taken.split_off(taken.len() / 2);
                if taken.is_empty() {
                    answer(rest, &Err(error));
                    return Ok(());
                }
                self.make(taken, now_ms)?;
                self.make(rest, now_ms)
            }
            Err(error) => {
                tracing::error!(code = %error.code(), reason = %error.reason(), %error, "no block");
                answer(taken, &Err(error.clone()));
                // The submissions are not at fault, so it is the store.
                self.conditions.failed(error)
            }
        }
    }

    fn made(&mut self, view: View, taken: Vec<Submission>, took: Duration) -> Result<()> {
        self.metrics.block(took);
        let included = Included { height: view.height(), hash: *view.head_hash() };
        tracing::info!(
            height = included.height,
            hash = %prooflight_core::Hex(&included.hash),
            submissions = taken.len(),
            milliseconds = u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
            "block"
        );
        self.published.send_replace(view);
        answer(taken, &Ok(included));
        self.metrics.store(self.chain.disk_bytes()?);
        self.chain.keep_states(self.pace.keep_states)
    }
}

fn answer(submissions: Vec<Submission>, result: &Result<Included>) {
    for submission in submissions {
        // A caller that is gone does not wait for the answer.
        let _ = submission.included.send(result.clone());
    }
}
