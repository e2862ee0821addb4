//! `lmpt`: the values of keys.

use prooflight_core::Result;
use prooflight_lmpt::state;

use super::{SchemeVerifier, VerifierInput};
use crate::StatementAnswer;

pub(super) struct LmptVerifier;

impl SchemeVerifier for LmptVerifier {
    fn keys<'a>(
        input: &VerifierInput<'_, 'a>,
        height: u64,
        keys: &[&[u8]],
    ) -> Result<StatementAnswer<'a>> {
        let (limits, header) = input.at(height)?;
        state::verify_keys(header, keys, input.proof, limits).map(StatementAnswer::keys)
    }
}
