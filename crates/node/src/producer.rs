//! Makes blocks of submitted operations, on a thread of its own.

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests fail by panicking")]
mod halving;

use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::{Duration, Instant};

use prooflight_core::chain::StateOperation;
use prooflight_core::{Code, Error, Hash, Reason, Result};
use tokio::sync::{mpsc, oneshot, watch};

use crate::block::{MAX_BYTES, bytes_of};
use crate::clock::{Clock, check_not_in_future, now_ms};
use crate::collect::Signing;
use crate::desk::Desk;
use crate::log::{BlockLog, Standby, is_fresh, is_wrong_block};
use crate::metrics::Metrics;
use crate::space::Space;
use crate::{Chain, Made, Retention, View};

/// When blocks are made, and what is kept of older ones.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    /// The shortest time between two blocks; 0 makes one as soon as there is an operation.
    pub interval: Duration,
    /// Whether to make blocks without operations, too.
    pub empty_blocks: bool,
    /// What is kept of older blocks.
    pub keep: Retention,
}

/// Whether blocks can be made now. Readiness depends on it too.
#[derive(Debug)]
pub struct Conditions {
    views: watch::Receiver<View>,
    clock: Clock,
    space: Space,
    /// Errors of what else must work; none while it does.
    troubles: Vec<watch::Receiver<Option<Error>>>,
    /// Where blocks wait for signatures, if authorities sign elsewhere.
    desk: Option<Arc<Desk>>,
    /// The error of the store after which the chain takes no more blocks.
    failed: OnceLock<Error>,
}

impl Conditions {
    /// Blocks can be made while the clock is right, there is space, and the newest block, which these
    /// views have, is not in the future.
    pub fn new(views: watch::Receiver<View>, clock: Clock, space: Space) -> Self {
        let (troubles, desk, failed) = Default::default();
        Self { views, clock, space, troubles, desk, failed }
    }

    /// Blocks can be made only while these have no error, either.
    #[must_use]
    pub fn without(self, troubles: impl Into<Vec<watch::Receiver<Option<Error>>>>) -> Self {
        Self { troubles: troubles.into(), ..self }
    }

    /// Blocks also need the authorities that sign at this desk.
    #[must_use]
    pub fn with_desk(self, desk: Arc<Desk>) -> Self {
        Self { desk: Some(desk), ..self }
    }

    /// Returns the time for a block that is made now.
    ///
    /// `store_failed` after a failed write or without space; `quorum_missing` after the last attempt at a block; an error of the log; `quorum_missing` if too few
    /// authorities elsewhere sign; `clock_jumped`, see [`Clock::now_ms`]; `head_in_future` if the newest block is
    /// further ahead of the time than clients allow.
    pub fn check(&self) -> Result<u64> {
        if let Some(error) = self.failed.get() {
            return Err(error.clone());
        }
        self.space.check()?;
        if let Some(error) = self.troubles.iter().find_map(|trouble| trouble.borrow().clone()) {
            return Err(error);
        }
        self.check_quorum()?;
        let now_ms = self.clock.now_ms()?;
        let newest = self.views.borrow().head().header.timestamp_ms;
        check_not_in_future(newest, now_ms)?;
        Ok(now_ms)
    }

    /// Checks that authorities elsewhere, if there are any, can sign blocks; see [`Desk::check`].
    fn check_quorum(&self) -> Result<()> {
        self.desk.as_ref().map_or(Ok(()), |desk| desk.check())
    }

    /// Records the authorities that are missing.
    pub(crate) fn count(&self, metrics: &Metrics) {
        if let Some(desk) = &self.desk {
            metrics.missing(desk.missing());
        }
    }

    /// Takes the present time as right after the clock was set, and returns it.
    pub fn confirm_clock(&self) -> u64 {
        self.clock.confirm()
    }

    /// Remembers that the store could not be written, or that no attempt at a block was valid: what is on
    /// disk can still be read. Any other error is returned.
    fn failed(&self, error: Error) -> Result<()> {
        let reason = error.reason();
        if !matches!(reason, Reason::StoreFailed | Reason::QuorumMissing) {
            return Err(error);
        }
        let expected = format_args!("{}; blocks stop until the next start", error.expected());
        let _ = self.failed.set(Error::new(reason, expected, error.found()));
        Ok(())
    }
}

/// The log that a producer shares with other leaders.
#[derive(Debug)]
pub struct Shared {
    /// The log.
    pub log: BlockLog,
    /// The time between two looks for blocks of others.
    pub poll: Duration,
    /// When to begin to lead, if not at once.
    pub standby: Option<Standby>,
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
pub struct Submitter {
    submissions: mpsc::Sender<Submission>,
    conditions: Arc<Conditions>,
}

impl Submitter {
    /// Submits operations, and waits until the block that includes them is on disk.
    ///
    /// `busy` if too many submissions are waiting already; `read_only` from a standby; `quorum_missing` at once
    /// if the block would wait for signatures.
    pub async fn submit(&self, operations: Vec<StateOperation>) -> Result<Included> {
        self.conditions.check_quorum()?;
        let (included, receiver) = oneshot::channel();
        self.submissions
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
    signing: impl Into<Signing>,
    pace: Pace,
    conditions: Arc<Conditions>,
    published: watch::Sender<View>,
    metrics: Metrics,
) -> (Submitter, thread::JoinHandle<Result<()>>) {
    start_with(chain, signing, pace, conditions, published, metrics, None)
}

/// Like [`start`], with a log in which every block is published first, and which may have blocks of
/// other leaders.
pub fn start_with(
    chain: Chain,
    signing: impl Into<Signing>,
    pace: Pace,
    conditions: Arc<Conditions>,
    published: watch::Sender<View>,
    metrics: Metrics,
    shared: Option<Shared>,
) -> (Submitter, thread::JoinHandle<Result<()>>) {
    let (sender, submissions) = mpsc::channel(WAITING);
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
        next_look: Instant::now(),
    };
    (submitter, thread::spawn(move || producer.run()))
}

/// The shortest time between two tries while no blocks can be made.
const RETRY: Duration = Duration::from_millis(100);

/// The most submissions that may wait for a block.
const WAITING: usize = 4096;

struct Producer {
    chain: Chain,
    signing: Signing,
    pace: Pace,
    conditions: Arc<Conditions>,
    published: watch::Sender<View>,
    metrics: Metrics,
    submissions: mpsc::Receiver<Submission>,
    /// A submission that did not fit into the previous block.
    next: Option<Submission>,
    /// Whether no block could be made at the last try.
    stopped: bool,
    shared: Option<Shared>,
    /// When to look for blocks of other leaders again.
    next_look: Instant,
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
                    self.look()?;
                    // Without an interval, empty blocks would be tried without end.
                    due = due.max(Instant::now() + RETRY);
                }
            }
        }
    }

    /// Finishes the block that was proposed before this node began to lead.
    fn resume(&mut self) -> Result<()> {
        let started = Instant::now();
        let resumed = self.signing.resume(&mut self.chain, now_ms(), self.shared.as_mut());
        let made = match resumed {
            Ok(Some(view)) => self.made(view, Vec::new(), started.elapsed()),
            Ok(None) => Ok(()),
            Err(_) if self.signing.is_closed() => Ok(()),
            Err(error) if self.has_wrong_block(&error) => {
                self.refused(&error);
                Ok(())
            }
            Err(error) => {
                tracing::error!(reason = %error.reason(), %error, "the proposed block is not finished");
                Err(error)
            }
        };
        made.or_else(|error| self.conditions.failed(error))
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

    fn make(&mut self, taken: Vec<Submission>, now_ms: u64) -> Result<()> {
        let mut waiting = vec![taken];
        while let Some(taken) = waiting.pop() {
            let again = self.make_one(taken, now_ms)?;
            waiting.extend(again.into_iter().rev());
        }
        Ok(())
    }

    /// Tries to make a block; returns the submissions of those to make instead.
    fn make_one(&mut self, taken: Vec<Submission>, now_ms: u64) -> Result<Vec<Vec<Submission>>> {
        let started = Instant::now();
        let operations = taken.iter().flat_map(|submission| &submission.operations).cloned();
        let shared = self.shared.as_mut();
        if let Some(shared) = &shared {
            shared.log.forget();
        }
        match self.signing.make(&mut self.chain, operations, now_ms, shared) {
            Ok(Made { view, ours: true, .. }) => {
                let made = self.made(view, taken, started.elapsed());
                made.or_else(|error| self.conditions.failed(error))?;
                Ok(Vec::new())
            }
            // Another block was published or proposed first. The operations go into a block after it; a block
            // without any is not needed there.
            Ok(Made { view, ours: false, refused: None }) => {
                self.followed(view, started.elapsed())
                    .or_else(|error| self.conditions.failed(error))?;
                // There may be more.
                self.catch_up()?;
                Ok(if taken.is_empty() { Vec::new() } else { vec![taken] })
            }
            // The block was never published: its height has one that is wrong.
            Err(error) if self.has_wrong_block(&error) => {
                self.refused(&error);
                answer(taken, &Err(error));
                Ok(Vec::new())
            }
            // Blocks with the operations were invalid at every attempt, and one without them was signed.
            Ok(Made { view, refused: Some(error), .. }) => {
                let made = self.made(view, Vec::new(), started.elapsed());
                made.or_else(|error| self.conditions.failed(error))?;
                Ok(divide(taken, &error))
            }
            // Some errors show only once the block is made: a transition that is too large, or a missing
            // account.
            Err(error) if error.code() == Code::InvalidInput => Ok(divide(taken, &error)),
            // The block stays proposed, and is finished at the next start.
            Err(error) if self.signing.is_closed() => {
                answer(taken, &Err(error));
                Ok(Vec::new())
            }
            Err(error) => {
                tracing::error!(code = %error.code(), reason = %error.reason(), %error, "no block");
                answer(taken, &Err(error.clone()));
                // The submissions are not at fault, so it is the store.
                self.conditions.failed(error).map(|()| Vec::new())
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
        self.signing.published(included.height)?;
        answer(taken, &Ok(included));
        self.metrics.store(self.chain.disk_bytes()?);
        self.chain.keep_only(self.pace.keep)
    }
}

/// Waiting, where other leaders may make blocks too.
impl Producer {
    /// Waits for a submission; `false` if no more can come. Meanwhile it follows other leaders.
    fn wait(&mut self) -> Result<bool> {
        if self.shared.is_none() {
            self.next = self.submissions.blocking_recv();
            return Ok(self.next.is_some());
        }
        loop {
            self.look()?;
            let left = self.next_look.saturating_duration_since(Instant::now());
            let Some(shared) = &self.shared else { return Ok(true) };
            if let Some(next) = shared.log.wait(left, self.submissions.recv()) {
                self.next = next;
                return Ok(self.next.is_some());
            }
        }
    }

    /// As a standby, follows the leader until this node is to lead; `false` if it is to stop.
    fn stand_by(&mut self) -> Result<bool> {
        let Some(mut standby) = self.shared.as_mut().and_then(|shared| shared.standby.take())
        else {
            return Ok(true);
        };
        loop {
            if self.catch_up()? {
                standby.block();
            }
            let Some(shared) = &self.shared else { return Ok(true) };
            // A leader asks for as long as it takes.
            if shared.log.wait(Duration::MAX, standby.leads()) == Some(true) {
                // It may have made blocks in the meantime.
                self.catch_up()?;
                tracing::warn!(height = self.chain.height(), "leading");
                return Ok(true);
            }
            if !self.refuse_early()? {
                return Ok(false);
            }
        }
    }

    /// Refuses submissions until the next look at the log is due, however many come; `false` if no more can come.
    fn refuse_early(&mut self) -> Result<bool> {
        loop {
            let left = self.next_look.saturating_duration_since(Instant::now());
            let Some(shared) = &self.shared else { return Ok(true) };
            match shared.log.wait(left, self.submissions.recv()) {
                Some(None) => return Ok(false),
                Some(Some(early)) => {
                    let expected = "a node that leads";
                    let refused = Error::new(Reason::ReadOnly, expected, "a standby");
                    answer(vec![early], &Err(refused));
                }
                None => return Ok(true),
            }
            if left.is_zero() {
                return Ok(true);
            }
        }
    }

    /// Executes the blocks of other leaders, if it is time to look for them: callers come as often as submissions do.
    fn look(&mut self) -> Result<()> {
        if self.shared.is_some() && Instant::now() >= self.next_look {
            self.catch_up()?;
        }
        Ok(())
    }

    /// Whether an error is that of another block in the log, which this node must not follow.
    fn has_wrong_block(&self, error: &Error) -> bool {
        self.shared.as_ref().is_some_and(|it| it.log.has_lost()) && is_wrong_block(error)
    }

    /// Shows why the next block of the log is not taken, until it is.
    fn refused(&self, error: &Error) {
        let next = self.chain.height().map_or(0, |height| height + 1);
        tracing::error!(height = next, reason = %error.reason(), %error, "a wrong block in the log");
        if let Some(shared) = &self.shared {
            shared.log.refused(error);
        }
    }

    /// Executes the blocks that the log has beyond ours; whether there were any. What is wrong with
    /// them shows in the conditions.
    fn catch_up(&mut self) -> Result<bool> {
        let caught_up = self.follow_log();
        if let Some(shared) = &self.shared {
            self.next_look = Instant::now() + shared.poll;
        }
        caught_up
    }

    fn follow_log(&mut self) -> Result<bool> {
        let mut any = false;
        loop {
            let Some(shared) = &mut self.shared else { return Ok(any) };
            let next = self.chain.height().map_or(0, |height| height + 1);
            let started = Instant::now();
            let block = match shared.log.block(next) {
                Ok(Some(block)) => block,
                Ok(None) => return Ok(any),
                Err(error) => {
                    tracing::warn!(height = next, reason = %error.reason(), %error, "not read");
                    return Ok(any);
                }
            };
            let newest = is_fresh(&block.header.header, shared.poll);
            if newest {
                shared.log.pause();
            }
            let followed = match self.chain.follow(block) {
                Err(error) if is_wrong_block(&error) => {
                    // It is read again, like one that is damaged.
                    self.refused(&error);
                    return Ok(any);
                }
                followed => followed,
            };
            if let Err(error) = followed.and_then(|view| self.followed(view, started.elapsed())) {
                return self.conditions.failed(error).map(|()| any);
            }
            any = true;
            if newest {
                return Ok(any);
            }
        }
    }

    /// Shows a block of another leader.
    fn followed(&mut self, view: View, took: Duration) -> Result<()> {
        self.metrics.block(took);
        tracing::info!(
            height = view.height(),
            hash = %prooflight_core::Hex(view.head_hash()),
            "block of another leader"
        );
        let height = view.height();
        if let Some(shared) = &self.shared {
            shared.log.took();
        }
        self.published.send_replace(view);
        self.signing.published(height)?;
        self.metrics.store(self.chain.disk_bytes()?);
        self.chain.keep_only(self.pace.keep)
    }
}

/// The halves of submissions that cannot be in one block, each to become a block of its own; refuses a single one.
fn divide(mut taken: Vec<Submission>, error: &Error) -> Vec<Vec<Submission>> {
    let rest = taken.split_off(taken.len() / 2);
    if taken.is_empty() {
        answer(rest, &Err(error.clone()));
        return Vec::new();
    }
    vec![taken, rest]
}

fn answer(submissions: Vec<Submission>, result: &Result<Included>) {
    for submission in submissions {
        // A caller that is gone does not wait for the answer.
        let _ = submission.included.send(result.clone());
    }
}
