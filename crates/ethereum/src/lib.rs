//! Ethereum's blocks, from their hashes: headers, lists of transactions and receipts, complete logs.
//!
//! The caller trusts a block's hash, for example that of a head of `prooflight-beacon`.
//! [`verify_block_header`] leads from it to the header, [`verify_transactions`] and
//! [`verify_receipts`] from the header to the block's complete lists, [`verify_block_receipts`] to the
//! fields derived from both, such as senders and gas, and [`verify_logs`] to every log of a range of
//! blocks that a [`LogFilter`] matches. [`verify_ancestor_hash`] leads to older blocks, and [`verify_body`] to
//! a block's withdrawals. [`next_base_fee`] and [`verify_blob_fee`] compute fees from headers.
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod ancestor;
mod block;
mod bloom;
mod body;
mod fees;
mod filter;
mod header;
mod list;
mod logs;
mod receipt;
mod transaction;
mod transactions;

pub use ancestor::verify_ancestor_hash;
pub use block::{BlockReceipt, verify_block_receipts};
pub use bloom::Bloom;
pub use body::{BlockBody, BodyHashes, verify_body};
pub use fees::{BlobParams, next_base_fee, next_blob_fee, verify_blob_fee};
pub use filter::LogFilter;
pub use header::{BlockHeader, verify_block_header};
pub use list::list_root;
pub use logs::{BlockWithReceipts, MatchingLog, verify_logs};
pub use prooflight_mpt::{Address, Word};
pub use receipt::{Log, Receipt, TransactionOutcome, verify_receipts};
pub use transaction::Transaction;
pub use transactions::{verify_transaction, verify_transactions};
