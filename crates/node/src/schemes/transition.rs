//! The transitions of blocks that another node has made.

use prooflight_avl::Digest;
use prooflight_avl::state::verify_block;
use prooflight_core::chain::{ChainLimits, Header, StateOperation};
use prooflight_core::{Error, Reason, Result, Scheme};

/// Verifies a proof that a block's operations lead from the root before it to the one that its header has.
///
/// `invalid_block` if the scheme has no such proofs.
pub(crate) fn check_transition(
    scheme: Scheme,
    before: &[u8],
    header: &Header,
    operations: &[StateOperation],
    proof: &[u8],
    limits: &ChainLimits,
) -> Result<()> {
    match scheme {
        Scheme::Avl => {
            let before = Digest::try_from(before)?;
            verify_block(&before, header, operations, proof, limits).map(|_| ())
        }
        other => {
            let expected = format_args!("no transition of {}", other.as_str());
            Err(Error::new(Reason::InvalidBlock, expected, "one"))
        }
    }
}
