//! Who signs the blocks of a leader: keys that are here, or authorities on machines of their own.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use prooflight_core::chain::{Header, StateOperation};
use prooflight_core::{Error, Hash, Hex, Reason, Result};

use crate::authority::{Signers, is_verdict};
use crate::desk::{Desk, Outcome, with_signatures};
use crate::producer::Shared;
use crate::proposals::{ATTEMPTS_WITH_OPERATIONS, Attempt, MOST_ATTEMPTS, Proposal, Proposals};
use crate::store::corrupt;
use crate::{Block, Chain, Made, View};

/// Who signs the blocks.
pub enum Signing {
    /// The keys here are a quorum. No signature leaves before its block is on disk.
    Here(Signers),
    /// Authorities on machines of their own.
    Elsewhere(Collector),
}

impl From<Signers> for Signing {
    fn from(signers: Signers) -> Self {
        Self::Here(signers)
    }
}

impl Signing {
    /// Makes the next block, has it signed, publishes it in the log if there is one, and stores it.
    ///
    /// Another block of this height may have been published or proposed first; then that is stored. So is one
    /// without these operations, if all attempts with them were invalid. Errors are those of
    /// [`Chain::make`], and `quorum_missing` if the node stops before there are enough signatures, or if all
    /// attempts were invalid: the block stays proposed.
    pub fn make(
        &self,
        chain: &mut Chain,
        operations: impl IntoIterator<Item = StateOperation>,
        now_ms: u64,
        shared: Option<&mut Shared>,
    ) -> Result<Made> {
        match self {
            Self::Here(signers) => {
                let publish = |block: &Block| publish(shared.as_deref(), block);
                chain.make_through(operations, now_ms, signers, publish)
            }
            Self::Elsewhere(collector) => {
                let operations: Vec<_> = operations.into_iter().collect();
                collector.make(chain, &operations, now_ms, shared)
            }
        }
    }

    /// Finishes the block that was proposed before the last end of the node, if there is one.
    pub fn resume(
        &self,
        chain: &mut Chain,
        now_ms: u64,
        shared: Option<&mut Shared>,
    ) -> Result<Option<View>> {
        match self {
            Self::Here(_) => Ok(None),
            Self::Elsewhere(collector) => collector.resume(chain, now_ms, shared),
        }
    }

    /// Learns that a block can be read by others.
    pub fn published(&self, height: u64) -> Result<()> {
        match self {
            Self::Here(_) => Ok(()),
            Self::Elsewhere(Collector { desk, proposals, .. }) => {
                desk.published(height);
                proposals.published(height)
            }
        }
    }

    /// Whether the node stops, so that no further block gets signatures.
    pub(crate) fn is_closed(&self) -> bool {
        match self {
            Self::Here(_) => false,
            Self::Elsewhere(collector) => collector.desk.is_closed(),
        }
    }
}

/// Proposes blocks and collects the signatures of authorities.
pub struct Collector {
    desk: Arc<Desk>,
    proposals: Box<dyn Proposals>,
    signers: Signers,
}

/// The time after which authorities are asked again that judge a block invalid which is valid here.
const AGAIN: Duration = Duration::from_secs(1);

impl Collector {
    /// Collects at a desk; `signers` are the keys that are here, if any.
    pub fn new(desk: Arc<Desk>, proposals: Box<dyn Proposals>, signers: Signers) -> Self {
        Self { desk, proposals, signers }
    }

    /// Proposes the next block without waiting for signatures; returns its header. A block that was
    /// proposed already stays.
    pub fn propose(
        proposals: &dyn Proposals,
        chain: &mut Chain,
        operations: impl IntoIterator<Item = StateOperation>,
        now_ms: u64,
    ) -> Result<Header> {
        let proposal = chain.propose(operations, now_ms)?;
        let first = Attempt { height: proposal.header.height, number: 0 };
        let there = proposals.create(first, &proposal.encode()?)?;
        Ok(Proposal::decode(&there)?.header)
    }

    fn make(
        &self,
        chain: &mut Chain,
        operations: &[StateOperation],
        now_ms: u64,
        shared: Option<&mut Shared>,
    ) -> Result<Made> {
        let proposal = chain.propose(operations.iter().cloned(), now_ms)?;
        let first = Attempt { height: proposal.header.height, number: 0 };
        let there = self.proposals.create(first, &proposal.encode()?)?;
        let mut ours = Ours::of(operations, now_ms);
        ours.complete.push(proposal.header.hash());
        let view = self.settle(chain, first.height, there.into(), &mut ours, shared)?;
        let refused = ours.emptied.contains(view.head_hash()).then(|| {
            let expected = "operations of which blocks can be made that are valid";
            Error::new(Reason::QuorumMissing, expected, "invalid blocks at every attempt")
        });
        let ours = ours.complete.contains(view.head_hash());
        Ok(Made { view, ours, refused })
    }

    fn resume(
        &self,
        chain: &mut Chain,
        now_ms: u64,
        shared: Option<&mut Shared>,
    ) -> Result<Option<View>> {
        let height = chain.height().map_or(0, |height| height + 1);
        let Some(first) = self.proposals.read(Attempt { height, number: 0 })? else {
            return Ok(None);
        };
        tracing::info!(height, "resuming a proposed block");
        self.settle(chain, height, first.into(), &mut Ours::of(&[], now_ms), shared).map(Some)
    }

    /// Has the attempts at the next height signed until a block of it is published, and stores that.
    /// `first` is the first attempt; `ours` makes further ones if all are invalid. Each has a later time, and the
    /// last ones have no operations.
    fn settle(
        &self,
        chain: &mut Chain,
        height: u64,
        first: Arc<[u8]>,
        ours: &mut Ours<'_>,
        mut shared: Option<&mut Shared>,
    ) -> Result<View> {
        let (begun, mut last_ms) = (Instant::now(), ours.now_ms);
        let mut attempts = vec![first];
        loop {
            let valid = self.first_valid_of_all(chain, height, &mut attempts)?;
            // Proposals of published blocks are removed: only while there is no block is this known to be the
            // one that all leaders ask for.
            if let Some(block) = self.published(height, shared.as_deref_mut())? {
                return follow(chain, block, shared.as_deref());
            }
            let hash = valid.as_ref().map(Header::hash).or_else(|| {
                let last = attempts.last().and_then(|last| Proposal::decode(last).ok());
                last.map(|proposal| proposal.header.hash())
            });
            self.desk.ask(height, attempts.clone(), hash);
            match (self.wait(chain, height, &attempts, shared.as_deref_mut())?, valid) {
                (Waited::Signed(signatures), Some(header)) => {
                    let signed = with_signatures(self.signers.sign(header), signatures);
                    let publish = |block: &Block| publish(shared.as_deref(), block);
                    return chain.publish_through(signed, publish).map(|made| made.view);
                }
                (Waited::Signed(_), None) => {
                    let expected =
                        format_args!("the result of block {height} that a quorum signed");
                    return Err(corrupt(expected, "another; verify this chain"));
                }
                (Waited::Published(block), _) => return follow(chain, *block, shared.as_deref()),
                (Waited::Refused, _) => {
                    let number = u32::try_from(attempts.len()).unwrap_or(u32::MAX);
                    // There is one genesis block, which the checkpoints of authorities have.
                    if number >= MOST_ATTEMPTS || height == 0 {
                        let expected = format_args!("a valid block {height} proposed");
                        let found = format_args!("{number} attempts, all invalid");
                        return Err(Error::new(Reason::QuorumMissing, expected, found));
                    }
                    // The same bytes would be invalid again.
                    let elapsed = u64::try_from(begun.elapsed().as_millis()).unwrap_or_default();
                    last_ms = ours.now_ms.saturating_add(elapsed).max(last_ms.saturating_add(1));
                    let is_emptied =
                        number >= ATTEMPTS_WITH_OPERATIONS && !ours.operations.is_empty();
                    let operations = if is_emptied { &[] } else { ours.operations };
                    let next = chain.propose(operations.iter().cloned(), last_ms)?;
                    let kind = if is_emptied { &mut ours.emptied } else { &mut ours.complete };
                    kind.push(next.header.hash());
                    let next = next.encode()?;
                    let there = self.proposals.create(Attempt { height, number }, &next)?;
                    attempts.push(there.into());
                }
            }
        }
    }

    /// Waits for a quorum, or for the block of another leader. A block that is valid here is asked for again
    /// and again.
    fn wait(
        &self,
        chain: &mut Chain,
        height: u64,
        attempts: &[Arc<[u8]>],
        mut shared: Option<&mut Shared>,
    ) -> Result<Waited> {
        loop {
            match self.desk.wait(shared.as_ref().map(|shared| shared.poll)) {
                Some(Outcome::Signed(signatures)) => return Ok(Waited::Signed(signatures)),
                Some(Outcome::Closed) => return Err(closed()),
                Some(Outcome::Refused(why)) => {
                    // Judged anew, from the bytes that authorities have.
                    chain.drop_prepared();
                    if first_valid(chain, &mut attempts.to_vec())?.is_none() {
                        tracing::error!(why, "the proposed block is invalid; another attempt");
                        return Ok(Waited::Refused);
                    }
                    tracing::error!(why, "authorities refuse a block that is valid here");
                    thread::sleep(AGAIN);
                    self.desk.ask_again();
                }
                None => {
                    // An error of the log shows in its troubles.
                    let found = shared.as_mut().map(|shared| shared.log.block(height));
                    if let Some(Ok(Some(block))) = found {
                        return Ok(Waited::Published(Box::new(block)));
                    }
                }
            }
        }
    }

    /// Finds the first valid attempt, like [`first_valid`], and reads as many further ones as it takes.
    fn first_valid_of_all(
        &self,
        chain: &mut Chain,
        height: u64,
        attempts: &mut Vec<Arc<[u8]>>,
    ) -> Result<Option<Header>> {
        loop {
            let valid = first_valid(chain, attempts)?;
            let number = u32::try_from(attempts.len()).unwrap_or(u32::MAX);
            if valid.is_some() || number >= MOST_ATTEMPTS {
                return Ok(valid);
            }
            match self.proposals.read(Attempt { height, number })? {
                Some(next) => attempts.push(next.into()),
                None => return Ok(None),
            }
        }
    }

    /// The block of a height in the log, if there is one. It asks until it knows.
    fn published(&self, height: u64, shared: Option<&mut Shared>) -> Result<Option<Block>> {
        let Some(shared) = shared else { return Ok(None) };
        loop {
            match shared.log.block(height) {
                Ok(found) => return Ok(found),
                Err(_) if self.desk.is_closed() => return Err(closed()),
                // It shows in the troubles of the log.
                Err(_) => thread::sleep(shared.poll.min(AGAIN)),
            }
        }
    }
}

/// What is to be in a block, and the hashes of the headers that were proposed here.
struct Ours<'a> {
    operations: &'a [StateOperation],
    now_ms: u64,
    /// Of blocks with the operations.
    complete: Vec<Hash>,
    /// Of blocks without them.
    emptied: Vec<Hash>,
}

impl<'a> Ours<'a> {
    const fn of(operations: &'a [StateOperation], now_ms: u64) -> Self {
        Self { operations, now_ms, complete: Vec::new(), emptied: Vec::new() }
    }
}

/// What came of waiting for signatures.
enum Waited {
    /// Together with the keys that are here, a quorum has signed.
    Signed(BTreeMap<u16, [u8; 64]>),
    /// Another leader has published a block of this height.
    Published(Box<Block>),
    /// The last attempt cannot get a quorum, and is invalid here too.
    Refused,
}

fn closed() -> Error {
    let expected = "signatures of a quorum; the block stays proposed";
    Error::new(Reason::QuorumMissing, expected, "a node that stops")
}

/// Stores the block of another leader.
fn follow(chain: &mut Chain, block: Block, shared: Option<&Shared>) -> Result<View> {
    if let Some(shared) = shared {
        shared.log.lose();
    }
    chain.follow(block)
}

/// Publishes a block in the log, if there is one; returns the one that is there.
fn publish(shared: Option<&Shared>, block: &Block) -> Result<Option<Block>> {
    shared.map(|shared| shared.log.publish(block)).transpose()
}

/// Finds the first valid attempt and drops those after it; the chain holds its block. Returns its header,
/// or `None` if all are invalid.
fn first_valid(chain: &mut Chain, attempts: &mut Vec<Arc<[u8]>>) -> Result<Option<Header>> {
    for (number, bytes) in attempts.iter().enumerate() {
        let examined = Proposal::decode(bytes)
            .and_then(|proposal| chain.examine(&proposal).map(|()| proposal.header));
        match examined {
            Ok(header) => {
                attempts.truncate(number + 1);
                return Ok(Some(header));
            }
            Err(error) if is_verdict(&error) => {
                let id = crate::proposals::id_of(bytes);
                tracing::error!(attempt = number, id = %Hex(&id), %error, "an invalid proposal");
            }
            Err(error) => return Err(error),
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
    use crate::At;
    use crate::authority::{Refusal, generate};
    use crate::metrics::Metrics;
    use crate::proposals::id_of;

    /// Proposals of which the first ones get a wrong root, like those of a leader with a fault.
    struct Spoiled {
        first: u32,
        kept: Arc<Mutex<BTreeMap<Attempt, Vec<u8>>>>,
    }

    impl Proposals for Spoiled {
        fn create(&self, attempt: Attempt, proposal: &[u8]) -> Result<Vec<u8>> {
            let mut proposal = Proposal::decode(proposal)?;
            if attempt.height > 0 && attempt.number < self.first {
                proposal.header.roots[0].1[0] ^= 1;
            }
            let bytes = proposal.encode()?;
            Ok(self.kept.lock().unwrap().entry(attempt).or_insert(bytes).clone())
        }

        fn read(&self, attempt: Attempt) -> Result<Option<Vec<u8>>> {
            Ok(self.kept.lock().unwrap().get(&attempt).cloned())
        }

        fn published(&self, _: u64) -> Result<()> {
            Ok(())
        }
    }

    /// Makes a block with an operation, of which so many attempts are spoiled; returns what came of it and
    /// all attempts.
    fn make(spoiled: u32) -> (Result<Made>, Vec<Proposal>) {
        let folder = tempfile::tempdir().unwrap();
        let key: SigningKey = generate().unwrap();
        let config = ChainConfig {
            version: ChainConfig::VERSION,
            chain_id: "test".to_owned(),
            schemes: vec![SchemeConfig::plain(Scheme::Avl)],
            authorities: vec![key.verifying_key().to_bytes()],
            quorum: 1,
            limits: ChainLimits::default(),
            genesis_timestamp_ms: 1000,
        };
        let mut chain = Chain::create(folder.path(), &config).unwrap();
        let signers = Signers::some(&config, Vec::new()).unwrap();
        let desk = Desk::new(chain.config().clone(), &signers, None, Metrics::new());
        let (desk, kept) = (Arc::new(desk), Arc::default());
        let proposals = Spoiled { first: spoiled, kept: Arc::clone(&kept) };
        let collector = Collector::new(desk.clone(), Box::new(proposals), signers);
        let signing = Signing::Elsewhere(collector);
        let authority = thread::spawn(move || sign(&desk, &key, spoiled));
        let operation = StateOperation::Set { key: b"key".to_vec(), value: b"value".to_vec() };
        signing.make(&mut chain, [], 0, None).unwrap();
        signing.published(0).unwrap();
        let made = signing.make(&mut chain, [operation], 5000, None);
        if let Signing::Elsewhere(collector) = &signing {
            collector.desk.close();
        }
        authority.join().unwrap();
        let kept = kept.lock().unwrap();
        let attempts = kept.iter().filter(|(attempt, _)| attempt.height == 1);
        (made, attempts.map(|(_, bytes)| Proposal::decode(bytes).unwrap()).collect())
    }

    /// Plays the authority, which signs what is not spoiled.
    fn sign(desk: &Desk, key: &SigningKey, spoiled: u32) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        while !desk.is_closed() {
            let wait = Duration::from_millis(10);
            let (_, asked) = runtime.block_on(desk.awaited(0, u64::MAX, wait)).unwrap();
            let Some((attempt, id)) = asked else { continue };
            let Ok(bytes) = desk.proposal(attempt) else { continue };
            // The desk may ask for another one by now.
            let _ = if attempt.height > 0 && attempt.number < spoiled {
                assert_eq!(id, id_of(&bytes));
                let refusal = Refusal { chain: desk.chain(), attempt, id, invalid: true };
                desk.refuse(0, &refusal, &refusal.sign(key), "another root")
            } else {
                let hash = Proposal::decode(&bytes).unwrap().header.hash();
                desk.sign(0, attempt.height, hash, key.sign(&hash).to_bytes())
            };
        }
    }

    #[test]
    fn each_attempt_is_another_block_and_the_last_ones_have_no_operations() {
        for spoiled in [0, 1, 3, 4, 15] {
            let (made, attempts) = make(spoiled);
            let Made { view, ours, refused } = made.unwrap();
            assert_eq!(attempts.len(), spoiled as usize + 1);
            let with = |proposal: &Proposal| !proposal.operations.is_empty();
            assert_eq!(attempts.iter().filter(|it| with(it)).count(), attempts.len().min(4));
            assert!(attempts[..attempts.len().min(4)].iter().all(with));
            let times: Vec<_> = attempts.iter().map(|it| it.header.timestamp_ms).collect();
            assert!(times.is_sorted_by(|a, b| a < b) && times[0] == 5000, "{times:?}");
            // Operations that are not in the block are not said to be.
            assert_eq!((ours, refused.is_some()), (spoiled < 4, spoiled >= 4));
            let block = view.block(At::Latest).unwrap();
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
