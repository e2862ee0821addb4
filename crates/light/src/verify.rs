//! Verifies a statement by its scheme's verifier.

use prooflight_core::chain::AcceptedHeaders;
use prooflight_core::statement::Statement;
use prooflight_core::{Result, Scheme, Verified};

use crate::schemes::VerifierInput;
use crate::{StatementAnswer, Trust};

/// Verifies a scheme's answer to a statement against headers that the caller accepts.
///
/// A statement that the scheme or this build does not support is `unknown_statement`; a missing header
/// is `invalid_result`; a chain without the scheme is `wrong_schemes`. Other errors are those of the
/// module `state` of the scheme's crate.
pub fn verify<'a>(
    trust: &Trust<'_>,
    scheme: Scheme,
    headers: &AcceptedHeaders,
    statement: &Statement<'_>,
    proof: &'a [u8],
) -> Result<Verified<StatementAnswer<'a>>> {
    if !scheme.proves(statement.ability()) {
        return Err(statement.unknown_to(scheme));
    }
    let input = VerifierInput { trust, scheme, headers, statement, proof };
    input.verify().map(Verified::by_verifier)
}
