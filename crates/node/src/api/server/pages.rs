//! The pages for operators: health, readiness and metrics.

use std::sync::Arc;
use std::time::Instant;

use http::header::CONTENT_TYPE;
use http::{HeaderValue, Method, StatusCode};
use jsonrpsee::server::{HttpBody, HttpResponse};
use prooflight_core::Result;
use tokio::sync::watch;

use crate::View;
use crate::api::producer::BlockReadiness;
use crate::replication::backup::{AdminAccess, BackupSource};
use crate::replication::follow::FollowProgress;
use crate::runtime::blocking::WorkerPool;
use crate::runtime::metrics::Metrics;
use crate::runtime::space::free;
use crate::runtime::status::{LifecyclePhase, NotReady};

/// Serves the pages; clones share the status and the counters.
#[derive(Clone)]
pub struct StatusPages {
    /// The server's status; replaced once its chain is open.
    pub status: watch::Receiver<Arc<dyn ServerStatus>>,
    /// The counters.
    pub metrics: Metrics,
    /// The threads on which the status is determined.
    pub workers: WorkerPool,
}

/// A page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StatusPage {
    Health,
    Ready,
    Metrics,
}

impl StatusPage {
    /// The page that a request asks for, if it asks for one.
    pub(super) fn of<B>(request: &http::Request<B>) -> Option<Self> {
        match request.uri().path() {
            _ if request.method() != Method::GET => None,
            "/health" => Some(Self::Health),
            "/ready" => Some(Self::Ready),
            "/metrics" => Some(Self::Metrics),
            _ => None,
        }
    }
}

impl StatusPages {
    pub(super) async fn show(&self, page: StatusPage) -> HttpResponse {
        match page {
            StatusPage::Health => respond(StatusCode::OK, TEXT_PLAIN, "ok\n".to_owned()),
            StatusPage::Ready => {
                let ready = self.query_status(|status| status.ready()).await;
                match ready.unwrap_or_else(|error| Err(error.into())) {
                    Ok(height) => {
                        respond(StatusCode::OK, TEXT_PLAIN, format!("ready at height {height}\n"))
                    }
                    Err(why) => {
                        let why = format!("not ready: {why}\n");
                        respond(StatusCode::SERVICE_UNAVAILABLE, TEXT_PLAIN, why)
                    }
                }
            }
            StatusPage::Metrics => {
                let metrics = self.metrics.clone();
                // The other metrics are valid without it.
                let _ = self.query_status(move |status| status.count(&metrics)).await;
                let kind = "application/openmetrics-text; version=1.0.0; charset=utf-8";
                respond(StatusCode::OK, kind, self.metrics.text())
            }
        }
    }

    async fn query_status<T: Send + 'static>(
        &self,
        query: impl FnOnce(&dyn ServerStatus) -> T + Send + 'static,
    ) -> Result<T> {
        let status = self.status.borrow().clone();
        self.workers.read(move || Ok(query(&*status))).await
    }
}

/// The content type of plain text.
pub(super) const TEXT_PLAIN: &str = "text/plain; charset=utf-8";

pub(super) fn respond(status: StatusCode, kind: &'static str, body: String) -> HttpResponse {
    let mut response = HttpResponse::new(HttpBody::from(body));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}

/// A server's status. The methods may block.
pub trait ServerStatus: Send + Sync {
    /// Returns the height at which the server is ready.
    fn ready(&self) -> Result<u64, NotReady>;

    /// Records the newest block in the metrics.
    fn count(&self, metrics: &Metrics);

    /// Accepts the present time after the clock was set, and returns it; `None` if this server makes no blocks.
    fn confirm_clock(&self) -> Option<u64> {
        None
    }

    /// Makes a standby lead; returns whether this node is a standby.
    fn promote(&self) -> bool {
        false
    }

    /// The chain to copy, and the token that permits it; `None` if no chain is open.
    fn copies(&self) -> Option<(&AdminAccess, BackupSource)> {
        None
    }
}

impl ServerStatus for LifecyclePhase {
    fn ready(&self) -> Result<u64, NotReady> {
        Err(NotReady::Closed(*self))
    }

    /// Sets nothing: the newest block is not known yet.
    fn count(&self, _: &Metrics) {}
}

/// A node's status. A node that does not follow another is ready while it can make blocks.
pub struct NodeStatus {
    /// The chain up to the newest block.
    pub views: watch::Receiver<View>,
    /// Whether blocks can be made, if this node makes them.
    pub conditions: Option<Arc<dyn BlockReadiness>>,
    /// This node's progress, if it follows a leader.
    pub progress: Option<watch::Receiver<FollowProgress>>,
    /// Makes this node lead, if it is a standby.
    pub promote: Option<watch::Sender<bool>>,
    /// The token with which commands may copy the chain.
    pub access: AdminAccess,
}

impl ServerStatus for NodeStatus {
    fn ready(&self) -> Result<u64, NotReady> {
        let height = self.views.borrow().height();
        if let Some(conditions) = &self.conditions {
            conditions.check()?;
        }
        match &self.progress {
            Some(progress) => progress.borrow().ready(height, Instant::now()),
            None => Ok(height),
        }
    }

    fn count(&self, metrics: &Metrics) {
        let view = self.views.borrow();
        let head = &view.head().header;
        metrics.newest(head.height, head.timestamp_ms);
        // The other metrics are valid without these.
        if let Ok(oldest) = view.oldest_block() {
            metrics.oldest(oldest);
        }
        if let Ok(bytes) = free(self.access.folder()) {
            metrics.disk_free(bytes);
        }
        if let Some(conditions) = &self.conditions {
            conditions.count(metrics);
        }
    }

    fn confirm_clock(&self) -> Option<u64> {
        self.conditions.as_ref().map(|conditions| conditions.confirm_clock())
    }

    fn promote(&self) -> bool {
        let promoted = self.promote.as_ref().map(|promote| promote.send_replace(true));
        promoted.is_some()
    }

    fn copies(&self) -> Option<(&AdminAccess, BackupSource)> {
        let view = self.views.borrow().clone();
        Some((&self.access, BackupSource::new(view, self.access.folder())))
    }
}
