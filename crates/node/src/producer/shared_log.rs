//! The producer of a chain with a shared log, in which other leaders may publish blocks.

use std::time::{Duration, Instant};

use prooflight_core::{Error, Reason, Result};

use super::{Producer, answer};
use crate::replication::log::is_recent;
use crate::{Verdict, View};

impl Producer {
    /// Waits for a submission; `false` if no more can come. Meanwhile it follows other leaders.
    pub(super) fn wait(&mut self) -> Result<bool> {
        if self.shared.is_none() {
            self.next = self.submissions.blocking_recv();
            return Ok(self.next.is_some());
        }
        loop {
            self.poll_log()?;
            let left = self.next_poll.saturating_duration_since(Instant::now());
            let Some(shared) = &self.shared else { return Ok(true) };
            if let Some(next) = shared.log.wait(left, self.submissions.recv()) {
                self.next = next;
                return Ok(self.next.is_some());
            }
        }
    }

    /// As a standby, follows the leader until this node is to lead; `false` if it is to stop.
    pub(super) fn stand_by(&mut self) -> Result<bool> {
        let Some(mut standby) = self.shared.as_mut().and_then(|shared| shared.standby.take())
        else {
            return Ok(true);
        };
        loop {
            if self.catch_up()? {
                standby.block();
            }
            let Some(shared) = &self.shared else { return Ok(true) };
            // The standby's request to its leader has a time limit of its own.
            if shared.log.wait(Duration::MAX, standby.leads()) == Some(true) {
                // The previous leader may have published blocks in the meantime.
                self.catch_up()?;
                tracing::warn!(height = self.chain.height(), "leading");
                return Ok(true);
            }
            if !self.refuse_early()? {
                return Ok(false);
            }
        }
    }

    /// Refuses submissions until the next poll of the log is due; `false` if no more submissions can come.
    fn refuse_early(&mut self) -> Result<bool> {
        loop {
            let left = self.next_poll.saturating_duration_since(Instant::now());
            let Some(shared) = &self.shared else { return Ok(true) };
            match shared.log.wait(left, self.submissions.recv()) {
                Some(None) => return Ok(false),
                Some(Some(early)) => {
                    let expected = "a node that leads";
                    let refused = Error::new(Reason::ReadOnly, expected, "a standby");
                    answer(vec![early], &Err(refused));
                }
                None => return Ok(true),
            }
            if left.is_zero() {
                return Ok(true);
            }
        }
    }

    /// Executes the blocks of other leaders if the next poll of the log is due. Submissions may arrive far more often.
    pub(super) fn poll_log(&mut self) -> Result<()> {
        if self.shared.is_some() && Instant::now() >= self.next_poll {
            self.catch_up()?;
        }
        Ok(())
    }

    /// Reports that the next block of the log is invalid, in the health of the log too.
    pub(super) fn report_invalid_block(&self, error: &Error) {
        let next = self.chain.height().map_or(0, |height| height + 1);
        tracing::error!(height = next, reason = %error.reason(), %error, "an invalid block in the log");
        if let Some(shared) = &self.shared {
            shared.log.record_error(error);
        }
    }

    /// Executes the log's blocks after this node's newest one; returns whether there were any. The conditions report an
    /// invalid block.
    pub(super) fn catch_up(&mut self) -> Result<bool> {
        let caught_up = self.follow_log();
        if let Some(shared) = &self.shared {
            self.next_poll = Instant::now() + shared.poll;
        }
        caught_up
    }

    fn follow_log(&mut self) -> Result<bool> {
        let mut any = false;
        loop {
            let Some(shared) = &mut self.shared else { return Ok(any) };
            let next = self.chain.height().map_or(0, |height| height + 1);
            let started = Instant::now();
            let block = match shared.log.block(next) {
                Ok(Some(block)) => block,
                Ok(None) => return Ok(any),
                Err(error) => {
                    tracing::warn!(height = next, reason = %error.reason(), %error, "the log could not be read");
                    return Ok(any);
                }
            };
            let newest = is_recent(&block.header.header, shared.poll);
            if newest {
                shared.log.pause();
            }
            let followed = match self.chain.follow(block) {
                Verdict::Valid(view) => Ok(view),
                Verdict::Invalid(error) => {
                    // The next poll reads this height again: the stored object may have been damaged on its way.
                    self.report_invalid_block(&error);
                    return Ok(any);
                }
                Verdict::None(error) => Err(error),
            };
            if let Err(error) =
                followed.and_then(|view| self.publish_followed(view, started.elapsed()))
            {
                return self.conditions.record_failure(error).map(|()| any);
            }
            any = true;
            if newest {
                return Ok(any);
            }
        }
    }

    /// Publishes a block of another leader to readers.
    pub(super) fn publish_followed(&mut self, view: View, took: Duration) -> Result<()> {
        self.metrics.block(took);
        tracing::info!(
            height = view.height(),
            hash = %prooflight_core::Hex(view.head_hash()),
            "block of another leader"
        );
        let height = view.height();
        if let Some(shared) = &self.shared {
            shared.log.mark_read();
        }
        self.published.send_replace(view);
        self.signing.published(height)?;
        self.metrics.store(self.chain.disk_bytes()?);
        self.chain.apply_retention(self.pace.keep)
    }
}
