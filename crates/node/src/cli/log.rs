//! `run --log`: leads a chain with a log in an object store, or stands by.

use std::ops::RangeInclusive;
use std::path::Path;
use std::time::Duration;

use prooflight_core::chain::{ChainConfig, Checkpoint};
use prooflight_core::{Error, Reason, Result, Scheme};
use prooflight_log::{Bucket, BucketLog};
use prooflight_node::Chain;
use prooflight_node::chain::keys::Signers;
use prooflight_node::replication::follow::{LeaderClient, check_pinned};
use prooflight_node::replication::log::{
    BlockLog, LogBinding, SharedLog, Standby, check_bound, check_chain, execute, missing_blocks,
    publish,
};
use prooflight_node::replication::sync::can_sync;
use prooflight_node::runtime::metrics::Metrics;
use tokio::runtime::Handle;
use tokio::sync::watch;

use super::bucket::bucket_at_start;
use super::chain::{begin_if_dev, make_genesis, read_keys};
use super::handles::LeaderState;
use super::new_folder::begin_in;
use super::replica::{
    begin_replica, begin_with_state, checkpoint, has_chain, require_checkpoint, state_leader,
};
use super::settings::ResolvedSettings;

/// The time limit of the leader's readiness check.
const READY_TIMEOUT: Duration = Duration::from_secs(2);

/// Opens a chain and its log, and brings both to the same blocks. Must be called within a runtime, on a thread that may
/// block.
pub(super) fn open(
    url: &str,
    settings: &ResolvedSettings,
    metrics: &Metrics,
) -> Result<LeaderState> {
    let (folder, runtime) = (&settings.data_dir, Handle::current());
    let bucket = bucket_at_start(url, metrics)?;
    let leader =
        settings.leader.as_deref().map(|url| LeaderClient::new(url, READY_TIMEOUT)).transpose()?;
    // Checked before anything is written.
    let bound = check_bound(folder, bucket.name(), settings.log_moved_from.as_deref())?;
    let found = runtime.block_on(BucketLog::config(&bucket))?;
    let pinned = checkpoint(folder, settings.checkpoint.as_deref())?;
    if let Some(pinned) = &pinned {
        check_chain(&pinned.config, found.as_ref(), bucket.name())?;
    }
    let is_new = !has_chain(folder)?;
    let is_missing = found.is_none() && (settings.standby || (is_new && pinned.is_some()));
    if is_missing {
        return Err(missing(&format_args!("a chain in {}; its leader begins it", bucket.name())));
    }
    if is_new && found.is_some() {
        begin_from_log(settings, &bucket, require_checkpoint(folder, pinned.as_ref())?)?;
    } else if is_new {
        begin_if_dev(settings)?;
    }
    let mut chain = Chain::reopen(folder, &settings.schemes)?;
    check_chain(chain.config(), found.as_ref(), bucket.name())?;
    let signers = signers(settings, chain.config())?;
    let permit =
        PublishPermit { bound, is_new, publish: settings.publish, log: bucket.name().to_owned() };
    let config = chain.config().clone();
    let log = if found.is_some() {
        runtime.block_on(open_log(bucket, config))?
    } else {
        permit.check(&(0..=chain.height().unwrap_or(0)))?;
        runtime.block_on(BucketLog::begin(bucket, config))?
    };
    let mut log = BlockLog::new(log, runtime);
    let missing_heights = missing_blocks(&chain, &mut log)?;
    permit.check(&missing_heights)?;
    // If remote authorities must sign the genesis block, it is made later.
    let genesis_is_later = chain.height().is_none() && !signers.are_quorum(chain.config());
    if !missing_heights.is_empty() && genesis_is_later {
        permit.bind(folder, true)?;
    } else if !missing_heights.is_empty() {
        if chain.height().is_none() {
            if pinned.is_some() {
                let expected = format_args!("a genesis block in {}; {GENESIS_HINT}", permit.log);
                return Err(missing(&expected));
            }
            make_genesis(folder, &mut chain, &signers)?;
        }
        permit.bind(folder, true)?;
        publish(&chain, &log, missing_heights.clone())?;
    }
    let new_binding =
        (!missing_heights.is_empty() && genesis_is_later).then(|| permit.binding(false));
    if new_binding.is_none() {
        permit.bind(folder, false)?;
    }
    execute(&mut chain, &mut log, pinned.as_ref())?;
    let (promote, promoted) = watch::channel(false);
    let after = Duration::from_millis(settings.takeover_after_ms);
    let standby = settings.standby.then(|| Standby::new(after, leader, promoted));
    let promote = standby.is_some().then_some(promote);
    let poll = Duration::from_millis(settings.follow_interval_ms);
    Ok(LeaderState {
        chain,
        signers,
        shared: Some(SharedLog { log, poll, standby }),
        promote,
        new_binding,
    })
}

const GENESIS_HINT: &str = "the chain's first leader makes it";

fn missing(expected: &dyn core::fmt::Display) -> Error {
    Error::new(Reason::UnknownBlock, expected, "none")
}

/// The keys in a folder, which must be a quorum unless remote authorities sign.
fn signers(settings: &ResolvedSettings, config: &ChainConfig) -> Result<Signers> {
    let signers = Signers::with_any_keys(config, read_keys(&settings.data_dir)?)?;
    if signers.are_quorum(config) || settings.authority_listen.is_some() {
        return Ok(signers);
    }
    let expected = format_args!(
        "the keys of {} authorities in the folder, or --authority-listen for remote authorities",
        config.quorum
    );
    Err(Error::new(Reason::InvalidConfig, expected, signers.count()))
}

/// Opens the log of a chain for a node that may make blocks.
async fn open_log(bucket: Bucket, config: std::sync::Arc<ChainConfig>) -> Result<BucketLog> {
    let log = BucketLog::open(bucket, config).await?;
    // Checked now rather than when a standby takes over.
    log.check_creates_once().await?;
    Ok(log)
}

/// Begins a chain in a folder without one, from the blocks of the log. Nothing is written if the node could not lead.
fn begin_from_log(settings: &ResolvedSettings, bucket: &Bucket, pinned: &Checkpoint) -> Result<()> {
    let (folder, runtime) = (&settings.data_dir, Handle::current());
    signers(settings, &pinned.config)?;
    let config = std::sync::Arc::new(pinned.config.clone());
    let log = runtime.block_on(open_log(bucket.clone(), config))?;
    if runtime.block_on(log.block(0))?.is_none() {
        return Err(missing(&format_args!("a genesis block in {}; {GENESIS_HINT}", bucket.name())));
    }
    if let Some(block) = runtime.block_on(log.block(pinned.height))? {
        check_pinned(pinned, &block.header.header)?;
    }
    if !settings.sync {
        return begin_in(folder, || begin_replica(folder, pinned, &settings.schemes)).map(drop);
    }
    for id in pinned.config.scheme_ids() {
        let scheme = Scheme::from_id(id)?;
        if !can_sync(scheme) {
            let expected =
                "no --sync, since a node that makes blocks needs the states of all schemes";
            let found = format_args!("a chain with {}, whose state no node sends", scheme.as_str());
            return Err(Error::new(Reason::InvalidArgument, expected, found));
        }
    }
    runtime.block_on(begin_with_state(&state_leader(settings)?, settings)).map(drop)
}

/// Decides whether blocks of a folder that the log lacks may be published.
struct PublishPermit {
    /// The folder's binding to this log.
    bound: Option<LogBinding>,
    /// Whether the chain is new.
    is_new: bool,
    /// Whether the operator permits it.
    publish: bool,
    log: String,
}

impl PublishPermit {
    /// `invalid_argument` if the log lacks blocks and must not get them: it could be the wrong log, in which other
    /// leaders make other blocks of the same heights.
    fn check(&self, missing: &RangeInclusive<u64>) -> Result<()> {
        let allowed = match &self.bound {
            Some(bound) => bound.publishing,
            None => self.publish || self.is_new,
        };
        if allowed || missing.is_empty() {
            return Ok(());
        }
        let found = format_args!(
            "a log that lacks the blocks {} to {} of this folder",
            missing.start(),
            missing.end()
        );
        let expected = match &self.bound {
            Some(_) => format!(
                "every block that was published in {}: correct the endpoint or restore its objects. Only if they are lost \
                 for all nodes, remove the file `log` from the folder with the most blocks, and start there with --publish",
                self.log
            ),
            None => format!(
                "--publish, if this is the first log of this chain, or else the URL of its log instead of {}",
                self.log
            ),
        };
        Err(Error::new(Reason::InvalidArgument, expected, found))
    }

    fn binding(&self, publishing: bool) -> LogBinding {
        LogBinding { log: self.log.clone(), publishing }
    }

    /// Binds the folder to the log.
    fn bind(&self, folder: &Path, publishing: bool) -> Result<()> {
        let binding = self.binding(publishing);
        if LogBinding::of(folder)?.as_ref() == Some(&binding) {
            Ok(())
        } else {
            binding.write(folder)
        }
    }
}
