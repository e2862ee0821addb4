//! Headers, and the proofs of their positions in the history of a head.

use jsonrpsee::RpcModule;
use jsonrpsee::core::RegisterMethodError;
use prooflight_core::{Error, Reason, Result};
use prooflight_json::{Hash32, HexBytes, Quantity};
use serde::{Deserialize, Serialize};

use super::context::{NodeApi, NodeCall};
use super::cost;
use super::method::method;
use crate::chain::view::{AncestorHeaders, BlockId, View};
use crate::chain::wire::{HeaderJson, RawJson, to_raw_json};

pub(super) fn register(module: &mut RpcModule<NodeApi>) -> Result<(), RegisterMethodError> {
    method(module, "prooflight_header", header)?;
    method(module, "prooflight_headerProof", header_proof)?;
    method(module, "prooflight_headers", headers)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct HeaderParams {
    #[serde(default)]
    pub(super) at: BlockId,
}

async fn header(call: NodeCall, HeaderParams { at }: HeaderParams) -> Result<HeaderJson> {
    call.context.read(move |view| Ok(HeaderJson::from(&view.header(at)?))).await
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct HeaderProofParams {
    pub(super) at: BlockId,
    #[serde(default)]
    pub(super) head: BlockId,
}

/// A header, and the proof of its position in the history of a head.
#[derive(Clone, Serialize)]
pub(super) struct HeaderProof {
    header: HeaderJson,
    head: HeaderJson,
    path: Vec<Hash32>,
}

async fn header_proof(
    call: NodeCall,
    HeaderProofParams { at, head }: HeaderProofParams,
) -> Result<HeaderProof> {
    call.context.read(move |view| prove_header(view, at, head)).await
}

pub(super) fn prove_header(view: &View, at: BlockId, head: BlockId) -> Result<HeaderProof> {
    let (header, head) = (view.header(at)?, view.header(head)?);
    let path = view.header_path(header.header.height, &head.header)?;
    let (header, head) = (HeaderJson::from(&header), HeaderJson::from(&head));
    Ok(HeaderProof { header, head, path: path.into_iter().map(Hash32).collect() })
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct HeadersParams {
    pub(super) heights: Vec<Quantity>,
    #[serde(default)]
    pub(super) head: BlockId,
}

/// Several headers, and the proof of their positions in the history of a head.
#[derive(Serialize)]
pub(super) struct AncestorsJson {
    head: HeaderJson,
    headers: Vec<HexBytes>,
    hashes: Vec<Hash32>,
}

impl From<AncestorHeaders> for AncestorsJson {
    fn from(ancestors: AncestorHeaders) -> Self {
        Self {
            head: HeaderJson::from(&ancestors.head),
            headers: ancestors.headers.iter().map(|header| HexBytes(header.encode())).collect(),
            hashes: ancestors.hashes.into_iter().map(Hash32).collect(),
        }
    }
}

async fn headers(call: NodeCall, params: HeadersParams) -> Result<RawJson> {
    params.check()?;
    let ask = call.ask(None, cost::of_headers(params.heights.len()));
    call.context.prove(ask, move |view| headers_json(view, params)).await
}

/// Encodes headers with the proof of their positions.
pub(super) fn headers_json(
    view: &View,
    HeadersParams { heights, head }: HeadersParams,
) -> Result<RawJson> {
    let heights = heights.into_iter().map(|height| height.0).collect();
    to_raw_json(&AncestorsJson::from(view.headers(heights, head)?))
}

impl HeadersParams {
    pub(super) fn check(&self) -> Result<()> {
        if self.heights.len() <= MAX_HEADERS {
            return Ok(());
        }
        let expected = format_args!("at most {MAX_HEADERS} heights");
        Err(Error::new(Reason::RequestTooLarge, expected, self.heights.len()))
    }
}

/// The number of headers that the largest history in a proof needs.
const MAX_HEADERS: usize = 200_002;
