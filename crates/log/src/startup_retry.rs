//! Retries of requests while a node starts.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use backon::Retryable as _;
use prooflight_core::{Error, Reason, Result};
use tokio::time::Instant;

use crate::backoff::doubling_delays;

/// The most retries of a request.
const MAX_RETRIES: usize = 5;

/// The delay before the first retry, longer than that of requests with more attempts.
const FIRST_DELAY: Duration = Duration::from_millis(400);

/// No request is retried this long after the first attempt.
const RETRY_DEADLINE: Duration = Duration::from_secs(30);

/// Retries transient failures while the node starts.
pub(crate) struct StartupRetry {
    ended: AtomicBool,
    on_failure: Box<dyn Fn(&Error) + Send + Sync>,
}

impl StartupRetry {
    /// Calls `on_failure` with each failure that is retried.
    pub(crate) fn new(on_failure: impl Fn(&Error) + Send + Sync + 'static) -> Self {
        Self { ended: AtomicBool::new(false), on_failure: Box::new(on_failure) }
    }

    /// Turns the retries off.
    pub(crate) fn end(&self) {
        self.ended.store(true, Ordering::Relaxed);
    }

    /// Makes a request; retries it after each transient failure.
    pub(crate) async fn request<T, R: Future<Output = Result<T>>>(
        &self,
        request: impl Fn() -> R,
    ) -> Result<T> {
        let started = Instant::now();
        let is_retried = |error: &Error| {
            let ended = self.ended.load(Ordering::Relaxed) || started.elapsed() >= RETRY_DEADLINE;
            error.reason() == Reason::Unreachable && !ended
        };
        request
            .retry(doubling_delays(FIRST_DELAY).with_max_times(MAX_RETRIES))
            .sleep(tokio::time::sleep)
            .when(is_retried)
            .notify(|error, _| (self.on_failure)(error))
            .await
    }
}

impl fmt::Debug for StartupRetry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StartupRetry").field("ended", &self.ended).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::sync::atomic::AtomicU32;

    fn unreachable() -> Error {
        Error::new(Reason::Unreachable, "an answer", "none")
    }

    #[tokio::test(start_paused = true)]
    async fn tries_are_few_and_end_in_time() {
        for (takes, most) in [(0, 6), (1, 6), (14, 3), (40, 1)] {
            let (tried, heard) = (AtomicU32::new(0), Arc::new(AtomicU32::new(0)));
            let counted = heard.clone();
            let retry = StartupRetry::new(move |error| {
                assert_eq!(error, &unreachable());
                counted.fetch_add(1, Ordering::Relaxed);
            });
            let started = Instant::now();
            let answer: Result<()> = retry
                .request(|| async {
                    tried.fetch_add(1, Ordering::Relaxed);
                    tokio::time::sleep(Duration::from_secs(takes)).await;
                    Err(unreachable())
                })
                .await;
            assert_eq!(answer, Err(unreachable()));
            let tried = tried.into_inner();
            assert!((most.min(2)..=most).contains(&tried), "{tried} tries of {takes} s");
            assert_eq!(heard.load(Ordering::Relaxed), tried - 1);
            assert!(started.elapsed() < RETRY_DEADLINE + Duration::from_secs(takes + 5));
        }
    }

    #[tokio::test(start_paused = true)]
    async fn other_errors_and_failures_after_the_start_end_it() {
        let wrong = || Error::new(Reason::InvalidArgument, "credentials", "others");
        let retry = StartupRetry::new(|_| ());
        for error in [wrong(), unreachable()] {
            if error == unreachable() {
                retry.end();
            }
            let tried = AtomicU32::new(0);
            let answer: Result<()> = retry
                .request(|| async {
                    tried.fetch_add(1, Ordering::Relaxed);
                    Err(error.clone())
                })
                .await;
            assert_eq!((answer, tried.into_inner()), (Err(error), 1));
        }
    }
}
