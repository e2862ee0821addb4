//! Ranges of keys, counts, and entries for replicas, on a chain with a scheme that keeps the order of keys.
//!
//! Proofs are against the root of the request's head, a recent block. The root proves the states of all blocks up to
//! the head. A client that reads several pages names the same head in each request.

use jsonrpsee::RpcModule;
use jsonrpsee::core::RegisterMethodError;
use prooflight_core::statement::Statement;
use prooflight_core::store::{StateProof, TransferRequest};
use prooflight_core::{Ability, Error, Limits, Reason, Result, Scheme};
use prooflight_json::{HexBytes, Quantity};
use serde::{Deserialize, Serialize};

use super::context::{NodeApi, NodeCall};
use super::cost;
use super::history::scheme_for;
use super::method::method;
use super::prove::{at_or_before, check_proof_bytes};
use crate::chain::view::{BlockId, View};
use crate::chain::wire::{HeaderJson, RawJson, to_raw_json};

/// Registers the methods.
pub(super) fn register(module: &mut RpcModule<NodeApi>) -> Result<(), RegisterMethodError> {
    method(module, "prooflight_range", range)?;
    method(module, "prooflight_count", count)?;
    method(module, "prooflight_transfer", transfer)
}

/// The most entries of a page: the limit of verifiers.
const MAX_ENTRIES: u64 = Limits::DEFAULT.max_entries as u64;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RangeParams {
    #[serde(default)]
    lo: HexBytes,
    #[serde(default)]
    hi: Option<HexBytes>,
    #[serde(default)]
    at: BlockId,
    #[serde(default)]
    head: BlockId,
    #[serde(default)]
    reverse: bool,
    #[serde(default)]
    limit: Option<u64>,
}

async fn range(
    call: NodeCall,
    RangeParams { lo, hi, at, head, reverse, limit }: RangeParams,
) -> Result<RawJson> {
    let limit = check_limit(limit)?;
    prove(call, head, cost::of_entries(limit), move |view, scheme, root| {
        let height = at_or_before(view, at, root)?;
        let (lo, hi) = (&lo.0[..], hi.as_ref().map(|hi| &hi.0[..]));
        view.prove_at(scheme, root, &Statement::Range { height, lo, hi, reverse }, limit)
    })
    .await
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CountParams {
    #[serde(default)]
    lo: HexBytes,
    #[serde(default)]
    hi: Option<HexBytes>,
    #[serde(default)]
    at: BlockId,
}

async fn count(call: NodeCall, CountParams { lo, hi, at }: CountParams) -> Result<RawJson> {
    prove(call, at, cost::of_entries(1), move |view, scheme, height| {
        let (lo, hi) = (&lo.0[..], hi.as_ref().map(|hi| &hi.0[..]));
        view.prove_at(scheme, height, &Statement::Count { height, lo, hi }, 1)
    })
    .await
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TransferParams {
    #[serde(default)]
    lo: HexBytes,
    #[serde(default)]
    hi: Option<HexBytes>,
    #[serde(default)]
    after: Option<Quantity>,
    #[serde(default)]
    head: BlockId,
    #[serde(default)]
    limit: Option<u64>,
}

async fn transfer(
    call: NodeCall,
    TransferParams { lo, hi, after, head, limit }: TransferParams,
) -> Result<RawJson> {
    let limit = check_limit(limit)?;
    prove(call, head, cost::of_entries(limit), move |view, scheme, root| {
        let (lo, hi) = (&lo.0[..], hi.as_ref().map(|hi| &hi.0[..]));
        view.transfer(
            scheme,
            root,
            &TransferRequest { lo, hi, after: after.map(|after| after.0), limit },
        )
    })
    .await
}

/// Checks a request's limit of entries; 4,096 if it has none.
fn check_limit(limit: Option<u64>) -> Result<usize> {
    let limit = limit.unwrap_or(MAX_ENTRIES);
    let entries = usize::try_from(limit).ok().filter(|_| (1..=MAX_ENTRIES).contains(&limit));
    entries.ok_or_else(|| {
        let expected = format_args!("a limit of 1 to {MAX_ENTRIES}");
        Error::new(Reason::InvalidArgument, expected, limit)
    })
}

/// A proof, with the header that it verifies against.
#[derive(Serialize)]
struct PageJson {
    header: HeaderJson,
    proof: HexBytes,
}

/// Proves a statement against the root of a head.
async fn prove(
    call: NodeCall,
    head: BlockId,
    cost: u64,
    run: impl FnOnce(&View, Scheme, u64) -> Result<StateProof> + Send + 'static,
) -> Result<RawJson> {
    let metrics = call.context.metrics.clone();
    let scheme = scheme_for(call.context.views.borrow().config(), Ability::Range, None)?;
    let ask = call.ask(Some(scheme), cost);
    let proof = move |view: &View| {
        let header = view.header(head)?;
        let height = header.header.height;
        let proved = metrics.proving(scheme, || run(view, scheme, height))?;
        check_proof_bytes(&proved.proof)?;
        to_raw_json(&PageJson { header: HeaderJson::from(&header), proof: HexBytes(proved.proof) })
    };
    call.context.prove(ask, proof).await
}
