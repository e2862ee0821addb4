//! A model of the store and an honest prover, independent of the crate's own and written from
//! `test-vectors/spec/lvmt.md` alone. It knows the secret of its setup, so it needs no tables and can open
//! anything. Tests change its proofs as a liar would.

pub mod lies;
pub mod prove;
pub mod sample;
pub mod state;
pub mod targets;
pub mod tower;
pub mod vector;

use prooflight_amt::VerifyingKey;
use prooflight_core::{Result, Verified};
use prooflight_lvmt::proof::{ENVELOPE, Proof};
use prooflight_lvmt::{Answer, Params, verify};

use state::State;

/// The verifier's result for a proof about the state.
pub fn check(state: &State, keys: &[&[u8]], proof: &Proof) -> Result<Vec<Answer>> {
    check_bytes(state, keys, &ENVELOPE.encode(proof))
}

/// The verifier's result for the bytes of a proof about the state.
pub fn check_bytes(state: &State, keys: &[&[u8]], proof: &[u8]) -> Result<Vec<Answer>> {
    let key = VerifyingKey::dev(state.setup.log_n).unwrap();
    let params = Params::new(&key, state.log_arity).with_insecure_setup();
    verify(&state.root(), keys, proof, &params).map(Verified::into_inner)
}
