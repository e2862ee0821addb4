//! The generated files of `lvmt/`: proofs by the test model of the crate.

#![allow(
    clippy::unwrap_used,
    clippy::cast_possible_truncation,
    reason = "the states of the model are small"
)]

pub(super) mod cancelling;
pub(super) mod valid;

use prooflight_amt::VerifyingKey;
use prooflight_core::Limits;
use prooflight_json::{Hash32, HexBytes, Quantity};
use prooflight_lvmt::LvmtRoot;
pub(super) use prooflight_testkit::lvmt::state;
use prooflight_testkit::lvmt::{lies, sample};

use self::lies::VerifierInput;
use crate::limits::CallerLimits;
use crate::lvmt::{LvmtProof, LvmtRoots};

/// The input of a question.
fn input(question: &VerifierInput) -> LvmtProof {
    let setup = if question.dev { VerifyingKey::dev } else { VerifyingKey::ppot };
    let key = setup(question.log_n).expect("a setup of that size");
    let LvmtRoot { aroot, hroot, height } = question.root;
    let Limits { max_proof_bytes, max_keys, max_value_bytes, .. } = question.limits;
    let other = |limit: usize, default| (limit != default).then_some(limit);
    let limits = CallerLimits {
        max_proof_bytes: other(max_proof_bytes, Limits::DEFAULT.max_proof_bytes),
        max_keys: other(max_keys, Limits::DEFAULT.max_keys),
        max_value_bytes: other(max_value_bytes, Limits::DEFAULT.max_value_bytes),
    };
    LvmtProof {
        params_id: Hash32(key.params_id()),
        log_n: question.log_n,
        log_arity: question.log_arity,
        allow_insecure_setup: question.allow_insecure_setup,
        verifying_key: None,
        roots: LvmtRoots { aroot: Hash32(aroot), hroot: Hash32(hroot), height: Quantity(height) },
        keys: question.keys.iter().cloned().map(HexBytes).collect(),
        proof: HexBytes(question.proof.clone()),
        limits: (limits != CallerLimits::default()).then_some(limits),
    }
}
