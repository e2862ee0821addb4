//! Delays between attempts.

use std::time::Duration;

use backon::{BackoffBuilder, ExponentialBackoff, ExponentialBuilder};

const FIRST_DELAY: Duration = Duration::from_millis(50);
const MAX_DELAY: Duration = Duration::from_secs(5);

/// Delays without end that double up to a limit, each shortened by a random amount, so that several writers do
/// not retry at the same moments.
pub(crate) fn doubling_delays(first: Duration) -> ExponentialBuilder {
    // The jitter adds up to the delay itself.
    ExponentialBuilder::new()
        .with_min_delay(first / 2)
        .with_max_delay(MAX_DELAY / 2)
        .without_max_times()
        .with_jitter()
}

/// The delays between the attempts of a request that is repeated until it succeeds.
#[derive(Debug)]
pub(crate) struct RetryDelays(ExponentialBackoff);

impl RetryDelays {
    pub(crate) fn new() -> Self {
        Self(doubling_delays(FIRST_DELAY).build())
    }

    /// Waits before the next attempt.
    pub(crate) async fn wait(&mut self) {
        tokio::time::sleep(self.0.next().unwrap_or(MAX_DELAY)).await;
    }
}
