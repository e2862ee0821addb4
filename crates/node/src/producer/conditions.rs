//! Whether blocks can be made.

use std::sync::{Arc, OnceLock};

use prooflight_core::{Error, Reason, Result};
use tokio::sync::watch;

use crate::View;
use crate::api::producer::BlockReadiness;
use crate::runtime::clock::{Clock, check_not_in_future};
use crate::runtime::metrics::Metrics;
use crate::runtime::space::DiskSpace;
use crate::signing::signature_round::SignatureRound;

/// Whether blocks can be made now. Readiness depends on it too.
#[derive(Debug)]
pub struct BlockConditions {
    views: watch::Receiver<View>,
    clock: Clock,
    space: DiskSpace,
    /// The health of other dependencies; `None` while healthy.
    health: Vec<watch::Receiver<Option<Error>>>,
    /// The signature round, if authorities are remote.
    round: Option<Arc<SignatureRound>>,
    /// The error of the store after which the chain takes no more blocks.
    failed: OnceLock<Error>,
}

impl BlockConditions {
    /// Requires a clock that did not jump, free disk space, and a newest block of `views` that is not in the future.
    pub fn new(views: watch::Receiver<View>, clock: Clock, space: DiskSpace) -> Self {
        let (health, round, failed) = Default::default();
        Self { views, clock, space, health, round, failed }
    }

    /// Also requires that none of these dependencies reports an error.
    #[must_use]
    pub fn with_health(self, health: impl Into<Vec<watch::Receiver<Option<Error>>>>) -> Self {
        Self { health: health.into(), ..self }
    }

    /// Also requires that the remote authorities of this signature round can sign.
    #[must_use]
    pub fn with_round(self, round: Arc<SignatureRound>) -> Self {
        Self { round: Some(round), ..self }
    }

    /// Returns the time for a block that is made now.
    ///
    /// `store_failed` after a failed write or without space; `quorum_missing` after the last attempt at a block, or if
    /// too few remote authorities sign; an error of the log; `clock_jumped`, see [`Clock::now_ms`];
    /// `head_in_future` if the newest block is further ahead of the time than clients allow.
    pub fn check(&self) -> Result<u64> {
        if let Some(error) = self.failed.get() {
            return Err(error.clone());
        }
        self.space.check()?;
        if let Some(error) = self.health.iter().find_map(|health| health.borrow().clone()) {
            return Err(error);
        }
        self.check_quorum()?;
        let now_ms = self.clock.now_ms()?;
        let newest = self.views.borrow().head().header.timestamp_ms;
        check_not_in_future(newest, now_ms)?;
        Ok(now_ms)
    }

    /// Checks that remote authorities, if there are any, can sign blocks; see [`SignatureRound::check`].
    pub(super) fn check_quorum(&self) -> Result<()> {
        self.round.as_ref().map_or(Ok(()), |round| round.check())
    }

    /// Records that the store could not be written, or that no attempt at a block was valid. No more blocks are made;
    /// the stored ones stay readable. Any other error is returned.
    pub(super) fn record_failure(&self, error: Error) -> Result<()> {
        let reason = error.reason();
        if !matches!(reason, Reason::StoreFailed | Reason::QuorumMissing) {
            return Err(error);
        }
        let expected = format_args!("{}; blocks stop until the next start", error.expected());
        let _ = self.failed.set(Error::new(reason, expected, error.found()));
        Ok(())
    }
}

impl BlockReadiness for BlockConditions {
    fn check(&self) -> Result<u64> {
        Self::check(self)
    }

    fn count(&self, metrics: &Metrics) {
        if let Some(round) = &self.round {
            metrics.missing(round.missing());
        }
    }

    fn confirm_clock(&self) -> u64 {
        self.clock.confirm()
    }
}
