//! Verifies a block with 33 bytes of state.

use prooflight_avl::Digest;
use prooflight_avl::state::{self, digest_of, empty_state};
use prooflight_core::chain::{ChainLimits, Header, StateOperation};
use prooflight_core::{Error, Reason, Result, Verified};

/// The caller's knowledge of the state before a block.
#[derive(Clone, Copy, Debug, Default)]
pub struct PreviousState<'a> {
    /// The previous block's header, if the caller has accepted it; the block must directly follow it.
    pub parent: Option<&'a Header>,
    /// The digest before the block; overrides the one in the parent's header.
    pub digest: Option<Digest>,
}

impl PreviousState<'_> {
    /// The digest: the caller's own, else the parent's, else that before block 0.
    fn digest(&self, header: &Header) -> Result<Digest> {
        match (self.digest, self.parent) {
            (Some(digest), _) => Ok(digest),
            (None, Some(parent)) => digest_of(parent),
            (None, None) if header.height == 0 => Ok(empty_state()),
            (None, None) => {
                let expected = "the digest before the block, or the header of its parent";
                Err(Error::new(Reason::InvalidArgument, expected, "neither"))
            }
        }
    }
}

/// Verifies that operations are those of an accepted block, that the block follows its parent, and that
/// they lead from the previous state to the one in its header; returns the digest of the latter.
///
/// Another parent is `not_extending`, a time that is not after the parent's is `invalid_header`; other errors
/// are those of [`prooflight_avl::state::verify_block`].
pub fn verify_block(
    before: &PreviousState<'_>,
    header: &Header,
    operations: &[StateOperation],
    proof: &[u8],
    limits: &ChainLimits,
) -> Result<Verified<Digest>> {
    if let Some(parent) = before.parent {
        header.check_follows(parent)?;
    }
    state::verify_block(&before.digest(header)?, header, operations, proof, limits)
}
