//! The transactions of a block.

use alloc::vec::Vec;

use prooflight_core::{Error, Hash, Hex, Limits, Reason, Result, Verified, keccak256};

use crate::header::BlockHeader;
use crate::list::check_list;
use crate::transaction::Transaction;

/// Verifies that these are all transactions of a block, in order; returns their hashes.
///
/// Each is in its signed form: RLP, with its type in front since EIP-2718. `root_mismatch` if the block
/// has others.
pub fn verify_transactions(
    header: &Verified<BlockHeader>,
    transactions: &[&[u8]],
    limits: &Limits,
) -> Result<Verified<Vec<Hash>>> {
    check_list(transactions, &header.transactions_root, limits)?;
    let hashes = transactions.iter().map(|transaction| keccak256(&[transaction])).collect();
    Ok(Verified::by_verifier(hashes))
}

/// Verifies a single transaction against its hash, which the caller must trust.
///
/// `transaction_mismatch` for another one; other errors are those of [`Transaction::decode`].
pub fn verify_transaction(hash: &Hash, bytes: &[u8]) -> Result<Verified<Transaction>> {
    let transaction = Transaction::decode(bytes)?;
    if transaction.hash == *hash {
        return Ok(Verified::by_verifier(transaction));
    }
    Err(Error::new(Reason::TransactionMismatch, Hex(hash), Hex(&transaction.hash)))
}
