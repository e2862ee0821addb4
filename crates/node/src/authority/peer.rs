//! An authority on its own machine: it asks the leader for blocks and proposals, and answers.

use std::time::{Duration, Instant};

use prooflight_core::{Error, Hex, Reason, Result};
use prooflight_json as json;
use tokio::sync::watch;

use super::{Authority, Refusal, Verdict};
use crate::blocking;
use crate::clock::{check_not_in_future, now_ms};
use crate::follow::{Backoff, FollowPace, Leader, is_our_own};
use crate::metrics::Metrics;
use crate::proposals::{Attempt, MOST_ATTEMPTS, id_of};
use crate::rpc::authorities::{
    AskedJson, AwaitedFor, AwaitedJson, LONGEST_WAIT, ProposalJson, Refused, Signed, WhichProposal,
};
use crate::server::{NotReady, Standing};
use crate::space::Space;

/// An authority that follows a leader and signs what it proposes.
#[derive(Debug)]
pub struct Peer {
    authority: Authority,
    leader: Leader,
    pace: FollowPace,
    backoff: Backoff,
    space: Space,
    metrics: Metrics,
    heard: watch::Sender<Heard>,
    /// The proposal that was answered last.
    answered: Option<[u8; 32]>,
}

/// What an authority last heard of its leader.
#[derive(Clone, Debug)]
pub struct Heard {
    /// The height of its newest block.
    height: Option<u64>,
    /// The newest header that it signed.
    signed: u64,
    /// Why it could not go on, until it can.
    failed: Option<Error>,
    /// The time of the last answer.
    at: Option<Instant>,
}

/// An answer older than this makes the authority not ready.
const SILENCE: Duration = Duration::from_secs(15);

impl Peer {
    /// Follows a leader with an authority.
    pub fn new(
        authority: Authority,
        leader: Leader,
        pace: FollowPace,
        space: Space,
        metrics: Metrics,
    ) -> Self {
        let heard = Heard {
            height: authority.next().checked_sub(1),
            signed: authority.memory().height(),
            failed: None,
            at: None,
        };
        let (heard, backoff) = (watch::Sender::new(heard), Backoff::new(pace.interval));
        Self { authority, leader, pace, backoff, space, metrics, heard, answered: None }
    }

    /// Returns what is heard of the leader.
    pub fn heard(&self) -> watch::Receiver<Heard> {
        self.heard.subscribe()
    }

    /// Follows and signs until something is wrong here: the store, or the memory (`memory_lost`).
    ///
    /// Must be called on a multi-threaded runtime.
    pub async fn run(mut self) -> Result<()> {
        loop {
            let stepped = match self.space.check() {
                Ok(()) => self.step().await,
                // Blocks wait for space, and the process lives.
                Err(error) => {
                    self.not_now(error);
                    tokio::time::sleep(self.backoff.failed()).await;
                    continue;
                }
            };
            match stepped {
                Ok(()) => {
                    self.backoff.succeeded();
                    let (height, signed) =
                        (self.authority.next().checked_sub(1), self.authority.memory().height());
                    self.metrics.signed_height(signed);
                    let at = Some(Instant::now());
                    self.heard.send_replace(Heard { height, signed, failed: None, at });
                }
                Err(error) if is_our_own(&error) || error.reason() == Reason::MemoryLost => {
                    return Err(error);
                }
                Err(error) => {
                    self.metrics.follow_failed(&error);
                    self.not_now(error);
                    tokio::time::sleep(self.backoff.failed()).await;
                }
            }
        }
    }

    fn not_now(&self, error: Error) {
        let (height, code, reason) = (self.authority.next(), error.code(), error.reason());
        tracing::warn!(height, %code, %reason, %error, "not followed or signed");
        self.heard.send_modify(|heard| heard.failed = Some(error));
    }

    /// Takes a published block, or answers a proposal, or waits for either.
    async fn step(&mut self) -> Result<()> {
        let next = self.authority.next();
        let wait = self.leader.time().min(2 * LONGEST_WAIT) / 2;
        let wait = u64::try_from(wait.as_millis()).unwrap_or(u64::MAX);
        let params = AwaitedFor {
            authority: self.authority.index(),
            next: json::Quantity(next),
            wait_ms: json::Quantity(wait),
        };
        let started = Instant::now();
        let awaited: AwaitedJson = self.leader.tell("prooflight_awaited", &params).await?;
        let head = awaited.head.map(|head| head.0);
        if head.is_some_and(|head| head >= next) {
            return self.take(next).await;
        }
        let Some(asked) = awaited.proposal else {
            if started.elapsed() < self.pace.interval {
                // It did not wait.
                tokio::time::sleep(self.pace.interval).await;
            }
            return Ok(());
        };
        if self.answered == Some(asked.id.0) {
            // It asks again for what it has.
            tokio::time::sleep(self.pace.interval).await;
        }
        self.answer(&asked).await?;
        self.answered = Some(asked.id.0);
        Ok(())
    }

    async fn take(&mut self, next: u64) -> Result<()> {
        let block = self.leader.block(next).await?;
        check_not_in_future(block.header.header.timestamp_ms, now_ms())?;
        let started = Instant::now();
        let view = blocking::in_place(|| {
            let view = self.authority.follow(block)?;
            self.authority.chain().keep_only(self.pace.keep)?;
            self.metrics.store(self.authority.chain().disk_bytes()?);
            Ok::<_, Error>(view)
        })?;
        self.metrics.block(started.elapsed());
        tracing::info!(height = next, hash = %Hex(view.head_hash()), "followed");
        Ok(())
    }

    /// Judges the attempts in order, and signs the first one that is valid.
    async fn answer(&mut self, asked: &AskedJson) -> Result<()> {
        let height = asked.height.0;
        if asked.attempt >= MOST_ATTEMPTS {
            let expected = format_args!("fewer than {MOST_ATTEMPTS} attempts at height {height}");
            return Err(Error::new(Reason::InvalidReply, expected, asked.attempt));
        }
        for number in 0..=asked.attempt {
            let attempt = Attempt { height, number };
            let params = WhichProposal { height: asked.height, attempt: number };
            let proposal: ProposalJson = self.leader.tell("prooflight_proposal", &params).await?;
            let (id, bytes) = (id_of(&proposal.proposal.0), proposal.proposal.0);
            if number == asked.attempt && id != asked.id.0 {
                // Not complete, or not what is asked for.
                let expected = format_args!("the proposal {}", Hex(&asked.id.0));
                return Err(Error::new(Reason::InvalidReply, expected, Hex(&id)));
            }
            match blocking::in_place(|| self.authority.judge(height, &bytes)) {
                Ok(Verdict::Signed { hash, signature }) => {
                    let signed = Signed {
                        authority: self.authority.index(),
                        height: asked.height,
                        hash: json::Hash32(hash),
                        signature: json::Hex(signature.to_vec()),
                    };
                    tracing::info!(height, attempt = number, hash = %Hex(&hash), "signed");
                    let _: bool = self.leader.tell("prooflight_sign", &signed).await?;
                    return Ok(());
                }
                Ok(Verdict::Invalid(error)) => {
                    tracing::error!(height, attempt = number, %error, "an invalid proposal");
                    self.metrics.follow_failed(&error);
                    if number == asked.attempt {
                        self.refuse(attempt, id, true, &error).await?;
                        // The next attempt takes others' refusals; a leader that lies has to wait.
                        tokio::time::sleep(self.pace.interval).await;
                    }
                }
                Err(error) if is_our_own(&error) => return Err(error),
                Err(error) => {
                    // The leader may not hear it; the operator does.
                    let _ = self.refuse(attempt, id, false, &error).await;
                    return Err(error);
                }
            }
        }
        Ok(())
    }

    async fn refuse(
        &self,
        attempt: Attempt,
        id: [u8; 32],
        invalid: bool,
        error: &Error,
    ) -> Result<()> {
        let refusal = Refusal { chain: self.authority.chain_id(), attempt, id, invalid };
        let refused = Refused {
            authority: self.authority.index(),
            height: json::Quantity(attempt.height),
            attempt: attempt.number,
            id: json::Hash32(id),
            invalid,
            why: format!("{error} ({})", error.reason()),
            signature: json::Hex(refusal.sign(self.authority.key()).to_vec()),
        };
        let _: bool = self.leader.tell("prooflight_refuse", &refused).await?;
        Ok(())
    }
}

/// The progress of an authority, for its pages.
#[derive(Debug)]
pub struct PeerStanding(pub watch::Receiver<Heard>);

impl Standing for PeerStanding {
    fn ready(&self) -> Result<u64, NotReady> {
        let heard = self.0.borrow();
        if let Some(error) = &heard.failed {
            return Err(error.clone().into());
        }
        let height = heard.height.unwrap_or_default();
        match heard.at.map(|at| at.elapsed()) {
            None => Err(NotReady::Behind { height, newest: None }),
            Some(age) if age > SILENCE => Err(NotReady::NoNews { height, age }),
            Some(_) => Ok(height),
        }
    }

    fn count(&self, metrics: &Metrics) {
        let heard = self.0.borrow();
        metrics.newest(heard.height.unwrap_or_default(), 0);
        metrics.signed_height(heard.signed);
    }
}
