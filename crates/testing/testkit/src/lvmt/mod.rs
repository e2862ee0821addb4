//! A model of the store and an honest prover, independent of the crate's own and written from
//! `test-vectors/spec/lvmt.md` alone. It knows the secret of its setup, so it needs no tables and can open
//! anything. Tests change its proofs as a liar would.

pub mod prove;
pub mod sample;
pub mod state;
pub mod targets;
pub mod vector;

use prooflight_amt::VerifyingKey;
use prooflight_core::{Result, Verified};
use prooflight_lvmt::proof::{PROOF_ENVELOPE, Proof};
use prooflight_lvmt::{Params, VersionedState, verify};

use state::LvmtModel;

/// The verifier's result for a proof about the state.
pub fn check(state: &LvmtModel, keys: &[&[u8]], proof: &Proof) -> Result<Vec<VersionedState>> {
    check_bytes(state, keys, &PROOF_ENVELOPE.encode(proof))
}

/// The verifier's result for the bytes of a proof about the state.
pub fn check_bytes(state: &LvmtModel, keys: &[&[u8]], proof: &[u8]) -> Result<Vec<VersionedState>> {
    let key = VerifyingKey::dev(state.setup.log_n).unwrap();
    let params = Params::new(&key, state.log_arity).with_insecure_setup();
    verify(&state.root(), keys, proof, &params).map(Verified::into_inner)
}
