//! Block headers, with the fields that other answers need.

use prooflight_core::{Error, Hash, Limits, Reason, Result, Verified};
use prooflight_mpt::rlp::{self, RlpItem, RlpItems};
use prooflight_mpt::{Address, Word, verify_header};

use crate::bloom::Bloom;

/// A block's header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockHeader {
    /// The block's hash.
    pub hash: Hash,
    /// The hash of the block before it.
    pub parent_hash: Hash,
    /// The hash of the list of ommers.
    pub ommers_hash: Hash,
    /// The recipient of the fees.
    pub beneficiary: Address,
    /// The root of the state after the block.
    pub state_root: Hash,
    /// The root of the list of transactions.
    pub transactions_root: Hash,
    /// The root of the list of receipts.
    pub receipts_root: Hash,
    /// The Bloom filter over the block's logs.
    pub logs_bloom: Bloom,
    /// The block's number.
    pub number: u64,
    /// The gas limit of the block.
    pub gas_limit: u64,
    /// The gas that its transactions used.
    pub gas_used: u64,
    /// Seconds since 1970.
    pub timestamp: u64,
    /// `mixHash`: since the merge, the beacon chain's randomness.
    pub prev_randao: Hash,
    /// The base fee of gas, in wei; since London.
    pub base_fee_per_gas: Option<Word>,
    /// The root of the list of withdrawals; since Shanghai.
    pub withdrawals_root: Option<Hash>,
    /// The gas of blobs; since Cancun.
    pub blob_gas_used: Option<u64>,
    /// The excess blob gas, which determines the price of blobs; since Cancun.
    pub excess_blob_gas: Option<u64>,
    /// The root of the parent beacon block; since Cancun.
    pub parent_beacon_block_root: Option<Hash>,
    /// The hash of the requests to the beacon chain; since Prague.
    pub requests_hash: Option<Hash>,
}

/// Verifies a block's header in RLP against its hash, which the caller must trust.
///
/// Errors are those of [`verify_header`]: `invalid_header` for another form, `header_hash_mismatch`
/// for another hash.
pub fn verify_block_header(
    hash: &Hash,
    header_rlp: &[u8],
    limits: &Limits,
) -> Result<Verified<BlockHeader>> {
    let proven = verify_header(hash, header_rlp, limits)?;
    let RlpItem::List(payload) = rlp::decode(header_rlp)? else { return Err(bug()) };
    let mut fields = HeaderFields(rlp::items(payload));
    let parent_hash = fields.hash()?;
    let ommers_hash = fields.hash()?;
    let beneficiary = rlp::array(fields.take()?).ok_or_else(bug)?;
    let state_root = fields.hash()?;
    let transactions_root = fields.hash()?;
    let receipts_root = fields.hash()?;
    let logs_bloom = Bloom(rlp::array(fields.take()?).ok_or_else(bug)?);
    fields.skip()?; // difficulty
    let number = fields.number()?;
    let header = BlockHeader {
        hash: *hash,
        parent_hash,
        ommers_hash,
        beneficiary,
        state_root,
        transactions_root,
        receipts_root,
        logs_bloom,
        number,
        gas_limit: fields.number()?,
        gas_used: fields.number()?,
        timestamp: fields.number()?,
        prev_randao: {
            fields.skip()?; // extraData
            fields.hash()?
        },
        base_fee_per_gas: {
            fields.skip()?; // nonce
            fields.later(|fields| rlp::integer(fields.take()?).ok_or_else(bug))?
        },
        withdrawals_root: fields.later(HeaderFields::hash)?,
        blob_gas_used: fields.later(HeaderFields::number)?,
        excess_blob_gas: fields.later(HeaderFields::number)?,
        parent_beacon_block_root: fields.later(HeaderFields::hash)?,
        requests_hash: fields.later(HeaderFields::hash)?,
    };
    if (header.number, header.state_root) != (proven.number, proven.state_root) {
        return Err(bug());
    }
    Ok(Verified::by_verifier(header))
}

/// The fields of a header whose form has been checked.
struct HeaderFields<'a>(RlpItems<'a>);

impl<'a> HeaderFields<'a> {
    fn take(&mut self) -> Result<RlpItem<'a>> {
        self.0.take()
    }

    fn skip(&mut self) -> Result<()> {
        self.take().map(|_| ())
    }

    fn hash(&mut self) -> Result<Hash> {
        rlp::array(self.take()?).ok_or_else(bug)
    }

    fn number(&mut self) -> Result<u64> {
        rlp::integer(self.take()?).map(u64::from_be_bytes).ok_or_else(bug)
    }

    /// Reads a field that headers have only from some fork on.
    fn later<T>(&mut self, read: impl FnOnce(&mut Self) -> Result<T>) -> Result<Option<T>> {
        if self.0.is_empty() { Ok(None) } else { read(self).map(Some) }
    }
}

#[cold]
fn bug() -> Error {
    Error::new(Reason::Bug, "a header whose form was checked", "another form")
}
