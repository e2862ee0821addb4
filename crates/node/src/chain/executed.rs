//! A block between its execution and its write.

use prooflight_core::chain::{Header, SignedHeader};
use prooflight_core::store::WriteBatch;
use prooflight_core::{Error, Limits, Reason, Result};

use crate::chain::block::BlockBody;
use crate::chain::proposal::Proposal;
use crate::chain::schemes;

/// A block that was executed on the newest state of a chain. It is neither signed nor stored.
pub struct ExecutedBlock {
    pub(super) header: Header,
    pub(super) body: BlockBody,
    /// The writes of all schemes.
    pub(super) writes: WriteBatch,
    /// The changes in memory of each scheme.
    pub(super) next: Vec<schemes::NextState>,
}

impl ExecutedBlock {
    /// The header.
    pub const fn header(&self) -> &Header {
        &self.header
    }

    /// The operations and the transition proofs.
    pub const fn body(&self) -> &BlockBody {
        &self.body
    }

    /// The block as it is proposed to authorities.
    pub fn proposal(&self) -> Proposal {
        Proposal { header: self.header.clone(), operations: self.body.operations.clone() }
    }

    /// Refuses a block with a transition proof that is too large for verifiers.
    pub(crate) fn check_transition_bytes(&self) -> Result<()> {
        let most = Limits::DEFAULT.max_proof_bytes;
        match self.body.transitions.iter().map(|(_, proof)| proof.len()).max() {
            Some(bytes) if bytes > most => {
                let expected = format_args!("operations whose transition has at most {most} bytes");
                Err(Error::new(Reason::RequestTooLarge, expected, bytes))
            }
            _ => Ok(()),
        }
    }

    /// Checks that a signed header is the one of this block.
    pub(super) fn check_header(&self, signed: &SignedHeader) -> Result<()> {
        if self.header == signed.header {
            return Ok(());
        }
        let expected = format_args!("the header of the executed block {}", self.header.height);
        Err(Error::new(Reason::InvalidArgument, expected, "another header"))
    }
}

impl core::fmt::Debug for ExecutedBlock {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("ExecutedBlock").field("header", &self.header).finish_non_exhaustive()
    }
}
