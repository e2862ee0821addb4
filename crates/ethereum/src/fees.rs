//! The fees that follow from headers: of gas (EIP-1559) and of blobs (EIP-4844, 7691, 7918).

use prooflight_core::{Error, Reason, Result, Verified};
use prooflight_mpt::Word;

use crate::header::BlockHeader;

/// The gas of a blob.
const BLOB_GAS: u64 = 1 << 17;

/// A blob costs at least the price of this much execution gas; since Osaka.
const BLOB_BASE_COST: u128 = 1 << 13;

/// The parameters of blobs, which hard forks set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlobParams {
    /// The number of blobs in a block at which their price does not change.
    pub target: u64,
    /// The largest number of blobs in a block.
    pub max: u64,
    /// The excess blob gas for which the price grows by e.
    pub update_fraction: u64,
    /// Whether the price of gas bounds that of blobs from below; since Osaka (EIP-7918).
    pub has_reserve: bool,
}

/// Computes the base fee of the block after this one, in wei; `None` before London.
///
/// `invalid_header` if it does not fit in 128 bits, which occurs in no valid block.
///
/// Source: EIP-1559.
pub fn next_base_fee(header: &Verified<BlockHeader>) -> Result<Option<Word>> {
    let Some(fee) = &header.base_fee_per_gas else { return Ok(None) };
    let fee = small(fee).ok_or_else(|| too_large(header))?;
    let (used, target) = (header.gas_used, header.gas_limit / 2);
    let change = |gas: u64| {
        let product = fee.checked_mul(gas.into())?;
        Some(product.checked_div(target.into())? / 8)
    };
    let next = if used > target {
        change(used - target).and_then(|change| fee.checked_add(change.max(1)))
    } else {
        change(target - used).map(|change| fee.saturating_sub(change))
    };
    next.map(|next| Some(word(next))).ok_or_else(|| too_large(header))
}

/// Computes the fee of blob gas in a block, in wei, and checks the parameters; `None` before Cancun.
///
/// `parent` is the block before. `unsupported_fork` if the header's excess blob gas does not follow from it, or
/// if the block has more blobs than the parameters allow: then they are not those of the block. The update
/// fraction is in no header, so a fork that changed nothing else would go unnoticed.
///
/// Source: EIP-4844.
pub fn verify_blob_fee(
    header: &Verified<BlockHeader>,
    parent: &Verified<BlockHeader>,
    params: &BlobParams,
) -> Result<Option<Word>> {
    let Some(excess) = header.excess_blob_gas else { return Ok(None) };
    let used = header.blob_gas_used.unwrap_or_default();
    let fits = used <= params.max.saturating_mul(BLOB_GAS);
    let follows = excess_after(parent, params) == Some(excess);
    match price(excess, params) {
        Some(fee) if fits && follows => Ok(Some(word(fee))),
        _ => Err(Error::new(
            Reason::UnsupportedFork,
            format_args!("the blob parameters of block {}", header.number),
            format_args!("a target of {} of {} blobs", params.target, params.max),
        )),
    }
}

/// Computes the fee of blob gas in the block after one with these parameters; `None` before Cancun.
///
/// The parameters must be those of [`verify_blob_fee`] for the header; a fork may change them for the next
/// block. `invalid_header` if the fee does not fit in 128 bits.
pub fn next_blob_fee(header: &Verified<BlockHeader>, params: &BlobParams) -> Result<Option<Word>> {
    if header.excess_blob_gas.is_none() {
        return Ok(None);
    }
    let fee = excess_after(header, params).and_then(|excess| price(excess, params));
    fee.map(|fee| Some(word(fee))).ok_or_else(|| too_large(header))
}

/// The excess blob gas of the block after one; `None` if it does not fit.
fn excess_after(parent: &BlockHeader, params: &BlobParams) -> Option<u64> {
    let excess = parent.excess_blob_gas.unwrap_or_default();
    let used = parent.blob_gas_used.unwrap_or_default();
    let (sum, target) = (excess.checked_add(used)?, params.target.checked_mul(BLOB_GAS)?);
    if sum < target {
        return Some(0);
    }
    if params.has_reserve {
        let fee = small(&parent.base_fee_per_gas.unwrap_or_default())?;
        let reserve = fee.checked_mul(BLOB_BASE_COST)?;
        if reserve > price(excess, params)?.checked_mul(BLOB_GAS.into())? {
            let spare = params.max.checked_sub(params.target)?;
            let more = used.checked_mul(spare)?.checked_div(params.max)?;
            return excess.checked_add(more);
        }
    }
    Some(sum - target)
}

/// The price of blob gas: an approximation of `e ^ (excess / update_fraction)`; `None` if it does not fit.
///
/// Source: `fake_exponential` of EIP-4844.
fn price(excess: u64, params: &BlobParams) -> Option<u128> {
    let fraction = u128::from(params.update_fraction);
    let (mut sum, mut term, mut number) = (0_u128, fraction, 1_u128);
    while term > 0 {
        sum = sum.checked_add(term)?;
        term = term.checked_mul(excess.into())?.checked_div(fraction.checked_mul(number)?)?;
        number += 1;
    }
    sum.checked_div(fraction)
}

/// An amount of 128 bits; `None` if it is larger.
fn small(word: &Word) -> Option<u128> {
    let (high, low) = word.split_first_chunk::<16>()?;
    (*high == [0; 16]).then(|| low.first_chunk().copied().map(u128::from_be_bytes))?
}

fn word(number: u128) -> Word {
    let mut word = Word::default();
    if let Some(low) = word.last_chunk_mut() {
        *low = number.to_be_bytes();
    }
    word
}

#[cold]
fn too_large(header: &BlockHeader) -> Error {
    let found = format_args!("more in block {}", header.number);
    Error::new(Reason::InvalidHeader, "fees of 128 bits", found)
}
