//! Every log of a range of blocks that a filter matches.

use alloc::vec::Vec;
use core::ops::RangeInclusive;

use prooflight_core::{Error, Hash, Limits, Reason, Result, Verified};

use crate::filter::LogFilter;
use crate::header::{BlockHeader, verify_block_header};
use crate::receipt::{Log, verify_receipts};

/// A block's header and receipts, from a server.
#[derive(Clone, Copy, Debug)]
pub struct BlockWithReceipts<'a> {
    /// The header in RLP.
    pub header: &'a [u8],
    /// All receipts of the block; `None` if the header's bloom excludes a match.
    pub receipts: Option<&'a [&'a [u8]]>,
}

/// A matching log with its block, transaction and index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatchingLog {
    /// The block's hash.
    pub block_hash: Hash,
    /// The block's number.
    pub block_number: u64,
    /// The block's time, in seconds since 1970.
    pub block_timestamp: u64,
    /// The index of the transaction in the block.
    pub transaction_index: u64,
    /// The index of the log in the block.
    pub log_index: u64,
    /// The log.
    pub log: Log,
}

/// Verifies the logs of a range of blocks that a filter matches: returns all of them, and no others.
///
/// `last` is the hash of the range's last block, which the caller must trust; `blocks` are all blocks
/// of the range, from the first on, linked by their parent hashes. If a header's bloom does not exclude
/// a match, the block's receipts must be present, otherwise `receipts_missing`; receipts that are not
/// needed are checked as well. `wrong_block` if the blocks are not those of the range,
/// `invalid_argument` if the range ends before it begins.
pub fn verify_logs(
    last: &Hash,
    range: RangeInclusive<u64>,
    filter: &LogFilter,
    blocks: &[BlockWithReceipts<'_>],
    limits: &Limits,
) -> Result<Verified<Vec<MatchingLog>>> {
    let headers = verify_headers(last, range, blocks, limits)?;
    let mut found = Vec::new();
    for (header, block) in headers.iter().zip(blocks) {
        match block.receipts {
            Some(receipts) => find(header, receipts, filter, limits, &mut found)?,
            None if filter.may_match(&header.logs_bloom) => {
                let expected = format_args!("the receipts of block {}", header.number);
                return Err(Error::new(Reason::ReceiptsMissing, expected, "none"));
            }
            None => {}
        }
    }
    Ok(Verified::by_verifier(found))
}

/// Verifies the headers of the range, from its last block's hash backwards.
fn verify_headers(
    last: &Hash,
    range: RangeInclusive<u64>,
    blocks: &[BlockWithReceipts<'_>],
    limits: &Limits,
) -> Result<Vec<Verified<BlockHeader>>> {
    let wrong = |found: &dyn core::fmt::Display| {
        let expected = format_args!("the blocks {} to {}", range.start(), range.end());
        Error::new(Reason::WrongBlock, expected, found)
    };
    let Some(after_first) = range.end().checked_sub(*range.start()) else {
        let found = format_args!("{} to {}", range.start(), range.end());
        return Err(Error::new(
            Reason::InvalidArgument,
            "a range that does not end before it begins",
            found,
        ));
    };
    // Compare counts minus one, since the number of blocks may not fit in 64 bits.
    if (blocks.len() as u64).checked_sub(1) != Some(after_first) {
        return Err(wrong(&format_args!("{} blocks", blocks.len())));
    }
    let mut hash = *last;
    let mut headers = Vec::with_capacity(blocks.len());
    for (block, number) in blocks.iter().rev().zip(range.clone().rev()) {
        let header = verify_block_header(&hash, block.header, limits)?;
        if header.number != number {
            return Err(wrong(&format_args!("block {} for {number}", header.number)));
        }
        hash = header.parent_hash;
        headers.push(header);
    }
    headers.reverse();
    Ok(headers)
}

fn find(
    header: &Verified<BlockHeader>,
    receipts: &[&[u8]],
    filter: &LogFilter,
    limits: &Limits,
    found: &mut Vec<MatchingLog>,
) -> Result<()> {
    let mut log_index = 0;
    for (receipt, transaction_index) in
        verify_receipts(header, receipts, limits)?.into_inner().into_iter().zip(0..)
    {
        for log in receipt.logs {
            if filter.matches(&log) {
                found.push(MatchingLog {
                    block_hash: header.hash,
                    block_number: header.number,
                    block_timestamp: header.timestamp,
                    transaction_index,
                    log_index,
                    log,
                });
            }
            log_index += 1;
        }
    }
    Ok(())
}
