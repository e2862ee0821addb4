//! The headers of a chain from its log, for a proof server without a node.
//!
//! Proving a header's position in the history needs the hashes of all earlier headers. So all headers are read once and
//! kept in a store like a node's, but without blocks and states.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use prooflight_core::chain::{Checkpoint, Header, SignedHeader, operations_root};
use prooflight_core::store::{Store as _, WriteBatch};
use prooflight_core::{Error, Hex, Reason, Result};
use prooflight_log::{BucketLog, LogReader};
use tokio::sync::watch;
use tokio::time::{sleep, timeout};

use crate::chain::block::{header_key, height_key};
use crate::chain::history::{self, HistoryAppender};
use crate::chain::store::{self, EmbeddedStore};
use crate::replication::follow::check_pinned;
use crate::replication::log::{decode_entry, is_recent};
use crate::runtime::backoff::RetryBackoff;
use crate::runtime::blocking;
use crate::{Block, BlockId, View};

/// The most headers that are stored and published together.
const HEADER_BATCH: usize = 1024;

/// How long an answer waits for a header that has not been read yet.
const HEADER_TIMEOUT: Duration = Duration::from_secs(2);

/// The headers read so far, and the log.
#[derive(Clone, Debug)]
pub struct LogHeaders {
    log: BucketLog,
    read: watch::Receiver<Option<View>>,
}

/// Reads the headers of a log.
pub struct HeaderReader {
    log: BucketLog,
    reader: LogReader,
    pinned: Checkpoint,
    store: EmbeddedStore,
    history: HistoryAppender,
    newest: Option<SignedHeader>,
    read: watch::Sender<Option<View>>,
}

impl HeaderReader {
    /// Reads the headers of a chain into a new folder, beginning with the first.
    pub fn new(log: BucketLog, pinned: Checkpoint, folder: &Path) -> Result<(Self, LogHeaders)> {
        let (sender, receiver) = watch::channel(None);
        let (store, history) = (store::open(folder)?, HistoryAppender::default());
        let headers = LogHeaders { log: log.clone(), read: receiver };
        let reader = log.reader(0);
        Ok((Self { log, reader, pinned, store, history, newest: None, read: sender }, headers))
    }

    /// Reads all headers, then polls for new ones every interval; never ends.
    ///
    /// Errors are logged and retried. Must be called on a multi-threaded runtime.
    pub async fn run(mut self, interval: Duration) {
        let (mut backoff, mut last_error) = (RetryBackoff::new(interval), None);
        loop {
            let delay = match self.read_on(interval).await {
                Ok(()) => {
                    (last_error, backoff) = (None, RetryBackoff::new(interval));
                    interval
                }
                Err(error) => {
                    let (log, reason) = (self.log.bucket().name(), error.reason());
                    if last_error.as_ref() != Some(&error) {
                        tracing::warn!(log, height = self.next(), %reason, %error, "headers cannot be read");
                        last_error = Some(error);
                    }
                    backoff.failed()
                }
            };
            sleep(delay).await;
        }
    }

    /// Reads all headers that the log has.
    async fn read_on(&mut self, interval: Duration) -> Result<()> {
        loop {
            let (mut part, mut end) = (Vec::new(), None);
            while end.is_none() && part.len() < HEADER_BATCH {
                match self.header(part.last()).await {
                    Ok(Some(header)) => {
                        let newest = is_recent(&header.header, interval);
                        part.push(header);
                        if newest {
                            self.reader.pause();
                            end = Some(Ok(()));
                        }
                    }
                    Ok(None) => end = Some(Ok(())),
                    Err(error) => end = Some(Err(error)),
                }
            }
            if !part.is_empty() {
                blocking::in_place(|| self.store(&part))?;
            }
            if let Some(end) = end {
                return end;
            }
            tracing::info!(height = self.next() - 1, "headers read from the log");
        }
    }

    /// Reads the header after `before`, and checks it.
    async fn header(&mut self, before: Option<&SignedHeader>) -> Result<Option<SignedHeader>> {
        let before = before.or(self.newest.as_ref()).map(|before| &before.header);
        let next = before.map_or(0, |before| before.height + 1);
        // The log has checked the signatures.
        let Some(entry) = self.reader.block(next).await? else { return Ok(None) };
        let header = &entry.header.header;
        if let Some(before) = before {
            header.check_follows(before)?;
        }
        if self.pinned.height == next {
            check_pinned(&self.pinned, header)?;
        }
        Ok(Some(entry.header))
    }

    /// Stores and publishes headers. The last one must commit to all headers before it.
    fn store(&mut self, part: &[SignedHeader]) -> Result<()> {
        let (mut batch, mut history) = (WriteBatch::new(), self.history.clone());
        for signed in part {
            let (height, hash) = (signed.header.height, signed.header.hash());
            batch.put(header_key(height), signed.encode());
            batch.put(height_key(&hash), height.to_be_bytes());
            history.append(height, &hash, &mut batch);
        }
        self.store.write(batch)?;
        let Some(last) = part.last() else { return Ok(()) };
        let Header { height, history_root, .. } = &last.header;
        let found = history::root(&self.store, *height)?;
        if found != *history_root {
            let expected = format_args!("the history {} before block {height}", Hex(&found));
            return Err(Error::new(Reason::NotExtending, expected, Hex(history_root)));
        }
        let (snapshot, config) = (self.store.snapshot()?, self.pinned.config.clone());
        let view = View::new(snapshot, Arc::new(config), Arc::new(last.clone()), Arc::default());
        (self.history, self.newest) = (history, Some(last.clone()));
        self.read.send_replace(Some(view));
        Ok(())
    }

    fn next(&self) -> u64 {
        self.newest.as_ref().map_or(0, |newest| newest.header.height + 1)
    }
}

impl LogHeaders {
    /// A view of the chain's headers so far, without states. `version_unavailable` if none was read yet.
    pub fn view(&self) -> Result<View> {
        self.read.borrow().clone().ok_or_else(|| {
            let expected = format_args!("a header from {}", self.log.bucket().name());
            Error::new(Reason::VersionUnavailable, expected, "none read yet")
        })
    }

    /// Waits for the header of an existing block, for a limited time.
    pub(crate) async fn wait_for(&self, height: u64) {
        let mut read = self.read.clone();
        let arrived = read.wait_for(|view| view.as_ref().is_some_and(|it| it.height() >= height));
        // If the header is still missing, the answer says so.
        let _ = timeout(HEADER_TIMEOUT, arrived).await;
    }

    /// Reads a block from the log, and checks it against its header.
    pub(crate) async fn block(&self, at: BlockId) -> Result<Block> {
        let view = self.view()?;
        let header = blocking::run_blocking(move || view.header(at)).await?.header;
        let (height, log) = (header.height, self.log.bucket().name());
        let Some(entry) = self.log.block(height).await? else {
            let expected = format_args!("block {height} in {log}");
            return Err(Error::new(Reason::UnknownBlock, expected, "none any more"));
        };
        let block = decode_entry(entry)?;
        let (hash, found) = (header.hash(), block.header.header.hash());
        if hash != found {
            let expected = format_args!("block {height} with the hash {} in {log}", Hex(&hash));
            return Err(Error::new(Reason::Equivocation, expected, Hex(&found)));
        }
        let operations = operations_root(&block.body.operations);
        if operations != header.ops_root {
            let expected =
                format_args!("the operations {} of block {height}", Hex(&header.ops_root));
            return Err(Error::new(Reason::OperationsMismatch, expected, Hex(&operations)));
        }
        Ok(block)
    }
}
