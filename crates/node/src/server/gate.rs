//! Limits the work that one connection can have in progress.
//!
//! Over a WebSocket, a client can send calls without waiting for answers. Each connection has a
//! gate: no call starts while too many answer bytes are unsent, and nothing more is read while
//! enough calls wait. A client can therefore make the node hold only as many answers for a connection
//! as run at once.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Waker};

use jsonrpsee::server::middleware::rpc::{Batch, MethodResponse, Notification, RpcServiceT};
use jsonrpsee::types::Request;
use tokio::sync::{Semaphore, SemaphorePermit, watch};
use tower::Layer;

/// Calls of a connection that run concurrently. As many again may wait before reading stops.
const CALLS: usize = 4;

/// Unsent answer bytes at which no further call starts.
const UNSENT: usize = 1 << 20;

/// The gate of one connection.
#[derive(Debug)]
pub(super) struct Gate {
    /// Permits to start a call.
    free: Semaphore,
    /// Calls running or waiting.
    taken: AtomicUsize,
    /// Answer bytes not sent yet. Other bytes sent on the connection make this a slight
    /// underestimate.
    unsent: watch::Sender<usize>,
    /// The task that waits to read.
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

    /// Whether more may be read; if not, the task is woken once it may.
    pub(super) fn poll_open(&self, context: &Context<'_>) -> Poll<()> {
        // The waker is set first, so that no later change is missed.
        *self.reader() = Some(context.waker().clone());
        let full =
            self.taken.load(Ordering::SeqCst) >= 2 * CALLS || *self.unsent.borrow() >= UNSENT;
        if full { Poll::Pending } else { Poll::Ready(()) }
    }

    /// Records bytes that were sent.
    pub(super) fn sent(&self, bytes: usize) {
        self.unsent.send_modify(|unsent| *unsent = unsent.saturating_sub(bytes));
        self.wake();
    }

    fn answered(&self, answer: &MethodResponse) {
        self.unsent.send_modify(|unsent| *unsent += answer.as_json().get().len());
    }

    /// Wakes the task that waits to read.
    pub(super) fn wake(&self) {
        if let Some(waker) = self.reader().take() {
            waker.wake();
        }
    }

    fn reader(&self) -> std::sync::MutexGuard<'_, Option<Waker>> {
        // A waker is always valid, even if a holder of the lock panicked.
        self.reader.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until a call may start; the call counts as running until the returned guards are
    /// dropped.
    async fn enter(&self) -> (Taken<'_>, Option<SemaphorePermit<'_>>) {
        self.taken.fetch_add(1, Ordering::SeqCst);
        let taken = Taken(self);
        // The semaphore and the channel are never closed.
        let permit = self.free.acquire().await.ok();
        let _ = self.unsent.subscribe().wait_for(|unsent| *unsent < UNSENT).await;
        (taken, permit)
    }
}

/// A call that is running or waiting.
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
