//! How the blocks of a leader get signed: with local keys, or by remote authorities.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use prooflight_core::chain::{Header, SignedHeader, StateOperation};
use prooflight_core::{Error, Hash, Hex, Reason, Result};

use crate::chain::keys::Signers;
use crate::chain::proposal::{
    ATTEMPTS_WITH_OPERATIONS, AttemptId, MAX_ATTEMPTS, Proposal, ProposalStore,
};
use crate::chain::store::corrupt;
use crate::replication::log::{SharedLog, decode_entry};
use crate::signing::authority::examine;
use crate::signing::signature_round::{RoundResult, SignatureRound, merge_signatures};
use crate::{Block, Chain, ExecutedBlock, Verdict, View};

/// How blocks get signed.
pub enum BlockSigner {
    /// Local keys form a quorum. No signature is released before its block is durable.
    Local(Signers),
    /// By remote authorities.
    Remote(SignatureCollector),
}

/// The block that the next height got.
#[derive(Debug)]
pub enum NextBlock {
    /// This node's block, with the operations.
    Own(View),
    /// This node's block without the operations: blocks with them were invalid at every attempt, which is the error.
    Emptied(View, Error),
    /// The block of another leader, which was published or proposed first.
    Other(View),
    /// No block yet: the one that another leader published is invalid, for this reason.
    Invalid(Error),
}

impl NextBlock {
    /// The chain up to the block.
    pub fn into_view(self) -> Result<View> {
        match self {
            Self::Own(view) | Self::Emptied(view, _) | Self::Other(view) => Ok(view),
            Self::Invalid(error) => Err(error),
        }
    }
}

impl From<Signers> for BlockSigner {
    fn from(signers: Signers) -> Self {
        Self::Local(signers)
    }
}

impl BlockSigner {
    /// Makes the next block, has it signed, publishes it in the log if there is one, and stores it.
    ///
    /// If another block of this height was published or proposed first, that one is stored instead. If all attempts with
    /// these operations were invalid, a block without them is stored. Errors are those of
    /// [`Chain::execute`] and [`Chain::commit`], and `quorum_missing` if the node stops before there are enough
    /// signatures, or if all attempts were invalid: the block stays proposed.
    pub fn make(
        &self,
        chain: &mut Chain,
        operations: impl IntoIterator<Item = StateOperation>,
        now_ms: u64,
        shared: Option<&mut SharedLog>,
    ) -> Result<NextBlock> {
        match self {
            Self::Local(signers) => {
                let executed = chain.execute(operations, now_ms)?;
                let signed = signers.sign(executed.header().clone());
                publish_and_commit(chain, executed, signed, shared.as_deref())
            }
            Self::Remote(collector) => {
                let operations: Vec<_> = operations.into_iter().collect();
                collector.make(chain, &operations, now_ms, shared)
            }
        }
    }

    /// Finishes the block that was proposed before the node last stopped, if there is one.
    pub fn resume(
        &self,
        chain: &mut Chain,
        now_ms: u64,
        shared: Option<&mut SharedLog>,
    ) -> Result<Option<NextBlock>> {
        match self {
            Self::Local(_) => Ok(None),
            Self::Remote(collector) => collector.resume(chain, now_ms, shared),
        }
    }

    /// Records that a block is published to readers.
    pub fn published(&self, height: u64) -> Result<()> {
        match self {
            Self::Local(_) => Ok(()),
            Self::Remote(SignatureCollector { round, proposals, .. }) => {
                round.published(height);
                proposals.published(height)
            }
        }
    }

    /// Whether the node stops, so that no further block gets signatures.
    pub(crate) fn is_closed(&self) -> bool {
        match self {
            Self::Local(_) => false,
            Self::Remote(collector) => collector.round.is_closed(),
        }
    }
}

/// Proposes blocks and collects the signatures of authorities.
pub struct SignatureCollector {
    round: Arc<SignatureRound>,
    proposals: Box<dyn ProposalStore>,
    signers: Signers,
}

/// The delay before a block that is valid on this node is posted anew to authorities that refused it, and before a failed
/// read of the log is retried.
const RETRY_INTERVAL: Duration = Duration::from_secs(1);

impl SignatureCollector {
    /// Collects signatures in a round; `signers` are the local keys, if any.
    pub fn new(
        round: Arc<SignatureRound>,
        proposals: Box<dyn ProposalStore>,
        signers: Signers,
    ) -> Self {
        Self { round, proposals, signers }
    }

    /// Proposes the next block without waiting for signatures; returns its header. An earlier proposal of that height
    /// stays, and its header is returned instead.
    pub fn propose(
        proposals: &dyn ProposalStore,
        chain: &Chain,
        operations: impl IntoIterator<Item = StateOperation>,
        now_ms: u64,
    ) -> Result<Header> {
        let executed = chain.execute(operations, now_ms)?;
        let first = AttemptId { height: executed.header().height, number: 0 };
        let stored = proposals.create(first, &executed.proposal().encode()?)?;
        Ok(Proposal::decode(&stored)?.header)
    }

    fn make(
        &self,
        chain: &mut Chain,
        operations: &[StateOperation],
        now_ms: u64,
        shared: Option<&mut SharedLog>,
    ) -> Result<NextBlock> {
        let executed = chain.execute(operations.iter().cloned(), now_ms)?;
        let first = AttemptId { height: executed.header().height, number: 0 };
        let stored = self.proposals.create(first, &executed.proposal().encode()?)?;
        let mut own = OwnAttempts::of(operations, now_ms);
        own.complete_hashes.push(executed.header().hash());
        own.executed = Some(executed);
        let view = match self.settle(chain, first.height, stored.into(), &mut own, shared)? {
            NextBlock::Own(view) | NextBlock::Other(view) => view,
            other => return Ok(other),
        };
        Ok(if own.complete_hashes.contains(view.head_hash()) {
            NextBlock::Own(view)
        } else if own.emptied_hashes.contains(view.head_hash()) {
            let expected = "operations of which blocks can be made that are valid";
            let found = "invalid blocks at every attempt";
            NextBlock::Emptied(view, Error::new(Reason::QuorumMissing, expected, found))
        } else {
            NextBlock::Other(view)
        })
    }

    fn resume(
        &self,
        chain: &mut Chain,
        now_ms: u64,
        shared: Option<&mut SharedLog>,
    ) -> Result<Option<NextBlock>> {
        let height = chain.height().map_or(0, |height| height + 1);
        let Some(first) = self.proposals.read(AttemptId { height, number: 0 })? else {
            return Ok(None);
        };
        tracing::info!(height, "resuming a proposed block");
        let mut own = OwnAttempts::of(&[], now_ms);
        self.settle(chain, height, first.into(), &mut own, shared).map(Some)
    }

    /// Has the attempts at the next height signed until a block of it is published, and stores that.
    /// `first` is the first attempt; `own` makes further ones if all are invalid. Each has a later time, and the
    /// last ones have no operations.
    fn settle(
        &self,
        chain: &mut Chain,
        height: u64,
        first: Arc<[u8]>,
        own: &mut OwnAttempts<'_>,
        mut shared: Option<&mut SharedLog>,
    ) -> Result<NextBlock> {
        let (started, mut last_ms) = (Instant::now(), own.now_ms);
        let mut attempts = vec![first];
        loop {
            let mut valid =
                self.first_valid_attempt(chain, height, &mut attempts, own.executed.take())?;
            // The proposals of a published block are removed. So only while no block is published is this proposal
            // known to be the one that all leaders post.
            if let Some(block) = self.published(height, shared.as_deref_mut())? {
                return follow(chain, block, valid);
            }
            let hash = valid.as_ref().map(|executed| executed.header().hash()).or_else(|| {
                let last = attempts.last().and_then(|last| Proposal::decode(last).ok());
                last.map(|proposal| proposal.header.hash())
            });
            self.round.post(height, attempts.clone(), hash);
            match self.wait(chain, height, &attempts, &mut valid, shared.as_deref_mut())? {
                RoundEnd::Signed(signatures) => {
                    let Some(executed) = valid else {
                        let expected =
                            format_args!("the result of block {height} that a quorum signed");
                        return Err(corrupt(expected, "another; verify this chain"));
                    };
                    let signed = self.signers.sign(executed.header().clone());
                    let signed = merge_signatures(signed, signatures);
                    return publish_and_commit(chain, executed, signed, shared.as_deref());
                }
                RoundEnd::Published(block) => return follow(chain, *block, valid),
                RoundEnd::Refused => {
                    let number = u32::try_from(attempts.len()).unwrap_or(u32::MAX);
                    // There is one genesis block, which the checkpoints of authorities have.
                    if number >= MAX_ATTEMPTS || height == 0 {
                        let expected = format_args!("a valid block {height} proposed");
                        let found = format_args!("{number} attempts, all invalid");
                        return Err(Error::new(Reason::QuorumMissing, expected, found));
                    }
                    // The same bytes would be invalid again.
                    let elapsed = u64::try_from(started.elapsed().as_millis()).unwrap_or_default();
                    last_ms = own.now_ms.saturating_add(elapsed).max(last_ms.saturating_add(1));
                    let next = own.next(chain, number, last_ms)?;
                    let stored = self.proposals.create(AttemptId { height, number }, &next)?;
                    attempts.push(stored.into());
                }
            }
        }
    }

    /// Waits for a quorum, or for the block of another leader. A refused block is posted anew as long as it is valid on
    /// this node.
    fn wait(
        &self,
        chain: &Chain,
        height: u64,
        attempts: &[Arc<[u8]>],
        valid: &mut Option<ExecutedBlock>,
        mut shared: Option<&mut SharedLog>,
    ) -> Result<RoundEnd> {
        loop {
            match self.round.wait(shared.as_ref().map(|shared| shared.poll)) {
                Some(RoundResult::Signed(signatures)) => return Ok(RoundEnd::Signed(signatures)),
                Some(RoundResult::Closed) => return Err(closed()),
                Some(RoundResult::Refused(why)) => {
                    // Executed once more, from the bytes that the authorities have.
                    *valid = None;
                    *valid = first_valid(chain, &mut attempts.to_vec(), &mut None)?;
                    if valid.is_none() {
                        tracing::error!(why, "the proposed block is invalid; another attempt");
                        return Ok(RoundEnd::Refused);
                    }
                    tracing::error!(why, "authorities refuse a block that is valid on this node");
                    thread::sleep(RETRY_INTERVAL);
                    self.round.post_again();
                }
                None => {
                    // An error of the log is in its health.
                    let found = shared.as_mut().map(|shared| shared.log.block(height));
                    if let Some(Ok(Some(block))) = found {
                        return Ok(RoundEnd::Published(Box::new(block)));
                    }
                }
            }
        }
    }

    /// Finds the first valid attempt, like [`first_valid`]. Reads further attempts until one is valid.
    fn first_valid_attempt(
        &self,
        chain: &Chain,
        height: u64,
        attempts: &mut Vec<Arc<[u8]>>,
        mut executed: Option<ExecutedBlock>,
    ) -> Result<Option<ExecutedBlock>> {
        loop {
            let valid = first_valid(chain, attempts, &mut executed)?;
            let number = u32::try_from(attempts.len()).unwrap_or(u32::MAX);
            if valid.is_some() || number >= MAX_ATTEMPTS {
                return Ok(valid);
            }
            match self.proposals.read(AttemptId { height, number })? {
                Some(next) => attempts.push(next.into()),
                None => return Ok(None),
            }
        }
    }

    /// The block of a height in the log, if there is one. Retries until the log answers.
    fn published(&self, height: u64, shared: Option<&mut SharedLog>) -> Result<Option<Block>> {
        let Some(shared) = shared else { return Ok(None) };
        loop {
            match shared.log.block(height) {
                Ok(found) => return Ok(found),
                Err(_) if self.round.is_closed() => return Err(closed()),
                // The error is in the health of the log.
                Err(_) => thread::sleep(shared.poll.min(RETRY_INTERVAL)),
            }
        }
    }
}

/// The attempts of this node at one height.
struct OwnAttempts<'a> {
    operations: &'a [StateOperation],
    now_ms: u64,
    /// The header hashes of attempts with the operations.
    complete_hashes: Vec<Hash>,
    /// The header hashes of attempts without them.
    emptied_hashes: Vec<Hash>,
    /// The newest attempt, until it is judged.
    executed: Option<ExecutedBlock>,
}

impl<'a> OwnAttempts<'a> {
    const fn of(operations: &'a [StateOperation], now_ms: u64) -> Self {
        Self {
            operations,
            now_ms,
            complete_hashes: Vec::new(),
            emptied_hashes: Vec::new(),
            executed: None,
        }
    }

    /// Executes the attempt with a number; returns its proposal.
    fn next(&mut self, chain: &Chain, number: u32, now_ms: u64) -> Result<Vec<u8>> {
        let is_emptied = number >= ATTEMPTS_WITH_OPERATIONS && !self.operations.is_empty();
        let operations = if is_emptied { &[] } else { self.operations };
        let executed = chain.execute(operations.iter().cloned(), now_ms)?;
        let hashes = if is_emptied { &mut self.emptied_hashes } else { &mut self.complete_hashes };
        hashes.push(executed.header().hash());
        let proposal = executed.proposal().encode();
        self.executed = Some(executed);
        proposal
    }
}

/// How a signature round ended.
enum RoundEnd {
    /// A quorum has signed, counting this node's own keys.
    Signed(BTreeMap<u16, [u8; 64]>),
    /// Another leader has published a block of this height.
    Published(Box<Block>),
    /// The last attempt cannot get a quorum, and is invalid on this node too.
    Refused,
}

fn closed() -> Error {
    let expected = "signatures of a quorum; the block stays proposed";
    Error::new(Reason::QuorumMissing, expected, "a node that stops")
}

/// Publishes a signed block in the log, if there is one, and stores it. If the log has another block of the height, that
/// is stored instead.
fn publish_and_commit(
    chain: &mut Chain,
    executed: ExecutedBlock,
    signed: SignedHeader,
    shared: Option<&SharedLog>,
) -> Result<NextBlock> {
    let Some(shared) = shared else {
        return chain.commit(executed, signed).map(NextBlock::Own);
    };
    let published = shared.log.publish(&signed, executed.body())?;
    if published.header.header == signed.header {
        // The published header may have other signatures.
        return chain.commit(executed, published.header).map(NextBlock::Own);
    }
    drop(executed);
    match decode_entry(published) {
        Ok(block) => follow(chain, block, None),
        Err(error) => Ok(NextBlock::Invalid(error)),
    }
}

/// Stores the block of another leader. It is not executed again if it is the one that was executed.
fn follow(chain: &mut Chain, block: Block, executed: Option<ExecutedBlock>) -> Result<NextBlock> {
    match chain.follow_executed(block, executed) {
        Verdict::Valid(view) => Ok(NextBlock::Other(view)),
        Verdict::Invalid(error) => Ok(NextBlock::Invalid(error)),
        Verdict::None(error) => Err(error),
    }
}

/// Finds the first valid attempt and drops those after it; `None` if all are invalid. An attempt that was executed before
/// is not executed again.
fn first_valid(
    chain: &Chain,
    attempts: &mut Vec<Arc<[u8]>>,
    executed: &mut Option<ExecutedBlock>,
) -> Result<Option<ExecutedBlock>> {
    for (number, bytes) in attempts.iter().enumerate() {
        match examine(chain, bytes, executed) {
            Verdict::Valid(executed) => {
                attempts.truncate(number + 1);
                return Ok(Some(executed));
            }
            Verdict::Invalid(error) => {
                let id = crate::chain::proposal::proposal_id(bytes);
                tracing::error!(attempt = number, id = %Hex(&id), %error, "an invalid proposal");
            }
            Verdict::None(error) => return Err(error),
        }
    }
    Ok(None)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use std::sync::Mutex;

    use ed25519_dalek::{Signer as _, SigningKey};
    use prooflight_core::Scheme;
    use prooflight_core::chain::{ChainConfig, ChainLimits, SchemeConfig};

    use super::*;
    use crate::BlockId;
    use crate::chain::keys::generate_key;
    use crate::chain::proposal::proposal_id;
    use crate::runtime::metrics::Metrics;
    use crate::signing::authority::Refusal;

    /// Proposals of which the first ones get a wrong root, like those of a leader with a bug.
    struct CorruptProposals {
        first: u32,
        kept: Arc<Mutex<BTreeMap<AttemptId, Vec<u8>>>>,
    }

    impl ProposalStore for CorruptProposals {
        fn create(&self, attempt: AttemptId, proposal: &[u8]) -> Result<Vec<u8>> {
            let mut proposal = Proposal::decode(proposal)?;
            if attempt.height > 0 && attempt.number < self.first {
                proposal.header.roots[0].1[0] ^= 1;
            }
            let bytes = proposal.encode()?;
            Ok(self.kept.lock().unwrap().entry(attempt).or_insert(bytes).clone())
        }

        fn read(&self, attempt: AttemptId) -> Result<Option<Vec<u8>>> {
            Ok(self.kept.lock().unwrap().get(&attempt).cloned())
        }

        fn published(&self, _: u64) -> Result<()> {
            Ok(())
        }
    }

    /// Makes a block with an operation; its first `spoiled` attempts are invalid. Returns the result and all
    /// attempts.
    fn make(spoiled: u32) -> (Result<NextBlock>, Vec<Proposal>) {
        let folder = tempfile::tempdir().unwrap();
        let key: SigningKey = generate_key().unwrap();
        let config = ChainConfig {
            version: ChainConfig::VERSION,
            chain_id: "test".to_owned(),
            schemes: vec![SchemeConfig::without_params(Scheme::Avl)],
            authorities: vec![key.verifying_key().to_bytes()],
            quorum: 1,
            limits: ChainLimits::default(),
            genesis_timestamp_ms: 1000,
        };
        let mut chain = Chain::create(folder.path(), &config).unwrap();
        let signers = Signers::with_any_keys(&config, Vec::new()).unwrap();
        let round = SignatureRound::new(chain.config().clone(), &signers, None, Metrics::new());
        let (round, kept) = (Arc::new(round), Arc::default());
        let proposals = CorruptProposals { first: spoiled, kept: Arc::clone(&kept) };
        let collector = SignatureCollector::new(round.clone(), Box::new(proposals), signers);
        let signing = BlockSigner::Remote(collector);
        let authority = thread::spawn(move || sign(&round, &key, spoiled));
        let operation = StateOperation::Set { key: b"key".to_vec(), value: b"value".to_vec() };
        signing.make(&mut chain, [], 0, None).unwrap();
        signing.published(0).unwrap();
        let made = signing.make(&mut chain, [operation], 5000, None);
        if let BlockSigner::Remote(collector) = &signing {
            collector.round.close();
        }
        authority.join().unwrap();
        let kept = kept.lock().unwrap();
        let attempts = kept.iter().filter(|(attempt, _)| attempt.height == 1);
        (made, attempts.map(|(_, bytes)| Proposal::decode(bytes).unwrap()).collect())
    }

    /// The authority, which signs every attempt that is not spoiled.
    fn sign(round: &SignatureRound, key: &SigningKey, spoiled: u32) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        while !round.is_closed() {
            let wait = Duration::from_millis(10);
            let (_, asked) = runtime.block_on(round.poll(0, u64::MAX, wait)).unwrap();
            let Some((attempt, id)) = asked else { continue };
            let Ok(bytes) = round.proposal(attempt) else { continue };
            // The answer fails if the round asks for another proposal by now.
            let _ = if attempt.height > 0 && attempt.number < spoiled {
                assert_eq!(id, proposal_id(&bytes));
                let refusal = Refusal { chain: round.chain(), attempt, id, invalid: true };
                round.refuse(0, &refusal, &refusal.sign(key), "another root")
            } else {
                let hash = Proposal::decode(&bytes).unwrap().header.hash();
                round.sign(0, attempt.height, hash, key.sign(&hash).to_bytes())
            };
        }
    }

    #[test]
    fn each_attempt_is_another_block_and_the_last_ones_have_no_operations() {
        for spoiled in [0, 1, 3, 4, 15] {
            let (made, attempts) = make(spoiled);
            let made = made.unwrap();
            assert_eq!(attempts.len(), spoiled as usize + 1);
            let with = |proposal: &Proposal| !proposal.operations.is_empty();
            assert_eq!(attempts.iter().filter(|it| with(it)).count(), attempts.len().min(4));
            assert!(attempts[..attempts.len().min(4)].iter().all(with));
            let times: Vec<_> = attempts.iter().map(|it| it.header.timestamp_ms).collect();
            assert!(times.is_sorted_by(|a, b| a < b) && times[0] == 5000, "{times:?}");
            // Operations that are not in the block are not reported as included.
            assert_eq!(matches!(made, NextBlock::Own(_)), spoiled < 4);
            assert_eq!(matches!(made, NextBlock::Emptied(..)), spoiled >= 4);
            let view = made.into_view().unwrap();
            let block = view.block(BlockId::Latest).unwrap();
            assert_eq!(block.body.operations, attempts.last().unwrap().operations);
        }
    }

    #[test]
    fn after_the_last_attempt_a_person_must_look() {
        let (made, attempts) = make(16);
        let error = made.unwrap_err();
        assert_eq!((error.reason(), attempts.len()), (Reason::QuorumMissing, 16));
        assert!(error.to_string().contains("16 attempts, all invalid"), "{error}");
    }
}
