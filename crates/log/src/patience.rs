//! Requests of a start that are made again.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use prooflight_core::{Error, Reason, Result};
use tokio::time::Instant;

use crate::backoff::Backoff;

/// How often a request is made.
const TRIES: u32 = 6;

/// No request is made again this long after the first one.
const LONGEST: Duration = Duration::from_secs(30);

/// Makes requests again after failures that may be gone at the next try, until the start is over.
pub(crate) struct Patience {
    over: AtomicBool,
    say: Box<dyn Fn(&Error) + Send + Sync>,
}

impl Patience {
    /// `say` hears each failure after which a request is made again.
    pub(crate) fn new(say: impl Fn(&Error) + Send + Sync + 'static) -> Self {
        Self { over: AtomicBool::new(false), say: Box::new(say) }
    }

    /// Makes no request again any more.
    pub(crate) fn end(&self) {
        self.over.store(true, Ordering::Relaxed);
    }

    /// Makes a request, and again after each failure that may be gone at the next try.
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
