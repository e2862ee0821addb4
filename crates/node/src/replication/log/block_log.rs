//! The chain's log with a blocking interface.

use std::time::Duration;

use prooflight_core::chain::{Header, SignedHeader};
use prooflight_core::{Error, Reason, Result};
use prooflight_log::{BucketLog, LogEntry, LogReader};
use tokio::runtime::Handle;
use tokio::sync::watch;

use crate::runtime::clock::now_ms;
use crate::{Block, BlockBody};

/// The log with a blocking interface.
#[derive(Debug)]
pub struct BlockLog {
    log: BucketLog,
    reader: LogReader,
    runtime: Handle,
    /// Why the newest blocks could not be read.
    read_error: watch::Sender<Option<Error>>,
}

impl BlockLog {
    /// Uses a log on this runtime, which must have other threads than the callers.
    pub fn new(log: BucketLog, runtime: Handle) -> Self {
        Self { reader: log.reader(0), log, runtime, read_error: watch::Sender::new(None) }
    }

    /// Ends the retries of a start, see [`Bucket::with_startup_retry`](prooflight_log::Bucket::with_startup_retry).
    pub fn started(&self) {
        self.log.bucket().end_startup_retry();
    }

    /// The log in the bucket, for another user of the same connection.
    pub(crate) const fn bucket_log(&self) -> &BucketLog {
        &self.log
    }

    /// The runtime on which requests run.
    pub(crate) const fn runtime(&self) -> &Handle {
        &self.runtime
    }

    /// Publishes a block; returns the block that the log has at its height, which may be a different one. Its signatures
    /// were checked. Blocks until the log has answered, see [`BucketLog::publish`].
    pub(crate) fn publish(&self, header: &SignedHeader, body: &BlockBody) -> Result<LogEntry> {
        let entry = LogEntry { header: header.clone(), body: body.encode()? };
        self.runtime.block_on(self.log.publish(entry))
    }

    /// Reads the block at a height; `None` if there is none yet. An error stays in [`health`](Self::health) until a block
    /// is accepted, or the log has no next block.
    pub fn block(&mut self, height: u64) -> Result<Option<Block>> {
        let found = self.runtime.block_on(self.reader.block(height));
        let found = found.and_then(|entry| entry.map(decode_entry).transpose());
        match &found {
            // The block may be invalid, so that its arrival does not clear an error.
            Ok(Some(_)) => {}
            Ok(None) => self.mark_read(),
            Err(error) => self.record_error(error),
        }
        found
    }

    /// Marks the log as read up to its end.
    pub(crate) fn mark_read(&self) {
        self.read_error.send_if_modified(|recorded| recorded.take().is_some());
    }

    /// Records the error of the next block of the log, or of reading it.
    pub(crate) fn record_error(&self, error: &Error) {
        self.read_error.send_if_modified(|recorded| {
            let changed = recorded.as_ref() != Some(error);
            *recorded = Some(error.clone());
            changed
        });
    }

    /// Drops the read-ahead; for a caller that has every block.
    pub(crate) fn pause(&mut self) {
        self.reader.pause();
    }

    /// Runs a future while this thread waits, at most for `time`.
    pub(crate) fn wait<T>(&self, time: Duration, future: impl Future<Output = T>) -> Option<T> {
        self.runtime.block_on(async { tokio::time::timeout(time, future).await.ok() })
    }

    /// The health of publishing and of reading; `None` while healthy.
    pub fn health(&self) -> [watch::Receiver<Option<Error>>; 2] {
        [self.log.waiting(), self.read_error.subscribe()]
    }
}

/// Whether a block is younger than the polling interval, so that no later block is expected yet. Only the number of
/// requests depends on it.
pub(crate) fn is_recent(header: &Header, interval: Duration) -> bool {
    u128::from(now_ms().saturating_sub(header.timestamp_ms)) < interval.as_millis()
}

/// Decodes a block of the log; `invalid_encoding` if its body is malformed.
pub fn decode_entry(entry: LogEntry) -> Result<Block> {
    let height = entry.height();
    // A wrong body in the bucket is not damage of the local store.
    let body: BlockBody = borsh::from_slice(&entry.body).map_err(|error| {
        Error::new(Reason::InvalidEncoding, format_args!("a body of block {height}"), error)
    })?;
    Ok(Block { header: entry.header, body })
}
