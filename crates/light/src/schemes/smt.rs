//! `smt`: the values of keys, their histories, and diffs.

use prooflight_core::Result;
use prooflight_smt::state;

use super::{SchemeVerifier, VerifierInput};
use crate::StatementAnswer;

pub(super) struct SmtVerifier;

impl SchemeVerifier for SmtVerifier {
    fn keys<'a>(
        input: &VerifierInput<'_, 'a>,
        height: u64,
        keys: &[&[u8]],
    ) -> Result<StatementAnswer<'a>> {
        let (limits, header) = input.at(height)?;
        state::verify_keys(header, keys, input.proof, limits).map(StatementAnswer::keys)
    }

    fn history<'a>(
        input: &VerifierInput<'_, 'a>,
        key: &[u8],
        blocks: (u64, u64),
    ) -> Result<StatementAnswer<'a>> {
        let limits = input.limits()?;
        let history = state::verify_history(input.headers, key, blocks, input.proof, limits)?;
        Ok(StatementAnswer::History(history.into_inner()))
    }

    fn diff<'a>(
        input: &VerifierInput<'_, 'a>,
        from: Option<u64>,
        to: u64,
    ) -> Result<StatementAnswer<'a>> {
        let changes = state::verify_diff(input.headers, from, to, input.proof, input.limits()?)?;
        Ok(StatementAnswer::Diff(changes.into_inner()))
    }
}
