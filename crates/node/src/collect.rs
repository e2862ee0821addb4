//! Who signs the blocks of a leader: keys that are here, or authorities on machines of their own.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use prooflight_core::chain::{Header, StateOperation};
use prooflight_core::{Error, Hash, Hex, Reason, Result};

use crate::authority::{Signers, is_verdict};
use crate::desk::{Desk, Outcome, with_signatures};
use crate::producer::Shared;
use crate::proposals::{Attempt, MOST_ATTEMPTS, Proposal, Proposals};
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
    /// Another block of this height may have been published or proposed first; then that is stored. Errors
    /// are those of [`Chain::make`], and `quorum_missing` if the node stops before there are enough
    /// signatures: the block stays proposed.
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
        let height = proposal.header.height;
        self.proposals.create(Attempt { height, number: 0 }, &proposal.encode()?)?;
        let mut ours = vec![proposal.header.hash()];
        let view = self.settle(chain, height, operations, now_ms, shared, &mut ours)?;
        let ours = ours.contains(view.head_hash());
        Ok(Made { view, ours })
    }

    fn resume(
        &self,
        chain: &mut Chain,
        now_ms: u64,
        shared: Option<&mut Shared>,
    ) -> Result<Option<View>> {
        let height = chain.height().map_or(0, |height| height + 1);
        if self.proposals.read(Attempt { height, number: 0 })?.is_none() {
            return Ok(None);
        }
        tracing::info!(height, "resuming a proposed block");
        self.settle(chain, height, &[], now_ms, shared, &mut Vec::new()).map(Some)
    }

    /// Has the attempts at the next height signed until a block of it is published, and stores that.
    /// `operations` are for a further attempt, if the last one is invalid; `ours` gets its hash.
    fn settle(
        &self,
        chain: &mut Chain,
        height: u64,
        operations: &[StateOperation],
        now_ms: u64,
        mut shared: Option<&mut Shared>,
        ours: &mut Vec<Hash>,
    ) -> Result<View> {
        let mut attempts = self.attempts(height)?;
        loop {
            let valid = first_valid(chain, &mut attempts)?;
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
                (Waited::Published(block), _) => return chain.follow(*block),
                (Waited::Refused, _) => {
                    let number = u32::try_from(attempts.len()).unwrap_or(u32::MAX);
                    if number >= MOST_ATTEMPTS {
                        let expected = format_args!("at most {MOST_ATTEMPTS} attempts at {height}");
                        return Err(Error::new(Reason::QuorumMissing, expected, number));
                    }
                    let next = chain.propose(operations.iter().cloned(), now_ms)?;
                    ours.push(next.header.hash());
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
                Some(Outcome::Closed) => {
                    let expected = "signatures of a quorum; the block stays proposed";
                    return Err(Error::new(Reason::QuorumMissing, expected, "a node that stops"));
                }
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

    /// The attempts at a height, from the first.
    fn attempts(&self, height: u64) -> Result<Vec<Arc<[u8]>>> {
        let mut attempts = Vec::new();
        for number in 0..MOST_ATTEMPTS {
            match self.proposals.read(Attempt { height, number })? {
                Some(bytes) => attempts.push(bytes.into()),
                None => break,
            }
        }
        Ok(attempts)
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
