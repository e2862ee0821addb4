//! The messages about blocks, in borsh; lists of a block are in RLP, as its roots commit to them.
//!
//! ```text
//! struct Fees        { next_base_fee: Option<[u8; 32]>, blob_fee: Option<[u8; 32]>,
//!                      next_blob_fee: Option<[u8; 32]> }
//! struct Transaction { index: u64, kind: u8, hash: [u8; 32], chain_id: Option<u64>, from: [u8; 20], nonce: u64,
//!                      to: Option<[u8; 20]>, gas_limit: u64, value: [u8; 32], input: Vec<u8>,
//!                      max_fee_per_gas: [u8; 32], max_priority_fee_per_gas: Option<[u8; 32]>,
//!                      effective_gas_price: [u8; 32] }
//! struct Receipt     { kind: u8, hash: [u8; 32], transaction_index: u64, from: [u8; 20],
//!                      to: Option<[u8; 20]>, contract_address: Option<[u8; 20]>, gas_used: u64,
//!                      cumulative_gas_used: u64, effective_gas_price: [u8; 32], outcome: Outcome,
//!                      logs_bloom: [u8; 256], first_log_index: u64, logs: Vec<Log> }
//! enum   Outcome     { Failed, Succeeded, StateRoot([u8; 32]) }
//! ```

use prooflight_core::{Hash, Result};
use prooflight_ethereum::{
    Address, BlobParams, BlockHeader, BlockReceipt, Bloom, Log, LogFilter, MatchingLog,
    Transaction, TransactionOutcome, Word,
};

use crate::wire::{
    RequestReader, RequestValue, ResponseValue, ResponseWriter, requests, responses,
};

requests! {
    /// A header, and the proof of an older block's hash in its state.
    struct AncestorHashRequest<'a> {
        hash: Hash,
        header: &'a [u8],
        number: u64,
        account_proof: Vec<&'a [u8]>,
        slot_proof: Vec<&'a [u8]>,
    }

    /// A block with its lists.
    struct BlockListsRequest<'a> {
        hash: Hash,
        header: &'a [u8],
        transactions: Vec<&'a [u8]>,
        receipts: Vec<&'a [u8]>,
    }

    /// A block with its body.
    struct BodyRequest<'a> {
        hash: Hash,
        header: &'a [u8],
        transactions: Vec<&'a [u8]>,
        ommers: Vec<&'a [u8]>,
        withdrawals: Option<Vec<&'a [u8]>>,
    }

    /// A header; for blob fees also its parent and the blob parameters.
    struct FeesRequest<'a> {
        hash: Hash,
        header: &'a [u8],
        blobs: Option<(&'a [u8], BlobParams)>,
    }

    /// A filter, and the blooms of blocks.
    struct BloomsRequest { filter: LogFilter, blooms: Vec<Bloom>, }

    /// A range of blocks, and a filter for its logs. A block has its receipts if the filter needs them.
    struct LogsRequest<'a> {
        last: Hash,
        first_number: u64,
        last_number: u64,
        filter: LogFilter,
        blocks: Vec<(&'a [u8], Option<Vec<&'a [u8]>>)>,
    }

    extern struct LogFilter { addresses: Vec<Address>, topics: Vec<Vec<Hash>>, }
}

responses! {
    extern struct BlockHeader {
        parent_hash: Hash,
        beneficiary: Address,
        state_root: Hash,
        transactions_root: Hash,
        receipts_root: Hash,
        logs_bloom: Bloom,
        number: u64,
        gas_limit: u64,
        gas_used: u64,
        timestamp: u64,
        prev_randao: Hash,
        base_fee_per_gas: Option<Word>,
        withdrawals_root: Option<Hash>,
        blob_gas_used: Option<u64>,
        excess_blob_gas: Option<u64>,
        parent_beacon_block_root: Option<Hash>,
        requests_hash: Option<Hash>,
    }

    extern struct MatchingLog {
        block_hash: Hash,
        block_number: u64,
        block_timestamp: u64,
        transaction_index: u64,
        log_index: u64,
        log: Log,
    }
}

impl RequestValue<'_> for Bloom {
    fn read(r: &mut RequestReader<'_>) -> Result<Self> {
        r.read().map(Self)
    }
}

impl ResponseValue for Bloom {
    fn write(&self, response: &mut ResponseWriter) {
        response.write(&self.0);
    }
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
    r.write(&transactions.len());
    for (transaction, index) in transactions.iter().zip(0..) {
        write_transaction(&mut r, index, transaction, base_fee);
    }
    r.into_bytes()
}

fn write_transaction(
    r: &mut ResponseWriter,
    index: u64,
    transaction: &Transaction,
    base_fee: &Word,
) {
    r.write(&index);
    r.byte(transaction.kind);
    r.write(&transaction.hash);
    r.write(&transaction.chain_id);
    r.write(&transaction.from);
    r.write(&transaction.nonce);
    r.write(&transaction.to);
    r.write(&transaction.gas_limit);
    r.write(&transaction.value);
    r.write(&transaction.input);
    r.write(&transaction.max_fee_per_gas);
    r.write(&transaction.max_priority_fee_per_gas);
    r.write(&transaction.effective_gas_price(base_fee));
}

/// Encodes `Fees`.
pub(crate) fn fees(fees: [Option<Word>; 3]) -> Vec<u8> {
    let mut r = ResponseWriter::with_capacity(99);
    for fee in fees {
        r.write(&fee);
    }
    r.into_bytes()
}

/// A `Receipt`.
impl ResponseValue for BlockReceipt {
    fn write(&self, r: &mut ResponseWriter) {
        let Self { transaction, receipt, .. } = self;
        r.byte(receipt.kind);
        r.write(&transaction.hash);
        r.write(&self.transaction_index);
        r.write(&transaction.from);
        r.write(&transaction.to);
        r.write(&self.contract_address);
        r.write(&self.gas_used);
        r.write(&receipt.cumulative_gas_used);
        r.write(&self.effective_gas_price);
        match &receipt.outcome {
            TransactionOutcome::Status(succeeded) => r.write(succeeded),
            TransactionOutcome::StateRoot(root) => {
                r.byte(2);
                r.write(root);
            }
        }
        r.write(&receipt.logs_bloom);
        r.write(&self.first_log_index);
        r.write(&receipt.logs);
    }
}
