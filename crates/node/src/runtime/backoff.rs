//! Delays after failures.

use std::time::Duration;

use backon::{BackoffBuilder, ExponentialBackoff, ExponentialBuilder};

/// Delays that double with each failure, up to a limit, each shortened by a random amount.
///
/// The jitter keeps the replicas of a leader from all asking it at the same moment once it is back.
#[derive(Debug)]
pub(crate) struct RetryBackoff {
    builder: ExponentialBuilder,
    delays: ExponentialBackoff,
}

/// The longest delay, as a multiple of the first.
const MAX_FACTOR: u32 = 32;

impl RetryBackoff {
    pub(crate) fn new(first: Duration) -> Self {
        // The jitter adds up to the delay itself.
        let shortest = first / 2;
        let builder = ExponentialBuilder::new()
            .with_min_delay(shortest)
            .with_max_delay(shortest * MAX_FACTOR)
            .without_max_times()
            .with_jitter();
        Self { builder, delays: builder.build() }
    }

    pub(crate) fn succeeded(&mut self) {
        self.delays = self.builder.build();
    }

    /// Returns the delay after one more failure.
    pub(crate) fn failed(&mut self) -> Duration {
        // The delays do not end.
        self.delays.next().unwrap_or_default()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_a_limit_and_begin_anew_after_success() {
        let mut backoff = RetryBackoff::new(Duration::from_secs(1));
        for seconds in [1, 2, 4, 8, 16, 32, 32] {
            let whole = Duration::from_secs(seconds);
            let wait = backoff.failed();
            assert!(whole / 2 <= wait && wait <= whole, "{wait:?} of {whole:?}");
        }
        let waits: Vec<_> = (0..10_000).map(|_| backoff.failed()).collect();
        let (shortest, longest) = (waits.iter().min().unwrap(), waits.iter().max().unwrap());
        assert!(*shortest < Duration::from_secs(17) && *shortest >= Duration::from_secs(16));
        assert!(*longest > Duration::from_secs(31) && *longest <= Duration::from_secs(32));
        backoff.succeeded();
        assert!(backoff.failed() <= Duration::from_secs(1));
    }
}
