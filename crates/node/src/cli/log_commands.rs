//! Commands that read a chain's log instead of a folder, without a node; and `copy`, which copies a log.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use prooflight_core::chain::{Checkpoint, operations_root};
use prooflight_core::{Error, Hex, Reason, Result};
use prooflight_json as json;
use prooflight_log::{self as log, Bucket, BucketLog};
use prooflight_node::Chain;
use prooflight_node::chain::schemes::SchemeOptions;
use prooflight_node::replication::follow::check_pinned;
use prooflight_node::replication::log::{LogBinding, decode_entry};
use prooflight_node::runtime::scratch::ScratchFolder;
use tokio::runtime::Runtime;

use super::new_folder::begin_in;
use super::params::options;
use super::replica::{begin_replica, read_checkpoint};

/// A chain's log.
#[derive(Clone, Debug, Args)]
pub(super) struct LogArgs {
    /// The chain's log in an object store, instead of a folder
    #[arg(long, requires = "checkpoint")]
    log: Option<String>,
    /// With --log: a file with the checkpoint of the chain
    #[arg(long, requires = "log")]
    checkpoint: Option<PathBuf>,
    /// With --log: the .ptau file of the chain's lvmt setup, if that setup is not the development setup
    #[arg(long, requires = "log")]
    lvmt_setup: Option<PathBuf>,
}

/// An open log, with the checkpoint that identifies its chain.
pub(super) struct ChainLog {
    runtime: Runtime,
    log: BucketLog,
    pinned: Checkpoint,
    options: SchemeOptions,
}

impl LogArgs {
    /// Opens the log, if one is given.
    ///
    /// `wrong_chain` or `equivocation` if its chain is not the checkpoint's, `unknown_block` if it lacks the
    /// checkpoint's block; otherwise the errors of a bucket. Nothing is written.
    pub(super) fn open(&self) -> Result<Option<ChainLog>> {
        let (Some(url), Some(checkpoint)) = (&self.log, &self.checkpoint) else { return Ok(None) };
        let bucket = open_bucket(url)?;
        let pinned = read_checkpoint(checkpoint)?;
        let runtime = runtime()?;
        let config = Arc::new(pinned.config.clone());
        let log = runtime.block_on(BucketLog::open(bucket, config))?;
        let options = options(None, None, self.lvmt_setup.clone());
        let logged = ChainLog { runtime, log, pinned, options };
        check_pinned(&logged.pinned, &logged.block(logged.pinned.height)?.header.header)?;
        Ok(Some(logged))
    }
}

impl ChainLog {
    /// The checkpoint of a block, by default the newest.
    pub(super) fn checkpoint(&self, height: Option<u64>) -> Result<String> {
        let newest = || self.runtime.block_on(self.log.newest());
        let height = height.map_or_else(newest, |height| Ok(Some(height)))?.unwrap_or(0);
        let header_hash = self.block(height)?.hash();
        let config = self.pinned.config.clone();
        Ok(json::checkpoint::to_json(&Checkpoint { config, height, header_hash }))
    }

    /// Executes every block in a folder without a chain. After an error, the caller must remove the incomplete chain.
    pub(super) fn execute(&self, folder: &Path) -> Result<Chain> {
        self.block(0)?;
        let mut chain = begin_in(folder, || begin_replica(folder, &self.pinned, &self.options))?;
        let mut reader = self.log.reader(0);
        for height in 0.. {
            let in_block = |error: Error| {
                let name = self.log.bucket().name();
                let expected = format_args!("{}, in block {height} of {name}", error.expected());
                Error::new(error.reason(), expected, error.found())
            };
            let Some(entry) = self.runtime.block_on(reader.block(height)).map_err(in_block)? else {
                break;
            };
            chain.follow(decode_entry(entry)?).into_result().map_err(in_block)?;
            if height % 1000 == 999 {
                eprintln!("{} blocks executed", height + 1);
            }
        }
        // The bucket may have returned another block when the log was opened.
        let header = chain.view()?.header(prooflight_node::BlockId::Height(self.pinned.height))?;
        check_pinned(&self.pinned, &header.header)?;
        Ok(chain)
    }

    /// Executes every block in a temporary folder, which is removed when the first value is dropped.
    pub(super) fn execute_in_scratch(&self) -> Result<(ScratchFolder, Chain)> {
        let scratch = ScratchFolder::new().map_err(|error| {
            Error::new(Reason::StoreFailed, "a temporary folder (TMPDIR)", error)
        })?;
        let chain = self.execute(&scratch.path().join("chain"))?;
        Ok((scratch, chain))
    }

    /// Binds a folder with the log's blocks to this log.
    pub(super) fn bind(&self, folder: &Path) -> Result<()> {
        let log = self.log.bucket().name().to_owned();
        LogBinding { log, publishing: false }.write(folder)
    }

    fn block(&self, height: u64) -> Result<log::LogEntry> {
        let none = || {
            let expected = format_args!("block {height} in {}", self.log.bucket().name());
            Error::new(Reason::UnknownBlock, expected, "none")
        };
        self.runtime.block_on(self.log.block(height))?.ok_or_else(none)
    }
}

/// The arguments of `copy`.
#[derive(Debug, Args)]
pub(super) struct CopyArgs {
    /// The log, such as <s3://BUCKET/FOLDER>
    from: String,
    /// The new log
    to: String,
    /// A file with the checkpoint of the chain; without one, the log says which chain it has
    #[arg(long)]
    checkpoint: Option<PathBuf>,
}

impl CopyArgs {
    pub(super) fn run(&self) -> Result<()> {
        let (from, to) = (open_bucket(&self.from)?, open_bucket(&self.to)?);
        if from.name() == to.name() {
            let expected = "two different logs";
            return Err(Error::new(Reason::InvalidArgument, expected, from.name()));
        }
        let pinned = self.checkpoint.as_deref().map(read_checkpoint).transpose()?;
        let runtime = runtime()?;
        let copied = runtime.block_on(async {
            let config = match &pinned {
                Some(pinned) => pinned.config.clone(),
                None => BucketLog::config(&from).await?.ok_or_else(|| {
                    let expected = format_args!("a chain in {}", from.name());
                    Error::new(Reason::UnknownBlock, expected, "none")
                })?,
            };
            let chain = config.id();
            let log = BucketLog::open(from, Arc::new(config)).await?;
            if let Some(pinned) = &pinned {
                let found = log.block(pinned.height).await?.ok_or_else(|| {
                    let expected = format_args!("the checkpoint's block {}", pinned.height);
                    Error::new(Reason::UnknownBlock, expected, "none")
                })?;
                check_pinned(pinned, &found.header.header)?;
            }
            eprintln!("chain {}", Hex(&chain));
            let show_progress = |height: u64| {
                if height % 1000 == 999 {
                    eprintln!("{} blocks", height + 1);
                }
            };
            log::copy(&log, &to, check_operations, show_progress).await
        })?;
        println!("{} blocks in {}, {} of them new", copied.blocks, to.name(), copied.created);
        Ok(())
    }
}

/// Checks that the operations of a block are those of its header.
fn check_operations(entry: &log::LogEntry) -> Result<()> {
    let block = decode_entry(entry.clone())?;
    let (expected, found) = (block.header.header.ops_root, operations_root(&block.body.operations));
    if expected == found {
        return Ok(());
    }
    let expected = format_args!("the operations {} of block {}", Hex(&expected), entry.height());
    Err(Error::new(Reason::OperationsMismatch, expected, Hex(&found)))
}

/// Opens a bucket whose transient failures are retried for some time.
fn open_bucket(url: &str) -> Result<Bucket> {
    Ok(Bucket::open(url)?.with_startup_retry(|error| eprintln!("retrying: {error}")))
}

/// A runtime whose threads read ahead.
pub(super) fn runtime() -> Result<Runtime> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    runtime.map_err(|error| Error::new(Reason::Bug, "a runtime", error))
}
