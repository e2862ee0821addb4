//! Ergo's block proofs: the UTXO set's transition from one header to the next.

use prooflight_core::{Error, Hash, Hex, Limits, Reason, Result, Verified, blake2b256};

use crate::operation::Operation;
use crate::params::{Digest, Mode, Params};
use crate::verify::{Transition, verify_batch};

/// The longest value that scrypto reads, in bytes.
const MAX_VALUE_BYTES: usize = 4 << 20;

/// Ergo's dictionary: box ids of 32 bytes to boxes of any length, verified as Ergo's nodes do.
pub const ERGO_PARAMS: Params = Params {
    mode: Mode::Compat,
    limits: Limits { max_value_bytes: MAX_VALUE_BYTES, max_keys: 1 << 16, ..Limits::DEFAULT },
    max_deletes: 1 << 16,
    ..Params::new(32, None)
};

/// The commitments of an Ergo header, and its parent's state root; the caller must trust all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AdProofsHeader {
    /// The digest of the UTXO set before the block.
    pub parent_state_root: Digest,
    /// The digest of the UTXO set after the block.
    pub state_root: Digest,
    /// BLAKE2b-256 of the block's proof.
    pub ad_proofs_root: Hash,
}

/// Verifies that a block's operations lead from its parent's state root to its own.
///
/// The operations are those of the block: lookups of data inputs, removals of inputs, insertions of
/// outputs, in Ergo's order. Source: Ergo's `ADProofs`.
pub fn verify_ad_proofs<'a>(
    header: &AdProofsHeader,
    ops: &[Operation<'a>],
    proof: &'a [u8],
) -> Result<Verified<Transition<'a>>> {
    ERGO_PARAMS.limits.check_proof(proof.len())?;
    let hash = blake2b256(&[proof]);
    if hash != header.ad_proofs_root {
        return Err(Error::new(
            Reason::AdProofsRootMismatch,
            Hex(&header.ad_proofs_root),
            Hex(&hash),
        ));
    }
    let batch = verify_batch(&header.parent_state_root, ops, proof, &ERGO_PARAMS)?;
    if batch.digest != header.state_root {
        return Err(Error::new(Reason::StateRootMismatch, header.state_root, batch.digest));
    }
    Ok(batch)
}
