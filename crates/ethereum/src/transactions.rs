//! The transactions of a block.

use alloc::vec::Vec;

use prooflight_core::{Hash, Limits, Result, Verified, keccak256};

use crate::header::BlockHeader;
use crate::list::check_list;

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
