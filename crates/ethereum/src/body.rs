//! The body of a block: its transactions, ommers and withdrawals.

use alloc::vec::Vec;

use prooflight_core::{Error, Hash, Hex, Limits, Reason, Result, Verified, keccak256};
use prooflight_mpt::encode;

use crate::header::BlockHeader;
use crate::list::check_list;
use crate::transactions::verify_transactions;

/// A body from a server.
#[derive(Clone, Copy, Debug)]
pub struct BlockBody<'a> {
    /// The transactions, as [`verify_transactions`] takes them.
    pub transactions: &'a [&'a [u8]],
    /// The headers of the ommers in RLP; empty since the merge.
    pub ommers: &'a [&'a [u8]],
    /// The withdrawals in RLP; since Shanghai.
    pub withdrawals: Option<&'a [&'a [u8]]>,
}

/// The hashes of a body's transactions and ommers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BodyHashes {
    /// The hashes of its transactions.
    pub transactions: Vec<Hash>,
    /// The hashes of its ommers.
    pub ommers: Vec<Hash>,
}

/// Verifies that this is the body of a block: `root_mismatch` if the block has another one.
pub fn verify_body(
    header: &Verified<BlockHeader>,
    body: &BlockBody<'_>,
    limits: &Limits,
) -> Result<Verified<BodyHashes>> {
    let ommers = keccak256(&[&encode::list_of(&body.ommers.concat())]);
    if ommers != header.ommers_hash {
        let found = format_args!("{} of {} ommers", Hex(&ommers), body.ommers.len());
        return Err(Error::new(Reason::RootMismatch, Hex(&header.ommers_hash), found));
    }
    match (&header.withdrawals_root, body.withdrawals) {
        (None, None) => {}
        (Some(root), Some(withdrawals)) => check_list(withdrawals, root, limits)?,
        (root, given) => {
            let has = |some: bool| if some { "withdrawals" } else { "no withdrawals" };
            let expected = format_args!("{} in block {}", has(root.is_some()), header.number);
            return Err(Error::new(Reason::RootMismatch, expected, has(given.is_some())));
        }
    }
    let transactions = verify_transactions(header, body.transactions, limits)?.into_inner();
    let ommers = body.ommers.iter().map(|ommer| keccak256(&[ommer])).collect();
    Ok(Verified::by_verifier(BodyHashes { transactions, ommers }))
}
