//! The messages about blocks, in borsh; lists of a block are in RLP, as its roots commit to them.
//!
//! ```text
//! struct AncestorRequest { hash: [u8; 32], header: Vec<u8>, number: u64, account_proof: Vec<Vec<u8>>,
//!                          slot_proof: Vec<Vec<u8>> }
//! struct BlockRequest    { hash: [u8; 32], header: Vec<u8>, transactions: Vec<Vec<u8>>,
//!                          receipts: Vec<Vec<u8>> }
//! struct BodyRequest     { hash: [u8; 32], header: Vec<u8>, transactions: Vec<Vec<u8>>,
//!                          ommers: Vec<Vec<u8>>, withdrawals: Option<Vec<Vec<u8>>> }
//! struct FeesRequest     { hash: [u8; 32], header: Vec<u8>, blobs: Option<(Vec<u8>, BlobParams)> }
//! struct BlobParams      { target: u64, max: u64, update_fraction: u64, has_reserve: bool }
//! struct Fees            { next_base_fee: Option<[u8; 32]>, blob_fee: Option<[u8; 32]>,
//!                          next_blob_fee: Option<[u8; 32]> }
//! struct BloomsRequest   { filter: Filter, blooms: Vec<[u8; 256]> }
//! struct LogsRequest     { last: [u8; 32], first_number: u64, last_number: u64, filter: Filter,
//!                          blocks: Vec<(Vec<u8>, Option<Vec<Vec<u8>>>)> }
//! struct Filter          { addresses: Vec<[u8; 20]>, topics: Vec<Vec<[u8; 32]>> }
//! struct Header          { parent_hash: [u8; 32], beneficiary: [u8; 20], state_root: [u8; 32],
//!                          transactions_root: [u8; 32], receipts_root: [u8; 32], logs_bloom: [u8; 256],
//!                          number: u64, gas_limit: u64, gas_used: u64, timestamp: u64,
//!                          prev_randao: [u8; 32], base_fee_per_gas: Option<[u8; 32]>,
//!                          withdrawals_root: Option<[u8; 32]>, blob_gas_used: Option<u64>,
//!                          excess_blob_gas: Option<u64>, parent_beacon_block_root: Option<[u8; 32]>,
//!                          requests_hash: Option<[u8; 32]> }
//! struct Transaction     { index: u64, kind: u8, hash: [u8; 32], chain_id: Option<u64>, from: [u8; 20], nonce: u64,
//!                          to: Option<[u8; 20]>, gas_limit: u64, value: [u8; 32], input: Vec<u8>,
//!                          max_fee_per_gas: [u8; 32], max_priority_fee_per_gas: Option<[u8; 32]>,
//!                          effective_gas_price: [u8; 32] }
//! struct Receipt         { kind: u8, hash: [u8; 32], transaction_index: u64, from: [u8; 20],
//!                          to: Option<[u8; 20]>, contract_address: Option<[u8; 20]>, gas_used: u64,
//!                          cumulative_gas_used: u64, effective_gas_price: [u8; 32], outcome: Outcome,
//!                          logs_bloom: [u8; 256], first_log_index: u64, logs: Vec<Log> }
//! enum   Outcome         { Failed, Succeeded, StateRoot([u8; 32]) }
//! struct Log             { address: [u8; 20], topics: Vec<[u8; 32]>, data: Vec<u8> }
//! struct FoundLog        { block_hash: [u8; 32], block_number: u64, block_timestamp: u64,
//!                          transaction_index: u64, log_index: u64, log: Log }
//! ```

use core::ops::RangeInclusive;

use prooflight_core::{Hash, Result};
use prooflight_ethereum::{
    BlobParams, BlockHeader, BlockReceipt, Bloom, Log, LogFilter, MatchingLog, Transaction,
    TransactionOutcome, Word,
};

use crate::wire::{self, RequestReader, ResponseWriter};

/// A header, and the proof of an older block's hash in its state.
pub(crate) struct AncestorHashRequest<'a> {
    pub(crate) hash: Hash,
    pub(crate) header: &'a [u8],
    pub(crate) number: u64,
    pub(crate) account_proof: Vec<&'a [u8]>,
    pub(crate) slot_proof: Vec<&'a [u8]>,
}

impl<'a> AncestorHashRequest<'a> {
    pub(crate) fn decode(request: &'a [u8]) -> Result<Self> {
        wire::decode(request, |r| {
            Ok(Self {
                hash: r.array()?,
                header: r.bytes()?,
                number: r.u64()?,
                account_proof: r.sequence(RequestReader::bytes)?,
                slot_proof: r.sequence(RequestReader::bytes)?,
            })
        })
    }
}

/// A block with its lists.
pub(crate) struct BlockListsRequest<'a> {
    pub(crate) hash: Hash,
    pub(crate) header: &'a [u8],
    pub(crate) transactions: Vec<&'a [u8]>,
    pub(crate) receipts: Vec<&'a [u8]>,
}

impl<'a> BlockListsRequest<'a> {
    pub(crate) fn decode(request: &'a [u8]) -> Result<Self> {
        wire::decode(request, |r| {
            Ok(Self {
                hash: r.array()?,
                header: r.bytes()?,
                transactions: r.sequence(RequestReader::bytes)?,
                receipts: r.sequence(RequestReader::bytes)?,
            })
        })
    }
}

/// A block with its body.
pub(crate) struct BodyRequest<'a> {
    pub(crate) hash: Hash,
    pub(crate) header: &'a [u8],
    pub(crate) transactions: Vec<&'a [u8]>,
    pub(crate) ommers: Vec<&'a [u8]>,
    pub(crate) withdrawals: Option<Vec<&'a [u8]>>,
}

impl<'a> BodyRequest<'a> {
    pub(crate) fn decode(request: &'a [u8]) -> Result<Self> {
        wire::decode(request, |r| {
            Ok(Self {
                hash: r.array()?,
                header: r.bytes()?,
                transactions: r.sequence(RequestReader::bytes)?,
                ommers: r.sequence(RequestReader::bytes)?,
                withdrawals: r.option(|r| r.sequence(RequestReader::bytes))?,
            })
        })
    }
}

/// A header; for blob fees also its parent and the blob parameters.
pub(crate) struct FeesRequest<'a> {
    pub(crate) hash: Hash,
    pub(crate) header: &'a [u8],
    pub(crate) parent: Option<&'a [u8]>,
    pub(crate) params: Option<BlobParams>,
}

impl<'a> FeesRequest<'a> {
    pub(crate) fn decode(request: &'a [u8]) -> Result<Self> {
        wire::decode(request, |r| {
            let (hash, header) = (r.array()?, r.bytes()?);
            let (parent, params) = r.option(|r| Ok((r.bytes()?, blob_params(r)?)))?.unzip();
            Ok(Self { hash, header, parent, params })
        })
    }
}

fn blob_params(r: &mut RequestReader<'_>) -> Result<BlobParams> {
    Ok(BlobParams {
        target: r.u64()?,
        max: r.u64()?,
        update_fraction: r.u64()?,
        has_reserve: r.bool()?,
    })
}

/// A filter, and the blooms of blocks.
pub(crate) struct BloomsRequest {
    pub(crate) filter: LogFilter,
    pub(crate) blooms: Vec<Bloom>,
}

impl BloomsRequest {
    pub(crate) fn decode(request: &[u8]) -> Result<Self> {
        wire::decode(request, |r| {
            Ok(Self { filter: filter(r)?, blooms: r.sequence(|r| r.array().map(Bloom))? })
        })
    }
}

/// A block's header, and its receipts if the filter needs them.
type LogsBlock<'a> = (&'a [u8], Option<Vec<&'a [u8]>>);

/// A range of blocks, and a filter for its logs.
pub(crate) struct LogsRequest<'a> {
    pub(crate) last: Hash,
    pub(crate) numbers: RangeInclusive<u64>,
    pub(crate) filter: LogFilter,
    pub(crate) blocks: Vec<LogsBlock<'a>>,
}

impl<'a> LogsRequest<'a> {
    pub(crate) fn decode(request: &'a [u8]) -> Result<Self> {
        wire::decode(request, |r| {
            Ok(Self {
                last: r.array()?,
                numbers: r.u64()?..=r.u64()?,
                filter: filter(r)?,
                blocks: r.sequence(|r| {
                    Ok((r.bytes()?, r.option(|r| r.sequence(RequestReader::bytes))?))
                })?,
            })
        })
    }
}

fn filter(r: &mut RequestReader<'_>) -> Result<LogFilter> {
    Ok(LogFilter {
        addresses: r.sequence(RequestReader::array)?,
        topics: r.sequence(|r| r.sequence(RequestReader::array))?,
    })
}

/// Encodes a `Header`.
pub(crate) fn header_response(header: &BlockHeader) -> Vec<u8> {
    let mut r = ResponseWriter::with_capacity(1024);
    r.array(&header.parent_hash);
    r.array(&header.beneficiary);
    r.array(&header.state_root);
    r.array(&header.transactions_root);
    r.array(&header.receipts_root);
    r.array(&header.logs_bloom.0);
    for number in [header.number, header.gas_limit, header.gas_used, header.timestamp] {
        r.array(&number.to_le_bytes());
    }
    r.array(&header.prev_randao);
    optional(&mut r, header.base_fee_per_gas.as_ref());
    optional(&mut r, header.withdrawals_root.as_ref());
    r.optional_u64(header.blob_gas_used);
    r.optional_u64(header.excess_blob_gas);
    optional(&mut r, header.parent_beacon_block_root.as_ref());
    optional(&mut r, header.requests_hash.as_ref());
    r.into_bytes()
}

/// Encodes a `Transaction`.
pub(crate) fn transaction(index: u64, transaction: &Transaction, base_fee: &Word) -> Vec<u8> {
    let mut r = ResponseWriter::with_capacity(512 + transaction.input.len());
    write_transaction(&mut r, index, transaction, base_fee);
    r.into_bytes()
}

/// Encodes `Vec<Transaction>`.
pub(crate) fn transactions(transactions: &[Transaction], base_fee: &Word) -> Vec<u8> {
    let mut r = ResponseWriter::with_capacity(1024 * transactions.len());
    r.length(transactions.len());
    for (transaction, index) in transactions.iter().zip(0..) {
        write_transaction(&mut r, index, transaction, base_fee);
    }
    r.into_bytes()
}

/// Encodes `Fees`.
pub(crate) fn fees(base: Option<&Word>, blob: Option<&Word>, next_blob: Option<&Word>) -> Vec<u8> {
    let mut r = ResponseWriter::with_capacity(99);
    for fee in [base, blob, next_blob] {
        optional(&mut r, fee);
    }
    r.into_bytes()
}

fn write_transaction(
    r: &mut ResponseWriter,
    index: u64,
    transaction: &Transaction,
    base_fee: &Word,
) {
    r.array(&index.to_le_bytes());
    r.u8(transaction.kind);
    r.array(&transaction.hash);
    r.optional_u64(transaction.chain_id);
    r.array(&transaction.from);
    r.array(&transaction.nonce.to_le_bytes());
    optional(r, transaction.to.as_ref());
    r.array(&transaction.gas_limit.to_le_bytes());
    r.array(&transaction.value);
    r.bytes(&transaction.input);
    r.array(&transaction.max_fee_per_gas);
    optional(r, transaction.max_priority_fee_per_gas.as_ref());
    r.array(&transaction.effective_gas_price(base_fee));
}

/// Encodes a `Receipt`.
pub(crate) fn receipt(receipt: &BlockReceipt) -> Vec<u8> {
    let mut r = ResponseWriter::with_capacity(1024);
    write_receipt(&mut r, receipt);
    r.into_bytes()
}

/// Encodes `Vec<Receipt>`.
pub(crate) fn receipts(receipts: &[BlockReceipt]) -> Vec<u8> {
    let mut r = ResponseWriter::with_capacity(1024 * receipts.len());
    r.length(receipts.len());
    for receipt in receipts {
        write_receipt(&mut r, receipt);
    }
    r.into_bytes()
}

fn write_receipt(r: &mut ResponseWriter, of_block: &BlockReceipt) {
    let BlockReceipt {
        transaction,
        transaction_index,
        gas_used,
        effective_gas_price,
        contract_address,
        first_log_index,
        receipt,
    } = of_block;
    r.u8(receipt.kind);
    r.array(&transaction.hash);
    r.array(&transaction_index.to_le_bytes());
    r.array(&transaction.from);
    optional(r, transaction.to.as_ref());
    optional(r, contract_address.as_ref());
    r.array(&gas_used.to_le_bytes());
    r.array(&receipt.cumulative_gas_used.to_le_bytes());
    r.array(effective_gas_price);
    match &receipt.outcome {
        TransactionOutcome::Status(succeeded) => r.u8((*succeeded).into()),
        TransactionOutcome::StateRoot(root) => {
            r.u8(2);
            r.array(root);
        }
    }
    r.array(&receipt.logs_bloom.0);
    r.array(&first_log_index.to_le_bytes());
    r.length(receipt.logs.len());
    for log in &receipt.logs {
        write_log(r, log);
    }
}

/// Encodes `Vec<FoundLog>`.
pub(crate) fn logs(logs: &[MatchingLog]) -> Vec<u8> {
    let mut r = ResponseWriter::with_capacity(256 * logs.len());
    r.length(logs.len());
    for found in logs {
        r.array(&found.block_hash);
        let places = [found.block_number, found.block_timestamp];
        for number in places.into_iter().chain([found.transaction_index, found.log_index]) {
            r.array(&number.to_le_bytes());
        }
        write_log(&mut r, &found.log);
    }
    r.into_bytes()
}

fn write_log(r: &mut ResponseWriter, log: &Log) {
    r.array(&log.address);
    r.length(log.topics.len());
    for topic in &log.topics {
        r.array(topic);
    }
    r.bytes(&log.data);
}

fn optional<const N: usize>(r: &mut ResponseWriter, array: Option<&[u8; N]>) {
    r.u8(array.is_some().into());
    if let Some(array) = array {
        r.array(array);
    }
}
