//! The client side of the node being followed: fetches its head and its blocks.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use http::header::{AUTHORIZATION, CONTENT_TYPE};
use http::{HeaderValue, Method, Request, StatusCode, Uri};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use hyper_util::client::legacy::{Client, connect::HttpConnector};
use hyper_util::rt::TokioExecutor;
use jsonrpsee::server::HttpBody;
use prooflight_core::chain::{SignedHeader, StateOperation};
use prooflight_core::{Error, Limits, Reason, Result, Scheme};
use prooflight_json::{HexBytes, OperationJson, Quantity};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::progress::KnownHead;
use crate::chain::wire::ErrorDetails;
use crate::runtime::answer_memory::MAX_REPLY_BYTES;
use crate::{Block, BlockBody};

/// Queries a node over HTTP. Replies are decoded; nothing in them is trusted.
///
/// `unreachable`, `request_timeout`, `server_error` and `invalid_reply` mean that it returned no
/// result; `invalid_result` and the reasons of header decoding mean that the result is malformed.
#[derive(Clone, Debug)]
pub struct LeaderClient {
    client: Client<HttpConnector, HttpBody>,
    url: Uri,
    time: Duration,
    /// The header with the bearer token, if there is one.
    token: Option<HeaderValue>,
}

impl LeaderClient {
    /// Creates a client for a leader; each reply must arrive within `time`.
    ///
    /// `invalid_argument` if the URL is not an HTTP URL, or contains a user name or password.
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
        Ok(Self { client, url, time, token: None })
    }

    /// Sends a bearer token with every request; `invalid_argument` if no header can have it.
    pub fn with_token(self, token: &str) -> Result<Self> {
        let token = HeaderValue::from_str(&format!("Bearer {token}"));
        let mut token = token.map_err(|_| {
            Error::new(Reason::InvalidArgument, "a token of visible ASCII", "other characters")
        })?;
        token.set_sensitive(true);
        Ok(Self { token: Some(token), ..self })
    }

    /// Fetches the newest header.
    pub async fn head(&self) -> Result<SignedHeader> {
        let head: HeaderReply = self.ask("prooflight_head", json!({})).await?;
        head.decode()
    }

    /// Fetches the block at a height; `wrong_block` if the reply is another block.
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

    /// Whether the node answers that it is ready. A node that does not answer in time is not.
    pub(crate) async fn ready(&self) -> bool {
        let mut request = Request::new(HttpBody::empty());
        let Ok(uri) = Uri::builder()
            .scheme("http")
            .authority(self.url.authority().map_or("", |host| host.as_str()))
            .path_and_query("/ready")
            .build()
        else {
            return false;
        };
        *request.uri_mut() = uri;
        match tokio::time::timeout(self.time, self.client.request(request)).await {
            Ok(Ok(response)) => response.status().is_success(),
            Ok(Err(_)) | Err(_) => false,
        }
    }

    /// Fetches the newest height that the node knows of, which may be that of its own leader.
    ///
    /// `None` if the node knows of no height. The height only affects when a replica calls itself ready. So a node that
    /// does not have the method, or whose answer is malformed, counts as one that has every block.
    pub(super) async fn progress(&self) -> Option<KnownHead> {
        let reply = self.ask::<ProgressReply>("prooflight_progress", json!({})).await;
        let now = Instant::now();
        let Ok(ProgressReply { newest, age_ms }) = reply else {
            return Some(KnownHead { height: 0, at: now });
        };
        let at = now.checked_sub(Duration::from_millis(age_ms?.0))?;
        Some(KnownHead { height: newest?.0, at })
    }

    /// The time limit of an answer.
    pub(crate) const fn time(&self) -> Duration {
        self.time
    }

    /// Calls a method with these parameters and returns its result.
    pub(crate) async fn ask_with<T: DeserializeOwned>(
        &self,
        method: &'static str,
        params: &impl Serialize,
    ) -> Result<T> {
        let params = serde_json::to_value(params)
            .map_err(|error| Error::new(Reason::Bug, "parameters in JSON", error))?;
        self.ask(method, params).await
    }

    /// Calls a method and returns its result.
    pub(crate) async fn ask<T: DeserializeOwned>(
        &self,
        method: &'static str,
        params: Value,
    ) -> Result<T> {
        self.call(method, params).await?.map_err(|refusal| refusal.quoted())
    }

    /// Calls a method on behalf of another client, which gets the node's own reason if it refuses.
    pub(crate) async fn relay<T: DeserializeOwned>(
        &self,
        method: &'static str,
        params: Value,
    ) -> Result<T> {
        self.call(method, params).await?.map_err(|refusal| refusal.forwarded())
    }

    /// Calls a method. The inner result is the node's result or refusal; the outer error means that
    /// neither arrived.
    async fn call<T: DeserializeOwned>(
        &self,
        method: &'static str,
        params: Value,
    ) -> Result<Result<T, RpcRefusal>> {
        let call = json!({ "jsonrpc": "2.0", "id": CALL_ID, "method": method, "params": params });
        let reply = tokio::time::timeout(self.time, self.post(call.to_string())).await;
        let (status, reply) = reply.unwrap_or_else(|_| {
            let expected = format_args!("an answer within {:?}", self.time);
            Err(Error::new(Reason::RequestTimeout, expected, "none yet"))
        })?;
        let reply = match serde_json::from_slice(&reply) {
            // A refused request also has an error status.
            Ok(RpcReply { error: Some(error), .. }) => {
                return Ok(Err(RpcRefusal(error.to_owned())));
            }
            _ if !status.is_success() => {
                return Err(quote(Reason::ServerError, "the status 200", &status));
            }
            reply => reply,
        };
        let reply =
            reply.map_err(|error| quote(Reason::InvalidReply, "a reply of JSON-RPC", &error))?;
        let RpcReply { id: Some(CALL_ID), result: Some(result), .. } = reply else {
            return Err(quote(Reason::InvalidReply, "a reply to the call", &"another"));
        };
        serde_json::from_str(result.get())
            .map(Ok)
            .map_err(|error| quote(Reason::InvalidResult, method, &error))
    }

    /// Posts a request; returns the status and body of the response.
    async fn post(&self, body: String) -> Result<(StatusCode, Vec<u8>)> {
        let mut request = Request::new(HttpBody::from(body));
        *request.method_mut() = Method::POST;
        *request.uri_mut() = self.url.clone();
        request.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        if let Some(token) = &self.token {
            request.headers_mut().insert(AUTHORIZATION, token.clone());
        }
        let response = self.client.request(request).await;
        let response = response.map_err(|error| quote(Reason::Unreachable, "an answer", &error))?;
        let status = response.status();
        let most = usize::try_from(MAX_REPLY_BYTES).unwrap_or(usize::MAX);
        match Limited::new(response.into_body(), most).collect().await {
            Ok(body) => Ok((status, body.to_bytes().into())),
            Err(error) if error.is::<LengthLimitError>() => {
                let expected = format!("at most {most} bytes");
                Err(quote(Reason::InvalidReply, &expected, &"more"))
            }
            Err(error) => Err(quote(Reason::Unreachable, "a whole answer", &error)),
        }
    }
}

impl core::fmt::Display for LeaderClient {
    /// Shows the origin of the URL only: the path may hold a key.
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "http://{}", self.url.authority().map_or("", |host| host.as_str()))
    }
}

/// Each call is an HTTP exchange of its own, so all can share one id.
const CALL_ID: u32 = 1;

/// The fields used of a JSON-RPC reply.
#[derive(Deserialize)]
struct RpcReply<'r> {
    id: Option<u32>,
    #[serde(borrow)]
    result: Option<&'r RawValue>,
    #[serde(borrow)]
    error: Option<&'r RawValue>,
}

/// The error in a reply.
#[derive(Debug)]
struct RpcRefusal(Box<RawValue>);

impl RpcRefusal {
    /// Returns an error that quotes the leader's refusal.
    fn quoted(&self) -> Error {
        quote(Reason::ServerError, "a result", &self.0)
    }

    /// Returns the same refusal as this node's error. A refusal whose reason this program does not know is quoted.
    fn forwarded(&self) -> Error {
        #[derive(Deserialize)]
        struct RefusalFields {
            data: ErrorDetails,
        }
        let known = |name: &str| Reason::ALL.iter().find(|reason| reason.as_str() == name);
        let typed = serde_json::from_str(self.0.get()).ok().and_then(|RefusalFields { data }| {
            Some(Error::new(
                *known(&data.reason)?,
                sanitized(&data.expected),
                sanitized(&data.found),
            ))
        });
        typed.unwrap_or_else(|| self.quoted())
    }
}

/// The fields used of a node's progress.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ProgressReply {
    newest: Option<Quantity>,
    age_ms: Option<Quantity>,
}

/// The fields used of a header.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct HeaderReply {
    signed_header: HexBytes,
}

impl HeaderReply {
    pub(crate) fn decode(&self) -> Result<SignedHeader> {
        SignedHeader::decode(&self.signed_header.0, &Limits::default())
    }
}

/// The fields used of a block.
#[derive(Deserialize)]
struct BlockReply {
    header: HeaderReply,
    ops: Vec<OperationJson>,
    transitions: BTreeMap<String, HexBytes>,
}

impl BlockReply {
    fn decode(self) -> Result<Block> {
        let scheme = |name: &str| {
            Scheme::named(name)
                .ok_or_else(|| quote(Reason::InvalidResult, "transitions of schemes", &name))
        };
        let transitions = self.transitions.into_iter();
        let mut transitions = transitions
            .map(|(name, HexBytes(proof))| Ok((scheme(&name)?.id(), proof)))
            .collect::<Result<Vec<_>>>()?;
        transitions.sort_unstable_by_key(|(id, _)| *id);
        let operations = self.ops.into_iter().map(StateOperation::from).collect();
        Ok(Block { header: self.header.decode()?, body: BlockBody { operations, transitions } })
    }
}

/// Returns an error that quotes another node.
fn quote(reason: Reason, expected: &str, found: &dyn core::fmt::Display) -> Error {
    Error::new(reason, expected, format_args!("{:?}", sanitized(&found.to_string())))
}

/// Shortens text from another node, and removes characters that could corrupt a log.
fn sanitized(text: &str) -> String {
    text.chars().filter(|character| !character.is_control()).take(200).collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;
    use crate::chain::wire::to_object;

    fn refusal(error: &Value) -> RpcRefusal {
        RpcRefusal(serde_json::value::to_raw_value(error).unwrap())
    }

    #[test]
    fn every_refusal_of_a_node_is_passed_on_as_it_is() {
        for &reason in Reason::ALL {
            let refused = Error::new(reason, "at most \"8\"", "9");
            let refusal = refusal(&json!(to_object(&refused)));
            assert_eq!(refusal.forwarded(), refused);
            assert_eq!(refusal.quoted().reason(), Reason::ServerError);
        }
    }

    #[test]
    fn what_is_no_refusal_of_a_node_is_quoted_and_tame() {
        let data =
            |reason: &str| json!({ "code": "", "reason": reason, "expected": "", "found": "" });
        for error in [
            json!("no"),
            json!({}),
            json!({ "code": -32601, "message": "Method not found" }),
            json!({ "data": "busy" }),
            json!({ "data": { "reason": "busy" } }),
            json!({ "data": data("a reason of a later version") }),
        ] {
            let (passed_on, quoted) = (refusal(&error).forwarded(), refusal(&error).quoted());
            assert_eq!((passed_on.reason(), &passed_on), (Reason::ServerError, &quoted), "{error}");
        }
        let mut long = data("busy");
        long["found"] = json!(format!("\u{1b}[2J\n{}", "9".repeat(10_000)));
        let passed_on = refusal(&json!({ "data": long })).forwarded();
        assert_eq!((passed_on.reason(), passed_on.found().len()), (Reason::Busy, 200));
        assert!(passed_on.found().starts_with("[2J99"), "{passed_on}");
    }
}
