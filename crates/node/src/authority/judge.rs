//! An authority's verdict on a proposed block.

use ed25519_dalek::{Signer, SigningKey};
use prooflight_core::chain::{Checkpoint, SignedHeader};
use prooflight_core::{Code, Error, Hash, Hex, Reason, Result};

use super::Memory;
use super::keys::{check_majority, index_of};
use crate::clock::{check_not_in_future, now_ms};
use crate::follow::check_pinned;
use crate::proposals::Proposal;
use crate::{At, Block, Chain, View};

/// An authority with its key, its copy of the chain, and its memory.
#[derive(Debug)]
pub struct Authority {
    chain: Chain,
    key: SigningKey,
    index: u16,
    memory: Memory,
    pinned: Option<Checkpoint>,
}

/// What an authority says about a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Valid: the signature of the header's hash.
    Signed {
        /// The hash.
        hash: Hash,
        /// The signature.
        signature: [u8; 64],
    },
    /// The block is invalid, for this reason.
    Invalid(Error),
}

impl Authority {
    /// Signs for a chain with a key.
    ///
    /// `invalid_config` if the key is not an authority's, or the quorum is no majority; `wrong_chain` for a
    /// checkpoint of another chain. The checkpoint's block must be the one of the chain, else
    /// `equivocation`; a block of genesis is signed only if a checkpoint pins it. `memory_lost` if blocks of
    /// the chain have signatures that the memory lacks.
    pub fn new(
        chain: Chain,
        key: SigningKey,
        memory: Memory,
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
            let header = chain.view()?.header(At::Height(pinned.height))?;
            check_pinned(pinned, &header.header)?;
        }
        let authority = Self { chain, key, index, memory, pinned };
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
    pub const fn memory(&self) -> &Memory {
        &self.memory
    }

    /// The chain.
    pub(super) const fn chain(&mut self) -> &mut Chain {
        &mut self.chain
    }

    /// The height of the next block; every lower one is published and here.
    pub fn next(&self) -> u64 {
        self.chain.height().map_or(0, |height| height + 1)
    }

    /// Executes a proposal of the next height, and signs its header if it is valid and nothing else of
    /// that height was signed. The signature is made after the memory is on disk.
    ///
    /// Whether it is valid depends on the chain and these bytes alone. An error is no verdict: another
    /// header was signed (`already_signed`), the block is from the future (`head_in_future`), it is not
    /// of the next height (`wrong_block`), or something failed here.
    pub fn judge(&mut self, height: u64, proposal: &[u8]) -> Result<Verdict> {
        let next = self.next();
        if height != next {
            let expected = format_args!("a proposal of height {next}");
            return Err(Error::new(Reason::WrongBlock, expected, height));
        }
        self.check_may_sign(next)?;
        let examined = Proposal::decode(proposal).and_then(|proposal| {
            self.chain.examine(&proposal)?;
            if let Some(pinned) = self.pinned.as_ref().filter(|pinned| pinned.height == next) {
                check_pinned(pinned, &proposal.header)?;
            }
            Ok(proposal)
        });
        let header = match examined {
            Ok(proposal) => proposal.header,
            Err(error) if is_verdict(&error) => return Ok(Verdict::Invalid(error)),
            Err(error) => return Err(error),
        };
        check_not_in_future(header.timestamp_ms, now_ms())?;
        let hash = header.hash();
        self.memory.remember(next, &hash)?;
        Ok(Verdict::Signed { hash, signature: self.key.sign(&hash).to_bytes() })
    }

    /// Takes a published block. `memory_lost` if it has a signature of this key that the memory lacks;
    /// other errors are those of [`Chain::follow`].
    pub fn follow(&mut self, block: Block) -> Result<View> {
        let SignedHeader { header, .. } = &block.header;
        block.header.check_signed(self.chain.config())?;
        if let Some(pinned) = self.pinned.as_ref().filter(|pinned| pinned.height == header.height) {
            check_pinned(pinned, header)?;
        }
        self.check_own_signature(&block.header)?;
        self.chain.follow(block)
    }

    /// Checks the memory against this key's signatures in blocks that are here.
    fn check_own_signatures(&self) -> Result<()> {
        let Some(newest) = self.chain.height() else { return Ok(()) };
        let view = self.chain.view()?;
        (self.memory.height()..=newest)
            .try_for_each(|height| self.check_own_signature(&view.header(At::Height(height))?))
    }

    /// Checks this key's signature of a header, if there is one, against the memory. A wrong signature
    /// beside a quorum of right ones is nobody's.
    fn check_own_signature(&self, signed: &SignedHeader) -> Result<()> {
        let own = signed.signatures.iter().find(|(index, _)| *index == self.index);
        let Some((_, signature)) = own else { return Ok(()) };
        let public = self.key.verifying_key().to_bytes();
        match super::refusal::check_signature(&public, &signed.header.hash(), signature) {
            Ok(()) => self.memory.check_published(signed, self.index),
            Err(_) => Ok(()),
        }
    }

    /// Blocks up to a checkpoint are published, and genesis needs one.
    fn check_may_sign(&self, next: u64) -> Result<()> {
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

/// Whether an error of a block's examination says that the block is invalid, rather than that it could
/// not be examined.
pub(crate) fn is_verdict(error: &Error) -> bool {
    matches!(error.code(), Code::Malformed | Code::Mismatch | Code::Untrusted | Code::InvalidInput)
}
