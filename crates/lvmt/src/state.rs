//! The LVMT state of the reference node's chains, by raw keys.
//!
//! Source: `test-vectors/spec/chain.md`, section 7.

use alloc::vec::Vec;

use prooflight_amt::{VerifyingKey, trusted_key};
use prooflight_core::chain::{ChainConfig, Header, LvmtConfig};
use prooflight_core::{Error, Reason, Result, Scheme, Verified};

use crate::{LvmtRoot, Params, VersionedState, verify};

/// The trusted setup of the commitments, and whether an insecure one is accepted.
#[derive(Clone, Copy, Debug)]
pub struct TrustedSetup<'a> {
    /// The verifying key; checked against the chain's configuration.
    pub key: &'a VerifyingKey,
    /// Whether to accept a setup whose secret is public. Only for tests and development chains.
    pub allow_insecure: bool,
}

/// The verifying key of a chain's setup, from bytes if they are given: see [`trusted_key`].
///
/// A chain without the scheme is `wrong_schemes`.
pub fn setup_key(config: &ChainConfig, given: Option<&[u8]>) -> Result<VerifyingKey> {
    let LvmtConfig { params_id, log_n, .. } = lvmt_of(config)?;
    trusted_key(&params_id, log_n, given)
}

/// The setup and shape of a chain's LVMT; `wrong_schemes` if the chain does not keep it.
pub fn lvmt_of(config: &ChainConfig) -> Result<LvmtConfig> {
    config
        .lvmt()
        .ok_or_else(|| Error::new(Reason::WrongSchemes, "a chain with the scheme lvmt", "another"))
}

/// Verifies the values of raw keys in the state after an accepted block.
///
/// Returns an answer for each key, in order. A chain without the scheme is `wrong_schemes`; a key longer
/// than the chain allows `key_length`; the key of another setup than the chain's `setup_mismatch`; a proof
/// is refused as by [`verify`].
pub fn verify_keys(
    header: &Header,
    keys: &[&[u8]],
    proof: &[u8],
    config: &ChainConfig,
    setup: &TrustedSetup<'_>,
) -> Result<Verified<Vec<VersionedState>>> {
    let root = header.expect_root(Scheme::Lvmt)?;
    let root = root.first_chunk().filter(|_| root.len() == 64).ok_or_else(|| {
        let found = format_args!("{} bytes", root.len());
        Error::new(Reason::InvalidHeader, "a root of 64 bytes", found)
    })?;
    let LvmtConfig { params_id, log_n, log_arity } = lvmt_of(config)?;
    config.limits.check_keys(keys)?;
    setup.key.check_params_id(&params_id)?;
    if setup.key.log_n() != log_n {
        let expected = format_args!("a setup for 2^{log_n} entries");
        return Err(Error::new(Reason::SetupMismatch, expected, setup.key.log_n()));
    }
    let params = Params {
        key: setup.key,
        log_arity,
        allow_insecure_setup: setup.allow_insecure,
        limits: config.limits.proof_limits(),
    };
    verify(&LvmtRoot::new(root, header.height), keys, proof, &params)
}
