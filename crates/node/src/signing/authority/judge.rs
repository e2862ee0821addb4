//! The verdict of an authority, or of a leader, on a proposed block.

use ed25519_dalek::{Signer, SigningKey};
use prooflight_core::chain::{Checkpoint, Header, SignedHeader};
use prooflight_core::{Error, Hash, Hex, Reason, Result};

use super::SigningMemory;
use crate::chain::keys::{check_majority, index_of};
use crate::chain::normalise::check_bytes;
use crate::chain::proposal::Proposal;
use crate::replication::follow::check_pinned;
use crate::runtime::clock::{check_not_in_future, now_ms};
use crate::{Block, BlockId, Chain, ExecutedBlock, Verdict, View};

/// An authority with its key, its copy of the chain, and its memory.
#[derive(Debug)]
pub struct Authority {
    chain: Chain,
    key: SigningKey,
    index: u16,
    memory: SigningMemory,
    pinned: Option<Checkpoint>,
    /// The block that was judged valid last, to be stored without executing it again.
    examined: Option<ExecutedBlock>,
}

/// An authority's signature of a header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeaderSignature {
    /// The header's hash, which is signed.
    pub hash: Hash,
    /// The signature.
    pub signature: [u8; 64],
}

impl Authority {
    /// Signs for a chain with a key.
    ///
    /// `invalid_config` if the key is not an authority's, or the quorum is no majority; `wrong_chain` for a
    /// checkpoint of another chain. The checkpoint's block must be the one of the chain, else
    /// `equivocation`; a genesis block is signed only if a checkpoint pins it. `memory_lost` if blocks of
    /// the chain have signatures that the memory lacks.
    pub fn new(
        chain: Chain,
        key: SigningKey,
        memory: SigningMemory,
        pinned: Option<Checkpoint>,
    ) -> Result<Self> {
        check_majority(chain.config())?;
        let index = index_of(chain.config(), &key)?;
        let id = chain.config().id();
        if let Some(other) = pinned.as_ref().map(|it| it.config.id()).filter(|it| *it != id) {
            return Err(Error::new(Reason::WrongChain, Hex(&other), Hex(&id)));
        }
        if let (Some(pinned), Some(height)) = (&pinned, chain.height())
            && height >= pinned.height
        {
            let header = chain.view()?.header(BlockId::Height(pinned.height))?;
            check_pinned(pinned, &header.header)?;
        }
        let authority = Self { chain, key, index, memory, pinned, examined: None };
        authority.check_own_signatures()?;
        Ok(authority)
    }

    /// The authority's index in the chain's configuration.
    pub const fn index(&self) -> u16 {
        self.index
    }

    /// The chain's configuration's hash.
    pub fn chain_id(&self) -> Hash {
        self.chain.config().id()
    }

    /// The key, for statements other than headers.
    pub(super) const fn key(&self) -> &SigningKey {
        &self.key
    }

    /// The memory.
    pub const fn memory(&self) -> &SigningMemory {
        &self.memory
    }

    /// The chain.
    pub(super) const fn chain(&mut self) -> &mut Chain {
        &mut self.chain
    }

    /// The height of the next block; every lower one is published and in the authority's copy of the chain.
    pub fn next(&self) -> u64 {
        self.chain.height().map_or(0, |height| height + 1)
    }

    /// Executes a proposal of the next height, and signs its header if it is valid and nothing else of
    /// that height was signed. The signature is made after the memory is on disk.
    ///
    /// Whether the block is valid depends on the chain and these bytes alone. There is no verdict if another header was
    /// signed (`already_signed`), the block is from the future (`head_in_future`), it is not of the next height
    /// (`wrong_block`), or this machine failed.
    pub fn judge(&mut self, height: u64, proposal: &[u8]) -> Verdict<HeaderSignature> {
        if let Err(error) = self.check_may_sign(height) {
            return Verdict::None(error);
        }
        let executed = match examine(&self.chain, proposal, &mut self.examined) {
            Verdict::Valid(executed) => executed,
            Verdict::Invalid(error) => return Verdict::Invalid(error),
            Verdict::None(error) => return Verdict::None(error),
        };
        if let Some(pinned) = self.pinned.as_ref().filter(|pinned| pinned.height == height)
            && let Err(error) = check_pinned(pinned, executed.header())
        {
            return Verdict::Invalid(error);
        }
        let signed = self.sign(executed.header());
        self.examined = Some(executed);
        match signed {
            Ok(signature) => Verdict::Valid(signature),
            Err(error) => Verdict::None(error),
        }
    }

    /// Signs the header of a valid block, unless it is from the future or another one was signed.
    fn sign(&mut self, header: &Header) -> Result<HeaderSignature> {
        check_not_in_future(header.timestamp_ms, now_ms())?;
        let hash = header.hash();
        self.memory.record_signed(header.height, &hash)?;
        Ok(HeaderSignature { hash, signature: self.key.sign(&hash).to_bytes() })
    }

    /// Judges and stores a published block, like [`Chain::follow`].
    ///
    /// There is no verdict if it has a signature of this key that the memory lacks (`memory_lost`).
    pub fn follow(&mut self, block: Block) -> Verdict<View> {
        if let Err(error) = self.check_published(&block.header) {
            return Verdict::Invalid(error);
        }
        if let Err(error) = self.check_own_signature(&block.header) {
            return Verdict::None(error);
        }
        self.chain.follow_executed(block, self.examined.take())
    }

    /// Checks that a header is signed, and that it is the checkpoint's at its height.
    fn check_published(&self, signed: &SignedHeader) -> Result<()> {
        signed.check_signed(self.chain.config())?;
        match &self.pinned {
            Some(pinned) if pinned.height == signed.header.height => {
                check_pinned(pinned, &signed.header)
            }
            _ => Ok(()),
        }
    }

    /// Checks the memory against this key's signatures in the blocks of the authority's copy.
    fn check_own_signatures(&self) -> Result<()> {
        let Some(newest) = self.chain.height() else { return Ok(()) };
        let view = self.chain.view()?;
        (self.memory.height()..=newest)
            .try_for_each(|height| self.check_own_signature(&view.header(BlockId::Height(height))?))
    }

    /// Checks this key's signature of a header, if there is one, against the memory. An invalid signature beside a quorum
    /// of valid ones does not count: anybody can add one.
    fn check_own_signature(&self, signed: &SignedHeader) -> Result<()> {
        let own = signed.signatures.iter().find(|(index, _)| *index == self.index);
        let Some((_, signature)) = own else { return Ok(()) };
        let public = self.key.verifying_key().to_bytes();
        match super::refusal::check_signature(&public, &signed.header.hash(), signature) {
            Ok(()) => self.memory.check_published(signed, self.index),
            Err(_) => Ok(()),
        }
    }

    /// Only the next height is signed. Blocks up to a checkpoint are published, and genesis needs one.
    fn check_may_sign(&self, height: u64) -> Result<()> {
        let next = self.next();
        if height != next {
            let expected = format_args!("a proposal of height {next}");
            return Err(Error::new(Reason::WrongBlock, expected, height));
        }
        match &self.pinned {
            Some(pinned) if next < pinned.height => {
                let expected = format_args!("the published block {next}, below the checkpoint's");
                Err(Error::new(Reason::WrongBlock, expected, "a proposal"))
            }
            None if next == 0 => {
                let expected = "a checkpoint with the genesis block to sign";
                Err(Error::new(Reason::InvalidArgument, expected, "none"))
            }
            _ => Ok(()),
        }
    }
}

/// Judges the bytes of a proposal that this node may sign: the block is executed in every scheme, and must be one that
/// verifiers can read.
///
/// A block that was executed before is not executed again.
pub(crate) fn examine(
    chain: &Chain,
    bytes: &[u8],
    executed: &mut Option<ExecutedBlock>,
) -> Verdict<ExecutedBlock> {
    if let Err(error) = chain.check_may_make() {
        return Verdict::None(error);
    }
    let decoded = Proposal::decode(bytes).and_then(|proposal| {
        check_bytes(&proposal.operations)?;
        chain.check_form(&proposal)?;
        Ok(proposal)
    });
    let proposal = match decoded {
        Ok(proposal) => proposal,
        Err(error) => return Verdict::Invalid(error),
    };
    let executed = match executed.take_if(|executed| *executed.header() == proposal.header) {
        Some(executed) => executed,
        None => match chain.execute_given(&proposal) {
            Verdict::Valid(executed) => executed,
            other => return other,
        },
    };
    match executed.check_transition_bytes() {
        Ok(()) => Verdict::Valid(executed),
        Err(error) => Verdict::Invalid(error),
    }
}
