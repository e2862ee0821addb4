//! Historical proofs: states of keys at a block, histories, diffs, averages.

pub(crate) mod message;

use prooflight_core::{Result, Scheme};
use prooflight_smt::{ClaimedHistory, twap, verify, verify_diff, verify_history};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::refusal::throw;
use crate::smt::message::{
    self as messages, BlockRange, SmtDiffRequest, SmtHistoryRequest, SmtKeysRequest, TwapRequest,
};
use crate::wire::{RequestValue as _, ResponseValue as _};

/// Verifies the state of keys at a block: takes an `SmtKeysRequest` and a proof, returns `Vec<PastState>`.
#[wasm_bindgen(js_name = smtVerify)]
pub fn smt_verify(request: &[u8], proof: &[u8]) -> Result<Vec<u8>, JsValue> {
    throw(Scheme::Smt, keys(request, proof))
}

/// The blocks whose roots a history claims to need: takes a `BlockRange` and a proof, returns `Vec<u64>`,
/// newest first.
#[wasm_bindgen(js_name = smtHistoryBlocks)]
pub fn smt_history_blocks(request: &[u8], proof: &[u8]) -> Result<Vec<u8>, JsValue> {
    throw(Scheme::Smt, blocks(request, proof))
}

/// Verifies a key's changes: takes an `SmtHistoryRequest` and a proof, returns a `KeyHistory`.
#[wasm_bindgen(js_name = smtVerifyHistory)]
pub fn smt_verify_history(request: &[u8], proof: &[u8]) -> Result<Vec<u8>, JsValue> {
    throw(Scheme::Smt, history(request, proof))
}

/// Verifies a key's changes and averages its values: takes a `TwapRequest` and a history's proof, returns an
/// `Average`.
#[wasm_bindgen(js_name = smtTwap)]
pub fn smt_twap(request: &[u8], proof: &[u8]) -> Result<Vec<u8>, JsValue> {
    throw(Scheme::Smt, average(request, proof))
}

/// Verifies which keys changed: takes an `SmtDiffRequest` and a proof, returns `Vec<Change>`.
#[wasm_bindgen(js_name = smtVerifyDiff)]
pub fn smt_verify_diff(request: &[u8], proof: &[u8]) -> Result<Vec<u8>, JsValue> {
    throw(Scheme::Smt, diff(request, proof))
}

fn keys(request: &[u8], proof: &[u8]) -> Result<Vec<u8>> {
    let SmtKeysRequest { root, height, limits, keys } = SmtKeysRequest::decode(request)?;
    Ok(verify(&root, height, &keys, proof, &limits)?.encode(48 * keys.len()))
}

fn blocks(request: &[u8], proof: &[u8]) -> Result<Vec<u8>> {
    let BlockRange { key, from, to, limits } = BlockRange::decode(request)?;
    Ok(ClaimedHistory::decode(key, from, to, proof, &limits).blocks()?.encode(64))
}

fn history(request: &[u8], proof: &[u8]) -> Result<Vec<u8>> {
    let SmtHistoryRequest { blocks: BlockRange { key, from, to, limits }, roots } =
        SmtHistoryRequest::decode(request)?;
    let history = verify_history(&roots, key, from, to, proof, &limits)?;
    Ok(crate::answers::history(&history))
}

fn average(request: &[u8], proof: &[u8]) -> Result<Vec<u8>> {
    let TwapRequest { history, timestamps, start, end } = TwapRequest::decode(request)?;
    let SmtHistoryRequest { blocks: BlockRange { key, from, to, limits }, roots } = history;
    let history = verify_history(&roots, key, from, to, proof, &limits)?;
    let average = twap(&history, &timestamps, start, end)?;
    Ok(messages::average(&average))
}

fn diff(request: &[u8], proof: &[u8]) -> Result<Vec<u8>> {
    let SmtDiffRequest { root, from, to, limits } = SmtDiffRequest::decode(request)?;
    Ok(messages::changes(&verify_diff(&root, from, to, proof, &limits)?))
}
