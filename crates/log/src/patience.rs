//! Retries of requests while a node starts.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use prooflight_core::{Error, Reason, Result};
use tokio::time::Instant;

use crate::backoff::Backoff;

/// The most attempts of a request.
const TRIES: u32 = 6;

/// No request is retried this long after the first attempt.
const LONGEST: Duration = Duration::from_secs(30);

/// Retries transient failures while the node starts.
pub(crate) struct Patience {
    over: AtomicBool,
    say: Box<dyn Fn(&Error) + Send + Sync>,
}

impl Patience {
    /// `say` is called with each failure that is retried.
    pub(crate) fn new(say: impl Fn(&Error) + Send + Sync + 'static) -> Self {
        Self { over: AtomicBool::new(false), say: Box::new(say) }
    }

    /// Turns the retries off.
    pub(crate) fn end(&self) {
        self.over.store(true, Ordering::Relaxed);
    }

    /// Makes a request; retries it after each transient failure.
    pub(crate) async fn ask<T, R: Future<Output = Result<T>>>(
        &self,
        request: impl Fn() -> R,
    ) -> Result<T> {
        let (begun, mut backoff, mut tries) = (Instant::now(), Backoff::slow(), 1);
        loop {
            let error = match request().await {
                Err(error) if error.reason() == Reason::Unreachable => error,
                answer => return answer,
            };
            let over = self.over.load(Ordering::Relaxed);
            if over || tries == TRIES || begun.elapsed() >= LONGEST {
                return Err(error);
            }
            (self.say)(&error);
            backoff.wait().await;
            tries += 1;
        }
    }
}

impl fmt::Debug for Patience {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Patience").field("over", &self.over).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::sync::atomic::AtomicU32;

    fn away() -> Error {
        Error::new(Reason::Unreachable, "an answer", "none")
    }

    #[tokio::test(start_paused = true)]
    async fn tries_are_few_and_end_in_time() {
        for (takes, most) in [(0, TRIES), (1, TRIES), (14, 3), (40, 1)] {
            let (tried, heard) = (AtomicU32::new(0), Arc::new(AtomicU32::new(0)));
            let counted = heard.clone();
            let patience = Patience::new(move |error| {
                assert_eq!(error, &away());
                counted.fetch_add(1, Ordering::Relaxed);
            });
            let begun = Instant::now();
            let answer: Result<()> = patience
                .ask(|| async {
                    tried.fetch_add(1, Ordering::Relaxed);
                    tokio::time::sleep(Duration::from_secs(takes)).await;
                    Err(away())
                })
                .await;
            assert_eq!(answer, Err(away()));
            let tried = tried.into_inner();
            assert!((most.min(2)..=most).contains(&tried), "{tried} tries of {takes} s");
            assert_eq!(heard.load(Ordering::Relaxed), tried - 1);
            assert!(begun.elapsed() < LONGEST + Duration::from_secs(takes + 5));
        }
    }

    #[tokio::test(start_paused = true)]
    async fn other_errors_and_failures_after_the_start_end_it() {
        let wrong = || Error::new(Reason::InvalidArgument, "credentials", "others");
        let patience = Patience::new(|_| ());
        for error in [wrong(), away()] {
            if error == away() {
                patience.end();
            }
            let tried = AtomicU32::new(0);
            let answer: Result<()> = patience
                .ask(|| async {
                    tried.fetch_add(1, Ordering::Relaxed);
                    Err(error.clone())
                })
                .await;
            assert_eq!((answer, tried.into_inner()), (Err(error), 1));
        }
    }
}
