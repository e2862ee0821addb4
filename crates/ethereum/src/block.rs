//! A block's transactions together with their receipts.

use alloc::vec::Vec;

use prooflight_core::{Error, Limits, Reason, Result, Verified};
use prooflight_mpt::{Address, Word};

use crate::header::BlockHeader;
use crate::receipt::{Receipt, verify_receipts};
use crate::transaction::Transaction;
use crate::transactions::verify_transactions;

/// A receipt with all fields that are derived from it and its block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockReceipt {
    /// The transaction.
    pub transaction: Transaction,
    /// Its index in the block.
    pub transaction_index: u64,
    /// The gas that it used.
    pub gas_used: u64,
    /// The price of a unit of gas, in wei.
    pub effective_gas_price: Word,
    /// The contract that it created, or tried to create.
    pub contract_address: Option<Address>,
    /// The index of its first log in the block.
    pub first_log_index: u64,
    /// The receipt.
    pub receipt: Receipt,
}

/// Verifies all transactions and receipts of a block, and computes the derived fields.
///
/// Errors are those of [`verify_transactions`], [`verify_receipts`] and [`Transaction::decode`], and
/// `invalid_receipt` if transactions and receipts do not belong together, which occurs in no valid block.
pub fn verify_block_receipts(
    header: &Verified<BlockHeader>,
    transactions: &[&[u8]],
    receipts: &[&[u8]],
    limits: &Limits,
) -> Result<Verified<Vec<BlockReceipt>>> {
    let hashes = verify_transactions(header, transactions, limits)?;
    let receipts = verify_receipts(header, receipts, limits)?.into_inner();
    let apart = |expected: &str, found: usize| {
        Error::new(
            Reason::InvalidReceipt,
            expected,
            format_args!("{found} in block {}", header.number),
        )
    };
    if receipts.len() != hashes.len() {
        return Err(apart("one receipt for each transaction", receipts.len()));
    }
    let base_fee = header.base_fee_per_gas.unwrap_or_default();
    let (mut gas_before, mut first_log_index) = (0, 0);
    let mut all = Vec::with_capacity(receipts.len());
    for ((bytes, receipt), index) in transactions.iter().zip(receipts).zip(0..) {
        let transaction = Transaction::decode(bytes)?;
        if transaction.kind != receipt.kind {
            return Err(apart("a receipt of the transaction's type", receipt.kind.into()));
        }
        let gas_used = receipt.cumulative_gas_used.checked_sub(gas_before);
        let gas_used = gas_used.ok_or_else(|| apart("ascending cumulative gas", all.len()))?;
        gas_before = receipt.cumulative_gas_used;
        let logs = receipt.logs.len() as u64;
        all.push(BlockReceipt {
            transaction_index: index,
            gas_used,
            effective_gas_price: transaction.effective_gas_price(&base_fee),
            contract_address: transaction.contract_address(),
            first_log_index,
            transaction,
            receipt,
        });
        first_log_index += logs;
    }
    Ok(Verified::by_verifier(all))
}
