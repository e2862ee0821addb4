//! Ethereum's blocks, from hashes that the caller trusts.

mod message;

use prooflight_core::{Error, Hex, Limits, Reason, Result};
use prooflight_ethereum::{
    RangeBlock, Transaction, verify_ancestor_hash, verify_block_header, verify_block_receipts,
    verify_logs, verify_transactions,
};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::ethereum::message::{
    self as messages, AncestorRequest, BlockRequest, BloomsRequest, LogsRequest, header_response,
};
use crate::refusal::throw;
use crate::wire::array;

/// Verifies a header in RLP against its hash of 32 bytes: returns a `Header`.
#[wasm_bindgen(js_name = ethVerifyHeader)]
pub fn eth_verify_header(hash: &[u8], rlp: &[u8]) -> Result<Vec<u8>, JsValue> {
    throw(None, header(hash, rlp))
}

/// Verifies the hash of an older block by the state of a newer one: takes an `AncestorRequest`, returns
/// the hash.
#[wasm_bindgen(js_name = ethVerifyAncestor)]
pub fn eth_verify_ancestor(request: &[u8]) -> Result<Vec<u8>, JsValue> {
    throw(None, ancestor(request))
}

/// Verifies that these are all transactions of a block, and decodes the one with a hash of 32 bytes: takes a
/// `BlockRequest` without receipts, returns a `Transaction`.
#[wasm_bindgen(js_name = ethVerifyTransaction)]
pub fn eth_verify_transaction(request: &[u8], hash: &[u8]) -> Result<Vec<u8>, JsValue> {
    throw(None, transaction(request, hash))
}

/// Verifies that these are all transactions and receipts of a block: takes a `BlockRequest`, returns
/// `Vec<Receipt>`.
#[wasm_bindgen(js_name = ethVerifyReceipts)]
pub fn eth_verify_receipts(request: &[u8]) -> Result<Vec<u8>, JsValue> {
    throw(None, receipts(request))
}

/// Finds the blocks that may have matching logs: takes a `BloomsRequest`, returns a 0 or 1 for each bloom.
#[wasm_bindgen(js_name = ethMayMatch)]
pub fn eth_may_match(request: &[u8]) -> Result<Vec<u8>, JsValue> {
    throw(None, may_match(request))
}

/// Verifies the logs of a range that a filter matches: takes a `LogsRequest`, returns `Vec<FoundLog>`.
#[wasm_bindgen(js_name = ethVerifyLogs)]
pub fn eth_verify_logs(request: &[u8]) -> Result<Vec<u8>, JsValue> {
    throw(None, logs(request))
}

fn header(hash: &[u8], rlp: &[u8]) -> Result<Vec<u8>> {
    Ok(header_response(&*verify_block_header(&array(hash)?, rlp, &Limits::DEFAULT)?))
}

fn ancestor(request: &[u8]) -> Result<Vec<u8>> {
    let AncestorRequest { hash, header, number, account_proof, slot_proof } =
        AncestorRequest::decode(request)?;
    let limits = &Limits::DEFAULT;
    let header = verify_block_header(&hash, header, limits)?;
    verify_ancestor_hash(&header, number, &account_proof, &slot_proof, limits)
        .map(|hash| hash.to_vec())
}

fn transaction(request: &[u8], hash: &[u8]) -> Result<Vec<u8>> {
    let BlockRequest { hash: block, header, transactions, .. } = BlockRequest::decode(request)?;
    let (limits, hash) = (&Limits::DEFAULT, array(hash)?);
    let header = verify_block_header(&block, header, limits)?;
    let hashes = verify_transactions(&header, &transactions, limits)?;
    let mut found = transactions.iter().zip(hashes.iter()).zip(0..);
    let ((raw, _), index) = found.find(|((_, known), _)| **known == hash).ok_or_else(|| {
        let found = format_args!("{} others in block {}", hashes.len(), header.number);
        Error::new(Reason::TransactionMismatch, Hex(&hash), found)
    })?;
    let base_fee = header.base_fee_per_gas.unwrap_or_default();
    Ok(messages::transaction(index, &Transaction::decode(raw)?, &base_fee))
}

fn receipts(request: &[u8]) -> Result<Vec<u8>> {
    let BlockRequest { hash, header, transactions, receipts } = BlockRequest::decode(request)?;
    let limits = &Limits::DEFAULT;
    let header = verify_block_header(&hash, header, limits)?;
    verify_block_receipts(&header, &transactions, &receipts, limits)
        .map(|receipts| messages::receipts(&receipts))
}

fn may_match(request: &[u8]) -> Result<Vec<u8>> {
    let BloomsRequest { filter, blooms } = BloomsRequest::decode(request)?;
    Ok(blooms.iter().map(|bloom| filter.may_match(bloom).into()).collect())
}

fn logs(request: &[u8]) -> Result<Vec<u8>> {
    let LogsRequest { last, range, filter, blocks } = LogsRequest::decode(request)?;
    let blocks = blocks
        .iter()
        .map(|(header, receipts)| RangeBlock { header, receipts: receipts.as_deref() });
    let blocks = blocks.collect::<Vec<_>>();
    verify_logs(&last, range, &filter, &blocks, &Limits::DEFAULT).map(|logs| messages::logs(&logs))
}
