//! The ordered keys of the reference node's chains: raw keys, histories, ranges, counts.
//!
//! The newest root proves the states after all blocks up to it, so the block of a statement needs no header of its own.
//! Source: `test-vectors/spec/chain.md`, sections 7 and 13, and `test-vectors/spec/amb.md`.

use alloc::vec::Vec;

use prooflight_core::chain::{ChainLimits, Header};
use prooflight_core::{Error, KeyHistory, PastState, Reason, Result, Scheme, Verified};

use crate::{
    CountQuestion, HistoryQuestion, KeysQuestion, RangeEntry, RangePage, RangeQuestion, TrustedRoot,
};
use crate::{verify, verify_count as count, verify_history as histories, verify_range as range};

/// Verifies the values of raw keys in the state after a block, up to that of an accepted header.
///
/// Returns an answer for each key, in order. A chain without the scheme is `wrong_schemes`, a key longer than the chain
/// allows is `key_length`; other errors are those of [`verify`].
pub fn verify_keys<'a>(
    header: &Header,
    question: &KeysQuestion<'_>,
    proof: &'a [u8],
    limits: &ChainLimits,
) -> Result<Verified<Vec<PastState<'a>>>> {
    let root = root_of(header)?;
    limits.check_keys(question.keys)?;
    verify(&root, question, proof, &limits.proof_limits())
}

/// Verifies every change of a raw key in the blocks `from..=to`, of which none is after that of an accepted header.
///
/// Errors are those of [`verify_keys`] and [`verify_history`](crate::verify_history).
pub fn verify_history<'a>(
    header: &Header,
    key: &[u8],
    (from, to): (u64, u64),
    proof: &'a [u8],
    limits: &ChainLimits,
) -> Result<Verified<KeyHistory<'a>>> {
    let root = root_of(header)?;
    limits.check_keys(&[key])?;
    let question = HistoryQuestion { keys: &[key], from, to };
    let histories = histories(&root, &question, proof, &limits.proof_limits())?;
    let history = histories.into_inner().distinct.pop();
    let history = history.ok_or_else(|| Error::new(Reason::Bug, "a history", "none"))?;
    Ok(Verified::by_verifier(history))
}

/// Verifies the raw keys between two bounds that had a value after a block, or the first page of them.
///
/// Errors are those of [`verify_keys`] and [`verify_range`](crate::verify_range).
pub fn verify_range<'a>(
    header: &Header,
    question: &RangeQuestion<'_>,
    proof: &'a [u8],
    limits: &ChainLimits,
) -> Result<Verified<RangePage<'a, RangeEntry<'a>>>> {
    range(&root_of(header)?, question, proof, &limits.proof_limits())
}

/// Verifies the number of raw keys between two bounds that have a value after an accepted block.
///
/// Errors are those of [`verify_keys`] and [`verify_count`](crate::verify_count).
pub fn verify_count(
    header: &Header,
    question: &CountQuestion<'_>,
    proof: &[u8],
    limits: &ChainLimits,
) -> Result<Verified<u64>> {
    count(&root_of(header)?, question, proof, &limits.proof_limits())
}

fn root_of(header: &Header) -> Result<TrustedRoot> {
    let root = header.expect_root(Scheme::Amb)?;
    let hash = root.try_into().map_err(|_| {
        let found = format_args!("{} bytes", root.len());
        Error::new(Reason::InvalidHeader, "a root of 32 bytes", found)
    })?;
    Ok(TrustedRoot { hash, height: header.height })
}
