//! The methods of a proof server: it proves `smt` from snapshot files, and gets everything else
//! from a node of the chain, or from the chain's log.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jsonrpsee::RpcModule;
use jsonrpsee::core::RegisterMethodError;
use jsonrpsee::types::Params;
use prooflight_core::chain::{Header, SignedHeader};
use prooflight_core::statement::Statement;
use prooflight_core::store::{StateProof as Proof, StateReader as _};
use prooflight_core::{Error, Limits, Reason, Result, Scheme};
use prooflight_json::{HexBytes, Quantity, unique};
use prooflight_smt::snapshot::SmtReader;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::context::RequestLimits;
use super::cost;
use super::headers::{HeaderParams, HeaderProofParams, HeadersParams, headers_json, prove_header};
use super::method::{CallLimits, RpcCall, RpcContext, method, method_of, parse_value};
use crate::chain::view::{self, View};
use crate::chain::wire::{BlockJson, ChainJson, HeaderJson, RawJson, to_raw_json};
use crate::replication::follow::LeaderClient;
use crate::replication::snapshots::LogHeaders;
use crate::runtime::blocking::{WorkRequest, WorkerPool};
use crate::runtime::metrics::Metrics;

/// Where headers and blocks come from.
#[derive(Clone, Debug)]
#[expect(clippy::large_enum_variant, reason = "a server has one")]
pub enum HeaderSource {
    /// A node of the chain.
    Node(LeaderClient),
    /// The chain's log.
    Log(LogHeaders),
}

/// The state shared by all methods.
pub struct ArchiveApi {
    /// Proves from the files.
    pub proofs: Arc<SmtReader>,
    /// Whether the files are in a bucket. Then a task polls for new files, and requests do not.
    pub is_remote: bool,
    /// Where headers and blocks come from.
    pub source: HeaderSource,
    /// Limits on requests.
    pub limits: RequestLimits,
    /// The counters.
    pub metrics: Metrics,
    /// The threads on which files are read.
    pub workers: WorkerPool,
}

impl ArchiveApi {
    /// Makes a proof, and builds the answer from the proof.
    async fn prove<P, T: Send + 'static>(
        &self,
        ask: WorkRequest,
        prove: impl FnOnce(&SmtReader) -> Result<P> + Send + 'static,
        answer: impl FnOnce(P) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let (proofs, metrics) = (self.proofs.clone(), self.metrics.clone());
        let waiting = metrics.waiting(ask.scheme);
        let proof = move || {
            drop(waiting);
            answer(metrics.proving(Scheme::Smt, || prove(&proofs))?)
        };
        self.workers.prove(ask, proof).await
    }

    /// Makes a proof about several blocks; returns it with the headers that it needs.
    async fn prove_range(
        &self,
        ask: WorkRequest,
        prove: impl FnOnce(&SmtReader) -> Result<(BTreeSet<u64>, Proof)> + Send + 'static,
        head: Value,
    ) -> Result<BlocksProofReply> {
        let answer = |(heights, proved): (_, Proof)| {
            Ok((heights, proved.roots, to_raw_json(&HexBytes(proved.proof))?))
        };
        let (heights, roots, proof) = self.prove(ask, prove, answer).await?;
        self.wait_for_header(heights.last().copied()).await;
        Ok(BlocksProofReply { headers: self.headers(ask, heights, head, roots).await?, proof })
    }

    /// Forwards a call to the node, or answers it from the log.
    async fn relay<T: DeserializeOwned>(
        &self,
        ask: WorkRequest,
        method: &'static str,
        params: Value,
    ) -> Result<T> {
        match &self.source {
            HeaderSource::Node(node) => node.relay(method, params).await,
            HeaderSource::Log(log) => {
                parse_reply(&self.answer_from_log(log, ask, method, params).await?)
            }
        }
    }

    async fn answer_from_log(
        &self,
        log: &LogHeaders,
        ask: WorkRequest,
        method: &'static str,
        params: Value,
    ) -> Result<RawJson> {
        match method {
            "prooflight_block" => {
                let HeaderParams { at } = parse_value(params)?;
                let block = BlockJson::new(log.block(at).await?)?;
                self.workers.prove(ask, move || to_raw_json(&block)).await
            }
            "prooflight_headers" => {
                let (view, params) = (log.view()?, parse_value::<HeadersParams>(params)?);
                params.check()?;
                self.workers.prove(ask, move || headers_json(&view, params)).await
            }
            _ => {
                let view = log.view()?;
                self.workers.read(move || answer_from_headers(&view, method, params)).await
            }
        }
    }

    /// Waits for the header of a block in the files, which may not have been read from the log yet.
    async fn wait_for_header(&self, height: Option<u64>) {
        if let (HeaderSource::Log(log), Some(height)) = (&self.source, height) {
            log.wait_for(height).await;
        }
    }

    /// Returns the height of a block. `"latest"` is the newest block in the files; a hash is looked up among the
    /// headers.
    async fn height_of(&self, ask: WorkRequest, at: &Value) -> Result<u64> {
        match at.as_str() {
            Some("latest") => {
                let (proofs, is_remote) = (self.proofs.clone(), self.is_remote);
                let newest = move || match proofs.last_seen() {
                    Ok(seen) if is_remote => Ok(seen),
                    _ => proofs.newest(),
                };
                self.workers.read(newest).await
            }
            Some(text) if text.len() <= 18 => Ok(parse::<Quantity>(at)?.0),
            _ => {
                let header: HeaderFields =
                    self.relay(ask, "prooflight_header", json!({ "at": at })).await?;
                Ok(header.height.0)
            }
        }
    }

    /// Fetches the headers for a proof about several blocks, and checks its roots against them.
    async fn headers(
        &self,
        ask: WorkRequest,
        heights: BTreeSet<u64>,
        head: Value,
        roots: Vec<(u64, Vec<u8>)>,
    ) -> Result<RawAncestors> {
        let heights: Vec<_> =
            heights.into_iter().map(|height| Quantity(height).to_string()).collect();
        let params = json!({ "heights": heights, "head": head });
        let ancestors: RawAncestors = self.relay(ask, "prooflight_headers", params).await?;
        let check = move || ancestors.check(&roots).map(|()| ancestors);
        self.workers.prove(ask, check).await
    }
}

/// Answers a method about headers.
fn answer_from_headers(view: &View, method: &'static str, params: Value) -> Result<RawJson> {
    match method {
        "prooflight_chain" => to_raw_json(&ChainJson::new(view)?),
        "prooflight_head" => to_raw_json(&HeaderJson::from(view.head())),
        "prooflight_header" => {
            let HeaderParams { at } = parse_value(params)?;
            to_raw_json(&HeaderJson::from(&view.header(at)?))
        }
        "prooflight_headerProof" => {
            let HeaderProofParams { at, head } = parse_value(params)?;
            to_raw_json(&prove_header(view, at, head)?)
        }
        _ => Err(Error::new(Reason::Bug, "a method about headers", method)),
    }
}

/// Checks that the root of a proof equals the one in the header of its block.
fn check_root<'h>(
    headers: impl IntoIterator<Item = &'h Header>,
    (block, root): &(u64, Vec<u8>),
) -> Result<()> {
    let header = headers.into_iter().find(|header| header.height == *block);
    let header = header.ok_or_else(|| {
        let expected = format_args!("the header of block {block}");
        Error::new(Reason::InvalidReply, expected, "a reply without it")
    })?;
    view::check_root(header, Scheme::Smt, root).map_err(|error| {
        let expected = format_args!(
            "{} in its header: the snapshots must be those of this node or log",
            error.expected()
        );
        Error::new(error.reason(), expected, error.found())
    })
}

/// Decodes the header in a node's reply.
fn signed_header(reply: &RawJson) -> Result<Header> {
    let HeaderFields { signed_header: HexBytes(bytes), .. } = parse_reply(reply)?;
    Ok(SignedHeader::decode(&bytes, &Limits::DEFAULT)?.header)
}

fn parse_reply<T: DeserializeOwned>(reply: &RawJson) -> Result<T> {
    serde_json::from_str(reply.get())
        .map_err(|error| Error::new(Reason::InvalidReply, "a reply of the method", error))
}

impl RpcContext for ArchiveApi {
    fn call_limits(&self) -> CallLimits<'_> {
        CallLimits { time: self.limits.time, metrics: &self.metrics }
    }
}

/// Registers the methods.
pub fn module(archive: ArchiveApi) -> Result<RpcModule<ArchiveApi>, RegisterMethodError> {
    let mut module = RpcModule::new(archive);
    method(&mut module, "prooflight_prove", prove)?;
    method(&mut module, "prooflight_history", history)?;
    method(&mut module, "prooflight_diff", diff)?;
    for name in FORWARDED_METHODS {
        let forward = move |call: RpcCall<ArchiveApi>, params: Value| async move {
            call.context.relay::<RawJson>(call.ask(None, 1), name, params).await
        };
        method_of(&mut module, name, raw_params, forward)?;
    }
    Ok(module)
}

/// The methods that need no files.
const FORWARDED_METHODS: [&str; 6] = [
    "prooflight_chain",
    "prooflight_head",
    "prooflight_header",
    "prooflight_headerProof",
    "prooflight_headers",
    "prooflight_block",
];

fn raw_params(params: &Params<'_>) -> Result<Value> {
    unique::from_str(params.as_str().unwrap_or("{}"))
        .map_err(|error| Error::new(Reason::InvalidArgument, "the parameters of the method", error))
}

/// Returns the head for an answer. If both `to` and the head are the latest block, it is the newest block in the
/// files.
fn head_of(head: Value, to: &Value, last: u64) -> Value {
    if head == latest() && *to == latest() { Quantity(last).to_string().into() } else { head }
}

fn latest() -> Value {
    "latest".into()
}

fn parse<T: DeserializeOwned>(value: &Value) -> Result<T> {
    T::deserialize(value)
        .map_err(|error| Error::new(Reason::InvalidArgument, "the parameters of the method", error))
}

/// The fields of a header that are read.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct HeaderFields {
    signed_header: HexBytes,
    height: Quantity,
}

/// Headers as the node has encoded them.
#[derive(Clone, Deserialize, Serialize)]
struct RawAncestors {
    head: RawJson,
    headers: RawJson,
    hashes: RawJson,
}

impl RawAncestors {
    /// Checks each of these roots against the header of its block.
    fn check(&self, roots: &[(u64, Vec<u8>)]) -> Result<()> {
        let older: Vec<HexBytes> = parse_reply(&self.headers)?;
        let older = older.iter().map(|HexBytes(bytes)| Header::decode(bytes, &Limits::DEFAULT));
        let headers = older.chain([signed_header(&self.head)]);
        let headers: BTreeMap<u64, Header> =
            headers.map(|header| header.map(|it| (it.height, it))).collect::<Result<_>>()?;
        roots.iter().try_for_each(|root| check_root(headers.get(&root.0), root))
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SmtProveParams {
    scheme: String,
    keys: Vec<HexBytes>,
    #[serde(default = "latest")]
    at: Value,
}

/// A proof, with the header that it verifies against.
#[derive(Clone, Serialize)]
struct ProofReply {
    header: RawJson,
    scheme: &'static str,
    proof: RawJson,
}

async fn prove(
    call: RpcCall<ArchiveApi>,
    SmtProveParams { scheme, keys, at }: SmtProveParams,
) -> Result<ProofReply> {
    let archive = &call.context;
    if scheme != Scheme::Smt.as_str() {
        return Err(Error::new(Reason::UnknownStatement, "the scheme smt", scheme));
    }
    let limit = archive.limits.keys;
    if keys.len() > limit {
        let expected = format_args!("at most {limit} keys");
        return Err(Error::new(Reason::TooManyOperations, expected, keys.len()));
    }
    let ask = call.ask(Some(Scheme::Smt), cost::of_keys(Scheme::Smt, keys.len()));
    let height = archive.height_of(ask, &at).await?;
    let prove = move |proofs: &SmtReader| {
        let keys: Vec<&[u8]> = keys.iter().map(|HexBytes(key)| &key[..]).collect();
        proofs.prove(&Statement::Keys { height, keys: &keys })
    };
    let answer = |proved: Proof| Ok((proved.roots, to_raw_json(&HexBytes(proved.proof))?));
    let (roots, proof) = archive.prove(ask, prove, answer).await?;
    let at = json!({ "at": Quantity(height).to_string() });
    archive.wait_for_header(Some(height)).await;
    let header = archive.relay(ask, "prooflight_header", at).await?;
    let signed = signed_header(&header)?;
    roots.iter().try_for_each(|root| check_root([&signed], root))?;
    Ok(ProofReply { header, scheme: Scheme::Smt.as_str(), proof })
}

/// A proof about several blocks, with the headers that it needs.
#[derive(Clone, Serialize)]
struct BlocksProofReply {
    #[serde(flatten)]
    headers: RawAncestors,
    proof: RawJson,
}

/// Proves a statement about several blocks; also returns the heights of the headers that the proof needs.
fn prove_blocks(proofs: &SmtReader, statement: &Statement<'_>) -> Result<(BTreeSet<u64>, Proof)> {
    let proved = proofs.prove(statement)?;
    Ok((view::needed_heights(statement, &proved), proved))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SmtHistoryParams {
    key: HexBytes,
    from: Quantity,
    #[serde(default = "latest")]
    to: Value,
    #[serde(default = "latest")]
    head: Value,
}

async fn history(call: RpcCall<ArchiveApi>, params: SmtHistoryParams) -> Result<BlocksProofReply> {
    let SmtHistoryParams { key: HexBytes(key), from: Quantity(from), to, head } = params;
    let archive = &call.context;
    let last = archive.height_of(call.ask(None, 1), &to).await?;
    let prove = move |proofs: &SmtReader| {
        prove_blocks(proofs, &Statement::History { key: &key, from, to: last })
    };
    let ask = call.ask(Some(Scheme::Smt), cost::of_blocks(from, last));
    archive.prove_range(ask, prove, head_of(head, &to, last)).await
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SmtDiffParams {
    #[serde(default)]
    from: Option<Quantity>,
    #[serde(default = "latest")]
    to: Value,
    #[serde(default = "latest")]
    head: Value,
}

async fn diff(
    call: RpcCall<ArchiveApi>,
    SmtDiffParams { from, to, head }: SmtDiffParams,
) -> Result<BlocksProofReply> {
    let archive = &call.context;
    let last = archive.height_of(call.ask(None, 1), &to).await?;
    let first = from.as_ref().map_or(0, |from| from.0);
    let prove = move |proofs: &SmtReader| {
        prove_blocks(proofs, &Statement::Diff { from: from.map(|from| from.0), to: last })
    };
    let ask = call.ask(Some(Scheme::Smt), cost::of_blocks(first, last));
    archive.prove_range(ask, prove, head_of(head, &to, last)).await
}
