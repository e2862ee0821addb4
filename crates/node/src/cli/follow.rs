//! `run --follow` and `serve --log`: start a replica from a checkpoint, or resume it.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use prooflight_core::chain::{ChainConfig, Checkpoint};
use prooflight_core::{Error, Reason, Result};
use prooflight_json::checkpoint;
use prooflight_log::{Bucket, BucketLog};
use prooflight_node::Chain;
use prooflight_node::chain::schemes::SchemeOptions;
use prooflight_node::replication::follow::{self, FollowPace, Follower, LeaderClient};
use prooflight_node::replication::log::check_bound;
use prooflight_node::replication::sync::{is_interrupted, sync};
use prooflight_node::runtime::metrics::Metrics;
use prooflight_node::runtime::space::DiskSpace;
use prooflight_node::runtime::{blocking, files};
use tokio::runtime::Handle;
use tokio::sync::watch;

use super::file_error;
use super::log::bucket_at_start;
use super::new_folder::{NewFolder, begin_in};
use super::run::NodeHandles;
use super::settings::ResolvedSettings;

/// The checkpoint that a replica was first started with, in its folder.
const CHECKPOINT_FILE: &str = "checkpoint.json";

/// Resumes a replica, or begins one from a checkpoint; waits for the genesis block.
pub(super) async fn follow(
    leader: &str,
    chosen: ResolvedSettings,
    metrics: Metrics,
) -> Result<NodeHandles> {
    let leader = LeaderClient::new(leader, Duration::from_millis(chosen.request_time_ms))?;
    let begun = if chosen.sync && !has_chain(&chosen.data_dir)? {
        Some(begin_with_state(&leader, &chosen).await?)
    } else {
        None
    };
    start(chosen, metrics, begun, |_| Ok(follow::BlockSource::Node(leader))).await
}

/// Whether a folder has a complete chain.
pub(super) fn has_chain(folder: &Path) -> Result<bool> {
    Ok(Chain::exists(folder)? && !is_interrupted(folder))
}

/// Begins a chain with a state of the leader; if that fails, the written files are removed.
pub(super) async fn begin_with_state(
    leader: &LeaderClient,
    chosen: &ResolvedSettings,
) -> Result<Chain> {
    let folder = &chosen.data_dir;
    let checkpoint = checkpoint(folder, chosen.checkpoint.as_deref())?;
    let checkpoint = require_checkpoint(folder, checkpoint.as_ref())?;
    let fresh = NewFolder::of(folder)?;
    let space = DiskSpace::new(folder, chosen.min_free_bytes);
    let begun = async {
        store_checkpoint(folder, checkpoint)?;
        sync(leader, folder, checkpoint, &chosen.schemes, &space).await
    };
    begun.await.inspect_err(|_| fresh.clear())
}

/// Like [`follow`], with the blocks of the chain's log.
pub(super) async fn follow_log(
    url: &str,
    chosen: ResolvedSettings,
    metrics: Metrics,
) -> Result<NodeHandles> {
    let bucket = bucket_at_start(url, &metrics)?;
    let runtime = Handle::current();
    check_bound(&chosen.data_dir, bucket.name(), chosen.log_moved_from.as_deref())?;
    let begun = if chosen.sync && !has_chain(&chosen.data_dir)? {
        Some(begin_with_log(&bucket, &chosen).await?)
    } else {
        None
    };
    let source = move |config| {
        let log = runtime.block_on(BucketLog::open(bucket, config))?;
        // From here on, failed reads are retried anyway.
        log.bucket().end_startup_retry();
        Ok(follow::BlockSource::Log(log.reader(0)))
    };
    start(chosen, metrics, begun, source).await
}

/// Begins a chain with a state of the node of `--leader`, whose block must be in the log.
async fn begin_with_log(bucket: &Bucket, chosen: &ResolvedSettings) -> Result<Chain> {
    let folder = &chosen.data_dir;
    let checkpoint = checkpoint(folder, chosen.checkpoint.as_deref())?;
    let config = Arc::new(require_checkpoint(folder, checkpoint.as_ref())?.config.clone());
    // Before anything is written.
    let (leader, log) = (state_leader(chosen)?, BucketLog::open(bucket.clone(), config).await?);
    let chain = begin_with_state(&leader, chosen).await?;
    let head = chain.view()?.head().header.clone();
    let found = log.block(head.height).await?.map(|block| block.hash());
    if found == Some(head.hash()) {
        return Ok(chain);
    }
    let expected = format_args!(
        "block {} of {leader} in {}: move {} away, and begin again from a node of this log",
        head.height,
        bucket.name(),
        folder.display()
    );
    Err(Error::new(Reason::Equivocation, expected, "another one, or none"))
}

/// The node whose state a node with a log begins with.
pub(super) fn state_leader(chosen: &ResolvedSettings) -> Result<LeaderClient> {
    let Some(leader) = &chosen.leader else {
        let expected = "--leader with the node whose state --sync begins with";
        return Err(Error::new(Reason::InvalidArgument, expected, "none"));
    };
    LeaderClient::new(leader, Duration::from_millis(chosen.request_time_ms))
}

async fn start(
    chosen: ResolvedSettings,
    metrics: Metrics,
    begun: Option<Chain>,
    source: impl FnOnce(Arc<ChainConfig>) -> Result<follow::BlockSource> + Send + 'static,
) -> Result<NodeHandles> {
    let mut follower =
        blocking::run_blocking(move || open(begun, source, &chosen, &metrics)).await?;
    let progress = follower.progress();
    let (published, views) = watch::channel(follower.first_view().await?);
    let ended = tokio::spawn(follower.run(published));
    Ok(NodeHandles {
        views,
        submitter: None,
        conditions: None,
        progress: Some(progress),
        promote: None,
        round: None,
        ended,
    })
}

fn open(
    begun: Option<Chain>,
    source: impl FnOnce(Arc<ChainConfig>) -> Result<follow::BlockSource>,
    chosen: &ResolvedSettings,
    metrics: &Metrics,
) -> Result<Follower> {
    let folder = &chosen.data_dir;
    let checkpoint = checkpoint(folder, chosen.checkpoint.as_deref())?;
    let (chain, source) = if begun.is_some() || Chain::exists(folder)? {
        let chain = begun.map_or_else(|| Chain::open(folder), Ok)?;
        let source = source(chain.config().clone())?;
        (chain, source)
    } else {
        let checkpoint = require_checkpoint(folder, checkpoint.as_ref())?;
        // Before anything is written.
        let source = source(Arc::new(checkpoint.config.clone()))?;
        (begin_in(folder, || begin_replica(folder, checkpoint, &chosen.schemes))?, source)
    };
    metrics.store(chain.disk_bytes()?);
    let pace = FollowPace {
        interval: Duration::from_millis(chosen.follow_interval_ms),
        keep: chosen.keep,
    };
    let space = DiskSpace::new(folder, chosen.min_free_bytes);
    Follower::new(chain, source, checkpoint, pace, space, metrics.clone())
}

/// The given checkpoint, or that of the first start.
pub(super) fn checkpoint(folder: &Path, given: Option<&Path>) -> Result<Option<Checkpoint>> {
    let kept = folder.join(CHECKPOINT_FILE);
    match given {
        Some(given) => read_checkpoint(given).map(Some),
        None if kept.exists() => read_checkpoint(&kept).map(Some),
        None => Ok(None),
    }
}

/// The checkpoint that a first start needs.
pub(super) fn require_checkpoint<'a>(
    folder: &Path,
    checkpoint: Option<&'a Checkpoint>,
) -> Result<&'a Checkpoint> {
    checkpoint.ok_or_else(|| {
        let expected = format_args!(
            "--checkpoint with the chain to follow, since there is none in {}",
            folder.display()
        );
        Error::new(Reason::InvalidArgument, expected, "no checkpoint")
    })
}

/// Begins a chain without blocks. Its configuration comes from the checkpoint, never from the leader or the log.
pub(super) fn begin_replica(
    folder: &Path,
    checkpoint: &Checkpoint,
    options: &SchemeOptions,
) -> Result<Chain> {
    store_checkpoint(folder, checkpoint)?;
    Chain::create_with(folder, &checkpoint.config, options)
}

/// Stores the checkpoint of a new chain.
fn store_checkpoint(folder: &Path, checkpoint: &Checkpoint) -> Result<()> {
    let (kept, json) = (folder.join(CHECKPOINT_FILE), checkpoint::to_json(checkpoint));
    std::fs::create_dir_all(folder)
        .and_then(|()| std::fs::write(&kept, json))
        .map_err(|error| file_error(&kept, &error))
}

pub(super) fn read_checkpoint(path: &Path) -> Result<Checkpoint> {
    let json = files::read_to_string(path).map_err(|error| file_error(path, &error))?;
    checkpoint::from_json(&json)
}
