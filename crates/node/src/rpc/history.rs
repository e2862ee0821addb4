//! Histories and diffs over several blocks, on a chain with a scheme that proves them.

use jsonrpsee::RpcModule;
use jsonrpsee::core::RegisterMethodError;
use prooflight_core::chain::ChainConfig;
use prooflight_core::statement::Statement;
use prooflight_core::{Ability, Error, Reason, Result, Scheme};
use prooflight_json::{Hex, Quantity};
use serde::{Deserialize, Serialize};

use super::json::{Json, json};
use super::method::{Call, method};
use super::{Context, PlacedHeaders, cost};
use crate::normalise;
use crate::view::{At, ProvedBlocks, View, proves_before};

/// Registers the methods.
pub(super) fn register(module: &mut RpcModule<Context>) -> Result<(), RegisterMethodError> {
    method(module, "prooflight_history", history)?;
    method(module, "prooflight_diff", diff)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct History {
    key: Hex,
    from: Quantity,
    #[serde(default)]
    to: At,
    #[serde(default)]
    head: At,
    #[serde(default)]
    scheme: Option<String>,
}

async fn history(call: Call, asked: History) -> Result<Json> {
    let History { key: Hex(key), from, to, head, scheme } = asked;
    let cost = cost::of_blocks(from.0, last_of(&call, to));
    prove(call, cost, Ability::History, scheme.as_deref(), move |view, scheme| {
        normalise::check_key(&key, &view.config().limits)?;
        let to = match to {
            // The last block that the head's root proves.
            At::Latest if proves_before(scheme) => view.height_of(head)?,
            to => view.height_of(to)?,
        };
        let statement = Statement::History { key: &key, from: from.0, to };
        view.prove_range(scheme, &statement, head)
    })
    .await
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Diff {
    #[serde(default)]
    from: Option<Quantity>,
    #[serde(default)]
    to: At,
    #[serde(default)]
    head: At,
}

async fn diff(call: Call, Diff { from, to, head }: Diff) -> Result<Json> {
    let first = from.as_ref().map_or(0, |from| from.0);
    let cost = cost::of_blocks(first, last_of(&call, to));
    prove(call, cost, Ability::Diff, None, move |view, scheme| {
        let (from, to) = (from.map(|from| from.0), view.height_of(to)?);
        view.prove_range(scheme, &Statement::Diff { from, to }, head)
    })
    .await
}

/// The height of a block, for the cost; the head's height if the block is not named by its height.
fn last_of(call: &Call, at: At) -> u64 {
    match at {
        At::Height(height) => height,
        _ => call.context.views.borrow().height(),
    }
}

/// A proof about several blocks, with the headers that it needs.
#[derive(Serialize)]
struct Proved {
    #[serde(flatten)]
    headers: PlacedHeaders,
    proof: Hex,
}

async fn prove(
    call: Call,
    cost: u64,
    ability: Ability,
    scheme: Option<&str>,
    run: impl FnOnce(&View, Scheme) -> Result<ProvedBlocks> + Send + 'static,
) -> Result<Json> {
    let metrics = call.context.metrics.clone();
    let scheme = scheme_with(call.context.views.borrow().config(), ability, scheme)?;
    let ask = call.ask(Some(scheme), cost);
    let proof = move |view: &View| {
        let proved = metrics.proving(scheme, || run(view, scheme))?;
        json(&Proved { headers: proved.headers.into(), proof: Hex(proved.proof) })
    };
    call.context.prove(ask, proof).await
}

/// The scheme of the chain that proves such statements: the one with this name, or the first one.
///
/// `unknown_statement` if there is none.
pub(super) fn scheme_with(
    config: &ChainConfig,
    ability: Ability,
    name: Option<&str>,
) -> Result<Scheme> {
    let able = |scheme: &Scheme| {
        scheme.proves(ability)
            && config.keeps(*scheme)
            && name.is_none_or(|name| name == scheme.as_str())
    };
    Scheme::ALL.into_iter().find(able).ok_or_else(|| {
        let names = Scheme::names(|scheme| scheme.proves(ability));
        let expected = format_args!("a chain with {names}");
        match name {
            None => Error::new(Reason::UnknownStatement, expected, "one without"),
            Some(name) => {
                let expected = format_args!("{expected}, and one of them");
                Error::new(Reason::UnknownStatement, expected, name)
            }
        }
    })
}
