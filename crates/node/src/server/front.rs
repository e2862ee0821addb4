//! HTTP handling in front of JSON-RPC: plain GET requests, tokens, and the time limit.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context as TaskContext, Poll};

use http::header::{AUTHORIZATION, CONNECTION, CONTENT_TYPE};
use http::{HeaderValue, Method, StatusCode};
use http_body_util::BodyExt;
use jsonrpsee::server::{HttpBody, HttpRequest, HttpResponse};
use jsonrpsee::types::{Id, Response, ResponsePayload};
use prooflight_core::{Error, Reason};
use tokio::sync::watch;
use tower::{Layer, Service};

use super::ServerLimits;
use crate::View;
use crate::blocking::Workers;
use crate::follow::Progress;
use crate::metrics::Metrics;
use crate::rpc::{MaySubmit, to_object};

/// Answers plain GET requests, marks requests that may submit, and cuts off requests that take too
/// long.
#[derive(Clone)]
pub struct Front {
    /// The limits of the port.
    pub limits: ServerLimits,
    /// The token required to submit, if any.
    pub token: Option<Arc<str>>,
    /// The server's progress.
    pub standing: Arc<dyn Standing>,
    /// The counters.
    pub metrics: Metrics,
    /// The threads on which the server's progress is determined.
    pub workers: Workers,
    /// Whether it only replies that there are too many connections.
    pub busy: bool,
}

impl<S> Layer<S> for Front {
    type Service = FrontService<S>;

    fn layer(&self, inner: S) -> FrontService<S> {
        FrontService { inner, front: self.clone() }
    }
}

/// A server's progress. The methods may block.
pub trait Standing: Send + Sync {
    /// Returns the height at which the server is ready.
    fn ready(&self) -> Result<u64, NotReady>;

    /// Records the newest block in the metrics.
    fn count(&self, metrics: &Metrics);
}

/// Why a server is not ready.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotReady {
    /// It is at this height but knows of a later block.
    Behind(u64),
    /// It could not continue, or its progress could not be determined.
    Failed(Error),
}

impl From<Error> for NotReady {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

impl fmt::Display for NotReady {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Behind(height) => write!(f, "behind, at height {height}"),
            Self::Failed(error) => write!(f, "{error} ({} / {})", error.code(), error.reason()),
        }
    }
}

/// A node's progress. A node that does not follow another is always ready, since it listens only
/// once its chain is open.
pub struct NodeStanding {
    /// The chain up to the newest block.
    pub views: watch::Receiver<View>,
    /// How far this node has followed its leader, if it follows one.
    pub progress: Option<watch::Receiver<Progress>>,
}

impl Standing for NodeStanding {
    fn ready(&self) -> Result<u64, NotReady> {
        let height = self.views.borrow().height();
        match self.progress.as_ref().map(|progress| progress.borrow()).as_deref() {
            None | Some(Progress::Current) => Ok(height),
            Some(Progress::Behind) => Err(NotReady::Behind(height)),
            Some(Progress::Failed(error)) => Err(error.clone().into()),
        }
    }

    fn count(&self, metrics: &Metrics) {
        let view = self.views.borrow();
        let head = &view.head().header;
        metrics.newest(head.height, head.timestamp_ms);
    }
}

/// A service behind a [`Front`].
#[derive(Clone)]
pub struct FrontService<S> {
    inner: S,
    front: Front,
}

type Answer<E> = Pin<Box<dyn Future<Output = Result<HttpResponse, E>> + Send>>;

impl<S> Service<HttpRequest> for FrontService<S>
where
    S: Service<HttpRequest, Response = HttpResponse>,
    S::Future: Send + 'static,
    S::Error: Send + 'static,
{
    type Response = HttpResponse;
    type Error = S::Error;
    type Future = Answer<S::Error>;

    fn poll_ready(&mut self, context: &mut TaskContext<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, mut request: HttpRequest) -> Self::Future {
        if self.front.busy {
            let mut response = self.front.refused(StatusCode::TOO_MANY_REQUESTS);
            response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
            return Box::pin(async move { Ok(response) });
        }
        let front = self.front.clone();
        if let Some(page) = Page::of(&request) {
            return Box::pin(async move {
                let shown = tokio::time::timeout(front.limits.request_time, front.show(page));
                Ok(shown.await.unwrap_or_else(|_| front.refused(StatusCode::REQUEST_TIMEOUT)))
            });
        }
        if front.may_submit(&request) {
            request.extensions_mut().insert(MaySubmit);
        }
        let read = Arc::new(AtomicU64::new(0));
        let inner = self.inner.call(request.map(|body| counted(body, read.clone())));
        Box::pin(async move {
            let time = front.limits.request_time;
            let Ok(response) = tokio::time::timeout(time, inner).await else {
                return Ok(front.refused(StatusCode::REQUEST_TIMEOUT));
            };
            let response = response?;
            // The body had no declared length; jsonrpsee mistakes its early end for an error of its
            // own.
            let too_large = read.load(Ordering::Relaxed) > front.limits.request_bytes.into()
                || response.status() == StatusCode::PAYLOAD_TOO_LARGE;
            Ok(if too_large { front.refused(StatusCode::PAYLOAD_TOO_LARGE) } else { response })
        })
    }
}

/// The pages served to plain GET requests.
#[derive(Clone, Copy)]
enum Page {
    Health,
    Ready,
    Metrics,
}

impl Page {
    fn of(request: &HttpRequest) -> Option<Self> {
        match request.uri().path() {
            _ if request.method() != Method::GET => None,
            "/health" => Some(Self::Health),
            "/ready" => Some(Self::Ready),
            "/metrics" => Some(Self::Metrics),
            _ => None,
        }
    }
}

impl Front {
    async fn show(&self, page: Page) -> HttpResponse {
        let text = "text/plain; charset=utf-8";
        match page {
            Page::Health => respond(StatusCode::OK, text, "ok\n".to_owned()),
            Page::Ready => {
                let ready = self.find_out(|standing| standing.ready()).await;
                match ready.unwrap_or_else(|error| Err(error.into())) {
                    Ok(height) => {
                        respond(StatusCode::OK, text, format!("ready at height {height}\n"))
                    }
                    Err(why) => {
                        let why = format!("not ready: {why}\n");
                        respond(StatusCode::SERVICE_UNAVAILABLE, text, why)
                    }
                }
            }
            Page::Metrics => {
                let metrics = self.metrics.clone();
                // The other metrics are valid without it.
                let _ = self.find_out(move |standing| standing.count(&metrics)).await;
                let kind = "application/openmetrics-text; version=1.0.0; charset=utf-8";
                respond(StatusCode::OK, kind, self.metrics.text())
            }
        }
    }

    async fn find_out<T: Send + 'static>(
        &self,
        ask: impl FnOnce(&dyn Standing) -> T + Send + 'static,
    ) -> Result<T, Error> {
        let standing = self.standing.clone();
        self.workers.read(move || Ok(ask(&*standing))).await
    }

    fn may_submit(&self, request: &HttpRequest) -> bool {
        let Some(token) = &self.token else { return true };
        let given = request.headers().get(AUTHORIZATION).map(HeaderValue::as_bytes);
        given.and_then(|given| given.strip_prefix(b"Bearer ")).is_some_and(|given| {
            // Constant-time: compares every byte, wherever the first difference is.
            let same = given.iter().zip(token.as_bytes()).fold(0, |all, (a, b)| all | (a ^ b)) == 0;
            same && given.len() == token.len()
        })
    }

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
                let expected = format_args!("at most {} connections", limits.connections);
                Error::new(Reason::Busy, expected, "more")
            }
        };
        self.metrics.refused("http", &error);
        let body = Response::new(ResponsePayload::<()>::error(to_object(&error)), Id::Null);
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

fn respond(status: StatusCode, kind: &'static str, body: String) -> HttpResponse {
    let mut response = HttpResponse::new(HttpBody::from(body));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}
