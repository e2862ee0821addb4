//! AVL+: verifies a batch or an Ergo block; the prover in memory.

mod message;
pub mod prover;
pub(crate) mod results;

use prooflight_avl::ergo::{AdProofsHeader, verify_ad_proofs};
use prooflight_avl::{Digest, verify_batch};
use prooflight_core::{Error, Reason, Result, Scheme};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::avl::message::{BatchRequest, ErgoRequest, verified_batch};
use crate::refusal::throw;
use crate::wire::RequestValue as _;

/// Verifies a batch: takes a `BatchRequest` and a proof, returns a `BatchResponse`.
#[wasm_bindgen(js_name = avlVerifyBatch)]
pub fn avl_verify_batch(request: &[u8], proof: &[u8]) -> Result<Vec<u8>, JsValue> {
    throw(Scheme::Avl, batch(request, proof))
}

/// Verifies the state transition of an Ergo block: takes an `ErgoRequest` and a proof, returns a `BatchResponse`.
#[wasm_bindgen(js_name = avlVerifyErgoAdProofs)]
pub fn avl_verify_ergo_ad_proofs(request: &[u8], proof: &[u8]) -> Result<Vec<u8>, JsValue> {
    throw(Scheme::Avl, ergo_ad_proofs(request, proof))
}

fn batch(request: &[u8], proof: &[u8]) -> Result<Vec<u8>> {
    let request = BatchRequest::decode(request)?;
    let digest = Digest::try_from(request.digest)?;
    let batch = verify_batch(&digest, &request.operations, proof, &request.params)?;
    Ok(verified_batch(&batch, request.neighbours))
}

fn ergo_ad_proofs(request: &[u8], proof: &[u8]) -> Result<Vec<u8>> {
    let request = ErgoRequest::decode(request)?;
    let header = AdProofsHeader {
        parent_state_root: Digest::try_from(request.parent_state_root)?,
        state_root: Digest::try_from(request.state_root)?,
        ad_proofs_root: request.ad_proofs_root.try_into().map_err(|_| {
            let found = format_args!("{} bytes", request.ad_proofs_root.len());
            Error::new(Reason::InvalidArgument, "an adProofsRoot of 32 bytes", found)
        })?,
    };
    let batch = verify_ad_proofs(&header, &request.operations, proof)?;
    Ok(verified_batch(&batch, request.neighbours))
}
