//! Dispatches a statement to its scheme's verifier.

use prooflight_core::chain::Headers;
use prooflight_core::statement::Statement;
use prooflight_core::{Result, Scheme, Verified};

use crate::{Answer, Trust};

/// The schemes whose answers this build verifies.
pub const SCHEMES: &[Scheme] = &[
    #[cfg(feature = "avl")]
    Scheme::Avl,
    #[cfg(feature = "lvmt")]
    Scheme::Lvmt,
    #[cfg(feature = "smt")]
    Scheme::Smt,
];

/// Verifies a scheme's answer to a statement against headers that the caller accepts.
///
/// A statement that the scheme or this build does not support is `unknown_statement`; a missing header
/// is `invalid_result`; a chain without the scheme is `wrong_schemes`. Other errors are those of the
/// module `state` of the scheme's crate.
pub fn verify<'a>(
    trust: &Trust<'_>,
    scheme: Scheme,
    headers: &Headers,
    statement: &Statement<'_>,
    proof: &'a [u8],
) -> Result<Verified<Answer<'a>>> {
    let config = trust.config;
    let answer = match (scheme, *statement) {
        #[cfg(feature = "avl")]
        (Scheme::Avl, Statement::Keys { height, keys }) => {
            let header = headers.at(height)?;
            Answer::keys(prooflight_avl::state::verify_keys(header, keys, proof, &config.limits)?)
        }
        #[cfg(feature = "lvmt")]
        (Scheme::Lvmt, Statement::Keys { height, keys }) => {
            let (header, setup) = (headers.at(height)?, trust.setup()?);
            Answer::keys(prooflight_lvmt::state::verify_keys(header, keys, proof, config, &setup)?)
        }
        #[cfg(feature = "smt")]
        (Scheme::Smt, Statement::Keys { height, keys }) => {
            let header = headers.at(height)?;
            Answer::keys(prooflight_smt::state::verify_keys(header, keys, proof, &config.limits)?)
        }
        #[cfg(feature = "smt")]
        (Scheme::Smt, Statement::History { key, from, to }) => {
            let (range, limits) = ((from, to), &config.limits);
            let history = prooflight_smt::state::verify_history(headers, key, range, proof, limits);
            Answer::History(history?.into_inner())
        }
        #[cfg(feature = "smt")]
        (Scheme::Smt, Statement::Diff { from, to }) => {
            let limits = &config.limits;
            let changes = prooflight_smt::state::verify_diff(headers, from, to, proof, limits);
            Answer::Diff(changes?.into_inner())
        }
        _ => return Err(statement.unknown_to(scheme)),
    };
    Ok(Verified::by_verifier(answer))
}
