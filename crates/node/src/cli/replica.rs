//! Begins the chain of a replica, from a checkpoint or from the state of another node.

use std::path::Path;
use std::time::Duration;

use prooflight_core::chain::Checkpoint;
use prooflight_core::{Error, Reason, Result};
use prooflight_json::checkpoint;
use prooflight_node::Chain;
use prooflight_node::chain::schemes::SchemeOptions;
use prooflight_node::replication::follow::LeaderClient;
use prooflight_node::replication::sync::{is_interrupted, sync};
use prooflight_node::runtime::files;
use prooflight_node::runtime::space::DiskSpace;

use super::exit::file_error;
use super::new_folder::NewFolder;
use super::settings::ResolvedSettings;

/// The checkpoint that a replica was first started with, in its folder.
const CHECKPOINT_FILE: &str = "checkpoint.json";

/// Whether a folder has a complete chain.
pub(super) fn has_chain(folder: &Path) -> Result<bool> {
    Ok(Chain::exists(folder)? && !is_interrupted(folder))
}

/// Begins a chain with a state of the leader; if that fails, the written files are removed.
pub(super) async fn begin_with_state(
    leader: &LeaderClient,
    settings: &ResolvedSettings,
) -> Result<Chain> {
    let folder = &settings.data_dir;
    let checkpoint = checkpoint(folder, settings.checkpoint.as_deref())?;
    let checkpoint = require_checkpoint(folder, checkpoint.as_ref())?;
    let new = NewFolder::of(folder)?;
    let space = DiskSpace::new(folder, settings.min_free_bytes);
    let begin = async {
        store_checkpoint(folder, checkpoint)?;
        sync(leader, folder, checkpoint, &settings.schemes, &space).await
    };
    begin.await.inspect_err(|_| new.clear())
}

/// The node whose state a node with a log begins with.
pub(super) fn state_leader(settings: &ResolvedSettings) -> Result<LeaderClient> {
    let Some(leader) = &settings.leader else {
        let expected = "--leader with the node whose state --sync begins with";
        return Err(Error::new(Reason::InvalidArgument, expected, "none"));
    };
    LeaderClient::new(leader, Duration::from_millis(settings.request_time_ms))
}

/// The given checkpoint, or that of the first start.
pub(super) fn checkpoint(folder: &Path, given: Option<&Path>) -> Result<Option<Checkpoint>> {
    let stored = folder.join(CHECKPOINT_FILE);
    match given {
        Some(given) => read_checkpoint(given).map(Some),
        None if stored.exists() => read_checkpoint(&stored).map(Some),
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
    let (stored, json) = (folder.join(CHECKPOINT_FILE), checkpoint::to_json(checkpoint));
    std::fs::create_dir_all(folder)
        .and_then(|()| std::fs::write(&stored, json))
        .map_err(|error| file_error(&stored, &error))
}

pub(super) fn read_checkpoint(path: &Path) -> Result<Checkpoint> {
    let json = files::read_to_string(path).map_err(|error| file_error(path, &error))?;
    checkpoint::from_json(&json)
}
