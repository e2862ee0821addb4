//! Ethereum's blocks, from hashes that the caller trusts.

mod message;

use prooflight_core::{Error, Hash, Hex, Limits, Reason, Result, keccak256};
use prooflight_ethereum::{
    BlockBody, BlockWithReceipts, Transaction, next_base_fee, next_blob_fee, verify_ancestor_hash,
    verify_blob_fee, verify_block_header, verify_block_receipts, verify_body, verify_logs,
    verify_transaction, verify_transactions,
};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::ethereum::message::{
    self as messages, AncestorHashRequest, BlockListsRequest, BloomsRequest, BodyRequest,
    FeesRequest, LogsRequest,
};
use crate::refusal::throw;
use crate::wire::{RequestValue as _, ResponseValue as _, array};

/// A block's receipts have at most one byte per 8 gas: 32 MiB are enough for 268 million gas.
const LIST_LIMITS: &Limits = &Limits { max_proof_bytes: 32 << 20, ..Limits::DEFAULT };

/// Verifies a header in RLP against its hash of 32 bytes: returns a `BlockHeader`.
#[wasm_bindgen(js_name = ethVerifyHeader)]
pub fn eth_verify_header(hash: &[u8], rlp: &[u8]) -> Result<Vec<u8>, JsValue> {
    throw(None, header(hash, rlp))
}

/// Verifies the hash of an older block by the state of a newer one: takes an `AncestorHashRequest`, returns
/// the hash.
#[wasm_bindgen(js_name = ethVerifyAncestor)]
pub fn eth_verify_ancestor(request: &[u8]) -> Result<Vec<u8>, JsValue> {
    throw(None, ancestor(request))
}

/// Verifies that these are all transactions of a block, and decodes the one with a hash of 32 bytes: takes a
/// `BlockListsRequest` without receipts, returns a `Transaction`.
#[wasm_bindgen(js_name = ethVerifyTransaction)]
pub fn eth_verify_transaction(request: &[u8], hash: &[u8]) -> Result<Vec<u8>, JsValue> {
    throw(None, transaction(request, hash))
}

/// Verifies that this is the body of a block: takes a `BodyRequest`, returns the hashes of its transactions
/// and of its ommers.
#[wasm_bindgen(js_name = ethVerifyBody)]
pub fn eth_verify_body(request: &[u8]) -> Result<Vec<u8>, JsValue> {
    throw(None, body(request))
}

/// Verifies that these are all transactions of a block, and decodes them: takes a `BlockListsRequest` without
/// receipts, returns `Vec<Transaction>`.
#[wasm_bindgen(js_name = ethVerifyTransactions)]
pub fn eth_verify_transactions(request: &[u8]) -> Result<Vec<u8>, JsValue> {
    throw(None, transactions(request))
}

/// Verifies a transaction in no block against its hash of 32 bytes: returns a `Transaction`.
#[wasm_bindgen(js_name = ethVerifyPending)]
pub fn eth_verify_pending(hash: &[u8], raw: &[u8]) -> Result<Vec<u8>, JsValue> {
    throw(None, pending(hash, raw))
}

/// Decodes a transaction as it is sent to a node: returns a `Transaction`.
#[wasm_bindgen(js_name = ethDecodeSent)]
pub fn eth_decode_sent(raw: &[u8]) -> Result<Vec<u8>, JsValue> {
    throw(None, sent(raw))
}

/// Computes the fees of a block and of the next one: takes a `FeesRequest`, returns `Fees`.
#[wasm_bindgen(js_name = ethFees)]
pub fn eth_fees(request: &[u8]) -> Result<Vec<u8>, JsValue> {
    throw(None, fees(request))
}

/// Verifies that these are all transactions and receipts of a block: takes a `BlockListsRequest`, returns
/// `Vec<Receipt>`.
#[wasm_bindgen(js_name = ethVerifyReceipts)]
pub fn eth_verify_receipts(request: &[u8]) -> Result<Vec<u8>, JsValue> {
    throw(None, receipts(request))
}

/// Verifies all transactions and receipts of a block: takes a `BlockListsRequest`, returns the `Receipt` of the
/// transaction with a hash of 32 bytes.
#[wasm_bindgen(js_name = ethVerifyReceipt)]
pub fn eth_verify_receipt(request: &[u8], hash: &[u8]) -> Result<Vec<u8>, JsValue> {
    throw(None, receipt(request, hash))
}

/// Checks that a block's hash is the one of its number in the history of the head. Both have 32 bytes, and both
/// blocks are verified.
#[wasm_bindgen(js_name = ethCheckCanonical)]
pub fn eth_check_canonical(named: &[u8], canonical: &[u8]) -> Result<(), JsValue> {
    throw(None, canonical_hash(named, canonical))
}

/// Finds the blocks that may have matching logs: takes a `BloomsRequest`, returns a 0 or 1 for each bloom.
#[wasm_bindgen(js_name = ethMayMatch)]
pub fn eth_may_match(request: &[u8]) -> Result<Vec<u8>, JsValue> {
    throw(None, may_match(request))
}

/// Verifies the logs of a range that a filter matches: takes a `LogsRequest`, returns `Vec<MatchingLog>`.
#[wasm_bindgen(js_name = ethVerifyLogs)]
pub fn eth_verify_logs(request: &[u8]) -> Result<Vec<u8>, JsValue> {
    throw(None, logs(request))
}

/// The selector of a function, 4 bytes: takes its name with the types of its arguments.
#[wasm_bindgen(js_name = ethSelector)]
pub fn eth_selector(signature: &[u8]) -> Vec<u8> {
    keccak256(&[signature])[..4].to_vec()
}

fn header(hash: &[u8], rlp: &[u8]) -> Result<Vec<u8>> {
    Ok(verify_block_header(&array(hash)?, rlp, &Limits::DEFAULT)?.encode(1024))
}

fn ancestor(request: &[u8]) -> Result<Vec<u8>> {
    let AncestorHashRequest { hash, header, number, account_proof, slot_proof } =
        AncestorHashRequest::decode(request)?;
    let limits = &Limits::DEFAULT;
    let header = verify_block_header(&hash, header, limits)?;
    verify_ancestor_hash(&header, number, &account_proof, &slot_proof, limits)
        .map(|hash| hash.to_vec())
}

fn transaction(request: &[u8], hash: &[u8]) -> Result<Vec<u8>> {
    let BlockListsRequest { hash: block, header, transactions, .. } =
        BlockListsRequest::decode(request)?;
    let (limits, hash) = (LIST_LIMITS, array(hash)?);
    let header = verify_block_header(&block, header, limits)?;
    let hashes = verify_transactions(&header, &transactions, limits)?;
    let mut found = transactions.iter().zip(hashes.iter()).zip(0..);
    let ((raw, _), index) = found
        .find(|((_, known), _)| **known == hash)
        .ok_or_else(|| absent(&hash, hashes.len(), header.number))?;
    let base_fee = header.base_fee_per_gas.unwrap_or_default();
    Ok(messages::transaction(index, &Transaction::decode(raw)?, &base_fee))
}

fn body(request: &[u8]) -> Result<Vec<u8>> {
    let BodyRequest { hash, header, transactions, ommers, withdrawals } =
        BodyRequest::decode(request)?;
    let limits = LIST_LIMITS;
    let header = verify_block_header(&hash, header, limits)?;
    let withdrawals = withdrawals.as_deref();
    let body = BlockBody { transactions: &transactions, ommers: &ommers, withdrawals };
    let hashes = verify_body(&header, &body, limits)?.into_inner();
    Ok([hashes.transactions.concat(), hashes.ommers.concat()].concat())
}

fn transactions(request: &[u8]) -> Result<Vec<u8>> {
    let BlockListsRequest { hash, header, transactions, .. } = BlockListsRequest::decode(request)?;
    let limits = LIST_LIMITS;
    let header = verify_block_header(&hash, header, limits)?;
    let hashes = verify_transactions(&header, &transactions, limits)?;
    let base_fee = header.base_fee_per_gas.unwrap_or_default();
    let mut decoded = Vec::with_capacity(hashes.len());
    for raw in &transactions {
        decoded.push(Transaction::decode(raw)?);
    }
    Ok(messages::transactions(&decoded, &base_fee))
}

fn pending(hash: &[u8], raw: &[u8]) -> Result<Vec<u8>> {
    let transaction = verify_transaction(&array(hash)?, raw)?;
    Ok(messages::transaction(0, &transaction, &transaction.max_fee_per_gas))
}

fn sent(raw: &[u8]) -> Result<Vec<u8>> {
    let transaction = Transaction::decode_sent(raw)?;
    Ok(messages::transaction(0, &transaction, &transaction.max_fee_per_gas))
}

fn fees(request: &[u8]) -> Result<Vec<u8>> {
    let FeesRequest { hash, header, blobs } = FeesRequest::decode(request)?;
    let limits = &Limits::DEFAULT;
    let header = verify_block_header(&hash, header, limits)?;
    let (mut blob_fee, mut next) = (None, None);
    if let Some((parent, params)) = &blobs {
        let parent = verify_block_header(&header.parent_hash, parent, limits)?;
        blob_fee = verify_blob_fee(&header, &parent, params)?;
        next = next_blob_fee(&header, params)?;
    }
    Ok(messages::fees([next_base_fee(&header)?, blob_fee, next]))
}

fn receipts(request: &[u8]) -> Result<Vec<u8>> {
    let BlockListsRequest { hash, header, transactions, receipts } =
        BlockListsRequest::decode(request)?;
    let limits = LIST_LIMITS;
    let header = verify_block_header(&hash, header, limits)?;
    verify_block_receipts(&header, &transactions, &receipts, limits)
        .map(|receipts| receipts.encode(1024 * receipts.len()))
}

fn receipt(request: &[u8], hash: &[u8]) -> Result<Vec<u8>> {
    let BlockListsRequest { hash: block, header, transactions, receipts } =
        BlockListsRequest::decode(request)?;
    let (limits, hash) = (LIST_LIMITS, array(hash)?);
    let header = verify_block_header(&block, header, limits)?;
    let receipts = verify_block_receipts(&header, &transactions, &receipts, limits)?;
    let found = receipts.iter().find(|receipt| receipt.transaction.hash == hash);
    found
        .map(|receipt| receipt.encode(1024))
        .ok_or_else(|| absent(&hash, receipts.len(), header.number))
}

/// The refusal of a block without the requested transaction.
fn absent(hash: &Hash, others: usize, number: u64) -> Error {
    let found = format_args!("{others} others in block {number}");
    Error::new(Reason::TransactionMismatch, Hex(hash), found)
}

fn canonical_hash(named: &[u8], canonical: &[u8]) -> Result<()> {
    let (named, canonical): (Hash, Hash) = (array(named)?, array(canonical)?);
    if named == canonical {
        return Ok(());
    }
    let expected = format_args!("block {} in the history of the head", Hex(&named));
    Err(Error::new(Reason::NotAnAncestor, expected, Hex(&canonical)))
}

fn may_match(request: &[u8]) -> Result<Vec<u8>> {
    let BloomsRequest { filter, blooms } = BloomsRequest::decode(request)?;
    Ok(blooms.iter().map(|bloom| filter.may_match(bloom).into()).collect())
}

fn logs(request: &[u8]) -> Result<Vec<u8>> {
    let request = LogsRequest::decode(request)?;
    let numbers = request.first_number..=request.last_number;
    let blocks = request
        .blocks
        .iter()
        .map(|(header, receipts)| BlockWithReceipts { header, receipts: receipts.as_deref() });
    let blocks = blocks.collect::<Vec<_>>();
    verify_logs(&request.last, numbers, &request.filter, &blocks, LIST_LIMITS)
        .map(|logs| logs.encode(256 * logs.len()))
}
