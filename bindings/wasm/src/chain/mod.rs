//! Chains of the reference node: headers, and the rules by which they are accepted.

pub(crate) mod message;

use prooflight_core::chain::{
    Header, HeaderOrder, RequestedBlock, SignedHeader, check_requested, relation, verify_ancestor,
    verify_ancestor_at, verify_ancestors, verify_head,
};
use prooflight_core::{Hash, Limits, Result};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::chain::message::{
    AncestorRequest, AncestorsRequest, KeyLengths, SyncRequest, header_response, header_responses,
};
use crate::refusal::throw;
use crate::wire::RequestValue as _;

/// Decodes a signed header without checking its signatures: returns a `HeaderResponse`.
#[wasm_bindgen(js_name = chainDecodeHeader)]
pub fn chain_decode_header(signed: &[u8]) -> Result<Vec<u8>, JsValue> {
    throw(None, decode_signed(signed).map(|signed| header_response(&signed.header)))
}

/// Accepts a signed head: takes a `SyncRequest` and the head, returns a `HeaderResponse`.
#[wasm_bindgen(js_name = chainVerifyHead)]
pub fn chain_verify_head(request: &[u8], head: &[u8]) -> Result<Vec<u8>, JsValue> {
    throw(None, head_of_sync(request, head))
}

/// Accepts an older header: takes an `AncestorRequest` and the header, returns a `HeaderResponse`.
#[wasm_bindgen(js_name = chainVerifyAncestor)]
pub fn chain_verify_ancestor(request: &[u8], header: &[u8]) -> Result<Vec<u8>, JsValue> {
    throw(None, ancestor(request, header))
}

/// Accepts several older headers: takes an `AncestorsRequest`, returns `Vec<Vec<u8>>`, a `HeaderResponse`
/// for each.
#[wasm_bindgen(js_name = chainVerifyAncestors)]
pub fn chain_verify_ancestors(request: &[u8]) -> Result<Vec<u8>, JsValue> {
    throw(None, ancestors(request))
}

/// Checks that a signed header is that of the requested block: takes a `RequestedBlock` and the header.
#[wasm_bindgen(js_name = chainCheckWanted)]
pub fn chain_check_wanted(wanted: &[u8], signed: &[u8]) -> Result<(), JsValue> {
    throw(None, wanted_block(wanted, signed))
}

/// The relation of the first header to the second, each a height and a hash: the number of a `Relation`.
#[wasm_bindgen(js_name = chainRelation)]
pub fn chain_relation(one: &[u8], other: &[u8]) -> Result<u8, JsValue> {
    throw(None, relation_of(one, other))
}

/// Checks the lengths of raw keys: takes a `KeyLengths`.
#[wasm_bindgen(js_name = chainCheckKeys)]
pub fn chain_check_keys(request: &[u8]) -> Result<(), JsValue> {
    throw(None, keys(request))
}

fn decode_signed(signed: &[u8]) -> Result<SignedHeader> {
    SignedHeader::decode(signed, &Limits::DEFAULT)
}

fn head_of_sync(request: &[u8], head: &[u8]) -> Result<Vec<u8>> {
    let SyncRequest { checkpoint, inclusion, policy } = SyncRequest::decode(request)?;
    checkpoint.check()?;
    let head = decode_signed(head)?;
    verify_head(&checkpoint, &head, &inclusion, &policy)?;
    Ok(header_response(&head.header))
}

fn ancestor(request: &[u8], header: &[u8]) -> Result<Vec<u8>> {
    let request = AncestorRequest::decode(request)?;
    let head = Header::decode(request.head, &Limits::DEFAULT)?;
    let header = Header::decode(header, &Limits::DEFAULT)?;
    match request.height {
        Some(height) => verify_ancestor_at(&head, height, &header, &request.inclusion)?,
        None => verify_ancestor(&head, &header, &request.inclusion)?,
    }
    Ok(header_response(&header))
}

fn ancestors(request: &[u8]) -> Result<Vec<u8>> {
    let request = AncestorsRequest::decode(request)?;
    let head = Header::decode(request.head, &Limits::DEFAULT)?;
    let headers = request.headers.iter().map(|header| Header::decode(header, &Limits::DEFAULT));
    let headers = headers.collect::<Result<Vec<_>>>()?;
    verify_ancestors(&head, &headers, &request.hashes)?;
    Ok(header_responses(&headers))
}

fn wanted_block(wanted: &[u8], signed: &[u8]) -> Result<()> {
    check_requested(&RequestedBlock::decode(wanted)?, &decode_signed(signed)?.header)
}

fn relation_of(one: &[u8], other: &[u8]) -> Result<u8> {
    let ((height, hash), (other_height, other_hash)) =
        (<(u64, Hash)>::decode(one)?, <(u64, Hash)>::decode(other)?);
    Ok(match relation((height, &hash), (other_height, &other_hash)) {
        HeaderOrder::Same => 0,
        HeaderOrder::Conflicting => 1,
        HeaderOrder::Below => 2,
        HeaderOrder::Above => 3,
    })
}

fn keys(request: &[u8]) -> Result<()> {
    let KeyLengths { limits, lengths } = KeyLengths::decode(request)?;
    lengths.into_iter().try_for_each(|length| limits.check_key_length(length))
}
