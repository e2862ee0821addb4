//! Delays between attempts.

use std::time::Duration;

/// Delays that double up to a limit, each shortened by a random amount, so that several writers do
/// not retry at the same moments.
#[derive(Debug)]
pub(crate) struct Backoff(Duration);

const FIRST_DELAY: Duration = Duration::from_millis(50);
const FIRST_STARTUP_DELAY: Duration = Duration::from_millis(400);
const MAX_DELAY: Duration = Duration::from_secs(5);

impl Backoff {
    pub(crate) const fn new() -> Self {
        Self(FIRST_DELAY)
    }

    /// Longer delays for a startup, which has few attempts.
    pub(crate) const fn for_startup() -> Self {
        Self(FIRST_STARTUP_DELAY)
    }

    /// Waits before the next attempt.
    pub(crate) async fn wait(&mut self) {
        let mut chance = [0];
        // Without randomness, the delay is not shortened.
        let _ = getrandom::fill(&mut chance);
        tokio::time::sleep(self.0.mul_f64(1.0 - f64::from(chance[0]) / 512.0)).await;
        self.0 = (self.0 * 2).min(MAX_DELAY);
    }
}
