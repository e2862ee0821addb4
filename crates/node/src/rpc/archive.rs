//! The methods of a proof server: proofs of `smt` come from snapshot files, all else from the node that
//! writes them.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Instant;

use jsonrpsee::RpcModule;
use jsonrpsee::core::RegisterMethodError;
use jsonrpsee::types::Params;
use prooflight_core::{Error, Reason, Result, Scheme};
use prooflight_smt::snapshot::SnapshotReader;
use prooflight_vectors::carrier::Hex;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Value, json};
use tokio::sync::Semaphore;

use super::method::{Bounds, Call, Serving, method, method_of};
use super::{Quantity, RequestLimits};
use crate::follow::Leader;
use crate::metrics::Metrics;
use crate::schemes::{ProvedRange, SmtProofs};

/// What the methods work on.
pub struct Archive {
    /// Proofs from the files.
    pub proofs: SmtProofs,
    /// The node that writes them.
    pub node: Leader,
    /// What requests may ask for.
    pub limits: RequestLimits,
    /// What is counted.
    pub metrics: Metrics,
    reads: Arc<Semaphore>,
}

impl Archive {
    /// A proof server over files and beside the node that writes them.
    pub fn new(proofs: SmtProofs, node: Leader, limits: RequestLimits, metrics: Metrics) -> Self {
        let reads = Arc::new(Semaphore::new(limits.reads));
        Self { proofs, node, limits, metrics, reads }
    }

    /// Runs something that reads the files, away from the threads that serve connections.
    async fn read<T: Send + 'static>(
        &self,
        run: impl FnOnce(&SnapshotReader) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let permit = self.reads.clone().acquire_owned().await;
        let permit =
            permit.map_err(|_| Error::new(Reason::Busy, "a running server", "one that stops"))?;
        let (reader, metrics) = (self.proofs.reader()?, self.metrics.clone());
        let reading = tokio::task::spawn_blocking(move || {
            let started = Instant::now();
            let result = run(&reader);
            metrics.proved(Scheme::Smt, started.elapsed());
            drop(permit);
            result
        });
        reading.await.map_err(|error| Error::new(Reason::Bug, "an answer", error))?
    }

    /// The height of a block by its name, which the node knows; of the newest one the files know it.
    async fn height_of(&self, at: &Value) -> Result<u64> {
        match at.as_str() {
            Some("latest") => self.read(|reader| Ok(reader.refresh()?.newest)).await,
            Some(text) if text.len() <= 18 => Ok(parse::<Quantity>(at)?.0),
            _ => {
                let header: HeaderReply =
                    self.node.ask("prooflight_header", json!({ "at": at })).await?;
                Ok(header.height.0)
            }
        }
    }

    /// A proof about a range, with its headers.
    async fn place(
        &self,
        range: ProvedRange,
        heights: BTreeSet<u64>,
        head: Value,
    ) -> Result<Value> {
        let heights: Vec<_> =
            heights.into_iter().map(|height| Quantity(height).to_string()).collect();
        let params = json!({ "heights": heights, "head": head });
        let mut reply: Value = self.node.ask("prooflight_headers", params).await?;
        let Some(members) = reply.as_object_mut() else {
            return Err(Error::new(Reason::InvalidResult, "headers", "another result"));
        };
        members.insert("proof".to_owned(), Hex(range.proof).to_string().into());
        Ok(reply)
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
            call.context.node.ask::<Box<RawValue>>(name, params).await
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
    header: Value,
    scheme: &'static str,
    proof: Hex,
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
    let proved = archive.read(move |reader| {
        let keys: Vec<&[u8]> = keys.iter().map(|Hex(key)| &key[..]).collect();
        reader.prove(height, &keys)
    });
    let proof = Hex(proved.await?.proof);
    let at = json!({ "at": Quantity(height).to_string() });
    let header = archive.node.ask("prooflight_header", at).await?;
    Ok(Proved { header, scheme: Scheme::Smt.as_str(), proof })
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

async fn history(call: Call<Archive>, asked: History) -> Result<Value> {
    let History { key: Hex(key), from: Quantity(from), to, head } = asked;
    let archive = &call.context;
    let last = archive.height_of(&to).await?;
    let proved = archive.read(move |reader| reader.history(&key, from, last)).await?;
    let range = ProvedRange { roots: proved.roots, proof: proved.proof };
    let heights = range.heights(from);
    archive.place(range, heights, head_of(head, &to, last)).await
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

async fn diff(call: Call<Archive>, Diff { from, to, head }: Diff) -> Result<Value> {
    let archive = &call.context;
    let last = archive.height_of(&to).await?;
    let after = from.map(|from| from.0);
    let proved = archive.read(move |reader| reader.diff(after, last)).await?;
    let range = ProvedRange { roots: vec![(last, proved.root)], proof: proved.proof };
    archive.place(range, BTreeSet::from([last]), head_of(head, &to, last)).await
}
