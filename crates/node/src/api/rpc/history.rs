//! Histories and diffs over several blocks, on a chain with a scheme that proves them.

use jsonrpsee::RpcModule;
use jsonrpsee::core::RegisterMethodError;
use prooflight_core::chain::ChainConfig;
use prooflight_core::statement::Statement;
use prooflight_core::{Ability, Error, Reason, Result, Scheme};
use prooflight_json::{HexBytes, Quantity};
use serde::{Deserialize, Serialize};

use super::context::{NodeApi, NodeCall};
use super::cost;
use super::headers::AncestorsJson;
use super::method::method;
use crate::chain::normalise;
use crate::chain::view::{BlockId, BlocksProof, View, proves_past_states};
use crate::chain::wire::{RawJson, to_raw_json};

/// Registers the methods.
pub(super) fn register(module: &mut RpcModule<NodeApi>) -> Result<(), RegisterMethodError> {
    method(module, "prooflight_history", history)?;
    method(module, "prooflight_diff", diff)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct HistoryParams {
    key: HexBytes,
    from: Quantity,
    #[serde(default)]
    to: BlockId,
    #[serde(default)]
    head: BlockId,
    #[serde(default)]
    scheme: Option<String>,
}

async fn history(call: NodeCall, params: HistoryParams) -> Result<RawJson> {
    let HistoryParams { key: HexBytes(key), from, to, head, scheme } = params;
    let cost = cost::of_blocks(from.0, last_height(&call, to));
    prove(call, cost, Ability::History, scheme.as_deref(), move |view, scheme| {
        normalise::check_key(&key, &view.config().limits)?;
        let to = match to {
            // The last block that the head's root proves.
            BlockId::Latest if proves_past_states(scheme) => view.height_of(head)?,
            to => view.height_of(to)?,
        };
        let statement = Statement::History { key: &key, from: from.0, to };
        view.prove_range(scheme, &statement, head)
    })
    .await
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct DiffParams {
    #[serde(default)]
    from: Option<Quantity>,
    #[serde(default)]
    to: BlockId,
    #[serde(default)]
    head: BlockId,
}

async fn diff(call: NodeCall, DiffParams { from, to, head }: DiffParams) -> Result<RawJson> {
    let first = from.as_ref().map_or(0, |from| from.0);
    let cost = cost::of_blocks(first, last_height(&call, to));
    prove(call, cost, Ability::Diff, None, move |view, scheme| {
        let (from, to) = (from.map(|from| from.0), view.height_of(to)?);
        view.prove_range(scheme, &Statement::Diff { from, to }, head)
    })
    .await
}

/// The height of a block, for the cost; the head's height if the block is not named by its height.
fn last_height(call: &NodeCall, at: BlockId) -> u64 {
    match at {
        BlockId::Height(height) => height,
        _ => call.context.views.borrow().height(),
    }
}

/// A proof about several blocks, with the headers that it needs.
#[derive(Serialize)]
struct BlocksProofJson {
    #[serde(flatten)]
    headers: AncestorsJson,
    proof: HexBytes,
}

async fn prove(
    call: NodeCall,
    cost: u64,
    ability: Ability,
    scheme: Option<&str>,
    run: impl FnOnce(&View, Scheme) -> Result<BlocksProof> + Send + 'static,
) -> Result<RawJson> {
    let metrics = call.context.metrics.clone();
    let scheme = scheme_for(call.context.views.borrow().config(), ability, scheme)?;
    let ask = call.ask(Some(scheme), cost);
    let proof = move |view: &View| {
        let proved = metrics.proving(scheme, || run(view, scheme))?;
        to_raw_json(&BlocksProofJson {
            headers: proved.headers.into(),
            proof: HexBytes(proved.proof),
        })
    };
    call.context.prove(ask, proof).await
}

/// The scheme of the chain that proves such statements: the one with this name, or the first one.
///
/// `unknown_statement` if there is none.
pub(super) fn scheme_for(
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
