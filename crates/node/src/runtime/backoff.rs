//! Delays after failures.

use std::time::Duration;

/// Delays that double with each failure, up to a limit, each shortened by a random amount.
///
/// The jitter keeps the replicas of a leader from all asking it at the same moment once it is back.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RetryBackoff {
    first: Duration,
    failures: u32,
}

/// The longest delay, as a multiple of the first.
const MAX_FACTOR: u32 = 32;

impl RetryBackoff {
    pub(crate) const fn new(first: Duration) -> Self {
        Self { first, failures: 0 }
    }

    pub(crate) const fn succeeded(&mut self) {
        self.failures = 0;
    }

    /// Returns the delay after one more failure.
    pub(crate) fn failed(&mut self) -> Duration {
        let whole = self.first * 2_u32.saturating_pow(self.failures).min(MAX_FACTOR);
        self.failures = self.failures.saturating_add(1);
        let mut chance = [0];
        // Without randomness, the delay is not shortened.
        let _ = getrandom::fill(&mut chance);
        whole.mul_f64(1.0 - f64::from(chance[0]) / 512.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_a_limit_and_begin_anew_after_success() {
        let mut backoff = RetryBackoff::new(Duration::from_secs(1));
        for seconds in [1, 2, 4, 8, 16, 32, 32] {
            let whole = Duration::from_secs(seconds);
            let wait = backoff.failed();
            assert!(whole / 2 < wait && wait <= whole, "{wait:?} of {whole:?}");
        }
        backoff.failures = u32::MAX;
        assert!(backoff.failed() <= Duration::from_secs(32));
        backoff.succeeded();
        assert!(backoff.failed() <= Duration::from_secs(1));
    }
}
