//! How much one connection may have the node do at once.
//!
//! Over a WebSocket, calls come without waiting for answers. Each connection has a gate: no call begins
//! while the answers before have not been taken, and no more is read while enough calls wait. So what a
//! client can have the node keep for it is a few answers.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Waker};

use jsonrpsee::server::middleware::rpc::{Batch, MethodResponse, Notification, RpcServiceT};
use jsonrpsee::types::Request;
use tokio::sync::{Semaphore, SemaphorePermit, watch};
use tower::Layer;

/// Calls of a connection that run at the same time; as many again may wait before no more is read.
const CALLS: usize = 8;

/// Bytes of answers that wait to be sent when no further call begins.
const UNSENT: usize = 1 << 20;

/// The gate of one connection.
#[derive(Debug)]
pub(super) struct Gate {
    /// Calls that may still begin to run.
    free: Semaphore,
    /// Calls that run or wait.
    taken: AtomicUsize,
    /// Bytes of answers that are not sent yet. What is sent beside answers makes it a little less.
    unsent: watch::Sender<usize>,
    /// Who wants to read.
    reader: Mutex<Option<Waker>>,
}

impl Gate {
    pub(super) fn new() -> Arc<Self> {
        Arc::new(Self {
            free: Semaphore::new(CALLS),
            taken: AtomicUsize::new(0),
            unsent: watch::Sender::new(0),
            reader: Mutex::new(None),
        })
    }

    /// Whether more may be read; if not, the task is woken when it may.
    pub(super) fn poll_open(&self, context: &Context<'_>) -> Poll<()> {
        // First the waker: what changes after that is not missed.
        *self.reader() = Some(context.waker().clone());
        let full =
            self.taken.load(Ordering::SeqCst) >= 2 * CALLS || *self.unsent.borrow() >= UNSENT;
        if full { Poll::Pending } else { Poll::Ready(()) }
    }

    /// Says that bytes were sent.
    pub(super) fn sent(&self, bytes: usize) {
        self.unsent.send_modify(|unsent| *unsent = unsent.saturating_sub(bytes));
        self.wake();
    }

    fn answered(&self, answer: &MethodResponse) {
        self.unsent.send_modify(|unsent| *unsent += answer.as_json().get().len());
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
        let _ = self.unsent.subscribe().wait_for(|unsent| *unsent < UNSENT).await;
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

impl<S> RpcServiceT for GatedService<S>
where
    S: RpcServiceT<MethodResponse = MethodResponse, BatchResponse = MethodResponse>,
    S: Clone + Send + Sync + 'static,
{
    type MethodResponse = MethodResponse;
    type NotificationResponse = S::NotificationResponse;
    type BatchResponse = MethodResponse;

    fn call<'a>(
        &self,
        request: Request<'a>,
    ) -> impl Future<Output = Self::MethodResponse> + Send + 'a {
        let Self { inner, gate } = self.clone();
        async move {
            let _entered = gate.enter().await;
            let answer = inner.call(request).await;
            gate.answered(&answer);
            answer
        }
    }

    fn batch<'a>(&self, batch: Batch<'a>) -> impl Future<Output = Self::BatchResponse> + Send + 'a {
        let Self { inner, gate } = self.clone();
        async move {
            let _entered = gate.enter().await;
            let answer = inner.batch(batch).await;
            gate.answered(&answer);
            answer
        }
    }

    fn notification<'a>(
        &self,
        notification: Notification<'a>,
    ) -> impl Future<Output = Self::NotificationResponse> + Send + 'a {
        self.inner.notification(notification)
    }
}
