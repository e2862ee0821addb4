//! LVMT: proofs of keys, and openings of vector commitments.

mod message;
pub(crate) mod setup;

use prooflight_amt::verify_openings;
use prooflight_core::{Error, Hex, Reason, Result, Scheme};
use prooflight_lvmt::path::{index_at, key_hash};
use prooflight_lvmt::{Params, verify};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::lvmt::message::{LvmtProofRequest, OpeningsRequest, results};
use crate::refusal::throw;
use crate::wire::RequestValue as _;

/// Verifies a proof about keys: takes an `LvmtProofRequest` and the proof, returns a `ProofResponse`.
#[wasm_bindgen(js_name = lvmtVerifyProof)]
pub fn lvmt_verify_proof(request: &[u8], proof: &[u8]) -> Result<Vec<u8>, JsValue> {
    throw(Scheme::Lvmt, self::proof(request, proof))
}

/// Verifies openings of vector commitments, all together: takes an `OpeningsRequest`, returns the setup's
/// id.
#[wasm_bindgen(js_name = amtVerifyOpenings)]
pub fn amt_verify_openings(request: &[u8]) -> Result<Vec<u8>, JsValue> {
    throw(Scheme::Lvmt, openings(request))
}

/// The index of a raw key's entry in the root vector of `2^log_n` entries, which selects the servers that prove it.
#[wasm_bindgen(js_name = lvmtIndexOf)]
pub fn lvmt_index_of(key: &[u8], log_n: u8) -> u32 {
    index_at(&key_hash(key), log_n, 0)
}

fn proof(request: &[u8], proof: &[u8]) -> Result<Vec<u8>> {
    let request = LvmtProofRequest::decode(request)?;
    let key = request.setup.key()?;
    let params = Params {
        key: &key,
        log_arity: request.log_arity,
        allow_insecure_setup: request.setup.allow_insecure,
        limits: request.limits,
    };
    verify(&request.root, &request.keys, proof, &params).map(|verified| results(&verified))
}

fn openings(request: &[u8]) -> Result<Vec<u8>> {
    let request = OpeningsRequest::decode(request)?;
    let key = request.setup.key()?;
    key.check_secure(request.allow_insecure)?;
    let found = key.params_id();
    if let Some(expected) = request.params_id.filter(|expected| *expected != found) {
        return Err(Error::new(Reason::SetupMismatch, Hex(&expected), Hex(&found)));
    }
    verify_openings(&request.openings()?, &key)?;
    Ok(found.to_vec())
}
