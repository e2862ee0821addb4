//! Proofs of keys, by any scheme.

use jsonrpsee::RpcModule;
use jsonrpsee::core::RegisterMethodError;
use prooflight_core::statement::Statement;
use prooflight_core::{Error, Limits, Reason, Result, Scheme};
use prooflight_json::HexBytes;
use serde::{Deserialize, Serialize};

use super::context::{NodeApi, NodeCall};
use super::cost;
use super::method::method;
use crate::chain::normalise;
use crate::chain::view::{BlockId, View, proves_past_states};
use crate::chain::wire::{HeaderJson, RawJson, to_raw_json};

pub(super) fn register(module: &mut RpcModule<NodeApi>) -> Result<(), RegisterMethodError> {
    method(module, "prooflight_prove", prove)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ProveParams {
    scheme: String,
    keys: Vec<HexBytes>,
    #[serde(default)]
    at: BlockId,
    /// The block with the root of the proof, for a scheme whose roots prove all earlier states.
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
    call: NodeCall,
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
            let height = at_or_before(view, at, root)?;
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
pub(super) fn check_proof_bytes(proof: &[u8]) -> Result<()> {
    let most = Limits::DEFAULT.max_proof_bytes;
    if proof.len() <= most {
        return Ok(());
    }
    let expected = format_args!("keys whose proof has at most {most} bytes");
    Err(Error::new(Reason::RequestTooLarge, expected, proof.len()))
}

/// The height of the block in a request; for `"latest"`, the height of the request's head.
///
/// `invalid_argument` for a block after the head.
pub(super) fn at_or_before(view: &View, at: BlockId, head: u64) -> Result<u64> {
    let height = if at == BlockId::Latest { head } else { view.height_of(at)? };
    if height <= head {
        return Ok(height);
    }
    let expected = format_args!("at most {head}, the height of the head");
    Err(Error::new(Reason::InvalidArgument, expected, height))
}
