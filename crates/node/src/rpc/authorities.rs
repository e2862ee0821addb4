//! The methods for remote authorities, on a listener that no client reaches.
//! Source: `docs/node.md`, "Authorities on machines of their own".

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use jsonrpsee::RpcModule;
use jsonrpsee::core::RegisterMethodError;
use prooflight_core::{Error, Reason, Result};
use prooflight_json::{Hash32, Hex, Quantity};
use serde::{Deserialize, Serialize};
use tokio::sync::watch;

use super::cost;
use super::json::BlockJson;
use super::method::{Bounds, Call, Serving, method};
use crate::authority::Refusal;
use crate::blocking::Workers;
use crate::desk::SignatureRound;
use crate::metrics::Metrics;
use crate::proposals::Attempt;
use crate::view::{At, View};

/// The state shared by the methods.
pub struct Office {
    /// The proposal that is collecting signatures.
    pub round: Arc<SignatureRound>,
    /// The chain up to the newest block, once there is one.
    pub views: Arc<OnceLock<watch::Receiver<View>>>,
    /// The time limit of a call.
    pub time: Duration,
    /// The counters.
    pub metrics: Metrics,
    /// The threads on which the store is read.
    pub workers: Workers,
}

impl Serving for Office {
    fn bounds(&self) -> Bounds<'_> {
        Bounds { time: self.time, metrics: &self.metrics }
    }
}

/// Registers the methods.
pub fn module(office: Office) -> Result<RpcModule<Office>, RegisterMethodError> {
    let mut module = RpcModule::new(office);
    method(&mut module, "prooflight_awaited", awaited)?;
    method(&mut module, "prooflight_proposal", proposal)?;
    method(&mut module, "prooflight_sign", sign)?;
    method(&mut module, "prooflight_refuse", refuse)?;
    method(&mut module, "prooflight_block", block)?;
    Ok(module)
}

/// The longest time that a call waits for news.
pub(crate) const LONGEST_WAIT: Duration = Duration::from_secs(5);

/// The parameters of `prooflight_awaited`.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct AwaitedFor {
    /// The index of the authority that polls.
    pub(crate) authority: u16,
    /// The height of its next block.
    pub(crate) next: Quantity,
    /// How long to wait for news, in milliseconds.
    pub(crate) wait_ms: Quantity,
}

/// The news for an authority.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct AwaitedJson {
    /// The height of the newest published block, if there is one.
    pub(crate) head: Option<Quantity>,
    /// A proposal that this authority has not answered.
    pub(crate) proposal: Option<AskedJson>,
}

/// A proposal.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct AskedJson {
    pub(crate) height: Quantity,
    pub(crate) attempt: u32,
    /// The hash of its bytes.
    pub(crate) id: Hash32,
}

async fn awaited(call: Call<Office>, asks: AwaitedFor) -> Result<AwaitedJson> {
    check_token(&call)?;
    let wait = Duration::from_millis(asks.wait_ms.0).min(LONGEST_WAIT);
    let round = &call.context.round;
    let (head, asked) = round.awaited(asks.authority, asks.next.0, wait).await?;
    let proposal = asked.map(|(Attempt { height, number }, id)| AskedJson {
        height: Quantity(height),
        attempt: number,
        id: Hash32(id),
    });
    Ok(AwaitedJson { head: head.map(Quantity), proposal })
}

/// The parameters of `prooflight_proposal`.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct WhichProposal {
    pub(crate) height: Quantity,
    pub(crate) attempt: u32,
}

/// The bytes of a proposal.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct ProposalJson {
    pub(crate) proposal: Hex,
}

async fn proposal(call: Call<Office>, which: WhichProposal) -> Result<ProposalJson> {
    check_token(&call)?;
    let attempt = Attempt { height: which.height.0, number: which.attempt };
    let proposal = call.context.round.proposal(attempt)?;
    Ok(ProposalJson { proposal: Hex(proposal.to_vec()) })
}

/// The parameters of `prooflight_sign`.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Signed {
    pub(crate) authority: u16,
    pub(crate) height: Quantity,
    /// The hash of the header.
    pub(crate) hash: Hash32,
    pub(crate) signature: Hex,
}

async fn sign(call: Call<Office>, signed: Signed) -> Result<bool> {
    check_token(&call)?;
    let signature = signature(signed.signature)?;
    call.context.round.sign(signed.authority, signed.height.0, signed.hash.0, signature)?;
    Ok(true)
}

/// The parameters of `prooflight_refuse`.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Refused {
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
    pub(crate) signature: Hex,
}

async fn refuse(call: Call<Office>, refused: Refused) -> Result<bool> {
    check_token(&call)?;
    let Refused { authority, height, attempt, id, invalid, why, signature: bytes } = refused;
    let round = &call.context.round;
    let attempt = Attempt { height: height.0, number: attempt };
    let refusal = Refusal { chain: round.chain(), attempt, id: id.0, invalid };
    round.refuse(authority, &refusal, &signature(bytes)?, &why)?;
    Ok(true)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Which {
    at: At,
}

async fn block(call: Call<Office>, Which { at }: Which) -> Result<BlockJson> {
    check_token(&call)?;
    let Some(views) = call.context.views.get().cloned() else {
        return Err(Error::new(Reason::UnknownBlock, "a chain with a genesis block", "none"));
    };
    let read = move || {
        let view = views.borrow().clone();
        BlockJson::new(view.block(at)?)
    };
    call.context.workers.prove(call.ask(None, cost::OF_BLOCK), read).await
}

fn signature(Hex(bytes): Hex) -> Result<[u8; 64]> {
    bytes.try_into().map_err(|bytes: Vec<u8>| {
        Error::new(Reason::InvalidArgument, "a signature of 64 bytes", bytes.len())
    })
}

/// Every method of this listener needs the token.
fn check_token(call: &Call<Office>) -> Result<()> {
    if call.may_submit {
        return Ok(());
    }
    let expected = "the header Authorization: Bearer with the token for authorities";
    Err(Error::new(Reason::NotAuthorised, expected, "another, or none"))
}
