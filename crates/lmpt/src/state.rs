//! The layered tries of the reference node's chains: raw keys.
//!
//! Source: `test-vectors/spec/chain.md`, section 7, and `test-vectors/spec/lmpt.md`.

use alloc::vec::Vec;

use prooflight_core::chain::{ChainLimits, Header};
use prooflight_core::{Error, Reason, Result, Scheme, Verified};

use crate::{LayerRoots, LayeredValue, verify};

/// Verifies the values of raw keys in the state after an accepted block.
///
/// Returns an answer for each key, in order. A chain without the scheme is `wrong_schemes`, a key longer
/// than the chain allows is `key_length`; other errors are those of [`verify`].
pub fn verify_keys<'a>(
    header: &Header,
    keys: &[&[u8]],
    proof: &'a [u8],
    limits: &ChainLimits,
) -> Result<Verified<Vec<LayeredValue<'a>>>> {
    let roots = roots_of(header)?;
    limits.check_keys(keys)?;
    verify(&roots, keys, proof, &limits.proof_limits())
}

fn roots_of(header: &Header) -> Result<LayerRoots> {
    LayerRoots::decode(header.expect_root(Scheme::Lmpt)?)
        .map_err(|error| Error::new(Reason::InvalidHeader, error.expected(), error.found()))
}
