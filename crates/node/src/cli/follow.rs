//! `run --follow` and `serve --log`: start a replica from a checkpoint, or resume it.

use std::sync::Arc;
use std::time::Duration;

use prooflight_core::chain::ChainConfig;
use prooflight_core::{Error, Reason, Result};
use prooflight_log::{Bucket, BucketLog};
use prooflight_node::Chain;
use prooflight_node::replication::follow::{self, FollowPace, Follower, LeaderClient};
use prooflight_node::replication::log::check_bound;
use prooflight_node::runtime::blocking;
use prooflight_node::runtime::metrics::Metrics;
use prooflight_node::runtime::space::DiskSpace;
use tokio::runtime::Handle;
use tokio::sync::watch;

use super::bucket::bucket_at_start;
use super::handles::NodeHandles;
use super::new_folder::begin_in;
use super::replica::{
    begin_replica, begin_with_state, checkpoint, has_chain, require_checkpoint, state_leader,
};
use super::settings::ResolvedSettings;

/// Resumes a replica, or begins one from a checkpoint; waits for the genesis block.
pub(super) async fn follow(
    leader: &str,
    settings: ResolvedSettings,
    metrics: Metrics,
) -> Result<NodeHandles> {
    let leader = LeaderClient::new(leader, Duration::from_millis(settings.request_time_ms))?;
    let new_chain = if settings.sync && !has_chain(&settings.data_dir)? {
        Some(begin_with_state(&leader, &settings).await?)
    } else {
        None
    };
    start(settings, metrics, new_chain, |_| Ok(follow::BlockSource::Node(leader))).await
}

/// Like [`follow`], with the blocks of the chain's log.
pub(super) async fn follow_log(
    url: &str,
    settings: ResolvedSettings,
    metrics: Metrics,
) -> Result<NodeHandles> {
    let bucket = bucket_at_start(url, &metrics)?;
    let runtime = Handle::current();
    check_bound(&settings.data_dir, bucket.name(), settings.log_moved_from.as_deref())?;
    let new_chain = if settings.sync && !has_chain(&settings.data_dir)? {
        Some(begin_with_log(&bucket, &settings).await?)
    } else {
        None
    };
    let source = move |config| {
        let log = runtime.block_on(BucketLog::open(bucket, config))?;
        // The follower retries failed reads itself.
        log.bucket().end_startup_retry();
        Ok(follow::BlockSource::Log(log.reader(0)))
    };
    start(settings, metrics, new_chain, source).await
}

/// Begins a chain with a state of the node of `--leader`, whose block must be in the log.
async fn begin_with_log(bucket: &Bucket, settings: &ResolvedSettings) -> Result<Chain> {
    let folder = &settings.data_dir;
    let checkpoint = checkpoint(folder, settings.checkpoint.as_deref())?;
    let config = Arc::new(require_checkpoint(folder, checkpoint.as_ref())?.config.clone());
    // Both fail before anything is written.
    let (leader, log) = (state_leader(settings)?, BucketLog::open(bucket.clone(), config).await?);
    let chain = begin_with_state(&leader, settings).await?;
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
    Err(Error::new(Reason::Equivocation, expected, "another block, or none"))
}

async fn start(
    settings: ResolvedSettings,
    metrics: Metrics,
    new_chain: Option<Chain>,
    source: impl FnOnce(Arc<ChainConfig>) -> Result<follow::BlockSource> + Send + 'static,
) -> Result<NodeHandles> {
    let mut follower =
        blocking::run_blocking(move || open(new_chain, source, &settings, &metrics)).await?;
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
    new_chain: Option<Chain>,
    source: impl FnOnce(Arc<ChainConfig>) -> Result<follow::BlockSource>,
    settings: &ResolvedSettings,
    metrics: &Metrics,
) -> Result<Follower> {
    let folder = &settings.data_dir;
    let checkpoint = checkpoint(folder, settings.checkpoint.as_deref())?;
    let (chain, source) = if new_chain.is_some() || Chain::exists(folder)? {
        let chain = new_chain.map_or_else(|| Chain::open(folder), Ok)?;
        let source = source(chain.config().clone())?;
        (chain, source)
    } else {
        let checkpoint = require_checkpoint(folder, checkpoint.as_ref())?;
        // Fails before anything is written.
        let source = source(Arc::new(checkpoint.config.clone()))?;
        (begin_in(folder, || begin_replica(folder, checkpoint, &settings.schemes))?, source)
    };
    metrics.store(chain.disk_bytes()?);
    let pace = FollowPace {
        interval: Duration::from_millis(settings.follow_interval_ms),
        keep: settings.keep,
    };
    let space = DiskSpace::new(folder, settings.min_free_bytes);
    Follower::new(chain, source, checkpoint, pace, space, metrics.clone())
}
