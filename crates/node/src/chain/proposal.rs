//! Blocks that are proposed to remote authorities, before they are signed.
//!
//! A proposal is durable before anybody is asked to sign it, and it is never replaced. So whoever leads
//! after a crash resumes it, and nobody is asked to sign a second block of its height.

use borsh::{BorshDeserialize, BorshSerialize};
use prooflight_core::chain::{Header, StateOperation};
use prooflight_core::{Error, Hash, Reason, Result, blake2b256};

/// An unsigned block.
#[derive(Clone, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct Proposal {
    /// The header.
    pub header: Header,
    /// The normalised operations, ascending by raw key.
    pub operations: Vec<StateOperation>,
}

impl Proposal {
    /// The borsh encoding.
    pub fn encode(&self) -> Result<Vec<u8>> {
        borsh::to_vec(self).map_err(|error| Error::new(Reason::Bug, "a block that encodes", error))
    }

    /// Decodes a complete proposal; `invalid_encoding` if the bytes are malformed.
    pub fn decode(bytes: &[u8]) -> Result<Self> {
        borsh::from_slice(bytes)
            .map_err(|error| Error::new(Reason::InvalidEncoding, "an unsigned block", error))
    }
}

/// The identifier of a proposal: a hash of its bytes.
pub fn proposal_id(proposal: &[u8]) -> Hash {
    blake2b256(&[b"prooflight/proposal/v1", proposal])
}

/// The height and the number of a proposal. A later attempt counts only if every lower one of its height is invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct AttemptId {
    /// The height of the block.
    pub height: u64,
    /// The number of the attempt, from 0.
    pub number: u32,
}

/// The most attempts at one height.
pub const MAX_ATTEMPTS: u32 = 16;

/// The number of attempts at one height with the submitted operations. Later attempts have no operations, in case the
/// operations make the blocks invalid.
pub const ATTEMPTS_WITH_OPERATIONS: u32 = 4;

/// A store of proposals: a folder of the leader, or the chain's log.
pub trait ProposalStore: Send + Sync {
    /// Creates a proposal unless there is one; returns the stored bytes once they are durable.
    fn create(&self, attempt: AttemptId, proposal: &[u8]) -> Result<Vec<u8>>;

    /// Reads a proposal, complete and durable; `None` if there is none.
    fn read(&self, attempt: AttemptId) -> Result<Option<Vec<u8>>>;

    /// Records that a block of this height is published and on disk, so that its proposals are no longer needed. Only then
    /// are proposals removed.
    fn published(&self, height: u64) -> Result<()>;
}
