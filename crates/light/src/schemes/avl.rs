//! `avl`: the values of keys.

use prooflight_avl::state;
use prooflight_core::Result;

use super::{SchemeVerifier, VerifierInput};
use crate::StatementAnswer;

pub(super) struct AvlVerifier;

impl SchemeVerifier for AvlVerifier {
    fn keys<'a>(
        input: &VerifierInput<'_, 'a>,
        height: u64,
        keys: &[&[u8]],
    ) -> Result<StatementAnswer<'a>> {
        let (limits, header) = input.at(height)?;
        state::verify_keys(header, keys, input.proof, limits).map(StatementAnswer::keys)
    }
}
