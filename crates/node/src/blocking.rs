//! Threads for blocking work: reading files, proving, executing blocks. None of it runs directly in
//! a task.
//!
//! A task's thread must keep serving connections. In addition, the files of `smt` cannot be read
//! there at all: every read consumes part of the task's cooperative budget, and blocking code never
//! yields to renew it. Once the budget is spent, the read would wait forever.

use std::sync::Arc;
use std::thread::available_parallelism;

use prooflight_core::{Error, Reason, Result};
use tokio::sync::Semaphore;
use tokio::task::{block_in_place, spawn_blocking};

/// Runs work that borrows from its task in place, while another thread takes over the other tasks.
///
/// Must be called on a multi-threaded runtime.
pub fn in_place<T>(run: impl FnOnce() -> T) -> T {
    block_in_place(run)
}

/// Runs long work of the program itself, such as opening a chain, on a thread of its own.
pub async fn aside<T: Send + 'static>(
    run: impl FnOnce() -> Result<T> + Send + 'static,
) -> Result<T> {
    let ended = spawn_blocking(run).await;
    ended.map_err(|error| Error::new(Reason::Bug, "a thread that ends", error))?
}

/// Limits on concurrent requests: one for short reads and one for proofs, so that a quick request
/// never waits for slow ones. Clones share the limits.
#[derive(Clone, Debug)]
pub struct Workers {
    reads: Arc<Semaphore>,
    proofs: Arc<Semaphore>,
}

/// Maximum concurrent reads.
const READS: usize = 64;

/// Maximum concurrent proofs. A read of an `smt` file occupies a second thread of the runtime's
/// 512-thread blocking pool, so one must stay free for each proof that may wait for it.
const MOST_PROOFS: usize = 64;

impl Workers {
    /// Allows 64 reads, and twice as many proofs as there are processors, since half of them may be
    /// waiting for files.
    pub fn new() -> Self {
        let processors = available_parallelism().map_or(1, Into::into);
        Self::with(READS, (2 * processors).min(MOST_PROOFS))
    }

    fn with(reads: usize, proofs: usize) -> Self {
        Self { reads: Arc::new(Semaphore::new(reads)), proofs: Arc::new(Semaphore::new(proofs)) }
    }

    /// Runs work that takes a few reads.
    pub async fn read<T: Send + 'static>(
        &self,
        run: impl FnOnce() -> Result<T> + Send + 'static,
    ) -> Result<T> {
        run_one_of(&self.reads, run).await
    }

    /// Runs work that may take long: proofs, and the headers of many blocks.
    pub async fn prove<T: Send + 'static>(
        &self,
        run: impl FnOnce() -> Result<T> + Send + 'static,
    ) -> Result<T> {
        run_one_of(&self.proofs, run).await
    }
}

impl Default for Workers {
    fn default() -> Self {
        Self::new()
    }
}

/// Waits for a free slot. If the caller gives up, its work still occupies the slot until it ends.
async fn run_one_of<T: Send + 'static>(
    free: &Arc<Semaphore>,
    run: impl FnOnce() -> Result<T> + Send + 'static,
) -> Result<T> {
    let permit = free.clone().acquire_owned().await;
    let permit =
        permit.map_err(|error| Error::new(Reason::Bug, "a runtime with free threads", error))?;
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
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::mpsc::channel;
    use std::thread;
    use std::time::Duration;
    use tokio::sync::oneshot;

    #[tokio::test]
    async fn what_is_read_does_not_wait_for_proofs() {
        let workers = Workers::with(1, 1);
        let ((begin, begun), (end, ended)) = (oneshot::channel(), channel());
        let proof = move || {
            begin.send(()).unwrap();
            Ok(ended.recv_timeout(Duration::from_mins(1)))
        };
        let proof = tokio::spawn({
            let workers = workers.clone();
            async move { workers.prove(proof).await }
        });
        begun.await.unwrap();
        assert_eq!(workers.read(|| Ok(1)).await, Ok(1));
        end.send(()).unwrap();
        assert_eq!(proof.await.unwrap(), Ok(Ok(())), "a proof that ends after what is read");
    }

    #[tokio::test]
    async fn as_many_run_at_once_as_may() {
        let (workers, running) = (Workers::with(1, 3), Arc::new(AtomicUsize::new(0)));
        let proofs: Vec<_> = (0..100)
            .map(|_| {
                let (workers, running) = (workers.clone(), running.clone());
                let proof = move || {
                    let others = running.fetch_add(1, Ordering::SeqCst);
                    thread::yield_now();
                    running.fetch_sub(1, Ordering::SeqCst);
                    Ok(others)
                };
                tokio::spawn(async move { workers.prove(proof).await })
            })
            .collect();
        for proof in proofs {
            assert!(proof.await.unwrap().unwrap() < 3);
        }
    }

    #[tokio::test]
    async fn a_panic_is_an_answer_and_takes_no_thread_away() {
        let workers = Workers::with(1, 1);
        for _ in 0..3 {
            let panicked = workers.prove(|| -> Result<()> { panic!("a bug") }).await;
            assert_eq!(panicked.map_err(|error| error.reason()), Err(Reason::Bug));
        }
        assert_eq!(workers.prove(|| Ok(2)).await, Ok(2));
    }
}
