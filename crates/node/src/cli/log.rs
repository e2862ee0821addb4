//! `run --log`: leads a chain with a log in an object store, or stands by.

use std::ops::RangeInclusive;
use std::path::Path;
use std::time::Duration;

use prooflight_core::chain::{ChainConfig, Checkpoint};
use prooflight_core::{Error, Reason, Result, Scheme};
use prooflight_log::{Bucket, Log, Request};
use prooflight_node::authority::Signers;
use prooflight_node::follow::{Leader, check_pinned};
use prooflight_node::log::{
    Binding, BlockLog, Standby, check_bound, check_chain, execute, lacking, publish,
};
use prooflight_node::metrics::Metrics;
use prooflight_node::producer::Shared;
use prooflight_node::sync::carries;
use prooflight_node::{Chain, files};
use tokio::runtime::Handle;
use tokio::sync::watch;

use super::chain::{kept_keys, make_genesis};
use super::follow::{begin, begin_with_state, checkpoint, is_begun, required, state_of};
use super::fresh::begin_in;
use super::run::{Led, begin_if_dev};
use super::settings::Chosen;

/// The time limit of the leader's readiness check.
const READY: Duration = Duration::from_secs(2);

/// The bucket of a URL, whose requests are counted.
pub(super) fn bucket(url: &str, metrics: &Metrics) -> Result<Bucket> {
    let metrics = metrics.clone();
    if let Some(folder) = url.strip_prefix("file://") {
        files::check_folder(Path::new(folder))?;
    }
    Ok(Bucket::open(url)?.observed(move |request| {
        metrics.log_request(match request {
            Request::Read => "read",
            Request::Create => "create",
            Request::List => "list",
            Request::Delete => "delete",
        });
    }))
}

/// Like [`bucket`], for a start: failed requests are retried a few times, until [`Bucket::started`].
pub(super) fn bucket_at_start(url: &str, metrics: &Metrics) -> Result<Bucket> {
    Ok(bucket(url, metrics)?.patient(|error| {
        tracing::warn!(reason = %error.reason(), %error, "the start tries again");
    }))
}

/// Opens a chain and its log, and brings both to the same blocks. Must be called within a runtime, on a thread that may
/// block.
pub(super) fn open(url: &str, chosen: &Chosen, metrics: &Metrics) -> Result<Led> {
    let (folder, runtime) = (&chosen.data_dir, Handle::current());
    let bucket = bucket_at_start(url, metrics)?;
    let leader = chosen.leader.as_deref().map(|url| Leader::new(url, READY)).transpose()?;
    // Checked before anything is written.
    let bound = check_bound(folder, bucket.name(), chosen.log_moved_from.as_deref())?;
    let found = runtime.block_on(Log::config(&bucket))?;
    let pinned = checkpoint(folder, chosen.checkpoint.as_deref())?;
    if let Some(pinned) = &pinned {
        check_chain(&pinned.config, found.as_ref(), bucket.name())?;
    }
    let is_new = !is_begun(folder)?;
    let is_missing = found.is_none() && (chosen.standby || (is_new && pinned.is_some()));
    if is_missing {
        return Err(missing(&format_args!("a chain in {}; its leader begins it", bucket.name())));
    }
    if is_new && found.is_some() {
        begin_from_log(chosen, &bucket, required(folder, pinned.as_ref())?)?;
    } else if is_new {
        begin_if_dev(chosen)?;
    }
    let mut chain = Chain::open_again(folder, &chosen.schemes)?;
    check_chain(chain.config(), found.as_ref(), bucket.name())?;
    let signers = signers(chosen, chain.config())?;
    let permit = Permit { bound, is_new, publish: chosen.publish, log: bucket.name().to_owned() };
    let config = chain.config().clone();
    let log = if found.is_some() {
        runtime.block_on(join(bucket, config))?
    } else {
        permit.check(&(0..=chain.height().unwrap_or(0)))?;
        runtime.block_on(Log::begin(bucket, config))?
    };
    let mut log = BlockLog::new(log, runtime);
    let lacks = lacking(&chain, &mut log)?;
    permit.check(&lacks)?;
    // If remote authorities must sign genesis, it is made later.
    let begins = chain.height().is_none() && !signers.are_quorum(chain.config());
    if !lacks.is_empty() && begins {
        permit.bind(folder, true)?;
    } else if !lacks.is_empty() {
        if chain.height().is_none() {
            if pinned.is_some() {
                let place = format_args!("a genesis block in {}; {GENESIS}", permit.log);
                return Err(missing(&place));
            }
            make_genesis(folder, &mut chain, &signers)?;
        }
        permit.bind(folder, true)?;
        publish(&chain, &log, lacks.clone())?;
    }
    let begun = (!lacks.is_empty() && begins).then(|| permit.binding(false));
    if begun.is_none() {
        permit.bind(folder, false)?;
    }
    execute(&mut chain, &mut log, pinned.as_ref())?;
    let (promote, promoted) = watch::channel(false);
    let after = Duration::from_millis(chosen.takeover_after_ms);
    let standby = chosen.standby.then(|| Standby::new(after, leader, promoted));
    let promote = standby.is_some().then_some(promote);
    let poll = Duration::from_millis(chosen.follow_interval_ms);
    Ok(Led { chain, signers, shared: Some(Shared { log, poll, standby }), promote, begun })
}

const GENESIS: &str = "the chain's first leader makes it";

fn missing(expected: &dyn core::fmt::Display) -> Error {
    Error::new(Reason::UnknownBlock, expected, "none")
}

/// The keys in a folder, which must be a quorum unless remote authorities sign.
fn signers(chosen: &Chosen, config: &ChainConfig) -> Result<Signers> {
    let signers = Signers::some(config, kept_keys(&chosen.data_dir)?)?;
    if signers.are_quorum(config) || chosen.authority_listen.is_some() {
        return Ok(signers);
    }
    let expected = format_args!(
        "the keys of {} authorities here, or --authority-listen for authorities on machines of their own",
        config.quorum
    );
    Err(Error::new(Reason::InvalidConfig, expected, signers.count()))
}

/// Opens the log of a chain for a node that may make blocks.
async fn join(bucket: Bucket, config: std::sync::Arc<ChainConfig>) -> Result<Log> {
    let log = Log::open(bucket, config).await?;
    // Checked now rather than when a standby takes over.
    log.check_creates_once().await?;
    Ok(log)
}

/// Begins a chain in a folder without one, from the blocks of the log. Nothing is written if the node could not lead.
fn begin_from_log(chosen: &Chosen, bucket: &Bucket, pinned: &Checkpoint) -> Result<()> {
    let (folder, runtime) = (&chosen.data_dir, Handle::current());
    signers(chosen, &pinned.config)?;
    let config = std::sync::Arc::new(pinned.config.clone());
    let log = runtime.block_on(join(bucket.clone(), config))?;
    if runtime.block_on(log.block(0))?.is_none() {
        return Err(missing(&format_args!("a genesis block in {}; {GENESIS}", bucket.name())));
    }
    if let Some(block) = runtime.block_on(log.block(pinned.height))? {
        check_pinned(pinned, &block.header.header)?;
    }
    if !chosen.sync {
        return begin_in(folder, || begin(folder, pinned, &chosen.schemes)).map(drop);
    }
    for id in pinned.config.scheme_ids() {
        let scheme = Scheme::from_id(id)?;
        if !carries(scheme) {
            let expected = "no --sync: who makes blocks needs the states of all schemes";
            let found = format_args!("a chain with {}, whose state no node sends", scheme.as_str());
            return Err(Error::new(Reason::InvalidArgument, expected, found));
        }
    }
    runtime.block_on(begin_with_state(&state_of(chosen)?, chosen)).map(drop)
}

/// Decides whether blocks of a folder that the log lacks may be published.
struct Permit {
    /// The folder's binding to this log.
    bound: Option<Binding>,
    /// Whether the chain is new.
    is_new: bool,
    /// Whether the operator permits it.
    publish: bool,
    log: String,
}

impl Permit {
    /// `invalid_argument` if the log lacks blocks and must not get them: it could be the wrong log, in which other
    /// leaders make other blocks of the same heights.
    fn check(&self, lacking: &RangeInclusive<u64>) -> Result<()> {
        let allowed = match &self.bound {
            Some(bound) => bound.publishing,
            None => self.publish || self.is_new,
        };
        if allowed || lacking.is_empty() {
            return Ok(());
        }
        let found = format_args!(
            "a log that lacks the blocks {} to {} of this folder",
            lacking.start(),
            lacking.end()
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

    fn binding(&self, publishing: bool) -> Binding {
        Binding { log: self.log.clone(), publishing }
    }

    /// Binds the folder to the log.
    fn bind(&self, folder: &Path, publishing: bool) -> Result<()> {
        let binding = self.binding(publishing);
        if Binding::of(folder)?.as_ref() == Some(&binding) { Ok(()) } else { binding.write(folder) }
    }
}
