//! The methods of the node. Source: `test-vectors/spec/rpc.md` and `openrpc.json`.

pub mod archive;
pub(crate) mod cost;
mod eth;
mod history;
pub(crate) mod method;
mod range;
mod sync;

pub(crate) use method::check_effects;
pub use method::{CallLimits, RpcContext};

use std::sync::Arc;
use std::time::Duration;

use jsonrpsee::core::{RegisterMethodError, SubscriptionResult};
use jsonrpsee::{Extensions, PendingSubscriptionSink, RpcModule, SubscriptionMessage};
use prooflight_core::chain::StateOperation;
use prooflight_core::statement::Statement;
use prooflight_core::{Error, Limits, Reason, Result, Scheme};
use prooflight_json::{Hash32, HexBytes, OperationJson, Quantity};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::sync::watch;

use self::method::{RpcCall, account, method};
use crate::api::producer::BlockSubmitter;
use crate::chain::normalise;
use crate::chain::view::{AncestorHeaders, BlockId, View, proves_past_states};
use crate::chain::wire::{BlockJson, ChainJson, HeaderJson, RawJson, to_object, to_raw_json};
use crate::replication::follow::FollowProgress;
use crate::replication::sync::SyncSource;
use crate::runtime::blocking::{WorkRequest, WorkerPool};
use crate::runtime::metrics::Metrics;

/// Limits on requests.
#[derive(Clone, Copy, Debug)]
pub struct RequestLimits {
    /// Keys per proof.
    pub keys: usize,
    /// Time limit of a call.
    pub time: Duration,
}

/// The description of the methods, as `rpc.discover` returns it.
pub const OPENRPC: &str = include_str!("../../../openrpc.json");

/// The state shared by all methods.
pub struct NodeApi {
    /// The chain up to the newest block.
    pub views: watch::Receiver<View>,
    /// This node's progress, if it follows another.
    pub progress: Option<watch::Receiver<FollowProgress>>,
    /// Accepts submissions, if this node makes blocks.
    pub submitter: Option<Box<dyn BlockSubmitter>>,
    /// Limits on requests.
    pub limits: RequestLimits,
    /// The value of `eth_chainId`, on a chain with accounts.
    pub eth_chain_id: u64,
    /// The counters.
    pub metrics: Metrics,
    /// The threads on which the store is read.
    pub workers: WorkerPool,
    /// The states that replicas begin from.
    pub sync: SyncSource,
}

impl RpcContext for NodeApi {
    fn call_limits(&self) -> CallLimits<'_> {
        CallLimits { time: self.limits.time, metrics: &self.metrics }
    }
}

impl NodeApi {
    /// Runs work with a few reads of the store.
    async fn read<T: Send + 'static>(
        &self,
        run: impl FnOnce(&View) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let views = self.views.clone();
        self.workers.read(move || run(&newest(&views))).await
    }

    /// Runs work that may take long or have a large answer: proofs, blocks, and the headers of many blocks.
    async fn prove<T: Send + 'static>(
        &self,
        ask: WorkRequest,
        run: impl FnOnce(&View) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let (views, waiting) = (self.views.clone(), self.metrics.waiting(ask.scheme));
        let proof = move || {
            drop(waiting);
            run(&newest(&views))
        };
        self.workers.prove(ask, proof).await
    }
}

/// Returns a copy of the newest view, so that no lock blocks the publisher of newer ones.
fn newest(views: &watch::Receiver<View>) -> View {
    views.borrow().clone()
}

/// Registers the methods.
pub fn module(context: NodeApi) -> Result<RpcModule<NodeApi>, RegisterMethodError> {
    let mut module = RpcModule::new(context);
    method(&mut module, "prooflight_chain", chain)?;
    method(&mut module, "prooflight_head", head)?;
    method(&mut module, "prooflight_progress", progress)?;
    method(&mut module, "prooflight_header", header)?;
    method(&mut module, "prooflight_headerProof", header_proof)?;
    method(&mut module, "prooflight_headers", headers)?;
    method(&mut module, "prooflight_block", block)?;
    method(&mut module, "prooflight_prove", prove)?;
    method(&mut module, "prooflight_submit", submit)?;
    history::register(&mut module)?;
    range::register(&mut module)?;
    sync::register(&mut module)?;
    eth::register(&mut module)?;
    module.register_method("rpc.discover", |_, _, _| {
        serde_json::from_str::<Value>(OPENRPC)
            .map_err(|error| to_object(&Error::new(Reason::Bug, "a description", error)))
    })?;
    module.register_subscription(
        "prooflight_newHeads",
        "prooflight_newHeads",
        "prooflight_unsubscribe",
        |_, pending, context, extensions| new_heads(pending, context, extensions),
    )?;
    Ok(module)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NoParams {}

async fn chain(call: RpcCall, _: NoParams) -> Result<ChainJson> {
    ChainJson::new(&call.context.views.borrow())
}

async fn head(call: RpcCall, _: NoParams) -> Result<HeaderJson> {
    Ok(HeaderJson::from(call.context.views.borrow().head()))
}

/// The newest height that a node knows of, and the age of that knowledge.
#[derive(Clone, Serialize)]
#[serde(rename_all = "camelCase")]
struct ProgressJson {
    height: Quantity,
    newest: Option<Quantity>,
    age_ms: Option<Quantity>,
}

async fn progress(call: RpcCall, _: NoParams) -> Result<ProgressJson> {
    let height = call.context.views.borrow().height();
    let (newest, age_ms) = match &call.context.progress {
        None => (Some(height), Some(0)),
        Some(progress) => {
            let known = progress.borrow().newest();
            let age = known.map(|known| known.at.elapsed().as_millis());
            let age = age.map(|age| u64::try_from(age).unwrap_or(u64::MAX));
            (known.map(|known| known.height.max(height)), age)
        }
    };
    Ok(ProgressJson {
        height: Quantity(height),
        newest: newest.map(Quantity),
        age_ms: age_ms.map(Quantity),
    })
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct HeaderParams {
    #[serde(default)]
    at: BlockId,
}

async fn header(call: RpcCall, HeaderParams { at }: HeaderParams) -> Result<HeaderJson> {
    call.context.read(move |view| Ok(HeaderJson::from(&view.header(at)?))).await
}

async fn block(call: RpcCall, HeaderParams { at }: HeaderParams) -> Result<RawJson> {
    let ask = call.ask(None, cost::BLOCK_COST);
    call.context.prove(ask, move |view| to_raw_json(&BlockJson::new(view.block(at)?)?)).await
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct HeaderProofParams {
    at: BlockId,
    #[serde(default)]
    head: BlockId,
}

/// A header, and the proof of its position in the history of a head.
#[derive(Clone, Serialize)]
struct HeaderProof {
    header: HeaderJson,
    head: HeaderJson,
    path: Vec<Hash32>,
}

async fn header_proof(
    call: RpcCall,
    HeaderProofParams { at, head }: HeaderProofParams,
) -> Result<HeaderProof> {
    call.context.read(move |view| prove_header(view, at, head)).await
}

fn prove_header(view: &View, at: BlockId, head: BlockId) -> Result<HeaderProof> {
    let (header, head) = (view.header(at)?, view.header(head)?);
    let path = view.header_path(header.header.height, &head.header)?;
    let (header, head) = (HeaderJson::from(&header), HeaderJson::from(&head));
    Ok(HeaderProof { header, head, path: path.into_iter().map(Hash32).collect() })
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct HeadersParams {
    heights: Vec<Quantity>,
    #[serde(default)]
    head: BlockId,
}

/// Several headers, and the proof of their positions in the history of a head.
#[derive(Serialize)]
struct AncestorsJson {
    head: HeaderJson,
    headers: Vec<HexBytes>,
    hashes: Vec<Hash32>,
}

impl From<AncestorHeaders> for AncestorsJson {
    fn from(placed: AncestorHeaders) -> Self {
        Self {
            head: HeaderJson::from(&placed.head),
            headers: placed.headers.iter().map(|header| HexBytes(header.encode())).collect(),
            hashes: placed.hashes.into_iter().map(Hash32).collect(),
        }
    }
}

async fn headers(call: RpcCall, asked: HeadersParams) -> Result<RawJson> {
    asked.check()?;
    let ask = call.ask(None, cost::of_headers(asked.heights.len()));
    call.context.prove(ask, move |view| place_headers(view, asked)).await
}

fn place_headers(view: &View, HeadersParams { heights, head }: HeadersParams) -> Result<RawJson> {
    let heights = heights.into_iter().map(|height| height.0).collect();
    to_raw_json(&AncestorsJson::from(view.headers(heights, head)?))
}

impl HeadersParams {
    fn check(&self) -> Result<()> {
        if self.heights.len() <= MAX_HEADERS {
            return Ok(());
        }
        let expected = format_args!("at most {MAX_HEADERS} heights");
        Err(Error::new(Reason::RequestTooLarge, expected, self.heights.len()))
    }
}

/// The number of headers that the largest history in a proof needs.
const MAX_HEADERS: usize = 200_002;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ProveParams {
    scheme: String,
    keys: Vec<HexBytes>,
    #[serde(default)]
    at: BlockId,
    /// The block against whose root is proved, for a scheme whose roots prove all earlier states.
    #[serde(default)]
    head: Option<BlockId>,
}

/// A proof, with the header that it verifies against.
#[derive(Serialize)]
struct ProofJson {
    header: HeaderJson,
    scheme: String,
    proof: HexBytes,
}

async fn prove(
    call: RpcCall,
    ProveParams { scheme, keys, at, head }: ProveParams,
) -> Result<RawJson> {
    let limit = call.context.limits.keys;
    if keys.len() > limit {
        let expected = format_args!("at most {limit} keys");
        return Err(Error::new(Reason::TooManyOperations, expected, keys.len()));
    }
    let known = Scheme::named(&scheme).ok_or_else(|| {
        Error::new(Reason::UnknownStatement, "the name of a scheme of this chain", &scheme)
    })?;
    if head.is_some() && !proves_past_states(known) {
        let expected =
            format_args!("no head with {scheme}, whose roots prove only their own states");
        return Err(Error::new(Reason::InvalidArgument, expected, "one"));
    }
    let ask = call.ask(Some(known), cost::of_keys(known, keys.len()));
    let metrics = call.context.metrics.clone();
    let proof = move |view: &View| {
        let limits = &view.config().limits;
        for HexBytes(key) in &keys {
            normalise::check_key(key, limits)?;
        }
        let keys: Vec<&[u8]> = keys.iter().map(|HexBytes(key)| &key[..]).collect();
        let (header, proved) = if proves_past_states(known) {
            let header = view.header(head.unwrap_or_default())?;
            let root = header.header.height;
            let height = range::at_or_before(view, at, root)?;
            let statement = Statement::Keys { height, keys: &keys };
            let prove = || view.prove_at(known, root, &statement, usize::MAX);
            (header, metrics.proving(known, prove)?)
        } else {
            let header = view.header(at)?;
            let statement = Statement::Keys { height: header.header.height, keys: &keys };
            (header, metrics.proving(known, || view.prove(known, &statement))?)
        };
        check_proof_bytes(&proved.proof)?;
        let header = HeaderJson::from(&header);
        to_raw_json(&ProofJson { header, scheme, proof: HexBytes(proved.proof) })
    };
    call.context.prove(ask, proof).await
}

/// Refuses a proof that is too large for verifiers.
fn check_proof_bytes(proof: &[u8]) -> Result<()> {
    let most = Limits::DEFAULT.max_proof_bytes;
    if proof.len() <= most {
        return Ok(());
    }
    let expected = format_args!("keys whose proof has at most {most} bytes");
    Err(Error::new(Reason::RequestTooLarge, expected, proof.len()))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SubmitParams {
    ops: Vec<OperationJson>,
}

/// The block that includes the submitted operations.
#[derive(Clone, Serialize)]
struct SubmitReply {
    height: Quantity,
    hash: Hash32,
}

async fn submit(call: RpcCall, SubmitParams { ops }: SubmitParams) -> Result<SubmitReply> {
    let Some(submitter) = &call.context.submitter else {
        let expected = "a node that makes blocks";
        return Err(Error::new(Reason::ReadOnly, expected, "one that follows another"));
    };
    if !call.may_submit {
        let expected = "the header Authorization: Bearer with a token that may submit";
        return Err(Error::new(Reason::NotAuthorised, expected, "another, or none"));
    }
    let config = call.context.views.borrow().config().clone();
    let operations: Vec<StateOperation> = ops.into_iter().map(Into::into).collect();
    normalise::check_all(&operations, &config)?;
    let included = submitter.submit(operations).await?;
    Ok(SubmitReply { height: Quantity(included.height), hash: Hash32(included.hash) })
}

/// Sends the head, then every new head; a subscriber too slow for all of them skips to the newest.
async fn new_heads(
    pending: PendingSubscriptionSink,
    context: Arc<NodeApi>,
    extensions: Extensions,
) -> SubscriptionResult {
    if let Err(error) = account(&extensions).and_then(|account| account.check_read()) {
        pending.reject(to_object(&error)).await;
        return Ok(());
    }
    let sink = pending.accept().await?;
    let mut views = context.views.clone();
    views.mark_changed();
    loop {
        tokio::select! {
            () = sink.closed() => return Ok(()),
            changed = views.changed() => {
                if changed.is_err() {
                    return Ok(());
                }
                let head = HeaderJson::from(views.borrow_and_update().head());
                let text = serde_json::value::to_raw_value(&head)?;
                sink.send(SubscriptionMessage::from(text)).await?;
            }
        }
    }
}
