//! Reads blocks ahead, in parallel, and returns them in order.

use std::collections::VecDeque;

use prooflight_core::{Error, Reason, Result};
use tokio::task::JoinHandle;

use crate::entry::LogEntry;
use crate::log::BucketLog;

/// Reads the blocks of a log in order.
///
/// While it finds one block after another, it reads more and more of them ahead. A reader that
/// [pauses](Self::pause) before each call makes one request for each answer.
#[derive(Debug)]
pub struct LogReader {
    log: BucketLog,
    /// The height of the first running request.
    next: u64,
    /// The number of requests at once.
    window: usize,
    /// The bytes of the largest block that was found since the last restart.
    largest: usize,
    ahead: VecDeque<RequestTask<Option<LogEntry>>>,
}

/// The most requests at once.
const MAX_REQUESTS_AHEAD: usize = 16;

/// The approximate limit of the bytes that are read ahead.
const MAX_BYTES_AHEAD: usize = 64 << 20;

impl BucketLog {
    /// Reads the blocks from a height on.
    pub fn reader(&self, height: u64) -> LogReader {
        LogReader { log: self.clone(), next: height, window: 1, largest: 0, ahead: VecDeque::new() }
    }
}

impl LogReader {
    /// Reads the block at a height; `None` if there is none yet. Asking for another height than the
    /// one after the last block found drops what was read ahead.
    ///
    /// Errors are those of [`BucketLog::block`]. Must be called within a runtime.
    pub async fn block(&mut self, height: u64) -> Result<Option<LogEntry>> {
        if height != self.next {
            self.restart(height);
        }
        while self.ahead.len() < self.window {
            let height = self.next + self.ahead.len() as u64;
            let log = self.log.clone();
            self.ahead.push_back(RequestTask::spawn(async move { log.block(height).await }));
        }
        let found = match self.ahead.front_mut() {
            // It stays in front if this future is dropped.
            Some(first) => first.end().await,
            None => return Err(Error::new(Reason::Bug, "a block that is being read", "none")),
        };
        match &found {
            Ok(Some(entry)) => {
                self.ahead.pop_front();
                self.next += 1;
                self.largest = self.largest.max(entry.body.len());
                let fit = MAX_BYTES_AHEAD / self.largest.max(1);
                self.window = (self.window * 2).min(fit).clamp(1, MAX_REQUESTS_AHEAD);
            }
            Ok(None) | Err(_) => self.restart(height),
        }
        found
    }

    /// Drops what was read ahead, for a caller that has every block and will wait before it asks again.
    pub fn pause(&mut self) {
        self.restart(self.next);
    }

    fn restart(&mut self, height: u64) {
        self.ahead.clear();
        (self.next, self.window, self.largest) = (height, 1, 0);
    }
}

/// A request, cancelled when this is dropped.
#[derive(Debug)]
pub(crate) struct RequestTask<T>(JoinHandle<Result<T>>);

impl<T: Send + 'static> RequestTask<T> {
    pub(crate) fn spawn(request: impl Future<Output = Result<T>> + Send + 'static) -> Self {
        Self(tokio::spawn(request))
    }

    /// Waits for the answer; must not be called again after it.
    pub(crate) async fn end(&mut self) -> Result<T> {
        (&mut self.0)
            .await
            .unwrap_or_else(|error| Err(Error::new(Reason::Bug, "a task with a request", error)))
    }
}

impl<T> Drop for RequestTask<T> {
    fn drop(&mut self) {
        self.0.abort();
    }
}
