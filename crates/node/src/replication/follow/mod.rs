//! Follows another node, or the chain's log: fetches its blocks in order, executes them, and keeps only
//! valid ones.
//!
//! The leader is polled over HTTP for its head and then for the next block. Polling needs no
//! persistent connection: a first start, a restart of either side and a lost connection all lead to
//! the same request. At most one reply is in memory. A leader that has stopped answering is noticed
//! by the time limit of the request, whereas a silent subscription looks like a quiet chain.

mod leader;
mod progress;

pub(crate) use leader::HeaderReply;
pub use leader::LeaderClient;
pub use progress::FollowProgress;

use std::time::{Duration, Instant};

use prooflight_core::chain::{Checkpoint, Header, SignedHeader};
use prooflight_core::{Error, Hex, Reason, Result};
use prooflight_log::LogReader;
use tokio::sync::watch;

use crate::replication::log::{decode_entry, is_recent};
use crate::runtime::backoff::RetryBackoff;
use crate::runtime::blocking;
use crate::runtime::clock::{check_not_in_future, now_ms};
use crate::runtime::metrics::Metrics;
use crate::runtime::space::DiskSpace;
use crate::{Block, BlockId, BlockRetention, Chain, Verdict, View};
use progress::KnownHead;

/// The pace at which a replica follows.
#[derive(Clone, Copy, Debug)]
pub struct FollowPace {
    /// The delay before polling a leader again when there is no newer block, and after a first
    /// failure.
    pub interval: Duration,
    /// What is kept of older blocks.
    pub keep: BlockRetention,
}

/// The source of a replica's blocks.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "a node has one")]
pub enum BlockSource {
    /// Another node.
    Node(LeaderClient),
    /// The chain's log in an object store, which needs no node.
    Log(LogReader),
}

/// A chain whose blocks another node produces.
#[derive(Debug)]
pub struct Follower {
    chain: Chain,
    source: BlockSource,
    /// A block that must be in the chain; cleared once it is.
    pinned: Option<Checkpoint>,
    pace: FollowPace,
    backoff: RetryBackoff,
    /// The height of the leader's last head, whose signatures were checked.
    head_height: Option<u64>,
    /// Whether to wait before the next step.
    pause_next: bool,
    progress: watch::Sender<FollowProgress>,
    space: DiskSpace,
    metrics: Metrics,
}

/// The result of a step.
enum FollowStep {
    /// A block was accepted.
    Accepted(View),
    /// There is a block to fetch.
    Behind,
    /// The leader has no newer block; it knows of this one.
    Current(Option<KnownHead>),
    /// A block is invalid.
    Invalid(Error),
}

impl Follower {
    /// Follows a source, starting after the newest block of a chain.
    ///
    /// A checkpoint must be of this chain, else `wrong_chain`. If the chain already has a block of the checkpoint's height,
    /// it must be the checkpoint's, else `equivocation`; otherwise the block that arrives must match it.
    pub fn new(
        chain: Chain,
        source: BlockSource,
        checkpoint: Option<Checkpoint>,
        pace: FollowPace,
        space: DiskSpace,
        metrics: Metrics,
    ) -> Result<Self> {
        if let Some(checkpoint) = &checkpoint {
            let (expected, found) = (checkpoint.config.id(), chain.config().id());
            if expected != found {
                return Err(Error::new(Reason::WrongChain, Hex(&expected), Hex(&found)));
            }
            if chain.height().is_some_and(|height| height >= checkpoint.height) {
                let header = chain.view()?.header(BlockId::Height(checkpoint.height))?;
                check_pinned(checkpoint, &header.header)?;
            }
        }
        let pinned = checkpoint.filter(|pinned| chain.height() < Some(pinned.height));
        let backoff = RetryBackoff::new(pace.interval);
        let progress = watch::Sender::new(FollowProgress::new(pace.interval));
        Ok(Self {
            chain,
            source,
            pinned,
            pace,
            backoff,
            head_height: None,
            pause_next: false,
            progress,
            space,
            metrics,
        })
    }

    /// Returns this replica's progress. [`run`](Self::run) ends once nobody watches it any more.
    pub fn progress(&self) -> watch::Receiver<FollowProgress> {
        self.progress.subscribe()
    }

    /// Waits for the genesis block, and returns the chain up to the newest block.
    ///
    /// Must be called on a multi-threaded runtime, like [`run`](Self::run).
    pub async fn first_view(&mut self) -> Result<View> {
        while self.chain.height().is_none() {
            self.step_and_wait().await?;
        }
        self.chain.view()
    }

    /// Follows until nobody watches the progress any more, or this machine fails. If the store cannot be written, the
    /// replica takes no more blocks, but its chain can still be read.
    pub async fn run(mut self, published: watch::Sender<View>) -> Result<()> {
        let watched = self.progress.clone();
        loop {
            let stepped = tokio::select! {
                () = watched.closed() => return Ok(()),
                stepped = self.step_and_wait() => stepped,
            };
            match stepped {
                Ok(Some(view)) => {
                    published.send_replace(view);
                }
                Ok(None) => {}
                // What is on disk can still be read.
                Err(error) if error.reason() == Reason::StoreFailed => {
                    tracing::error!(%error, "no more blocks until the next start");
                    self.progress.send_modify(|progress| progress.failed(error));
                    watched.closed().await;
                    return Ok(());
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// Makes a step, publishes the progress, and waits until the next step is due.
    async fn step_and_wait(&mut self) -> Result<Option<View>> {
        if core::mem::take(&mut self.pause_next) {
            tokio::time::sleep(self.pace.interval).await;
        }
        if let Err(error) = self.space.check() {
            tracing::warn!(%error, "not followed");
            self.progress.send_modify(|progress| progress.failed(error));
            tokio::time::sleep(self.pace.interval.max(Duration::from_secs(1))).await;
            return Ok(None);
        }
        match self.step().await {
            // A head alone does not clear a failure.
            Ok(FollowStep::Behind) => Ok(None),
            Ok(FollowStep::Accepted(view)) => {
                self.backoff.succeeded();
                self.progress.send_modify(FollowProgress::succeeded);
                Ok(Some(view))
            }
            Ok(FollowStep::Current(known)) => {
                self.backoff.succeeded();
                self.progress.send_modify(|progress| {
                    progress.succeeded();
                    if let Some(known) = known {
                        progress.record(known);
                    }
                });
                tokio::time::sleep(self.pace.interval).await;
                Ok(None)
            }
            Err(error) if is_local_fault(&error) => Err(error),
            Ok(FollowStep::Invalid(error)) | Err(error) => {
                // The leader's last head may no longer be valid.
                self.head_height = None;
                self.metrics.follow_failed(&error);
                let (code, reason) = (error.code(), error.reason());
                tracing::warn!(height = self.next(), %code, %reason, %error, "not followed");
                self.progress.send_modify(|progress| progress.failed(error));
                tokio::time::sleep(self.backoff.failed()).await;
                Ok(None)
            }
        }
    }

    async fn step(&mut self) -> Result<FollowStep> {
        let next = self.next();
        let leader = match &mut self.source {
            BlockSource::Node(leader) => leader,
            BlockSource::Log(log) => {
                let found = log.block(next).await?.map(decode_entry).transpose()?;
                return blocking::in_place(|| self.store_from_log(found));
            }
        };
        if self.head_height.is_some_and(|newest| newest >= next) {
            let block = leader.block(next).await?;
            return blocking::in_place(|| self.store(block));
        }
        let head = leader.head().await?;
        blocking::in_place(|| self.check_head(&head))?;
        let newest = head.header.height;
        self.head_height = Some(newest);
        self.metrics.leader(newest);
        if newest >= next {
            let known = KnownHead { height: newest, at: Instant::now() };
            self.progress.send_modify(|progress| progress.record(known));
            return Ok(FollowStep::Behind);
        }
        // The leader may be a replica that is behind itself, so the newest height that it knows of counts.
        Ok(FollowStep::Current(match &self.source {
            BlockSource::Node(leader) => leader.progress().await,
            BlockSource::Log(_) => None,
        }))
    }

    /// Stores the next block of the log. If there is none, the chain has every block.
    fn store_from_log(&mut self, found: Option<Block>) -> Result<FollowStep> {
        let Some(block) = found else {
            let known = self.chain.height().map(|height| KnownHead { height, at: Instant::now() });
            return Ok(FollowStep::Current(known));
        };
        let newest = is_recent(&block.header.header, self.pace.interval);
        let view = match self.store(block)? {
            FollowStep::Accepted(view) => view,
            other => return Ok(other),
        };
        self.metrics.leader(view.height());
        if let (true, BlockSource::Log(log)) = (newest, &mut self.source) {
            log.pause();
            let known = KnownHead { height: view.height(), at: Instant::now() };
            self.progress.send_modify(|progress| progress.record(known));
            self.pause_next = true;
        }
        Ok(FollowStep::Accepted(view))
    }

    /// Returns the height of the next block to fetch.
    fn next(&self) -> u64 {
        self.chain.height().map_or(0, |height| height + 1)
    }

    /// Checks that a head is signed and, if the chain already has a block of its height, that it is the header of that block.
    fn check_head(&self, head: &SignedHeader) -> Result<()> {
        head.check_signed(self.chain.config())?;
        let height = head.header.height;
        if height >= self.next() {
            return Ok(());
        }
        let (expected, found) = (self.chain.view()?.header(BlockId::Height(height))?, head);
        let (expected, found) = (expected.header.hash(), found.header.hash());
        if expected == found { Ok(()) } else { Err(equivocation(height, &expected, &found)) }
    }

    /// Checks, executes and stores a block.
    fn store(&mut self, block: Block) -> Result<FollowStep> {
        if let Some(pinned) = self.pinned.as_ref().filter(|it| it.height == self.next()) {
            block.header.check_signed(self.chain.config())?;
            check_pinned(pinned, &block.header.header)?;
        }
        // Clients refuse a block from the future, and every block after it.
        check_not_in_future(block.header.header.timestamp_ms, now_ms())?;
        let started = Instant::now();
        let view = match self.chain.follow(block) {
            Verdict::Valid(view) => view,
            Verdict::Invalid(error) => return Ok(FollowStep::Invalid(error)),
            Verdict::None(error) => return Err(error),
        };
        self.metrics.block(started.elapsed());
        self.metrics.store(self.chain.disk_bytes()?);
        self.pinned.take_if(|pinned| pinned.height == view.height());
        tracing::info!(height = view.height(), hash = %Hex(view.head_hash()), "followed");
        self.chain.apply_retention(self.pace.keep)?;
        Ok(FollowStep::Accepted(view))
    }
}

/// Checks that the header at the pinned height is the pinned one.
pub fn check_pinned(pinned: &Checkpoint, header: &Header) -> Result<()> {
    let found = header.hash();
    if found == pinned.header_hash {
        return Ok(());
    }
    Err(equivocation(pinned.height, &pinned.header_hash, &found))
}

fn equivocation(height: u64, expected: &[u8; 32], found: &[u8; 32]) -> Error {
    let expected = format_args!("at height {height} the header {}", Hex(expected));
    Error::new(Reason::Equivocation, expected, Hex(found))
}

/// Whether an error is this node's own fault rather than its leader's.
pub(crate) fn is_local_fault(error: &Error) -> bool {
    matches!(error.reason(), Reason::StoreFailed | Reason::StoreCorrupt | Reason::Bug)
}
