//! How much one connection may have the node do at once.
//!
//! Over a WebSocket, calls come without waiting for answers. Each connection has a gate: no more is
//! read from it while it has enough calls under way, and no call begins while its peer does not take
//! what is sent. So what a client can have the node keep for it is a few answers.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Waker};

use jsonrpsee::server::middleware::rpc::{Batch, Notification, RpcServiceT};
use jsonrpsee::types::Request;
use tokio::sync::{Semaphore, SemaphorePermit, watch};
use tower::Layer;

/// Calls of a connection that run at the same time; as many again may wait before no more is read.
const CALLS: usize = 8;

/// The gate of one connection.
#[derive(Debug)]
pub(super) struct Gate {
    /// Calls that may still begin to run.
    free: Semaphore,
    /// Calls that run or wait.
    taken: AtomicUsize,
    /// Whether the peer does not take what is sent.
    stalled: watch::Sender<bool>,
    /// Who wants to read.
    reader: Mutex<Option<Waker>>,
}

impl Gate {
    pub(super) fn new() -> Arc<Self> {
        Arc::new(Self {
            free: Semaphore::new(CALLS),
            taken: AtomicUsize::new(0),
            stalled: watch::Sender::new(false),
            reader: Mutex::new(None),
        })
    }

    /// Whether more may be read; if not, the task is woken when it may.
    pub(super) fn poll_open(&self, context: &Context<'_>) -> Poll<()> {
        // First the waker: what changes after that is not missed.
        *self.reader() = Some(context.waker().clone());
        let full = self.taken.load(Ordering::SeqCst) >= 2 * CALLS || *self.stalled.borrow();
        if full { Poll::Pending } else { Poll::Ready(()) }
    }

    /// Says whether the peer takes what is sent.
    pub(super) fn set_stalled(&self, stalled: bool) {
        self.stalled.send_replace(stalled);
        self.wake();
    }

    /// Wakes who wants to read.
    pub(super) fn wake(&self) {
        if let Some(waker) = self.reader().take() {
            waker.wake();
        }
    }

    fn reader(&self) -> std::sync::MutexGuard<'_, Option<Waker>> {
        // A waker is whole, whatever happened to who had the lock.
        self.reader.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until a call may begin; it is under way until what is returned is dropped.
    async fn enter(&self) -> (Taken<'_>, Option<SemaphorePermit<'_>>) {
        self.taken.fetch_add(1, Ordering::SeqCst);
        let taken = Taken(self);
        // Neither is ever closed.
        let permit = self.free.acquire().await.ok();
        let _ = self.stalled.subscribe().wait_for(|stalled| !stalled).await;
        (taken, permit)
    }
}

/// A call that runs or waits.
struct Taken<'g>(&'g Gate);

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        self.0.taken.fetch_sub(1, Ordering::SeqCst);
        self.0.wake();
    }
}

/// Lets the calls of a connection through its gate.
#[derive(Clone, Debug)]
pub(super) struct Gated(pub(super) Arc<Gate>);

impl<S> Layer<S> for Gated {
    type Service = GatedService<S>;

    fn layer(&self, inner: S) -> GatedService<S> {
        GatedService { inner, gate: self.0.clone() }
    }
}

/// Calls behind a gate.
#[derive(Clone, Debug)]
pub(super) struct GatedService<S> {
    inner: S,
    gate: Arc<Gate>,
}

impl<S: RpcServiceT + Clone + Send + Sync + 'static> RpcServiceT for GatedService<S> {
    type MethodResponse = S::MethodResponse;
    type NotificationResponse = S::NotificationResponse;
    type BatchResponse = S::BatchResponse;

    fn call<'a>(
        &self,
        request: Request<'a>,
    ) -> impl Future<Output = Self::MethodResponse> + Send + 'a {
        let Self { inner, gate } = self.clone();
        async move {
            let _entered = gate.enter().await;
            inner.call(request).await
        }
    }

    fn batch<'a>(&self, batch: Batch<'a>) -> impl Future<Output = Self::BatchResponse> + Send + 'a {
        let Self { inner, gate } = self.clone();
        async move {
            let _entered = gate.enter().await;
            inner.batch(batch).await
        }
    }

    fn notification<'a>(
        &self,
        notification: Notification<'a>,
    ) -> impl Future<Output = Self::NotificationResponse> + Send + 'a {
        self.inner.notification(notification)
    }
}
