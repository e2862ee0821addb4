//! The sparse Merkle tree of the reference node's chains: raw keys, histories, averages, diffs.
//!
//! Source: `test-vectors/spec/chain.md`, section 7, and `test-vectors/spec/smt.md`.

use alloc::vec::Vec;

use prooflight_core::chain::{AcceptedHeaders, ChainLimits, Header};
use prooflight_core::{Error, Hash, Reason, Result, Scheme, Verified};

use crate::{Average, DiffEntry, KeyHistory, PastState};
use crate::{ClaimedHistory, twap, verify, verify_diff as diff};

/// Verifies the values of raw keys in the state after an accepted block.
///
/// Returns an answer for each key, in order. A chain without the scheme is `wrong_schemes`, a key longer
/// than the chain allows is `key_length`; other errors are those of [`verify`].
pub fn verify_keys<'a>(
    header: &Header,
    keys: &[&[u8]],
    proof: &'a [u8],
    limits: &ChainLimits,
) -> Result<Verified<Vec<PastState<'a>>>> {
    let root = root_of(header)?;
    limits.check_keys(keys)?;
    verify(root, header.height, keys, proof, &limits.proof_limits())
}

/// Verifies every change of a raw key in the blocks `from..=to`.
///
/// `headers` must include those of the range's ends, of the blocks that [`ClaimedHistory::blocks`] names and of
/// every change; a missing one is `invalid_result`. Other errors are those of [`verify_keys`] and
/// [`verify_history`](crate::verify_history).
pub fn verify_history<'a>(
    headers: &AcceptedHeaders,
    key: &[u8],
    (from, to): (u64, u64),
    proof: &'a [u8],
    limits: &ChainLimits,
) -> Result<Verified<KeyHistory<'a>>> {
    limits.check_keys(&[key])?;
    let limits = limits.proof_limits();
    let claimed = ClaimedHistory::decode(key, from, to, proof, &limits);
    let root = |&height: &u64| Ok((height, *root_of(headers.at(height)?)?));
    let roots = claimed.blocks()?.iter().map(root).collect::<Result<Vec<_>>>()?;
    let history = claimed.verify(&roots)?;
    times(headers, &history)?;
    Ok(history)
}

/// Averages a verified history's values over the time from its first block to its last one.
///
/// The times are those of the blocks' headers. Errors are those of [`twap`].
pub fn average(
    headers: &AcceptedHeaders,
    history: &Verified<KeyHistory<'_>>,
) -> Result<Verified<Average>> {
    twap(history, &times(headers, history)?, history.from, history.to)
}

/// Verifies which raw keys changed after block `from`, or in any block, and up to block `to`.
///
/// `invalid_result` if the header of block `to` is missing; other errors are those of [`verify_keys`] and
/// [`verify_diff`](crate::verify_diff).
pub fn verify_diff<'a>(
    headers: &AcceptedHeaders,
    from: Option<u64>,
    to: u64,
    proof: &'a [u8],
    limits: &ChainLimits,
) -> Result<Verified<Vec<DiffEntry<'a>>>> {
    diff(root_of(headers.at(to)?)?, from, to, proof, &limits.proof_limits())
}

/// The timestamps of a history's first and last block and of each block with a change, ascending.
fn times(headers: &AcceptedHeaders, history: &KeyHistory<'_>) -> Result<Vec<(u64, u64)>> {
    let changes = history.changes.iter().filter_map(PastState::changed_at);
    let mut blocks: Vec<_> =
        core::iter::once(history.from).chain(changes).chain([history.to]).collect();
    blocks.dedup();
    let time = |height| Ok((height, headers.at(height)?.timestamp_ms));
    blocks.into_iter().map(time).collect()
}

fn root_of(header: &Header) -> Result<&Hash> {
    let root = header.expect_root(Scheme::Smt)?;
    root.first_chunk().filter(|_| root.len() == 32).ok_or_else(|| {
        let found = format_args!("{} bytes", root.len());
        Error::new(Reason::InvalidHeader, "a root of 32 bytes", found)
    })
}
