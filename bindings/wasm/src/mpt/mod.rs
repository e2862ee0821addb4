//! Ethereum: proofs of single tries, answers to `eth_getProof`, headers.

mod message;

use prooflight_core::{Hash, Limits, Result, Scheme};
use prooflight_mpt::{
    verify_code, verify_get_proof, verify_header, verify_proof, verify_transaction_hash,
};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::mpt::message::{self as messages, AccountQuestion, AnswersRequest, TrieProofRequest};
use crate::refusal::throw;
use crate::wire::{RequestValue as _, ResponseValue as _, array};

/// Verifies a proof in one trie: takes a `TrieProofRequest`, returns `Option<Vec<u8>>`.
#[wasm_bindgen(js_name = mptVerifyProof)]
pub fn mpt_verify_proof(request: &[u8]) -> Result<Vec<u8>, JsValue> {
    throw(Scheme::Mpt, proof(request))
}

/// Verifies answers to `eth_getProof` against one state: takes an `AnswersRequest`, returns
/// `Vec<AccountState>`.
#[wasm_bindgen(js_name = mptVerifyAnswers)]
pub fn mpt_verify_answers(request: &[u8]) -> Result<Vec<u8>, JsValue> {
    throw(Scheme::Mpt, answers(request))
}

/// Returns the proofs of the canonical answer to one question, without verifying them: takes an `AnswersRequest`,
/// returns `Proofs`.
#[wasm_bindgen(js_name = mptCanonicalProofs)]
pub fn mpt_canonical_proofs(request: &[u8]) -> Result<Vec<u8>, JsValue> {
    throw(Scheme::Mpt, canonical_proofs(request))
}

/// Verifies a header against its hash of 32 bytes: returns its number, then its state root.
#[wasm_bindgen(js_name = mptVerifyHeader)]
pub fn mpt_verify_header(hash: &[u8], rlp: &[u8]) -> Result<Vec<u8>, JsValue> {
    throw(Scheme::Mpt, header(hash, rlp))
}

/// Checks that code has the hash of 32 bytes that an account commits to.
#[wasm_bindgen(js_name = mptVerifyCode)]
pub fn mpt_verify_code(code_hash: &[u8], code: &[u8]) -> Result<(), JsValue> {
    throw(Scheme::Mpt, array(code_hash).and_then(|hash| verify_code(&hash, code)))
}

/// Checks the hash of 32 bytes that a server returned for a transaction: returns the transaction's own.
#[wasm_bindgen(js_name = mptVerifyTransaction)]
pub fn mpt_verify_transaction(raw: &[u8], answered: &[u8]) -> Result<Vec<u8>, JsValue> {
    let verified = array(answered).and_then(|hash| verify_transaction_hash(raw, &hash));
    throw(Scheme::Mpt, verified.map(|hash| hash.to_vec()))
}

fn proof(request: &[u8]) -> Result<Vec<u8>> {
    let TrieProofRequest { root, key, limits, proof } = TrieProofRequest::decode(request)?;
    let verified = verify_proof(&root, key, &proof, &limits)?;
    Ok(verified.encode(8 + verified.map_or(0, <[u8]>::len)))
}

fn answers(request: &[u8]) -> Result<Vec<u8>> {
    let request = AnswersRequest::decode(request)?;
    let (root, limits) = (request.state_root, request.limits);
    let mut states = Vec::new();
    for question in request.canonical() {
        let AccountQuestion { address, slots, answer } = question?;
        states.push(verify_get_proof(&root, &address, &slots, &answer, &limits)?);
    }
    Ok(messages::states(&states))
}

fn canonical_proofs(request: &[u8]) -> Result<Vec<u8>> {
    let question = AnswersRequest::decode(request)?.canonical().next().transpose()?;
    Ok(question.map(|question| messages::proofs(&question.answer)).unwrap_or_default())
}

fn header(hash: &[u8], rlp: &[u8]) -> Result<Vec<u8>> {
    let hash: Hash = array(hash)?;
    let header = verify_header(&hash, rlp, &Limits::DEFAULT)?;
    Ok([&header.number.to_le_bytes()[..], &header.state_root].concat())
}
