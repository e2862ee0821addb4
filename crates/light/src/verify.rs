//! Dispatches a statement to its scheme's verifier.

use prooflight_core::chain::{AcceptedHeaders, ChainConfig};
use prooflight_core::statement::Statement;
use prooflight_core::{Result, Scheme, Verified};

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
    let config = trust.config;
    let answer = match (scheme, *statement) {
        #[cfg(feature = "amb")]
        (Scheme::Amb, _) => verify_amb(config, headers, statement, proof)?,
        #[cfg(feature = "lvmt")]
        (Scheme::Lvmt, Statement::Keys { height, keys }) => {
            let (header, setup) = (headers.at(height)?, trust.setup()?);
            StatementAnswer::keys(prooflight_lvmt::state::verify_keys(
                header, keys, proof, config, &setup,
            )?)
        }
        #[cfg(feature = "smt")]
        (Scheme::Smt, Statement::History { key, from, to }) => {
            let (range, limits) = ((from, to), config.limits_for(scheme)?);
            let history = prooflight_smt::state::verify_history(headers, key, range, proof, limits);
            StatementAnswer::History(history?.into_inner())
        }
        #[cfg(feature = "smt")]
        (Scheme::Smt, Statement::Diff { from, to }) => {
            let limits = config.limits_for(scheme)?;
            let changes = prooflight_smt::state::verify_diff(headers, from, to, proof, limits);
            StatementAnswer::Diff(changes?.into_inner())
        }
        _ => verify_keys(config, scheme, headers, statement, proof)?,
    };
    Ok(Verified::by_verifier(answer))
}

/// Verifies the answer of `amb`, whose newest root proves the states after all blocks up to it.
#[cfg(feature = "amb")]
fn verify_amb<'a>(
    config: &ChainConfig,
    headers: &AcceptedHeaders,
    statement: &Statement<'_>,
    proof: &'a [u8],
) -> Result<StatementAnswer<'a>> {
    use prooflight_amb::{CountQuestion, KeysQuestion, RangeQuestion, state};
    let limits = || config.limits_for(Scheme::Amb);
    let since = |height| headers.newest_since(height);
    Ok(match *statement {
        Statement::Keys { height: at, keys } => {
            let (limits, header) = (limits()?, since(at)?);
            StatementAnswer::keys(state::verify_keys(
                header,
                &KeysQuestion { keys, at },
                proof,
                limits,
            )?)
        }
        Statement::History { key, from, to } => {
            let (limits, header) = (limits()?, since(to)?);
            let history = state::verify_history(header, key, (from, to), proof, limits)?;
            // The caller gets the time of each change from its header.
            let changed = history.changes.iter().filter_map(prooflight_core::PastState::changed_at);
            for height in [from, to].into_iter().chain(changed) {
                headers.at(height)?;
            }
            StatementAnswer::History(history.into_inner())
        }
        Statement::Range { height: at, lo, hi, reverse } => {
            let (limits, header) = (limits()?, since(at)?);
            let page =
                state::verify_range(header, &RangeQuestion { lo, hi, at, reverse }, proof, limits)?;
            StatementAnswer::Range(page.into_inner())
        }
        Statement::Count { height, lo, hi } => {
            let (limits, header) = (limits()?, headers.at(height)?);
            let count = state::verify_count(header, &CountQuestion { lo, hi }, proof, limits)?;
            StatementAnswer::Count(count.into_inner())
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
            headers: &AcceptedHeaders,
            statement: &Statement<'_>,
            proof: &'a [u8],
        ) -> Result<StatementAnswer<'a>> {
            match (scheme, *statement) {
                $(
                    #[cfg(feature = $feature)]
                    (Scheme::$scheme, Statement::Keys { height, keys }) => {
                        let (limits, header) = (config.limits_for(scheme)?, headers.at(height)?);
                        let states = $verifier::state::verify_keys(header, keys, proof, limits)?;
                        Ok(StatementAnswer::keys(states))
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
