//! HTTP handling in front of JSON-RPC: plain GET requests, tokens, and the time limit.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context as TaskContext, Poll};

use http::header::CONNECTION;
use http::{HeaderValue, StatusCode};
use http_body_util::BodyExt;
use jsonrpsee::server::{HttpBody, HttpRequest, HttpResponse};
use jsonrpsee::types::{Id, Response, ResponsePayload};
use prooflight_core::{Error, Reason};
use tower::{Layer, Service};

use super::pages::{StatusPage, StatusPages, respond};
use super::{RequestPolicy, ServerLimits};
use crate::api::clients::ClientRegistry;
use crate::chain::wire::to_object;
use crate::runtime::blocking::ClientId;

/// Answers plain GET requests, finds the client of each request, and ends requests that take too long.
#[derive(Clone)]
pub struct HttpLayer {
    /// The limits of the port.
    pub limits: ServerLimits,
    /// The clients and their rules.
    pub clients: Arc<ClientRegistry>,
    /// The pages.
    pub pages: StatusPages,
    /// The origins and host names that are accepted.
    pub policy: RequestPolicy,
    /// Whether `/ready` and `/metrics` need a token.
    pub private: bool,
    /// The limit that this connection exceeds; it then gets only this refusal.
    pub refusal: Option<ConnectionLimit>,
}

/// A limit on the number of connections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConnectionLimit {
    /// On all connections.
    All,
    /// On the connections of an address.
    Address,
}

impl<S> Layer<S> for HttpLayer {
    type Service = HttpService<S>;

    fn layer(&self, inner: S) -> HttpService<S> {
        HttpService { inner, layer: self.clone() }
    }
}

/// A service behind a [`HttpLayer`].
#[derive(Clone)]
pub struct HttpService<S> {
    inner: S,
    layer: HttpLayer,
}

pub(super) type HttpFuture<E> = Pin<Box<dyn Future<Output = Result<HttpResponse, E>> + Send>>;

impl<S> Service<HttpRequest> for HttpService<S>
where
    S: Service<HttpRequest, Response = HttpResponse>,
    S::Future: Send + 'static,
    S::Error: Send + 'static,
{
    type Response = HttpResponse;
    type Error = S::Error;
    type Future = HttpFuture<S::Error>;

    fn poll_ready(&mut self, context: &mut TaskContext<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, mut request: HttpRequest) -> Self::Future {
        if self.layer.refusal.is_some() {
            let mut response = self.layer.refused(StatusCode::TOO_MANY_REQUESTS);
            response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
            return Box::pin(async move { Ok(response) });
        }
        let layer = self.layer.clone();
        // Every connection has a client.
        let client = request.extensions().get().copied().unwrap_or(ClientId::Local(0));
        let account = layer.clients.of(request.headers(), client);
        if let Some(page) = StatusPage::of(&request) {
            if layer.private && page != StatusPage::Health && !account.has_token() {
                let expected = "the header Authorization: Bearer with the token of this listener";
                let error = Error::new(Reason::NotAuthorised, expected, "another, or none");
                return Box::pin(async move { Ok(layer.refuse(StatusCode::UNAUTHORIZED, &error)) });
            }
            return Box::pin(async move {
                let shown = tokio::time::timeout(layer.limits.request_time, layer.pages.show(page));
                Ok(shown.await.unwrap_or_else(|_| layer.refused(StatusCode::REQUEST_TIMEOUT)))
            });
        }
        request.extensions_mut().insert(account);
        let read = Arc::new(AtomicU64::new(0));
        let inner = self.inner.call(request.map(|body| counted(body, read.clone())));
        Box::pin(async move {
            let time = layer.limits.request_time;
            let Ok(response) = tokio::time::timeout(time, inner).await else {
                return Ok(layer.refused(StatusCode::REQUEST_TIMEOUT));
            };
            let response = response?;
            // jsonrpsee reports an early end of a body without a declared length as an internal error.
            let too_large = read.load(Ordering::Relaxed) > layer.limits.request_bytes.into()
                || response.status() == StatusCode::PAYLOAD_TOO_LARGE;
            Ok(if too_large { layer.refused(StatusCode::PAYLOAD_TOO_LARGE) } else { response })
        })
    }
}

impl HttpLayer {
    /// Refuses a whole request, as a JSON-RPC error with a null id.
    fn refused(&self, status: StatusCode) -> HttpResponse {
        let limits = &self.limits;
        let error = match status {
            StatusCode::PAYLOAD_TOO_LARGE => {
                let expected = format_args!("at most {} bytes", limits.request_bytes);
                Error::new(Reason::RequestTooLarge, expected, "more")
            }
            StatusCode::REQUEST_TIMEOUT => {
                let expected = format_args!("a request within {:?}", limits.request_time);
                Error::new(Reason::RequestTimeout, expected, "one that has not ended")
            }
            _ => {
                let expected = match self.refusal {
                    Some(ConnectionLimit::Address) => {
                        format!(
                            "at most {} connections of an address",
                            limits.connections_per_address
                        )
                    }
                    _ => format!("at most {} connections", limits.connections),
                };
                Error::new(Reason::Busy, expected, "more")
            }
        };
        self.refuse(status, &error)
    }

    /// Refuses a whole request with this error.
    pub(super) fn refuse(&self, status: StatusCode, error: &Error) -> HttpResponse {
        self.pages.metrics.refused("http", error);
        let body = Response::new(ResponsePayload::<()>::error(to_object(error)), Id::Null);
        // Plain data with plain strings: serialization cannot fail.
        let body = serde_json::to_string(&body).unwrap_or_default();
        respond(status, "application/json", body)
    }
}

/// Wraps a body to count the bytes read from it.
fn counted(body: HttpBody, read: Arc<AtomicU64>) -> HttpBody {
    HttpBody::new(body.map_frame(move |frame| {
        let bytes = frame.data_ref().map_or(0, |data| data.len() as u64);
        read.fetch_add(bytes, Ordering::Relaxed);
        frame
    }))
}
