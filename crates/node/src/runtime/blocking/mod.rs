//! Threads for blocking work: reading files, proving, executing blocks. None of it runs directly in
//! a task.
//!
//! A task's thread must keep serving connections. In addition, files of `smt` that are not in a local
//! folder cannot be read there at all: every read consumes part of the task's cooperative budget, and
//! blocking code never yields to renew it. Once the budget is spent, the read would wait forever.

mod queue;

pub(crate) use queue::EXPENSIVE_ABOVE;
pub use queue::{ClientId, ProxyAddresses, WorkRequest};

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::available_parallelism;

use prooflight_core::{Error, Reason, Result};
use tokio::sync::{Semaphore, oneshot};
use tokio::task::{block_in_place, spawn_blocking};

use queue::{QueueTicket, RequestQueue};

use crate::runtime::answer_memory::{ANSWER_BYTES, AnswerMemory};

/// Runs blocking work in place, so that it can borrow from its task. Another thread takes over the other tasks.
///
/// Must be called on a multi-threaded runtime.
pub fn in_place<T>(run: impl FnOnce() -> T) -> T {
    block_in_place(run)
}

/// Runs long work of the program itself, such as opening a chain, on a blocking thread.
pub async fn run_blocking<T: Send + 'static>(
    run: impl FnOnce() -> Result<T> + Send + 'static,
) -> Result<T> {
    let ended = spawn_blocking(run).await;
    ended.map_err(|error| Error::new(Reason::Bug, "a thread that ends", error))?
}

/// Limits on concurrent requests: a semaphore for short reads and a queue for proofs, so that a quick
/// request never waits for slow ones. Clones share the limits.
#[derive(Clone, Debug)]
pub struct WorkerPool {
    reads: Arc<Semaphore>,
    proofs: SharedQueue,
    answers: Arc<AnswerMemory>,
}

/// Queued proofs; each is woken through its channel.
type SharedQueue = Arc<Mutex<RequestQueue<oneshot::Sender<()>>>>;

/// Maximum concurrent reads.
const MAX_READS: usize = 64;

/// Maximum concurrent proofs of a scheme. A write of an `smt` file occupies a second thread of the
/// runtime's 512-thread blocking pool, so some threads must stay free.
const MAX_SCHEME_PROOFS: usize = 32;

/// Maximum files that reads and proofs have open: one snapshot file of `smt` each. The store counts its own
/// files.
pub(crate) const MAX_OPEN_FILES: usize = MAX_READS + MAX_SCHEME_PROOFS;

impl WorkerPool {
    /// Allows 64 reads, and for each scheme one proof more than there are processors: expensive proofs may
    /// use every processor, and a cheap one still begins immediately.
    ///
    /// `answers` limits the memory of answers that clients have not accepted yet.
    pub fn new(answers: Arc<AnswerMemory>) -> Self {
        let processors = available_parallelism().map_or(1, usize::from);
        Self { answers, ..Self::with(MAX_READS, (processors + 1).min(MAX_SCHEME_PROOFS)) }
    }

    fn with(reads: usize, proofs: usize) -> Self {
        let (reads, proofs) = (Semaphore::new(reads), RequestQueue::new(proofs));
        let answers = AnswerMemory::new(ANSWER_BYTES);
        Self { reads: Arc::new(reads), proofs: Arc::new(Mutex::new(proofs)), answers }
    }

    /// The memory of answers.
    pub(crate) const fn answers(&self) -> &Arc<AnswerMemory> {
        &self.answers
    }

    /// Runs work with a few reads and a small answer.
    pub async fn read<T: Send + 'static>(
        &self,
        run: impl FnOnce() -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let permit = self.reads.clone().acquire_owned().await;
        let permit = permit
            .map_err(|error| Error::new(Reason::Bug, "a runtime with free threads", error))?;
        run_with_permit(permit, run).await
    }

    /// Runs work that may take long or have a large answer: proofs, blocks, and the headers of many
    /// blocks. The work begins when its turn in the queue comes and there is memory for the answer.
    pub async fn prove<T: Send + 'static>(
        &self,
        ask: WorkRequest,
        run: impl FnOnce() -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let guard = QueueGuard::wait(&self.proofs, ask).await;
        let _permit = self.answers.reserve(ask.answer_bytes()).await;
        run_with_permit(guard, run).await
    }
}

/// A request's position in the queue. Dropping the guard leaves the queue: before the work begins if the
/// caller gives up, and otherwise when the work is done.
struct QueueGuard {
    proofs: SharedQueue,
    ticket: QueueTicket,
}

impl QueueGuard {
    async fn wait(proofs: &SharedQueue, ask: WorkRequest) -> Self {
        let (waker, begin) = oneshot::channel();
        let ticket = lock(proofs).enter(ask, waker);
        let guard = Self { proofs: proofs.clone(), ticket };
        guard.begin_others();
        // The sender stays in the queue until it is used.
        let _ = begin.await;
        guard
    }

    fn begin_others(&self) {
        let mut queue = lock(&self.proofs);
        while let Some(waker) = queue.begin(self.ticket.scheme()) {
            // A caller that has gone has also dropped its guard.
            let _ = waker.send(());
        }
    }
}

impl Drop for QueueGuard {
    fn drop(&mut self) {
        lock(&self.proofs).leave(self.ticket);
        self.begin_others();
    }
}

fn lock<T>(queue: &Mutex<RequestQueue<T>>) -> MutexGuard<'_, RequestQueue<T>> {
    // The queue is consistent between calls.
    queue.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Default for WorkerPool {
    fn default() -> Self {
        Self::new(AnswerMemory::new(ANSWER_BYTES))
    }
}

/// Runs work on a blocking thread. If the caller gives up, the work keeps its permit until it ends.
async fn run_with_permit<P: Send + 'static, T: Send + 'static>(
    permit: P,
    run: impl FnOnce() -> Result<T> + Send + 'static,
) -> Result<T> {
    let running = spawn_blocking(move || {
        let result = run();
        drop(permit);
        result
    });
    running.await.map_err(|error| Error::new(Reason::Bug, "an answer", error))?
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]
mod tests {
    use super::*;
    use prooflight_core::Scheme;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::mpsc::channel;
    use std::thread;
    use std::time::Duration;
    use tokio::sync::oneshot;

    const WORK: WorkRequest =
        WorkRequest { scheme: Some(Scheme::Avl), cost: 1000, client: ClientId::Local(0) };

    #[tokio::test]
    async fn what_is_read_does_not_wait_for_proofs() {
        let workers = WorkerPool::with(1, 2);
        let ((begin, begun), (end, ended)) = (oneshot::channel(), channel());
        let proof = move || {
            begin.send(()).unwrap();
            Ok(ended.recv_timeout(Duration::from_mins(1)))
        };
        let proof = tokio::spawn({
            let workers = workers.clone();
            async move { workers.prove(WORK, proof).await }
        });
        begun.await.unwrap();
        assert_eq!(workers.read(|| Ok(1)).await, Ok(1));
        end.send(()).unwrap();
        assert_eq!(proof.await.unwrap(), Ok(Ok(())), "a proof that ends after what is read");
    }

    #[tokio::test]
    async fn as_many_run_at_once_as_may() {
        let (workers, running) = (WorkerPool::with(1, 3), Arc::new(AtomicUsize::new(0)));
        let proofs: Vec<_> = (0..100)
            .map(|_| {
                let (workers, running) = (workers.clone(), running.clone());
                let proof = move || {
                    let others = running.fetch_add(1, Ordering::SeqCst);
                    thread::yield_now();
                    running.fetch_sub(1, Ordering::SeqCst);
                    Ok(others)
                };
                tokio::spawn(async move { workers.prove(WORK, proof).await })
            })
            .collect();
        for proof in proofs {
            assert!(proof.await.unwrap().unwrap() < 3);
        }
    }

    #[tokio::test]
    async fn a_panic_is_an_answer_and_takes_no_thread_away() {
        let workers = WorkerPool::with(1, 2);
        for _ in 0..3 {
            let panicked = workers.prove(WORK, || -> Result<()> { panic!("a bug") }).await;
            assert_eq!(panicked.map_err(|error| error.reason()), Err(Reason::Bug));
        }
        assert_eq!(workers.prove(WORK, || Ok(2)).await, Ok(2));
    }

    #[tokio::test]
    async fn a_caller_that_gives_up_leaves_the_queue() {
        // One expensive proof at a time.
        let workers = WorkerPool::with(1, 2);
        let ((begin, begun), (end, ended)) = (oneshot::channel(), channel());
        let first = tokio::spawn({
            let workers = workers.clone();
            let run = move || {
                begin.send(()).unwrap();
                Ok(ended.recv_timeout(Duration::from_mins(1)))
            };
            async move { workers.prove(WORK, run).await }
        });
        begun.await.unwrap();
        for _ in 0..3 {
            let waiting = workers.prove(WORK, || -> Result<()> { panic!("nobody waits for it") });
            tokio::select! {
                biased;
                _ = waiting => unreachable!("it runs beside the first"),
                () = tokio::task::yield_now() => {}
            }
        }
        let last = workers.prove(WORK, || Ok(2));
        end.send(()).unwrap();
        assert_eq!(last.await, Ok(2));
        assert_eq!(first.await.unwrap(), Ok(Ok(())));
    }
}
