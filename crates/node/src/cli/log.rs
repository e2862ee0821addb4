//! `run --log`: leads a chain whose log is in an object store, or stands by.

use std::time::Duration;

use prooflight_core::{Error, Reason, Result};
use prooflight_log::{Bucket, Log, Request};
use prooflight_node::Chain;
use prooflight_node::authority::Signers;
use prooflight_node::follow::Leader;
use prooflight_node::log::{BlockLog, Standby, agree, check_chain};
use prooflight_node::metrics::Metrics;
use prooflight_node::producer::Shared;
use tokio::runtime::Handle;
use tokio::sync::watch;

use super::chain::{kept_keys, make_genesis};
use super::follow::{begin, checkpoint, required};
use super::fresh::begin_in;
use super::run::{Led, begin_if_dev};
use super::settings::Chosen;

/// The time that a leader has to say that it is ready.
const READY: Duration = Duration::from_secs(2);

/// The bucket of a URL, whose requests are counted.
pub(super) fn bucket(url: &str, metrics: &Metrics) -> Result<Bucket> {
    let metrics = metrics.clone();
    Ok(Bucket::open(url)?.observed(move |request| {
        metrics.log_request(match request {
            Request::Read => "read",
            Request::Create => "create",
        });
    }))
}

/// Opens a chain and its log, and makes them agree. Must be called within a runtime, on a thread that
/// may block.
pub(super) fn open(url: &str, chosen: &Chosen, metrics: &Metrics) -> Result<Led> {
    let (folder, runtime) = (&chosen.data_dir, Handle::current());
    let bucket = bucket(url, metrics)?;
    let leader = chosen.leader.as_deref().map(|url| Leader::new(url, READY)).transpose()?;
    // What is wrong with the bucket shows before anything is written.
    let found = runtime.block_on(Log::config(&bucket))?;
    let pinned = checkpoint(folder, chosen.checkpoint.as_deref())?;
    if let Some(pinned) = &pinned {
        check_chain(&pinned.config, found.as_ref(), bucket.name())?;
    }
    if !Chain::exists(folder)? {
        if found.is_some() || pinned.is_some() {
            let pinned = required(folder, pinned.as_ref())?;
            begin_in(folder, || begin(folder, pinned, &chosen.schemes))?;
        } else {
            begin_if_dev(chosen)?;
        }
    }
    let mut chain = Chain::open_again(folder, &chosen.schemes)?;
    check_chain(chain.config(), found.as_ref(), bucket.name())?;
    let signers = Signers::some(chain.config(), kept_keys(folder)?)?;
    if !signers.are_quorum(chain.config()) {
        let expected = format_args!(
            "the keys of {} authorities here; with --log none can sign on machines of their own yet",
            chain.config().quorum
        );
        return Err(Error::new(Reason::InvalidConfig, expected, signers.count()));
    }
    let config = chain.config().clone();
    let log = runtime.block_on(async {
        if chosen.standby {
            let log = Log::open(bucket, config).await?;
            // Rather than when it takes over.
            log.check_creates_once().await?;
            Ok(log)
        } else {
            Log::begin(bucket, config).await
        }
    })?;
    let mut log = BlockLog::new(log, runtime);
    agree(&mut chain, &mut log, pinned.as_ref())?;
    if chain.height().is_none() {
        if pinned.is_some() {
            let expected =
                format_args!("a genesis block in {url}; the chain's first leader makes it");
            return Err(Error::new(Reason::UnknownBlock, expected, "none"));
        }
        make_genesis(folder, &mut chain, &signers)?;
        agree(&mut chain, &mut log, None)?;
    }
    let (promote, promoted) = watch::channel(false);
    let after = Duration::from_millis(chosen.takeover_after_ms);
    let standby = chosen.standby.then(|| Standby::new(after, leader, promoted));
    let promote = standby.is_some().then_some(promote);
    let poll = Duration::from_millis(chosen.follow_interval_ms);
    Ok(Led { chain, signers, shared: Some(Shared { log, poll, standby }), promote })
}
