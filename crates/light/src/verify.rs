//! Dispatches a statement to its scheme's verifier.

use prooflight_core::chain::{ChainConfig, Headers};
use prooflight_core::statement::Statement;
use prooflight_core::{Result, Scheme, Verified};

use crate::{Answer, Trust};

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
    if !scheme.proves(statement.ability()) {
        return Err(statement.unknown_to(scheme));
    }
    let config = trust.config;
    let answer = match (scheme, *statement) {
        #[cfg(feature = "amb")]
        (Scheme::Amb, _) => verify_amb(config, headers, statement, proof)?,
        #[cfg(feature = "lvmt")]
        (Scheme::Lvmt, Statement::Keys { height, keys }) => {
            let (header, setup) = (headers.at(height)?, trust.setup()?);
            Answer::keys(prooflight_lvmt::state::verify_keys(header, keys, proof, config, &setup)?)
        }
        #[cfg(feature = "smt")]
        (Scheme::Smt, Statement::History { key, from, to }) => {
            let (range, limits) = ((from, to), config.limits_for(scheme)?);
            let history = prooflight_smt::state::verify_history(headers, key, range, proof, limits);
            Answer::History(history?.into_inner())
        }
        #[cfg(feature = "smt")]
        (Scheme::Smt, Statement::Diff { from, to }) => {
            let limits = config.limits_for(scheme)?;
            let changes = prooflight_smt::state::verify_diff(headers, from, to, proof, limits);
            Answer::Diff(changes?.into_inner())
        }
        _ => verify_keys(config, scheme, headers, statement, proof)?,
    };
    Ok(Verified::by_verifier(answer))
}

/// Verifies the answer of `amb`, whose newest root proves the states after all blocks up to it.
#[cfg(feature = "amb")]
fn verify_amb<'a>(
    config: &ChainConfig,
    headers: &Headers,
    statement: &Statement<'_>,
    proof: &'a [u8],
) -> Result<Answer<'a>> {
    use prooflight_amb::{Count, Get, Range, state};
    let limits = || config.limits_for(Scheme::Amb);
    let since = |height| headers.newest_since(height);
    Ok(match *statement {
        Statement::Keys { height: at, keys } => {
            let (limits, header) = (limits()?, since(at)?);
            Answer::keys(state::verify_keys(header, &Get { keys, at }, proof, limits)?)
        }
        Statement::History { key, from, to } => {
            let (limits, header) = (limits()?, since(to)?);
            let history = state::verify_history(header, key, (from, to), proof, limits)?;
            // The caller gets the time of each change from its header.
            let changed = history.changes.iter().filter_map(prooflight_core::Answer::changed);
            for height in [from, to].into_iter().chain(changed) {
                headers.at(height)?;
            }
            Answer::History(history.into_inner())
        }
        Statement::Range { height: at, lo, hi, reverse } => {
            let (limits, header) = (limits()?, since(at)?);
            let page = state::verify_range(header, &Range { lo, hi, at, reverse }, proof, limits)?;
            Answer::Range(page.into_inner())
        }
        Statement::Count { height, lo, hi } => {
            let (limits, header) = (limits()?, headers.at(height)?);
            let count = state::verify_count(header, &Count { lo, hi }, proof, limits)?;
            Answer::Count(count.into_inner())
        }
        Statement::Account { .. } | Statement::Diff { .. } => {
            return Err(statement.unknown_to(Scheme::Amb));
        }
    })
}

/// The schemes whose `state::verify_keys` needs nothing beyond the chain's limits.
macro_rules! verifiers_of_keys {
    ($($feature:literal $scheme:ident $verifier:ident;)*) => {
        #[allow(unused_variables, reason = "a build may have none of these schemes")]
        fn verify_keys<'a>(
            config: &ChainConfig,
            scheme: Scheme,
            headers: &Headers,
            statement: &Statement<'_>,
            proof: &'a [u8],
        ) -> Result<Answer<'a>> {
            match (scheme, *statement) {
                $(
                    #[cfg(feature = $feature)]
                    (Scheme::$scheme, Statement::Keys { height, keys }) => {
                        let (limits, header) = (config.limits_for(scheme)?, headers.at(height)?);
                        let states = $verifier::state::verify_keys(header, keys, proof, limits)?;
                        Ok(Answer::keys(states))
                    }
                )*
                _ => Err(statement.unknown_to(scheme)),
            }
        }
    };
}

verifiers_of_keys! {
    "avl" Avl prooflight_avl;
    "lmpt" Lmpt prooflight_lmpt;
    "smt" Smt prooflight_smt;
}
