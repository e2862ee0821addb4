//! The node that is followed, as far as it is asked: its head, and its blocks.

use std::collections::BTreeMap;
use std::time::Duration;

use http::header::CONTENT_TYPE;
use http::{HeaderValue, Method, Request, Uri};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use hyper_util::client::legacy::{Client, connect::HttpConnector};
use hyper_util::rt::TokioExecutor;
use jsonrpsee::server::HttpBody;
use prooflight_core::chain::{SignedHeader, StateOperation};
use prooflight_core::{Error, Limits, Reason, Result, Scheme};
use prooflight_vectors::carrier::{Hex, Quantity};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::rpc::OperationJson;
use crate::server::REPLY_BYTES;
use crate::{Block, Body};

/// A node that is asked over HTTP. What it answers is decoded, and nothing of it believed.
///
/// `unreachable`, `request_timeout`, `server_error` and `invalid_reply` say that it gave no result,
/// `invalid_result` and the reasons of headers that the result is not one.
#[derive(Debug)]
pub struct Leader {
    client: Client<HttpConnector, HttpBody>,
    url: Uri,
    time: Duration,
}

impl Leader {
    /// A leader of whom every answer must come within `time`.
    ///
    /// `invalid_argument` if the URL is not one of HTTP, or has a name or password in it.
    pub fn new(url: &str, time: Duration) -> Result<Self> {
        let wrong = |found: &dyn core::fmt::Display| {
            Error::new(Reason::InvalidArgument, "the URL of a node, http://HOST:PORT", found)
        };
        let url: Uri = url.parse().map_err(|error| wrong(&error))?;
        match (url.scheme_str(), url.authority()) {
            (Some("http"), Some(host)) if !host.as_str().contains('@') => {}
            (Some("http"), _) => return Err(wrong(&"another form")),
            _ => return Err(wrong(&"another scheme, or none")),
        }
        let client = Client::builder(TokioExecutor::new()).build_http();
        Ok(Self { client, url, time })
    }

    /// The newest header.
    pub async fn head(&self) -> Result<SignedHeader> {
        let head: HeaderReply = self.ask("prooflight_head", json!({})).await?;
        head.decode()
    }

    /// The block of a height; `wrong_block` if another comes.
    pub async fn block(&self, height: u64) -> Result<Block> {
        let at = json!({ "at": Quantity(height).to_string() });
        let block: BlockReply = self.ask("prooflight_block", at).await?;
        let block = block.decode()?;
        let found = block.header.header.height;
        if found != height {
            return Err(Error::new(Reason::WrongBlock, format_args!("block {height}"), found));
        }
        Ok(block)
    }

    /// The result of a method.
    pub(crate) async fn ask<T: DeserializeOwned>(
        &self,
        method: &'static str,
        params: Value,
    ) -> Result<T> {
        let call = json!({ "jsonrpc": "2.0", "id": ID, "method": method, "params": params });
        let reply = tokio::time::timeout(self.time, self.post(call.to_string())).await;
        let reply = reply.unwrap_or_else(|_| {
            let expected = format_args!("an answer within {:?}", self.time);
            Err(Error::new(Reason::RequestTimeout, expected, "none yet"))
        })?;
        let reply: Reply = serde_json::from_slice(&reply)
            .map_err(|error| refused(Reason::InvalidReply, "a reply of JSON-RPC", &error))?;
        let result = match reply {
            Reply { error: Some(error), .. } => {
                return Err(refused(Reason::ServerError, "a result", &error));
            }
            Reply { id: Some(ID), result: Some(result), .. } => result,
            Reply { .. } => {
                return Err(refused(Reason::InvalidReply, "a reply to the call", &"another"));
            }
        };
        serde_json::from_str(result.get())
            .map_err(|error| refused(Reason::InvalidResult, method, &error))
    }

    /// The body of the answer to a request.
    async fn post(&self, body: String) -> Result<Vec<u8>> {
        let mut request = Request::new(HttpBody::from(body));
        *request.method_mut() = Method::POST;
        *request.uri_mut() = self.url.clone();
        request.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        let response = self.client.request(request).await;
        let response =
            response.map_err(|error| refused(Reason::Unreachable, "an answer", &error))?;
        if !response.status().is_success() {
            return Err(refused(Reason::ServerError, "the status 200", &response.status()));
        }
        let most = usize::try_from(REPLY_BYTES).unwrap_or(usize::MAX);
        match Limited::new(response.into_body(), most).collect().await {
            Ok(body) => Ok(body.to_bytes().into()),
            Err(error) if error.is::<LengthLimitError>() => {
                let expected = format!("at most {most} bytes");
                Err(refused(Reason::InvalidReply, &expected, &"more"))
            }
            Err(error) => Err(refused(Reason::Unreachable, "a whole answer", &error)),
        }
    }
}

/// Every call has a connection of HTTP for itself, so that all may have the same id.
const ID: u32 = 1;

/// A reply of JSON-RPC, as far as it matters.
#[derive(Deserialize)]
struct Reply {
    id: Option<u32>,
    result: Option<Box<RawValue>>,
    error: Option<Box<RawValue>>,
}

/// What matters of a header.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct HeaderReply {
    signed_header: Hex,
}

impl HeaderReply {
    fn decode(&self) -> Result<SignedHeader> {
        SignedHeader::decode(&self.signed_header.0, &Limits::default())
    }
}

/// What matters of a block.
#[derive(Deserialize)]
struct BlockReply {
    header: HeaderReply,
    ops: Vec<OperationJson>,
    transitions: BTreeMap<String, Hex>,
}

impl BlockReply {
    fn decode(self) -> Result<Block> {
        let scheme = |name: &str| {
            Scheme::ALL
                .into_iter()
                .find(|scheme| scheme.as_str() == name)
                .ok_or_else(|| refused(Reason::InvalidResult, "transitions of schemes", &name))
        };
        let transitions = self.transitions.into_iter();
        let mut transitions = transitions
            .map(|(name, Hex(proof))| Ok((scheme(&name)?.id(), proof)))
            .collect::<Result<Vec<_>>>()?;
        transitions.sort_unstable_by_key(|(id, _)| *id);
        let operations = self.ops.into_iter().map(StateOperation::from).collect();
        Ok(Block { header: self.header.decode()?, body: Body { operations, transitions } })
    }
}

/// A refusal that quotes another node: short, and without characters that would do something to a
/// log.
fn refused(reason: Reason, expected: &str, found: &dyn core::fmt::Display) -> Error {
    let short: String = found.to_string().chars().take(200).collect();
    Error::new(reason, expected, format_args!("{short:?}"))
}
