//! The receipts of a block.

use alloc::vec::Vec;

use prooflight_core::{Error, Hash, Hex, Limits, Reason, Result, Verified};
use prooflight_mpt::Address;
use prooflight_mpt::rlp::{self, RlpItem};

use crate::bloom::Bloom;
use crate::header::BlockHeader;
use crate::list::check_list;

/// The receipt of a transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Receipt {
    /// The transaction's type; 0 for legacy transactions.
    pub kind: u8,
    /// Whether it succeeded.
    pub outcome: TransactionOutcome,
    /// The gas that it and the transactions before it in the block used.
    pub cumulative_gas_used: u64,
    /// The Bloom filter over its logs.
    pub logs_bloom: Bloom,
    /// Its logs, in their order.
    pub logs: Vec<Log>,
}

/// How a transaction ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TransactionOutcome {
    /// Since Byzantium: whether it succeeded.
    Status(bool),
    /// Before Byzantium: the root of the state after it.
    StateRoot(Hash),
}

/// A log of a contract.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Log {
    /// The contract.
    pub address: Address,
    /// The topics, at most four.
    pub topics: Vec<Hash>,
    /// The data.
    pub data: Vec<u8>,
}

/// Verifies that these are all receipts of a block, in order.
///
/// Each has the form in the trie of the header's `receiptsRoot`: RLP, with the transaction's type in front
/// since EIP-2718. `root_mismatch` if the block has others, `invalid_receipt` if one is malformed.
pub fn verify_receipts(
    header: &Verified<BlockHeader>,
    receipts: &[&[u8]],
    limits: &Limits,
) -> Result<Verified<Vec<Receipt>>> {
    check_list(receipts, &header.receipts_root, limits)?;
    let receipts = receipts.iter().map(|receipt| Receipt::decode(receipt));
    receipts.collect::<Result<_>>().map(Verified::by_verifier)
}

impl Receipt {
    /// Decodes a receipt strictly, without proving anything. Another form is `malformed`.
    pub fn decode(bytes: &[u8]) -> Result<Self> {
        let (kind, rest) = match bytes.split_first() {
            Some((&kind @ 1..=0x7f, rest)) => (kind, rest),
            _ => (0, bytes),
        };
        let RlpItem::List(payload) = rlp::decode(rest)? else {
            return Err(invalid("a list", rest));
        };
        let mut items = rlp::items(payload);
        let outcome = match items.take()? {
            RlpItem::String([]) => TransactionOutcome::Status(false),
            RlpItem::String([1]) => TransactionOutcome::Status(true),
            root => TransactionOutcome::StateRoot(
                rlp::array(root).ok_or_else(|| invalid("a status or a state root", payload))?,
            ),
        };
        let cumulative_gas_used = rlp::integer(items.take()?)
            .map(u64::from_be_bytes)
            .ok_or_else(|| invalid("gas of 64 bits", payload))?;
        let logs_bloom = rlp::array(items.take()?).map(Bloom);
        let logs_bloom = logs_bloom.ok_or_else(|| invalid("a bloom of 256 bytes", payload))?;
        let RlpItem::List(all) = items.take()? else {
            return Err(invalid("a list of logs", payload));
        };
        if !items.is_empty() {
            return Err(invalid("four items", payload));
        }
        let mut logs = Vec::new();
        let mut items = rlp::items(all);
        while !items.is_empty() {
            logs.push(Log::decode(items.take()?)?);
        }
        Ok(Self { kind, outcome, cumulative_gas_used, logs_bloom, logs })
    }
}

impl Log {
    /// The largest number of topics of a log.
    const MAX_TOPICS: usize = 4;

    fn decode(item: RlpItem<'_>) -> Result<Self> {
        let RlpItem::List(payload) = item else { return Err(invalid("logs that are lists", &[])) };
        let mut items = rlp::items(payload);
        let address = rlp::array(items.take()?);
        let address = address.ok_or_else(|| invalid("a log's address", payload))?;
        let RlpItem::List(all) = items.take()? else {
            return Err(invalid("a log's topics", payload));
        };
        let RlpItem::String(data) = items.take()? else {
            return Err(invalid("a log's data", payload));
        };
        if !items.is_empty() {
            return Err(invalid("a log of three items", payload));
        }
        let mut topics = Vec::new();
        let mut items = rlp::items(all);
        while !items.is_empty() {
            let topic = rlp::array(items.take()?).filter(|_| topics.len() < Self::MAX_TOPICS);
            topics.push(topic.ok_or_else(|| invalid("at most four topics of 32 bytes", all))?);
        }
        Ok(Self { address, topics, data: Vec::from(data) })
    }
}

#[cold]
fn invalid(expected: &str, found: &[u8]) -> Error {
    Error::new(Reason::InvalidReceipt, expected, Hex(found))
}
