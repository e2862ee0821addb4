//! `lvmt`: the values of keys, with the trusted setup of the chain.

use prooflight_core::Result;
use prooflight_lvmt::state;

use super::{SchemeVerifier, VerifierInput};
use crate::StatementAnswer;

pub(super) struct LvmtVerifier;

impl SchemeVerifier for LvmtVerifier {
    fn keys<'a>(
        input: &VerifierInput<'_, 'a>,
        height: u64,
        keys: &[&[u8]],
    ) -> Result<StatementAnswer<'a>> {
        let VerifierInput { trust, headers, proof, .. } = input;
        let (header, setup) = (headers.at(height)?, trust.setup()?);
        state::verify_keys(header, keys, proof, trust.config, &setup).map(StatementAnswer::keys)
    }
}
