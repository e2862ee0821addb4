//! The methods for remote authorities, on a listener that no client reaches.
//! Source: `docs/node.md`, "Remote authorities".

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use jsonrpsee::RpcModule;
use jsonrpsee::core::RegisterMethodError;
use prooflight_core::{Error, Reason, Result};
use prooflight_json::{Hash32, HexBytes, Quantity};
use serde::{Deserialize, Serialize};
use tokio::sync::watch;

use crate::api::rpc::cost;
use crate::api::rpc::method::{CallLimits, RpcCall, RpcContext, method};
use crate::chain::proposal::AttemptId;
use crate::chain::view::{BlockId, View};
use crate::chain::wire::BlockJson;
use crate::runtime::blocking::WorkerPool;
use crate::runtime::metrics::Metrics;
use crate::signing::authority::Refusal;
use crate::signing::signature_round::SignatureRound;

/// The state shared by the methods.
pub struct AuthorityApi {
    /// The proposal that is collecting signatures.
    pub round: Arc<SignatureRound>,
    /// The chain up to the newest block, once there is one.
    pub views: Arc<OnceLock<watch::Receiver<View>>>,
    /// The time limit of a call.
    pub time: Duration,
    /// The counters.
    pub metrics: Metrics,
    /// The threads on which the store is read.
    pub workers: WorkerPool,
}

impl RpcContext for AuthorityApi {
    fn call_limits(&self) -> CallLimits<'_> {
        CallLimits { time: self.time, metrics: &self.metrics }
    }
}

/// Registers the methods.
pub fn module(context: AuthorityApi) -> Result<RpcModule<AuthorityApi>, RegisterMethodError> {
    let mut module = RpcModule::new(context);
    method(&mut module, "prooflight_awaited", awaited)?;
    method(&mut module, "prooflight_proposal", proposal)?;
    method(&mut module, "prooflight_sign", sign)?;
    method(&mut module, "prooflight_refuse", refuse)?;
    method(&mut module, "prooflight_block", block)?;
    Ok(module)
}

/// The longest time that a call waits for news.
pub(crate) const MAX_POLL_WAIT: Duration = Duration::from_secs(5);

/// The parameters of `prooflight_awaited`.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct PollParams {
    /// The index of the authority that polls.
    pub(crate) authority: u16,
    /// The height of its next block.
    pub(crate) next: Quantity,
    /// How long to wait for news, in milliseconds.
    pub(crate) wait_ms: Quantity,
}

/// The news for an authority.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct PollReply {
    /// The height of the newest published block, if there is one.
    pub(crate) head: Option<Quantity>,
    /// A proposal that this authority has not answered.
    pub(crate) proposal: Option<ProposalRefJson>,
}

/// The height, the attempt and the hash of a proposal.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct ProposalRefJson {
    pub(crate) height: Quantity,
    pub(crate) attempt: u32,
    /// The hash of its bytes.
    pub(crate) id: Hash32,
}

async fn awaited(call: RpcCall<AuthorityApi>, params: PollParams) -> Result<PollReply> {
    check_token(&call)?;
    let wait = Duration::from_millis(params.wait_ms.0).min(MAX_POLL_WAIT);
    let round = &call.context.round;
    let (head, pending) = round.poll(params.authority, params.next.0, wait).await?;
    let proposal = pending.map(|(AttemptId { height, number }, id)| ProposalRefJson {
        height: Quantity(height),
        attempt: number,
        id: Hash32(id),
    });
    Ok(PollReply { head: head.map(Quantity), proposal })
}

/// The parameters of `prooflight_proposal`.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ProposalParams {
    pub(crate) height: Quantity,
    pub(crate) attempt: u32,
}

/// The bytes of a proposal.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct ProposalJson {
    pub(crate) proposal: HexBytes,
}

async fn proposal(call: RpcCall<AuthorityApi>, params: ProposalParams) -> Result<ProposalJson> {
    check_token(&call)?;
    let attempt = AttemptId { height: params.height.0, number: params.attempt };
    let proposal = call.context.round.proposal(attempt)?;
    Ok(ProposalJson { proposal: HexBytes(proposal.to_vec()) })
}

/// The parameters of `prooflight_sign`.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SignParams {
    pub(crate) authority: u16,
    pub(crate) height: Quantity,
    /// The hash of the header.
    pub(crate) hash: Hash32,
    pub(crate) signature: HexBytes,
}

async fn sign(call: RpcCall<AuthorityApi>, params: SignParams) -> Result<bool> {
    check_token(&call)?;
    let signature = signature(params.signature)?;
    call.context.round.sign(params.authority, params.height.0, params.hash.0, signature)?;
    Ok(true)
}

/// The parameters of `prooflight_refuse`.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RefuseParams {
    pub(crate) authority: u16,
    pub(crate) height: Quantity,
    pub(crate) attempt: u32,
    /// The hash of the proposal's bytes.
    pub(crate) id: Hash32,
    /// Whether the block is invalid; otherwise the authority cannot sign it for now.
    pub(crate) invalid: bool,
    /// The reason, for people.
    pub(crate) why: String,
    /// The signature of the refusal, which does not cover `why`.
    pub(crate) signature: HexBytes,
}

async fn refuse(call: RpcCall<AuthorityApi>, params: RefuseParams) -> Result<bool> {
    check_token(&call)?;
    let RefuseParams { authority, height, attempt, id, invalid, why, signature: bytes } = params;
    let round = &call.context.round;
    let attempt = AttemptId { height: height.0, number: attempt };
    let refusal = Refusal { chain: round.chain(), attempt, id: id.0, invalid };
    round.refuse(authority, &refusal, &signature(bytes)?, &why)?;
    Ok(true)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct BlockParams {
    at: BlockId,
}

async fn block(call: RpcCall<AuthorityApi>, BlockParams { at }: BlockParams) -> Result<BlockJson> {
    check_token(&call)?;
    let Some(views) = call.context.views.get().cloned() else {
        return Err(Error::new(Reason::UnknownBlock, "a chain with a genesis block", "none"));
    };
    let read = move || {
        let view = views.borrow().clone();
        BlockJson::new(view.block(at)?)
    };
    call.context.workers.prove(call.ask(None, cost::BLOCK_COST), read).await
}

fn signature(HexBytes(bytes): HexBytes) -> Result<[u8; 64]> {
    bytes.try_into().map_err(|bytes: Vec<u8>| {
        Error::new(Reason::InvalidArgument, "a signature of 64 bytes", bytes.len())
    })
}

/// Every method of this listener needs the token.
fn check_token(call: &RpcCall<AuthorityApi>) -> Result<()> {
    if call.may_submit {
        return Ok(());
    }
    let expected = "the header Authorization: Bearer with the token for authorities";
    Err(Error::new(Reason::NotAuthorised, expected, "another, or none"))
}
