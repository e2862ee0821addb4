//! The progress of a replica: the newest known height of its chain, and its last error.

use std::time::{Duration, Instant};

use prooflight_core::Error;

use crate::runtime::status::NotReady;

/// The progress of a replica.
#[derive(Clone, Debug)]
pub struct FollowProgress {
    /// The newest height that the chain is known to have; `None` before the leader has answered.
    newest: Option<KnownHead>,
    /// The error of the last request, until a block is accepted or there is none to fetch.
    failed: Option<Error>,
    /// The age above which the newest known height is stale.
    stale_after: Duration,
}

/// A height that was the chain's newest at this time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KnownHead {
    pub(crate) height: u64,
    pub(crate) at: Instant,
}

/// The minimum age before the newest known height counts as stale.
const MIN_STALE_AGE: Duration = Duration::from_secs(10);

impl FollowProgress {
    /// Progress without a known height. A known height is stale after ten polling intervals, and not before ten seconds.
    pub fn new(interval: Duration) -> Self {
        let limit = interval.saturating_mul(10).max(MIN_STALE_AGE);
        Self { newest: None, failed: None, stale_after: limit }
    }

    /// The newest known height.
    pub(crate) const fn newest(&self) -> Option<KnownHead> {
        self.newest
    }

    /// Returns the height of a replica that has all blocks that its chain is known to have.
    pub fn ready(&self, height: u64, now: Instant) -> Result<u64, NotReady> {
        if let Some(error) = &self.failed {
            return Err(error.clone().into());
        }
        let Some(newest) = self.newest.filter(|newest| newest.height <= height) else {
            let newest = self.newest.map(|newest| newest.height);
            return Err(NotReady::Behind { height, newest });
        };
        let age = now.saturating_duration_since(newest.at);
        if age > self.stale_after { Err(NotReady::NoNews { height, age }) } else { Ok(height) }
    }

    /// Records a newest height. The recorded height never falls, and its time never goes back.
    pub(super) fn record(&mut self, known: KnownHead) {
        self.newest = Some(self.newest.map_or(known, |before| KnownHead {
            height: before.height.max(known.height),
            at: before.at.max(known.at),
        }));
    }

    pub(super) fn failed(&mut self, error: Error) {
        self.failed = Some(error);
    }

    /// Records that the last request succeeded and its answer was accepted.
    pub(super) fn succeeded(&mut self) {
        self.failed = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use prooflight_core::Reason;

    #[test]
    fn a_replica_is_ready_only_with_every_known_block_and_fresh_knowledge() {
        let (begun, second) = (Instant::now(), Duration::from_secs(1));
        let mut progress = FollowProgress::new(second);
        let behind = |height, newest| Err(NotReady::Behind { height, newest });
        assert_eq!(progress.ready(7, begun), behind(7, None));
        progress.record(KnownHead { height: 8, at: begun });
        assert_eq!(progress.ready(7, begun), behind(7, Some(8)));
        assert_eq!(progress.ready(8, begun + 10 * second), Ok(8));
        let age = 11 * second;
        assert_eq!(progress.ready(8, begun + age), Err(NotReady::NoNews { height: 8, age }));

        // What another replica says may be older than what is known, and lower.
        progress.record(KnownHead { height: 6, at: begun + 5 * second });
        assert_eq!(progress.ready(7, begun + 5 * second), behind(7, Some(8)));
        progress.record(KnownHead { height: 8, at: begun });
        assert_eq!(progress.ready(8, begun + 15 * second), Ok(8));

        let error = Error::new(Reason::Unreachable, "an answer", "none");
        progress.failed(error.clone());
        assert_eq!(progress.ready(8, begun), Err(error.into()));
        progress.succeeded();
        assert_eq!(progress.ready(8, begun), Ok(8));
    }
}
