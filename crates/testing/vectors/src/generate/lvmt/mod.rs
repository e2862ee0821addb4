//! The generated files of `lvmt/`: proofs by the test model of the crate.

#![allow(
    clippy::unwrap_used,
    clippy::cast_possible_truncation,
    reason = "the states of the model are small"
)]

pub(super) mod cancelling;
pub(super) mod valid;

use prooflight_amt::VerifyingKey;
use prooflight_json::{Hash32, HexBytes, Quantity};
use prooflight_lvmt::LvmtRoot;
use prooflight_lvmt::proof::{PROOF_ENVELOPE, Proof};
use prooflight_testkit::lvmt::sample;
pub(super) use prooflight_testkit::lvmt::state;

use self::state::LvmtModel;
use crate::lvmt::{LvmtProof, LvmtRoots};

/// The question about keys of a state, with a proof for this root.
fn input(state: &LvmtModel, root: LvmtRoot, keys: &[&[u8]], proof: &Proof) -> LvmtProof {
    let key = VerifyingKey::dev(state.setup.log_n).expect("a setup of that size");
    let LvmtRoot { aroot, hroot, height } = root;
    LvmtProof {
        params_id: Hash32(key.params_id()),
        log_n: state.setup.log_n,
        log_arity: state.log_arity,
        allow_insecure_setup: true,
        verifying_key: None,
        roots: LvmtRoots { aroot: Hash32(aroot), hroot: Hash32(hroot), height: Quantity(height) },
        keys: keys.iter().map(|key| HexBytes(key.to_vec())).collect(),
        proof: HexBytes(PROOF_ENVELOPE.encode(proof)),
        limits: None,
    }
}
