//! The methods of a proof server: proofs of `smt` come from snapshot files, all else from the node that
//! writes them.

use std::collections::BTreeSet;
use std::sync::Arc;

use jsonrpsee::RpcModule;
use jsonrpsee::core::RegisterMethodError;
use jsonrpsee::types::Params;
use prooflight_core::{Error, Reason, Result, Scheme};
use prooflight_vectors::carrier::{Hex, Quantity};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::RequestLimits;
use super::json::{Json, json as written};
use super::method::{Bounds, Call, Serving, method, method_of};
use crate::blocking::Workers;
use crate::follow::Leader;
use crate::metrics::Metrics;
use crate::schemes::{self, SchemeProver as _, SmtProofs};

/// What the methods work on.
pub struct Archive {
    /// Proofs from the files.
    pub proofs: Arc<SmtProofs>,
    /// The node that writes them.
    pub node: Leader,
    /// What requests may ask for.
    pub limits: RequestLimits,
    /// What is counted.
    pub metrics: Metrics,
    /// Where the files are read.
    pub workers: Workers,
}

impl Archive {
    /// Makes a proof, and of it an answer.
    async fn prove<P, T: Send + 'static>(
        &self,
        prove: impl FnOnce(&SmtProofs) -> Result<P> + Send + 'static,
        answer: impl FnOnce(P) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let (proofs, metrics) = (self.proofs.clone(), self.metrics.clone());
        let proof = move || answer(metrics.proving(Scheme::Smt, || prove(&proofs))?);
        self.workers.prove(proof).await
    }

    /// The height of a block by its name, which the node knows; of the newest one the files know it.
    async fn height_of(&self, at: &Value) -> Result<u64> {
        match at.as_str() {
            Some("latest") => {
                let proofs = self.proofs.clone();
                self.workers.read(move || proofs.newest()).await
            }
            Some(text) if text.len() <= 18 => Ok(parse::<Quantity>(at)?.0),
            _ => {
                let header: HeaderReply =
                    self.node.relay("prooflight_header", json!({ "at": at })).await?;
                Ok(header.height.0)
            }
        }
    }

    /// The headers that a proof about a range rests on.
    async fn headers(&self, heights: BTreeSet<u64>, head: Value) -> Result<PlacedHeaders> {
        let heights: Vec<_> =
            heights.into_iter().map(|height| Quantity(height).to_string()).collect();
        let params = json!({ "heights": heights, "head": head });
        self.node.relay("prooflight_headers", params).await
    }
}

impl Serving for Archive {
    fn bounds(&self) -> Bounds<'_> {
        Bounds { time: self.limits.time, metrics: &self.metrics }
    }
}

/// The methods.
pub fn module(archive: Archive) -> Result<RpcModule<Archive>, RegisterMethodError> {
    let mut module = RpcModule::new(archive);
    method(&mut module, "prooflight_prove", prove)?;
    method(&mut module, "prooflight_history", history)?;
    method(&mut module, "prooflight_diff", diff)?;
    for name in FORWARDED {
        let forward = move |call: Call<Archive>, params: Value| async move {
            call.context.node.relay::<Json>(name, params).await
        };
        method_of(&mut module, name, as_it_is, forward)?;
    }
    Ok(module)
}

/// What only the node knows.
const FORWARDED: [&str; 6] = [
    "prooflight_chain",
    "prooflight_head",
    "prooflight_header",
    "prooflight_headerProof",
    "prooflight_headers",
    "prooflight_block",
];

fn as_it_is(params: &Params<'_>) -> Result<Value> {
    serde_json::from_str(params.as_str().unwrap_or("{}"))
        .map_err(|error| Error::new(Reason::InvalidArgument, "the parameters of the method", error))
}

/// The head of an answer up to the newest block that the files have is that block itself.
fn head_of(head: Value, to: &Value, last: u64) -> Value {
    if head == latest() && *to == latest() { Quantity(last).to_string().into() } else { head }
}

fn latest() -> Value {
    "latest".into()
}

fn parse<T: serde::de::DeserializeOwned>(value: &Value) -> Result<T> {
    T::deserialize(value)
        .map_err(|error| Error::new(Reason::InvalidArgument, "the parameters of the method", error))
}

/// What matters of a header: its height.
#[derive(Deserialize)]
struct HeaderReply {
    height: Quantity,
}

/// Headers as the node wrote them.
#[derive(Clone, Deserialize, Serialize)]
struct PlacedHeaders {
    head: Json,
    headers: Json,
    hashes: Json,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Prove {
    scheme: String,
    keys: Vec<Hex>,
    #[serde(default = "latest")]
    at: Value,
}

/// A proof, with the header that it is against.
#[derive(Clone, Serialize)]
struct Proved {
    header: Json,
    scheme: &'static str,
    proof: Json,
}

async fn prove(call: Call<Archive>, Prove { scheme, keys, at }: Prove) -> Result<Proved> {
    let archive = &call.context;
    if scheme != Scheme::Smt.as_str() {
        return Err(Error::new(Reason::UnknownStatement, "the scheme smt", scheme));
    }
    let limit = archive.limits.keys;
    if keys.len() > limit {
        let expected = format_args!("at most {limit} keys");
        return Err(Error::new(Reason::TooManyOperations, expected, keys.len()));
    }
    let height = archive.height_of(&at).await?;
    let prove = move |proofs: &SmtProofs| {
        let keys: Vec<&[u8]> = keys.iter().map(|Hex(key)| &key[..]).collect();
        proofs.reader()?.prove(height, &keys)
    };
    let proof = archive.prove(prove, |proved| written(&Hex(proved.proof))).await?;
    let at = json!({ "at": Quantity(height).to_string() });
    let header = archive.node.relay("prooflight_header", at).await?;
    Ok(Proved { header, scheme: Scheme::Smt.as_str(), proof })
}

/// A proof about a range of blocks, with the headers that it rests on.
#[derive(Clone, Serialize)]
struct ProvedRange {
    #[serde(flatten)]
    headers: PlacedHeaders,
    proof: Json,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct History {
    key: Hex,
    from: Quantity,
    #[serde(default = "latest")]
    to: Value,
    #[serde(default = "latest")]
    head: Value,
}

async fn history(call: Call<Archive>, asked: History) -> Result<ProvedRange> {
    let History { key: Hex(key), from: Quantity(from), to, head } = asked;
    let archive = &call.context;
    let last = archive.height_of(&to).await?;
    let prove = move |proofs: &SmtProofs| proofs.history(&key, from, last);
    let answer =
        move |range: schemes::ProvedRange| Ok((range.heights(from), written(&Hex(range.proof))?));
    let (heights, proof) = archive.prove(prove, answer).await?;
    let headers = archive.headers(heights, head_of(head, &to, last)).await?;
    Ok(ProvedRange { headers, proof })
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Diff {
    #[serde(default)]
    from: Option<Quantity>,
    #[serde(default = "latest")]
    to: Value,
    #[serde(default = "latest")]
    head: Value,
}

async fn diff(call: Call<Archive>, Diff { from, to, head }: Diff) -> Result<ProvedRange> {
    let archive = &call.context;
    let last = archive.height_of(&to).await?;
    let prove = move |proofs: &SmtProofs| proofs.diff(from.map(|from| from.0), last);
    let proof = archive.prove(prove, |range| written(&Hex(range.proof))).await?;
    let headers = archive.headers(BTreeSet::from([last]), head_of(head, &to, last)).await?;
    Ok(ProvedRange { headers, proof })
}
