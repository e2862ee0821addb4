//! The proposal that is collecting signatures. The producer posts it; authorities poll for it and answer with a
//! signature or a refusal.

use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use prooflight_core::chain::{ChainConfig, SignedHeader};
use prooflight_core::{Error, Hash, Hex, Reason, Result};
use tokio::sync::watch;

use crate::chain::keys::Signers;
use crate::chain::proposal::{AttemptId, proposal_id};
use crate::runtime::metrics::Metrics;
use crate::signing::authority::{Refusal, check_signature};

/// The proposal that is collecting signatures, and the time of each authority's last poll.
#[derive(Debug)]
pub struct SignatureRound {
    config: Arc<ChainConfig>,
    chain: Hash,
    /// The authorities whose keys are local.
    local: Vec<u16>,
    state: Mutex<RoundState>,
    /// Wakes the producer.
    answered: Condvar,
    /// Wakes the calls that wait.
    changed: watch::Sender<()>,
    metrics: Metrics,
}

#[derive(Debug, Default)]
struct RoundState {
    head: Option<u64>,
    proposal: Option<PendingProposal>,
    last_seen: BTreeMap<u16, Instant>,
    closed: bool,
}

/// A proposal that waits for answers.
#[derive(Debug)]
struct PendingProposal {
    attempt: AttemptId,
    id: Hash,
    /// The hash of the proposal's header; `None` if its bytes have no valid header.
    hash: Option<Hash>,
    /// The bytes of this and all lower attempts.
    attempts: Vec<Arc<[u8]>>,
    signatures: BTreeMap<u16, [u8; 64]>,
    /// Why authorities judge it invalid.
    refusals: BTreeMap<u16, String>,
    /// Why authorities do not answer.
    failures: BTreeMap<u16, String>,
    since: Instant,
}

/// The result of a signature round.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RoundResult {
    /// A quorum has signed, counting this node's own keys.
    Signed(BTreeMap<u16, [u8; 64]>),
    /// More authorities judge the block invalid than a quorum can spare; their reasons.
    Refused(String),
    /// The node stops.
    Closed,
}

/// An authority that has not polled for this long is missing. An authority polls at least every five seconds.
const AUTHORITY_TIMEOUT: Duration = Duration::from_secs(15);

/// A proposal without a quorum for this long makes the node not ready.
const QUORUM_TIMEOUT: Duration = Duration::from_secs(10);

impl SignatureRound {
    /// The signature round of a chain's leader, which has these local keys and blocks up to `head`.
    pub fn new(
        config: Arc<ChainConfig>,
        signers: &Signers,
        head: Option<u64>,
        metrics: Metrics,
    ) -> Self {
        Self {
            chain: config.id(),
            config,
            local: signers.indices().collect(),
            state: Mutex::new(RoundState { head, ..RoundState::default() }),
            answered: Condvar::new(),
            changed: watch::Sender::new(()),
            metrics,
        }
    }

    /// The hash of the chain's configuration.
    pub const fn chain(&self) -> Hash {
        self.chain
    }

    /// Asks authorities to answer the last of these attempts, of which `hash` is the header's hash. Earlier answers
    /// are dropped.
    pub(crate) fn post(&self, height: u64, attempts: Vec<Arc<[u8]>>, hash: Option<Hash>) {
        let Some(last) = attempts.last() else { return };
        let number = u32::try_from(attempts.len() - 1).unwrap_or(u32::MAX);
        let (attempt, id) = (AttemptId { height, number }, proposal_id(last));
        let (signatures, refusals, failures) = Default::default();
        let since = Instant::now();
        let pending =
            PendingProposal { attempt, id, hash, attempts, signatures, refusals, failures, since };
        self.change(|state| state.proposal = Some(pending));
    }

    /// Asks those authorities once more that judged the block invalid.
    pub(crate) fn post_again(&self) {
        self.change(|state| {
            if let Some(pending) = &mut state.proposal {
                pending.refusals.clear();
            }
        });
    }

    /// Blocks until the proposal is decided, or until `timeout` has passed.
    pub(crate) fn wait(&self, timeout: Option<Duration>) -> Option<RoundResult> {
        let until = timeout.map(|timeout| Instant::now() + timeout);
        let mut state = self.state();
        loop {
            if state.closed {
                return Some(RoundResult::Closed);
            }
            if let Some(pending) = &state.proposal {
                if pending.signatures.len() + self.local.len() >= self.quorum() {
                    self.metrics.quorum(pending.since.elapsed());
                    return Some(RoundResult::Signed(pending.signatures.clone()));
                }
                if pending.refusals.len() > self.config.authorities.len() - self.quorum() {
                    return Some(RoundResult::Refused(show_reasons(&pending.refusals)));
                }
            }
            state = match until.map(|until| until.saturating_duration_since(Instant::now())) {
                None => self.answered.wait(state).unwrap_or_else(PoisonError::into_inner),
                Some(Duration::ZERO) => return None,
                Some(left) => {
                    let woken = self.answered.wait_timeout(state, left);
                    woken.unwrap_or_else(PoisonError::into_inner).0
                }
            };
        }
    }

    /// Records that a block is published.
    pub(crate) fn published(&self, height: u64) {
        self.change(|state| {
            state.head = Some(height);
            state.proposal.take_if(|pending| pending.attempt.height <= height);
        });
    }

    /// Ends the wait for signatures, since the node stops.
    pub fn close(&self) {
        self.change(|state| state.closed = true);
    }

    /// Whether the node stops.
    pub(crate) fn is_closed(&self) -> bool {
        self.state().closed
    }

    /// Checks that blocks can get a quorum; otherwise `quorum_missing`, with who is missing and why.
    pub fn check(&self) -> Result<()> {
        let state = self.state();
        let missing = self.missing_in(&state);
        let (quorum, all) = (self.quorum(), self.config.authorities.len());
        if all - missing.len() < quorum {
            let missing: Vec<_> = missing.iter().map(|index| self.name(*index)).collect();
            let expected =
                format_args!("{quorum} of {all} authorities that ask for blocks to sign");
            let found = format_args!("{}; not {}", all - missing.len(), missing.join(", "));
            return Err(Error::new(Reason::QuorumMissing, expected, found));
        }
        match &state.proposal {
            Some(pending)
                if pending.since.elapsed() > QUORUM_TIMEOUT || !pending.refusals.is_empty() =>
            {
                let height = pending.attempt.height;
                let expected = format_args!("block {height} signed by {quorum} authorities");
                let signed = pending.signatures.len() + self.local.len();
                let why = show_reasons(&pending.refusals) + &show_reasons(&pending.failures);
                let found = format_args!("{signed} signatures. {why}");
                Err(Error::new(Reason::QuorumMissing, expected, found))
            }
            _ => Ok(()),
        }
    }

    /// The number of authorities that do not poll.
    pub(crate) fn missing(&self) -> usize {
        self.missing_in(&self.state()).len()
    }

    /// Waits until a block of height `next` is published, or there is a proposal that the authority has not answered.
    /// Returns the newest height, and that proposal.
    pub(crate) async fn poll(
        &self,
        authority: u16,
        next: u64,
        wait: Duration,
    ) -> Result<(Option<u64>, Option<(AttemptId, Hash)>)> {
        self.check_remote(authority)?;
        let mut changes = self.changed.subscribe();
        let deadline = tokio::time::Instant::now() + wait;
        loop {
            {
                let mut state = self.state();
                state.last_seen.insert(authority, Instant::now());
                let pending = state.proposal.as_ref().filter(|pending| {
                    !pending.signatures.contains_key(&authority)
                        && !pending.refusals.contains_key(&authority)
                });
                let pending = pending.map(|pending| (pending.attempt, pending.id));
                let news = pending.is_some() || state.head.is_some_and(|head| head >= next);
                if news || tokio::time::Instant::now() >= deadline {
                    return Ok((state.head, pending));
                }
            }
            // The round keeps the sender.
            let _ = tokio::time::timeout_at(deadline, changes.changed()).await;
        }
    }

    /// The bytes of the pending proposal, or of a lower attempt; `unknown_block` for others.
    pub(crate) fn proposal(&self, attempt: AttemptId) -> Result<Arc<[u8]>> {
        let state = self.state();
        let pending =
            state.proposal.as_ref().filter(|pending| pending.attempt.height == attempt.height);
        let number = usize::try_from(attempt.number).unwrap_or(usize::MAX);
        let found = pending.and_then(|pending| pending.attempts.get(number));
        found.cloned().ok_or_else(|| unknown_proposal(&state, attempt.height))
    }

    /// Takes a signature; `invalid_signature` if it is not the authority's, `unknown_block` if it does not sign the
    /// header of the pending proposal.
    pub(crate) fn sign(
        &self,
        authority: u16,
        height: u64,
        hash: Hash,
        signature: [u8; 64],
    ) -> Result<()> {
        let key = self.check_remote(authority)?;
        check_signature(key, &hash, &signature)?;
        let mut state = self.state();
        let RoundState { proposal, last_seen, .. } = &mut *state;
        match proposal.as_mut().filter(|it| it.attempt.height == height && it.hash == Some(hash)) {
            Some(pending) => {
                last_seen.insert(authority, Instant::now());
                pending.signatures.insert(authority, signature);
                pending.refusals.remove(&authority);
                pending.failures.remove(&authority);
            }
            None => return Err(unknown_proposal(&state, height)),
        }
        drop(state);
        self.metrics.signature(authority);
        self.answered.notify_all();
        Ok(())
    }

    /// Takes a refusal; errors are those of [`sign`](Self::sign).
    pub(crate) fn refuse(
        &self,
        authority: u16,
        refusal: &Refusal,
        signature: &[u8; 64],
        why: &str,
    ) -> Result<()> {
        refusal.check(self.check_remote(authority)?, signature)?;
        let why: String = why.chars().filter(|it| !it.is_control()).take(300).collect();
        let (height, number) = (refusal.attempt.height, refusal.attempt.number);
        let mut state = self.state();
        let RoundState { proposal, last_seen, .. } = &mut *state;
        match proposal.as_mut().filter(|it| it.attempt == refusal.attempt && it.id == refusal.id) {
            Some(pending) => {
                last_seen.insert(authority, Instant::now());
                let reasons =
                    if refusal.invalid { &mut pending.refusals } else { &mut pending.failures };
                reasons.insert(authority, why.clone());
            }
            None => return Err(unknown_proposal(&state, height)),
        }
        drop(state);
        self.metrics.refusal(authority, refusal.invalid);
        let invalid = refusal.invalid;
        tracing::warn!(authority, height, attempt = number, invalid, why, "not signed");
        self.answered.notify_all();
        Ok(())
    }

    /// Checks that an authority is remote; returns its key.
    fn check_remote(&self, authority: u16) -> Result<&[u8; 32]> {
        let key = self.config.authorities.get(usize::from(authority));
        key.filter(|_| !self.local.contains(&authority)).ok_or_else(|| {
            let expected = "the index of a remote authority";
            Error::new(Reason::InvalidArgument, expected, authority)
        })
    }

    fn missing_in(&self, state: &RoundState) -> Vec<u16> {
        let all = (0..=u16::MAX).take(self.config.authorities.len());
        let present = |index: &u16| {
            self.local.contains(index)
                || state.last_seen.get(index).is_some_and(|seen| seen.elapsed() < AUTHORITY_TIMEOUT)
        };
        all.filter(|index| !present(index)).collect()
    }

    fn name(&self, index: u16) -> String {
        let key = self.config.authorities.get(usize::from(index));
        key.map_or_else(String::new, |key| format!("authority {index} ({})", Hex(key)))
    }

    fn quorum(&self) -> usize {
        self.config.quorum.into()
    }

    fn change(&self, change: impl FnOnce(&mut RoundState)) {
        change(&mut self.state());
        self.changed.send_replace(());
        self.answered.notify_all();
    }

    fn state(&self) -> MutexGuard<'_, RoundState> {
        // Every change is complete before anything that could panic.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Merges remote signatures into a locally signed header.
pub(crate) fn merge_signatures(
    mut signed: SignedHeader,
    others: BTreeMap<u16, [u8; 64]>,
) -> SignedHeader {
    signed.signatures.extend(others);
    signed.signatures.sort_unstable_by_key(|(index, _)| *index);
    signed
}

fn unknown_proposal(state: &RoundState, height: u64) -> Error {
    let found = format_args!("one of height {height}");
    match &state.proposal {
        Some(PendingProposal { attempt: AttemptId { height, number }, id, .. }) => {
            let expected = format_args!("attempt {number} at height {height}, {}", Hex(id));
            Error::new(Reason::UnknownBlock, expected, found)
        }
        None => Error::new(Reason::UnknownBlock, "nothing to be signed now", found),
    }
}

fn show_reasons(reasons: &BTreeMap<u16, String>) -> String {
    let each = reasons.iter().map(|(index, why)| format!("Authority {index}: {why}. "));
    each.collect::<Vec<_>>().concat()
}
