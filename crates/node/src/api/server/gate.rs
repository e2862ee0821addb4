//! Limits the work that one connection can have in progress.
//!
//! Over a WebSocket, a client can send calls without waiting for answers. Each connection has a gate: no call
//! starts while too many answer bytes are unsent, and nothing more is read while enough calls wait. So for one
//! connection, the node holds at most as many answers as calls run concurrently. [`AnswerMemory`] limits the
//! answers of all connections together.
//!
//! jsonrpsee treats a request with an invalid `id` as a notification, and does not answer it. The node has no
//! notifications, so every request gets an answer.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Instant;

use jsonrpsee::BatchResponseBuilder;
use jsonrpsee::server::middleware::rpc::{
    Batch, BatchEntry, MethodResponse, Notification, RpcServiceT,
};
use jsonrpsee::types::{ErrorCode, ErrorObjectOwned, Id, Request};
use prooflight_core::{Error, Reason};
use tokio::sync::{Semaphore, SemaphorePermit, watch};
use tower::Layer;

use crate::chain::wire::error_details;
use crate::runtime::answer_memory::{
    AnswerMemory, AnsweringConnection, HoldReason, MAX_REPLY_BYTES,
};

/// The most concurrent calls of a connection. The same number may wait before reading stops.
const MAX_CALLS: usize = 4;

/// The unsent answer bytes from which on no further call starts.
const MAX_UNSENT_BYTES: usize = 1 << 20;

/// An answer that is not completely sent.
#[derive(Debug)]
struct PendingAnswer {
    /// The bytes that are not sent yet. Other bytes sent on the connection make this a slight
    /// underestimate.
    unsent: usize,
    /// The bytes in memory, which are held until the last one is sent.
    held: usize,
}

/// The memory of an answer with `bytes` bytes: it is written into a buffer that doubles as it grows.
const fn in_memory(bytes: usize) -> usize {
    bytes.next_power_of_two()
}

/// The gate of one connection.
#[derive(Debug)]
pub(super) struct ConnectionGate {
    /// Permits to start a call.
    free: Semaphore,
    /// The number of calls that run or wait.
    calls: AtomicUsize,
    /// The answer bytes that are not sent yet. Other bytes sent on the connection make this a slight
    /// underestimate.
    unsent: watch::Sender<usize>,
    /// The answers that are not completely sent, in order.
    answers: Mutex<VecDeque<PendingAnswer>>,
    /// The memory shared with the other connections, and this connection's number in it.
    memory: Arc<AnswerMemory>,
    connection: u64,
    /// Whether the connection must end, because others need the memory that it holds.
    cut: AtomicBool,
    /// The task that waits to read.
    reader: Mutex<Option<Waker>>,
    /// The task that waits to write.
    writer: Mutex<Option<Waker>>,
}

impl ConnectionGate {
    pub(super) fn new(memory: &Arc<AnswerMemory>) -> Arc<Self> {
        Arc::new(Self {
            free: Semaphore::new(MAX_CALLS),
            calls: AtomicUsize::new(0),
            unsent: watch::Sender::new(0),
            answers: Mutex::default(),
            memory: memory.clone(),
            connection: memory.connect(),
            cut: AtomicBool::new(false),
            reader: Mutex::new(None),
            writer: Mutex::new(None),
        })
    }

    /// Whether the connection must end; if not, the task is woken when it must.
    pub(super) fn poll_cut(&self, context: &Context<'_>) -> bool {
        *lock(&self.writer) = Some(context.waker().clone());
        self.is_cut()
    }

    pub(super) fn is_cut(&self) -> bool {
        self.cut.load(Ordering::SeqCst)
    }

    /// Whether more may be read; if not, the task is woken when it may.
    pub(super) fn poll_open(&self, context: &Context<'_>) -> Poll<()> {
        // The waker is set first, so that no later change is missed.
        *lock(&self.reader) = Some(context.waker().clone());
        let full = !self.is_cut()
            && (self.calls.load(Ordering::SeqCst) >= 2 * MAX_CALLS
                || *self.unsent.borrow() >= MAX_UNSENT_BYTES);
        if full { Poll::Pending } else { Poll::Ready(()) }
    }

    /// Records bytes that were sent.
    pub(super) fn sent(&self, bytes: usize) {
        self.unsent.send_modify(|unsent| *unsent = unsent.saturating_sub(bytes));
        let (mut left, mut accepted) = (bytes, 0);
        let mut answers = lock(&self.answers);
        while let Some(answer) = answers.front_mut() {
            let sent = left.min(answer.unsent);
            answer.unsent -= sent;
            left -= sent;
            if answer.unsent > 0 {
                break;
            }
            accepted += answer.held;
            answers.pop_front();
        }
        drop(answers);
        self.memory.accepted(self.connection, accepted, Instant::now());
        self.wake();
    }

    /// Charges a request, or an answer of a batch, until the result is dropped.
    fn hold(self: &Arc<Self>, bytes: usize) -> HeldBytes {
        self.memory.hold(self.connection, self, bytes, HoldReason::Call, Instant::now());
        HeldBytes { gate: self.clone(), bytes }
    }

    /// Charges an answer until it is sent.
    fn charge(self: &Arc<Self>, answer: MethodResponse) -> MethodResponse {
        let bytes = answer.as_json().get().len();
        let held = in_memory(bytes);
        self.memory.hold(self.connection, self, held, HoldReason::Client, Instant::now());
        lock(&self.answers).push_back(PendingAnswer { unsent: bytes, held });
        self.unsent.send_modify(|unsent| *unsent += bytes);
        answer
    }

    /// Wakes the task that waits to read.
    pub(super) fn wake(&self) {
        if let Some(waker) = lock(&self.reader).take() {
            waker.wake();
        }
    }

    /// Waits until a call may start; the call counts as running until the returned guards are
    /// dropped.
    async fn enter(&self) -> (CallSlot<'_>, Option<SemaphorePermit<'_>>) {
        self.calls.fetch_add(1, Ordering::SeqCst);
        let slot = CallSlot(self);
        // The semaphore and the channel are never closed.
        let permit = self.free.acquire().await.ok();
        let _ = self.unsent.subscribe().wait_for(|unsent| *unsent < MAX_UNSENT_BYTES).await;
        (slot, permit)
    }
}

impl AnsweringConnection for ConnectionGate {
    fn cut(&self) {
        self.cut.store(true, Ordering::SeqCst);
        self.wake();
        if let Some(waker) = lock(&self.writer).take() {
            waker.wake();
        }
    }
}

impl Drop for ConnectionGate {
    fn drop(&mut self) {
        self.memory.disconnect(self.connection);
    }
}

fn lock<T>(value: &Mutex<T>) -> MutexGuard<'_, T> {
    // The values are always valid, even if a holder of the lock panicked.
    value.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The charge of a request, or of an answer in an incomplete batch.
struct HeldBytes {
    gate: Arc<ConnectionGate>,
    bytes: usize,
}

impl Drop for HeldBytes {
    fn drop(&mut self) {
        self.gate.memory.release(
            self.gate.connection,
            self.bytes,
            HoldReason::Call,
            Instant::now(),
        );
    }
}

/// A call that is running or waiting.
struct CallSlot<'g>(&'g ConnectionGate);

impl Drop for CallSlot<'_> {
    fn drop(&mut self) {
        self.0.calls.fetch_sub(1, Ordering::SeqCst);
        self.0.wake();
    }
}

/// Passes the calls of a connection through its gate.
#[derive(Clone, Debug)]
pub(super) struct GateLayer(pub(super) Arc<ConnectionGate>);

impl<S> Layer<S> for GateLayer {
    type Service = GateService<S>;

    fn layer(&self, inner: S) -> GateService<S> {
        GateService { inner, gate: self.0.clone() }
    }
}

/// Calls behind a gate.
#[derive(Clone, Debug)]
pub(super) struct GateService<S> {
    inner: S,
    gate: Arc<ConnectionGate>,
}

impl<S> RpcServiceT for GateService<S>
where
    S: RpcServiceT<MethodResponse = MethodResponse, BatchResponse = MethodResponse>,
    S: Clone + Send + Sync + 'static,
{
    type MethodResponse = MethodResponse;
    type NotificationResponse = MethodResponse;
    type BatchResponse = MethodResponse;

    fn call<'a>(
        &self,
        request: Request<'a>,
    ) -> impl Future<Output = Self::MethodResponse> + Send + 'a {
        let Self { inner, gate } = self.clone();
        async move {
            let _request = gate.hold(size(&request));
            let _entered = gate.enter().await;
            gate.charge(inner.call(request).await)
        }
    }

    /// Answers the calls one after another, so that each answer is charged as soon as it is made.
    fn batch<'a>(&self, batch: Batch<'a>) -> impl Future<Output = Self::BatchResponse> + Send + 'a {
        let Self { inner, gate } = self.clone();
        async move {
            let bytes = batch.iter().map(|entry| match entry {
                Ok(BatchEntry::Call(request)) => size(request),
                _ => 0,
            });
            let _request = gate.hold(bytes.sum());
            let _entered = gate.enter().await;
            // Dropped once the whole answer exists, which is then charged instead.
            let mut parts = Vec::with_capacity(batch.len());
            let mut answers = BatchResponseBuilder::new_with_limit(MAX_REPLY_BYTES as usize);
            for entry in batch {
                let answer = match entry {
                    Ok(BatchEntry::Call(request)) => inner.call(request).await,
                    Ok(BatchEntry::Notification(_)) => without_id(),
                    Err(wrong) => {
                        let (error, id) = wrong.into_parts();
                        MethodResponse::error(id, error)
                    }
                };
                parts.push(gate.hold(in_memory(answer.as_json().get().len())));
                if let Err(too_large) = answers.append(answer) {
                    return gate.charge(too_large);
                }
            }
            drop(parts);
            gate.charge(MethodResponse::from_batch(answers.finish()))
        }
    }

    fn notification<'a>(
        &self,
        _: Notification<'a>,
    ) -> impl Future<Output = Self::NotificationResponse> + Send + 'a {
        let gate = self.gate.clone();
        async move {
            let _entered = gate.enter().await;
            gate.charge(without_id())
        }
    }
}

/// The bytes of a request's parameters: the only part that may be large.
fn size(request: &Request<'_>) -> usize {
    request.params.as_ref().map_or(0, |params| params.get().len())
}

/// The answer to a request without an id, or with one that is not a string, a number or null.
fn without_id() -> MethodResponse {
    let expected = "an id that is a string, a whole number from 0 to 2^64 - 1, or null";
    let error = Error::new(Reason::InvalidArgument, expected, "another, or none");
    let code = ErrorCode::InvalidRequest.code();
    let error = ErrorObjectOwned::owned(code, error.to_string(), Some(error_details(&error)));
    MethodResponse::error(Id::Null, error)
}
