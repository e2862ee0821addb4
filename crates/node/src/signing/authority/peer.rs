//! An authority on its own machine: it asks leaders for blocks and proposals, and answers.
//!
//! It asks all of them at once, since it need not know which one leads. Its key and memory are one, so that
//! it signs the same block of a height for all.

use std::sync::Arc;
use std::time::{Duration, Instant};

use prooflight_core::{Error, Hex, Reason, Result};
use prooflight_json as json;
use tokio::sync::{Mutex, watch};
use tokio::task::JoinSet;

use super::{Authority, HeaderSignature, Refusal};
use crate::Verdict;
use crate::api::server::ServerStatus;
use crate::chain::proposal::{AttemptId, MAX_ATTEMPTS, proposal_id};
use crate::replication::follow::{FollowPace, LeaderClient, is_local_fault};
use crate::runtime::backoff::RetryBackoff;
use crate::runtime::blocking;
use crate::runtime::clock::{check_not_in_future, now_ms};
use crate::runtime::metrics::Metrics;
use crate::runtime::space::DiskSpace;
use crate::runtime::status::NotReady;
use crate::signing::rpc::{
    MAX_POLL_WAIT, PollParams, PollReply, ProposalJson, ProposalParams, ProposalRefJson,
    RefuseParams, SignParams,
};

/// An authority that follows leaders and signs what they propose.
#[derive(Debug)]
pub struct AuthorityPeer(Vec<LeaderLink>);

/// An authority's link to one leader.
#[derive(Debug)]
struct LeaderLink {
    authority: Arc<Mutex<Authority>>,
    index: u16,
    leader: LeaderClient,
    pace: FollowPace,
    backoff: RetryBackoff,
    space: DiskSpace,
    metrics: Metrics,
    status: watch::Sender<LeaderStatus>,
    /// The proposal that was answered last.
    answered: Option<[u8; 32]>,
}

/// The last known status of a leader.
#[derive(Clone, Debug)]
struct LeaderStatus {
    /// The height of the newest block of the authority's copy.
    height: Option<u64>,
    /// The height of the newest header that the authority signed.
    signed: u64,
    /// Why the last step failed; `None` once a step succeeds.
    failed: Option<Error>,
    /// The time of the leader's last answer.
    at: Option<Instant>,
}

/// An answer older than this makes the authority not ready.
const LEADER_TIMEOUT: Duration = Duration::from_secs(15);

impl AuthorityPeer {
    /// Follows leaders with an authority.
    pub fn new(
        authority: Authority,
        leaders: Vec<LeaderClient>,
        pace: FollowPace,
        space: &DiskSpace,
        metrics: &Metrics,
    ) -> Self {
        let status = LeaderStatus {
            height: authority.next().checked_sub(1),
            signed: authority.memory().height(),
            failed: None,
            at: None,
        };
        let index = authority.index();
        let authority = Arc::new(Mutex::new(authority));
        let link = |leader| LeaderLink {
            authority: authority.clone(),
            index,
            leader,
            pace,
            backoff: RetryBackoff::new(pace.interval),
            space: space.clone(),
            metrics: metrics.clone(),
            status: watch::Sender::new(status.clone()),
            answered: None,
        };
        Self(leaders.into_iter().map(link).collect())
    }

    /// The status of each leader.
    pub fn statuses(&self) -> AuthorityStatus {
        AuthorityStatus(self.0.iter().map(|link| link.status.subscribe()).collect())
    }

    /// Follows and signs until this machine fails: the store, or the memory (`memory_lost`).
    ///
    /// Must be called on a multi-threaded runtime.
    pub async fn run(self) -> Result<()> {
        let mut links = JoinSet::new();
        for link in self.0 {
            links.spawn(link.run());
        }
        match links.join_next().await {
            Some(ended) => ended.unwrap_or_else(|error| {
                Err(Error::new(Reason::Bug, "a task that asks a leader", error))
            }),
            None => Err(Error::new(Reason::InvalidArgument, "a leader to ask", "none")),
        }
    }
}

impl LeaderLink {
    async fn run(mut self) -> Result<()> {
        loop {
            let stepped = match self.space.check() {
                Ok(()) => self.step().await,
                // Blocks wait for disk space; the process goes on.
                Err(error) => {
                    self.report_failure(error).await;
                    tokio::time::sleep(self.backoff.failed()).await;
                    continue;
                }
            };
            match stepped {
                Ok(()) => {
                    self.backoff.succeeded();
                    let (height, signed) = {
                        let authority = self.authority.lock().await;
                        (authority.next().checked_sub(1), authority.memory().height())
                    };
                    self.metrics.signed_height(signed);
                    let at = Some(Instant::now());
                    self.status.send_replace(LeaderStatus { height, signed, failed: None, at });
                }
                Err(error) if is_local_fault(&error) || error.reason() == Reason::MemoryLost => {
                    return Err(error);
                }
                Err(error) => {
                    self.metrics.follow_failed(&error);
                    self.report_failure(error).await;
                    tokio::time::sleep(self.backoff.failed()).await;
                }
            }
        }
    }

    async fn report_failure(&self, error: Error) {
        let (height, code, reason) =
            (self.authority.lock().await.next(), error.code(), error.reason());
        let leader = &self.leader;
        tracing::warn!(height, %leader, %code, %reason, %error, "not followed or signed");
        self.status.send_modify(|status| status.failed = Some(error));
    }

    /// Follows a published block, or answers a proposal, or waits for either.
    async fn step(&mut self) -> Result<()> {
        let next = self.authority.lock().await.next();
        let wait = self.leader.time().min(2 * MAX_POLL_WAIT) / 2;
        let wait = u64::try_from(wait.as_millis()).unwrap_or(u64::MAX);
        let params = PollParams {
            authority: self.index,
            next: json::Quantity(next),
            wait_ms: json::Quantity(wait),
        };
        let started = Instant::now();
        let reply: PollReply = self.leader.ask_with("prooflight_awaited", &params).await?;
        let head = reply.head.map(|head| head.0);
        if head.is_some_and(|head| head >= next) {
            return self.follow_block(next).await;
        }
        let Some(pending) = reply.proposal else {
            if started.elapsed() < self.pace.interval {
                // The leader replied without waiting.
                tokio::time::sleep(self.pace.interval).await;
            }
            return Ok(());
        };
        if self.answered == Some(pending.id.0) {
            // The leader asks for an answer that it already has.
            tokio::time::sleep(self.pace.interval).await;
        }
        self.answer(&pending).await?;
        self.answered = Some(pending.id.0);
        Ok(())
    }

    async fn follow_block(&mut self, next: u64) -> Result<()> {
        let block = self.leader.block(next).await?;
        check_not_in_future(block.header.header.timestamp_ms, now_ms())?;
        let started = Instant::now();
        let mut authority = self.authority.lock().await;
        if authority.next() != next {
            // The block arrived from another leader first.
            return Ok(());
        }
        let view = blocking::in_place(|| {
            let view = authority.follow(block).into_result()?;
            authority.chain().apply_retention(self.pace.keep)?;
            self.metrics.store(authority.chain().disk_bytes()?);
            Ok::<_, Error>(view)
        })?;
        drop(authority);
        self.metrics.block(started.elapsed());
        tracing::info!(height = next, hash = %Hex(view.head_hash()), "followed");
        Ok(())
    }

    /// Judges the attempts in order, and signs the first one that is valid.
    async fn answer(&mut self, pending: &ProposalRefJson) -> Result<()> {
        let height = pending.height.0;
        if pending.attempt >= MAX_ATTEMPTS {
            let expected = format_args!("fewer than {MAX_ATTEMPTS} attempts at height {height}");
            return Err(Error::new(Reason::InvalidReply, expected, pending.attempt));
        }
        for number in 0..=pending.attempt {
            let attempt = AttemptId { height, number };
            let params = ProposalParams { height: pending.height, attempt: number };
            let proposal: ProposalJson =
                self.leader.ask_with("prooflight_proposal", &params).await?;
            let (id, bytes) = (proposal_id(&proposal.proposal.0), proposal.proposal.0);
            if number == pending.attempt && id != pending.id.0 {
                // The bytes are incomplete, or those of another proposal.
                let expected = format_args!("the proposal {}", Hex(&pending.id.0));
                return Err(Error::new(Reason::InvalidReply, expected, Hex(&id)));
            }
            let judged = {
                let mut authority = self.authority.lock().await;
                blocking::in_place(|| authority.judge(height, &bytes))
            };
            match judged {
                Verdict::Valid(HeaderSignature { hash, signature }) => {
                    let signed = SignParams {
                        authority: self.index,
                        height: pending.height,
                        hash: json::Hash32(hash),
                        signature: json::HexBytes(signature.to_vec()),
                    };
                    tracing::info!(height, attempt = number, hash = %Hex(&hash), "signed");
                    let _: bool = self.leader.ask_with("prooflight_sign", &signed).await?;
                    return Ok(());
                }
                Verdict::Invalid(error) => {
                    tracing::error!(height, attempt = number, %error, "an invalid proposal");
                    self.metrics.follow_failed(&error);
                    if number == pending.attempt {
                        self.refuse(attempt, id, true, &error).await?;
                        // A further attempt needs refusals of other authorities. A leader that lies is not pending
                        // without a pause.
                        tokio::time::sleep(self.pace.interval).await;
                    }
                }
                Verdict::None(error) if is_local_fault(&error) => return Err(error),
                Verdict::None(error) => {
                    // If the refusal does not reach the leader, the operator still sees the error.
                    let _ = self.refuse(attempt, id, false, &error).await;
                    return Err(error);
                }
            }
        }
        Ok(())
    }

    async fn refuse(
        &self,
        attempt: AttemptId,
        id: [u8; 32],
        invalid: bool,
        error: &Error,
    ) -> Result<()> {
        let (refusal, signature) = {
            let authority = self.authority.lock().await;
            let refusal = Refusal { chain: authority.chain_id(), attempt, id, invalid };
            let signature = refusal.sign(authority.key());
            (refusal, signature)
        };
        let refused = RefuseParams {
            authority: self.index,
            height: json::Quantity(attempt.height),
            attempt: attempt.number,
            id: json::Hash32(id),
            invalid: refusal.invalid,
            why: format!("{error} ({})", error.reason()),
            signature: json::HexBytes(signature.to_vec()),
        };
        let _: bool = self.leader.ask_with("prooflight_refuse", &refused).await?;
        Ok(())
    }
}

/// The status of an authority, for its pages.
#[derive(Debug)]
pub struct AuthorityStatus(Vec<watch::Receiver<LeaderStatus>>);

impl LeaderStatus {
    /// The height, if the leader has answered and nothing is wrong.
    fn ready(&self) -> Result<u64, NotReady> {
        if let Some(error) = &self.failed {
            return Err(error.clone().into());
        }
        let height = self.height.unwrap_or_default();
        match self.at.map(|at| at.elapsed()) {
            None => Err(NotReady::Behind { height, newest: None }),
            Some(age) if age > LEADER_TIMEOUT => Err(NotReady::NoNews { height, age }),
            Some(_) => Ok(height),
        }
    }
}

impl ServerStatus for AuthorityStatus {
    /// One leader is enough: the others may be down, or stand by.
    fn ready(&self) -> Result<u64, NotReady> {
        let each: Vec<_> = self.0.iter().map(|status| status.borrow().ready()).collect();
        let newest = each.iter().filter_map(|ready| ready.as_ref().ok().copied()).max();
        match newest {
            Some(height) => Ok(height),
            None => {
                each.into_iter().next().unwrap_or(Err(NotReady::Behind { height: 0, newest: None }))
            }
        }
    }

    fn count(&self, metrics: &Metrics) {
        let each = || self.0.iter().map(|status| status.borrow());
        let height = each().filter_map(|status| status.height).max();
        metrics.newest(height.unwrap_or_default(), 0);
        metrics.signed_height(each().map(|status| status.signed).max().unwrap_or_default());
    }
}
