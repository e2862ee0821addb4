//! Chains of the reference node: headers, answers about the state, and blocks.

mod message;

use prooflight_avl::Digest;
use prooflight_avl::state::{StateKeys, verify_block, verify_state};
use prooflight_core::chain::{
    Header, SignedHeader, verify_ancestor, verify_ancestors, verify_head,
};
use prooflight_core::{Limits, Result, Scheme};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::chain::message::{
    AncestorRequest, AncestorsRequest, BlockRequest, StateRequest, SyncRequest, decode,
    header_response, header_responses, values,
};
use crate::refusal::throw;

/// Decodes a signed header, whose signatures are not checked: gives a `HeaderResponse`.
#[wasm_bindgen(js_name = chainDecodeHeader)]
pub fn chain_decode_header(signed: &[u8]) -> Result<Vec<u8>, JsValue> {
    throw(None, decode_signed(signed).map(|signed| header_response(&signed.header)))
}

/// Accepts a signed head: takes a `SyncRequest` and the head, gives a `HeaderResponse`.
#[wasm_bindgen(js_name = chainVerifyHead)]
pub fn chain_verify_head(request: &[u8], head: &[u8]) -> Result<Vec<u8>, JsValue> {
    throw(None, head_of_sync(request, head))
}

/// Accepts an older header: takes an `AncestorRequest` and the header, gives a `HeaderResponse`.
#[wasm_bindgen(js_name = chainVerifyAncestor)]
pub fn chain_verify_ancestor(request: &[u8], header: &[u8]) -> Result<Vec<u8>, JsValue> {
    throw(None, ancestor(request, header))
}

/// Accepts several older headers: takes an `AncestorsRequest`, gives `Vec<Vec<u8>>`, a `HeaderResponse`
/// for each.
#[wasm_bindgen(js_name = chainVerifyAncestors)]
pub fn chain_verify_ancestors(request: &[u8]) -> Result<Vec<u8>, JsValue> {
    throw(None, ancestors(request))
}

/// Verifies values of raw keys: takes a `StateRequest` and a proof, gives `Vec<OldValue>`.
#[wasm_bindgen(js_name = chainVerifyAvlState)]
pub fn chain_verify_avl_state(request: &[u8], proof: &[u8]) -> Result<Vec<u8>, JsValue> {
    throw(Scheme::Avl, state(request, proof))
}

/// Verifies a block's operations: takes a `BlockRequest` and a proof, gives the digest after it.
#[wasm_bindgen(js_name = chainVerifyAvlBlock)]
pub fn chain_verify_avl_block(request: &[u8], proof: &[u8]) -> Result<Vec<u8>, JsValue> {
    throw(Scheme::Avl, block(request, proof))
}

fn decode_signed(signed: &[u8]) -> Result<SignedHeader> {
    SignedHeader::decode(signed, &Limits::DEFAULT)
}

fn head_of_sync(request: &[u8], head: &[u8]) -> Result<Vec<u8>> {
    let request: SyncRequest = decode(request)?;
    request.checkpoint().check()?;
    let head = decode_signed(head)?;
    verify_head(&request.checkpoint(), &head, &request.inclusion, &request.policy())?;
    Ok(header_response(&head.header))
}

fn ancestor(request: &[u8], header: &[u8]) -> Result<Vec<u8>> {
    let request: AncestorRequest = decode(request)?;
    let head = Header::decode(&request.head, &Limits::DEFAULT)?;
    let header = Header::decode(header, &Limits::DEFAULT)?;
    verify_ancestor(&head, &header, &request.inclusion)?;
    Ok(header_response(&header))
}

fn ancestors(request: &[u8]) -> Result<Vec<u8>> {
    let request: AncestorsRequest = decode(request)?;
    let head = Header::decode(&request.head, &Limits::DEFAULT)?;
    let headers = request.headers.iter().map(|header| Header::decode(header, &Limits::DEFAULT));
    let headers = headers.collect::<Result<Vec<_>>>()?;
    verify_ancestors(&head, &headers, &request.hashes)?;
    Ok(header_responses(&headers))
}

fn state(request: &[u8], proof: &[u8]) -> Result<Vec<u8>> {
    let request: StateRequest = decode(request)?;
    let digest = Digest::try_from(&request.digest[..])?;
    let keys = StateKeys::new(&request.keys, &request.limits)?;
    Ok(values(&verify_state(&digest, &keys, proof, &request.limits)?))
}

fn block(request: &[u8], proof: &[u8]) -> Result<Vec<u8>> {
    let request: BlockRequest = decode(request)?;
    let before = Digest::try_from(&request.digest[..])?;
    let header = Header::decode(&request.header, &Limits::DEFAULT)?;
    let after = verify_block(&before, &header, &request.operations, proof, &request.limits)?;
    Ok(after.0.to_vec())
}
