//! One port for JSON-RPC over HTTP and WebSocket, and for `/health`, `/ready` and `/metrics`.

use std::net::SocketAddr;
use std::pin::Pin;
use std::task::{Context as TaskContext, Poll};
use std::time::Duration;

use http::header::{AUTHORIZATION, CONTENT_TYPE};
use http::{HeaderValue, Method, StatusCode};
use jsonrpsee::server::{
    BatchRequestConfig, HttpBody, HttpRequest, HttpResponse, PingConfig, Server, ServerConfig,
    ServerHandle,
};
use jsonrpsee::{Methods, RpcModule};
use prooflight_core::{Error, Reason, Result};
use tokio::sync::watch;
use tower::{Layer, Service};
use tower_http::cors::{AllowOrigin, Any, CorsLayer};
use tower_http::timeout::TimeoutLayer;

use crate::View;
use crate::metrics::Metrics;
use crate::rpc::{Context, MaySubmit};

/// What the port takes at most.
#[derive(Clone, Debug)]
pub struct ServerLimits {
    /// Bytes of a request.
    pub request_bytes: u32,
    /// Bytes of a reply.
    pub reply_bytes: u32,
    /// Calls of a batch.
    pub batch: u32,
    /// Connections.
    pub connections: u32,
    /// Subscriptions of a connection.
    pub subscriptions: u32,
    /// How long an HTTP request may take, from its first byte to its reply.
    pub request_time: Duration,
}

/// Who may ask.
#[derive(Clone, Default)]
pub struct Access {
    /// The token that submitting needs, if it needs one.
    pub token: Option<String>,
    /// The origins whose pages may ask; all if there are none.
    pub origins: Vec<String>,
}

/// Starts to serve; returns the address and the handle that stops it.
///
/// `invalid_argument` if it cannot listen there, or an origin is not one.
pub async fn start(
    listen: SocketAddr,
    module: RpcModule<Context>,
    limits: &ServerLimits,
    access: Access,
    views: watch::Receiver<View>,
    metrics: Metrics,
) -> Result<(SocketAddr, ServerHandle)> {
    let config = ServerConfig::builder()
        .max_request_body_size(limits.request_bytes)
        .max_response_body_size(limits.reply_bytes)
        .max_connections(limits.connections)
        .max_subscriptions_per_connection(limits.subscriptions)
        .set_batch_request_config(BatchRequestConfig::Limit(limits.batch))
        .set_first_request_timeout(Some(limits.request_time))
        // What a reader has not taken of its subscriptions; one that takes none is disconnected.
        .set_message_buffer_capacity(64)
        .enable_ws_ping(PingConfig::new().inactive_limit(limits.request_time))
        .build();
    let middleware = tower::ServiceBuilder::new()
        .layer(cors(&access.origins)?)
        .layer(TimeoutLayer::with_status_code(StatusCode::REQUEST_TIMEOUT, limits.request_time))
        .layer(Front { token: access.token.map(Into::into), views, metrics });
    let cannot = |error: &dyn core::fmt::Display| {
        Error::new(Reason::InvalidArgument, format_args!("to listen on {listen}"), error)
    };
    let server = Server::builder()
        .set_config(config)
        .set_http_middleware(middleware)
        .build(listen)
        .await
        .map_err(|error| cannot(&error))?;
    let address = server.local_addr().map_err(|error| cannot(&error))?;
    Ok((address, server.start(Methods::from(module))))
}

fn cors(origins: &[String]) -> Result<CorsLayer> {
    let layer = CorsLayer::new()
        .allow_methods([Method::GET, Method::POST])
        .allow_headers([CONTENT_TYPE, AUTHORIZATION]);
    if origins.is_empty() {
        return Ok(layer.allow_origin(Any));
    }
    let origins = origins.iter().map(|origin| {
        HeaderValue::from_str(origin)
            .map_err(|_| Error::new(Reason::InvalidArgument, "an origin", origin))
    });
    Ok(layer.allow_origin(AllowOrigin::list(origins.collect::<Result<Vec<_>>>()?)))
}

/// Answers plain GET requests, and marks requests that may submit.
#[derive(Clone)]
struct Front {
    token: Option<std::sync::Arc<str>>,
    views: watch::Receiver<View>,
    metrics: Metrics,
}

impl<S> Layer<S> for Front {
    type Service = FrontService<S>;

    fn layer(&self, inner: S) -> FrontService<S> {
        FrontService { inner, front: self.clone() }
    }
}

#[derive(Clone)]
struct FrontService<S> {
    inner: S,
    front: Front,
}

type Answer<E> = Pin<Box<dyn Future<Output = core::result::Result<HttpResponse, E>> + Send>>;

impl<S> Service<HttpRequest> for FrontService<S>
where
    S: Service<HttpRequest, Response = HttpResponse>,
    S::Future: Send + 'static,
    S::Error: 'static,
{
    type Response = HttpResponse;
    type Error = S::Error;
    type Future = Answer<S::Error>;

    fn poll_ready(
        &mut self,
        context: &mut TaskContext<'_>,
    ) -> Poll<core::result::Result<(), S::Error>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, mut request: HttpRequest) -> Self::Future {
        if let Some(response) = self.front.plain(&request) {
            return Box::pin(async move { Ok(response) });
        }
        if self.front.may_submit(&request) {
            request.extensions_mut().insert(MaySubmit);
        }
        Box::pin(self.inner.call(request))
    }
}

impl Front {
    fn plain(&self, request: &HttpRequest) -> Option<HttpResponse> {
        if request.method() != Method::GET {
            return None;
        }
        let (kind, text) = match request.uri().path() {
            "/health" => ("text/plain", "ok\n".to_owned()),
            // A node listens once its chain is open, so it is ready when it answers.
            "/ready" => {
                ("text/plain", format!("ready at height {}\n", self.views.borrow().height()))
            }
            "/metrics" => {
                let view = self.views.borrow();
                let head = &view.head().header;
                self.metrics.newest(head.height, head.timestamp_ms);
                let kind = "application/openmetrics-text; version=1.0.0; charset=utf-8";
                (kind, self.metrics.text())
            }
            _ => return None,
        };
        let mut response = HttpResponse::new(HttpBody::from(text));
        response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
        Some(response)
    }

    fn may_submit(&self, request: &HttpRequest) -> bool {
        let Some(token) = &self.token else { return true };
        let given = request.headers().get(AUTHORIZATION).map(HeaderValue::as_bytes);
        given.and_then(|given| given.strip_prefix(b"Bearer ")).is_some_and(|given| {
            // Every byte is compared, wherever the first difference is.
            let same = given.iter().zip(token.as_bytes()).fold(0, |all, (a, b)| all | (a ^ b)) == 0;
            same && given.len() == token.len()
        })
    }
}
