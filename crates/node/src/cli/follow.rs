//! `run --follow`: starts a replica from a checkpoint, or resumes it.

use std::path::Path;
use std::time::Duration;

use prooflight_core::chain::Checkpoint;
use prooflight_core::{Error, Reason, Result};
use prooflight_json::checkpoint;
use prooflight_node::Chain;
use prooflight_node::blocking;
use prooflight_node::follow::{FollowPace, Follower, Leader};
use prooflight_node::metrics::Metrics;
use prooflight_node::schemes::SchemeOptions;
use prooflight_node::space::Space;
use tokio::sync::watch;

use super::cannot;
use super::fresh::begin_in;
use super::run::Source;
use super::settings::Chosen;

/// The checkpoint that a replica was first started with, in its folder.
const KEPT: &str = "checkpoint.json";

/// Resumes a replica, or begins one from a checkpoint; waits for the genesis block.
pub(super) async fn follow(leader: &str, chosen: Chosen, metrics: Metrics) -> Result<Source> {
    let leader = Leader::new(leader, Duration::from_millis(chosen.request_time_ms))?;
    let mut follower = blocking::aside(move || open(leader, &chosen, &metrics)).await?;
    let progress = follower.progress();
    let (published, views) = watch::channel(follower.first_view().await?);
    let ended = tokio::spawn(follower.run(published));
    Ok(Source { views, submitter: None, conditions: None, progress: Some(progress), ended })
}

fn open(leader: Leader, chosen: &Chosen, metrics: &Metrics) -> Result<Follower> {
    let folder = &chosen.data_dir;
    let kept = folder.join(KEPT);
    let checkpoint = match &chosen.checkpoint {
        Some(given) => Some(read(given)?),
        None if kept.exists() => Some(read(&kept)?),
        None => None,
    };
    let chain = if Chain::exists(folder)? {
        Chain::open(folder)?
    } else {
        begin_in(folder, || begin(folder, &kept, checkpoint.as_ref(), &chosen.schemes))?
    };
    metrics.store(chain.disk_bytes()?);
    let pace = FollowPace {
        interval: Duration::from_millis(chosen.follow_interval_ms),
        keep_states: chosen.keep_states,
    };
    let space = Space::new(folder, chosen.min_free_bytes);
    Follower::new(chain, leader, checkpoint, pace, space, metrics.clone())
}

/// Begins a chain without blocks; its configuration comes from the checkpoint, never from the leader.
fn begin(
    folder: &Path,
    kept: &Path,
    checkpoint: Option<&Checkpoint>,
    options: &SchemeOptions,
) -> Result<Chain> {
    let Some(checkpoint) = checkpoint else {
        let expected = format_args!(
            "--checkpoint with the chain to follow, since there is none in {}",
            folder.display()
        );
        return Err(Error::new(Reason::InvalidArgument, expected, "no checkpoint"));
    };
    let json = checkpoint::to_json(checkpoint);
    std::fs::create_dir_all(folder)
        .and_then(|()| std::fs::write(kept, json))
        .map_err(|error| cannot(kept, &error))?;
    Chain::create_with(folder, &checkpoint.config, options)
}

fn read(path: &Path) -> Result<Checkpoint> {
    let json = std::fs::read_to_string(path).map_err(|error| cannot(path, &error))?;
    checkpoint::from_json(&json)
}
