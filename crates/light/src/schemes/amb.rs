//! `amb`: the values of keys, their histories, ranges and counts. The root of a header proves the states after all
//! blocks up to its own.

use prooflight_amb::{CountQuestion, KeysQuestion, RangeQuestion, state};
use prooflight_core::chain::{ChainLimits, Header};
use prooflight_core::{PastState, Result};

use super::{KeyBounds, SchemeVerifier, VerifierInput};
use crate::StatementAnswer;

pub(super) struct AmbVerifier;

impl SchemeVerifier for AmbVerifier {
    fn keys<'a>(
        input: &VerifierInput<'_, 'a>,
        at: u64,
        keys: &[&[u8]],
    ) -> Result<StatementAnswer<'a>> {
        let (limits, header) = since(input, at)?;
        let question = KeysQuestion { keys, at };
        state::verify_keys(header, &question, input.proof, limits).map(StatementAnswer::keys)
    }

    fn history<'a>(
        input: &VerifierInput<'_, 'a>,
        key: &[u8],
        (from, to): (u64, u64),
    ) -> Result<StatementAnswer<'a>> {
        let (limits, header) = since(input, to)?;
        let history = state::verify_history(header, key, (from, to), input.proof, limits)?;
        // The caller gets the time of each change from its header.
        let changed = history.changes.iter().filter_map(PastState::changed_at);
        for height in [from, to].into_iter().chain(changed) {
            input.headers.at(height)?;
        }
        Ok(StatementAnswer::History(history.into_inner()))
    }

    fn range<'a>(
        input: &VerifierInput<'_, 'a>,
        at: u64,
        (lo, hi): KeyBounds<'_>,
        reverse: bool,
    ) -> Result<StatementAnswer<'a>> {
        let (limits, header) = since(input, at)?;
        let question = RangeQuestion { lo, hi, at, reverse };
        let page = state::verify_range(header, &question, input.proof, limits)?;
        Ok(StatementAnswer::Range(page.into_inner()))
    }

    fn count<'a>(
        input: &VerifierInput<'_, 'a>,
        height: u64,
        (lo, hi): KeyBounds<'_>,
    ) -> Result<StatementAnswer<'a>> {
        let (limits, header) = input.at(height)?;
        let count = state::verify_count(header, &CountQuestion { lo, hi }, input.proof, limits)?;
        Ok(StatementAnswer::Count(count.into_inner()))
    }
}

/// The limits, and the newest header if it is not older than a block.
fn since<'q>(input: &VerifierInput<'q, '_>, height: u64) -> Result<(&'q ChainLimits, &'q Header)> {
    Ok((input.limits()?, input.headers.newest_since(height)?))
}
