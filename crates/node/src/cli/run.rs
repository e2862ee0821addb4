//! `run`: resumes or begins a chain, and serves it until a signal to stop.

use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use prooflight_core::{Error, Hex, Reason, Result, Scheme};
use prooflight_node::api::descriptors;
use prooflight_node::api::producer::{BlockReadiness, BlockSubmitter};
use prooflight_node::api::rpc::{self, NodeApi, RequestLimits};
use prooflight_node::api::server::{
    self, HttpLayer, NodeStatus, ServerLimits, ServerStatus, StatusPages,
};
use prooflight_node::chain::schemes::StoreMetrics;
use prooflight_node::producer::{self, BlockConditions, BlockPace};
use prooflight_node::replication::backup::AdminAccess;
use prooflight_node::replication::log::check_unbound;
use prooflight_node::replication::snapshots;
use prooflight_node::replication::sync::SyncSource;
use prooflight_node::runtime::answer_memory::AnswerMemory;
use prooflight_node::runtime::blocking::{self, WorkerPool};
use prooflight_node::runtime::clock::{Clock, format_utc, now_ms};
use prooflight_node::runtime::metrics::Metrics;
use prooflight_node::runtime::space::DiskSpace;
use prooflight_node::runtime::{files, scratch};
use prooflight_node::{Chain, View};
use tokio::sync::watch;

use super::bucket::bucket;
use super::chain::{begin_if_dev, first_view, open_with_keys};
use super::clients::clients;
use super::exit::CommandError;
use super::follow::{follow, follow_log};
use super::handles::{LeaderState, NodeHandles};
use super::serving;
use super::settings::{ResolvedSettings, Settings};
use super::signing::{AuthorityListener, LeaderSigning, choose_signing, proposals};

pub(super) fn run(settings: Settings) -> Result<(), CommandError> {
    let chosen = settings.resolve()?;
    let role = match (&chosen.follow, &chosen.log) {
        (Some(_), Some(_)) => {
            let expected = "--follow, to copy a node's blocks, or --log, to lead or stand by";
            return Err(Error::new(Reason::InvalidArgument, expected, "both").into());
        }
        (Some(leader), None) => NodeRole::Follow(leader.clone()),
        (None, _) => NodeRole::Lead,
    };
    serving::run(chosen.log_format, serve(chosen, role))
}

/// Serves a chain from its log.
pub(super) fn serve_log(settings: Settings) -> Result<(), CommandError> {
    let chosen = settings.resolve()?;
    let Some(url) = chosen.log.clone() else {
        let expected = "--log with the URL of the chain's log";
        return Err(Error::new(Reason::InvalidArgument, expected, "none").into());
    };
    serving::run(chosen.log_format, serve(chosen, NodeRole::Read(url)))
}

/// The role of a node: where its blocks come from.
enum NodeRole {
    /// This node makes the blocks, possibly after a time as a standby.
    Lead,
    /// From this node.
    Follow(String),
    /// From this log.
    Read(String),
}

async fn serve(mut chosen: ResolvedSettings, role: NodeRole) -> Result<(), CommandError> {
    let mut stop = pin!(serving::stop_signal()?);
    let metrics = Metrics::new();
    chosen.schemes.metrics = StoreMetrics(Some(metrics.clone()));
    if chosen.publish_snapshots && chosen.log.is_none() {
        let expected = "--log with the place of the snapshots, with --publish-snapshots";
        return Err(Error::new(Reason::InvalidArgument, expected, "none").into());
    }
    // Before anything is written.
    files::check_folder(&chosen.data_dir)?;
    Chain::exists(&chosen.data_dir)?;
    scratch::remove_orphans(&chosen.data_dir);
    let clients =
        Arc::new(clients(chosen.token_file.as_deref(), &chosen.anonymous, &chosen.clients)?);
    let listener = AuthorityListener::take(&chosen, matches!(role, NodeRole::Lead))?;
    let connections =
        descriptors::connections(chosen.max_connections, chosen.authority_listen.is_some())?;
    let bound = serving::bind(chosen.listen)?;
    let admin =
        serving::start_admin(chosen.admin_listen, chosen.listen, chosen.policy.clone(), &metrics)?;
    let starting = async {
        let (chosen, metrics) = (chosen.clone(), metrics.clone());
        let status = admin.status.clone();
        match role {
            NodeRole::Follow(leader) => follow(&leader, chosen, metrics).await,
            NodeRole::Read(url) => follow_log(&url, chosen, metrics).await,
            NodeRole::Lead => {
                blocking::run_blocking(move || start_producer(&chosen, listener, &status, &metrics))
                    .await
            }
        }
    };
    let NodeHandles { views, submitter, conditions, progress, promote, round, mut ended } = tokio::select! {
        () = &mut stop => return Ok(()),
        started = starting => started?,
    };
    let publishing = publish_snapshots(&chosen, &views, &metrics)?.map(tokio::spawn);
    let time = Duration::from_millis(chosen.request_time_ms);
    let workers = WorkerPool::new(AnswerMemory::new(chosen.max_answer_bytes));
    let context = NodeApi {
        views: views.clone(),
        progress: progress.clone(),
        submitter: submitter.map(|submitter| Box::new(submitter) as Box<dyn BlockSubmitter>),
        limits: RequestLimits { keys: chosen.max_keys, time },
        eth_chain_id: chosen.eth_chain_id,
        metrics: metrics.clone(),
        workers: workers.clone(),
        sync: SyncSource::new(&chosen.data_dir, views.borrow().config()),
    };
    let module = rpc::module(context)
        .map_err(|error| Error::new(Reason::Bug, "methods of different names", error))?;
    let limits = ServerLimits {
        request_bytes: chosen.max_request_bytes,
        batch: chosen.max_batch,
        connections,
        connections_per_address: chosen.max_connections_per_address,
        proxies: chosen.proxies.clone(),
        subscriptions: 16,
        // Leaves time to send the reply that reports the timeout before the connection is cut.
        request_time: time + Duration::from_secs(1),
    };
    admin.status.send_replace(Arc::new(NodeStatus {
        views: views.clone(),
        conditions: conditions.map(|conditions| conditions as Arc<dyn BlockReadiness>),
        progress,
        promote,
        access: AdminAccess::open(&chosen.data_dir, admin.address)?,
    }));
    let pages = StatusPages { status: admin.status.subscribe(), metrics, workers };
    let layer = HttpLayer {
        limits,
        clients,
        pages,
        policy: chosen.policy.clone(),
        private: false,
        refusal: None,
    };
    let (address, server) = server::start(bound, module, layer)?;
    log_start(&views.borrow(), address, admin.address);

    // The producer or follower ends on its own only if no more blocks can be stored.
    let early = tokio::select! {
        () = &mut stop => None,
        ended = &mut ended => Some(ended),
    };
    if let Some((round, server)) = round {
        // A proposed block is finished at the next start.
        round.close();
        let _ = server.stop();
    }
    if let Some(publishing) = publishing {
        publishing.abort();
    }
    serving::stop(server, admin).await;
    let ended = match early {
        Some(ended) => ended,
        None => match tokio::time::timeout(serving::SHUTDOWN_TIMEOUT, ended).await {
            Ok(ended) => ended,
            // A connection that does not end still holds a submitter. Every block that was
            // acknowledged is on disk.
            Err(_) => return Ok(()),
        },
    };
    Ok(ended.map_err(|error| Error::new(Reason::Bug, "a source of blocks", error))??)
}

/// Resumes a chain; if there is none, begins a development chain if permitted.
fn resume(chosen: &ResolvedSettings) -> Result<LeaderState> {
    let folder = &chosen.data_dir;
    check_unbound(folder, chosen.log_moved_from.as_deref())?;
    if !Chain::exists(folder)? {
        begin_if_dev(chosen)?;
    }
    let (chain, signers) = open_with_keys(folder, &chosen.schemes)?;
    Ok(LeaderState { chain, signers, shared: None, promote: None, new_binding: None })
}

/// Makes the blocks of a chain.
fn start_producer(
    chosen: &ResolvedSettings,
    listener: Option<AuthorityListener>,
    status: &watch::Sender<Arc<dyn ServerStatus>>,
    metrics: &Metrics,
) -> Result<NodeHandles> {
    let folder = &chosen.data_dir;
    let LeaderState { mut chain, signers, mut shared, promote, new_binding: begun } =
        match &chosen.log {
            Some(url) => super::log::open(url, chosen, metrics)?,
            None => resume(chosen)?,
        };
    let proposals = proposals(folder, &chain, shared.as_ref())?;
    let LeaderSigning { signing, round, views: shown } =
        choose_signing(&chain, signers, proposals, listener, status, metrics)?;
    let first = first_view(folder, &mut chain, &signing, shared.as_mut())?;
    if let Some(begun) = begun {
        begun.write(folder)?;
    }
    if let Some(shared) = &shared {
        shared.log.started();
    }
    let (published, views) = watch::channel(first);
    // Not set before.
    let _ = shown.set(views.clone());
    signing.published(views.borrow().height())?;
    metrics.store(chain.disk_bytes()?);
    let pace = BlockPace {
        interval: Duration::from_millis(chosen.block_interval_ms),
        empty_blocks: chosen.empty_blocks,
        keep: chosen.keep,
    };
    let space = DiskSpace::new(folder, chosen.min_free_bytes);
    let mut conditions = BlockConditions::new(views.clone(), Clock::system(), space);
    if let Some(shared) = &shared {
        conditions = conditions.with_health(shared.log.health());
    }
    if let Some((round, _)) = &round {
        conditions = conditions.with_round(round.clone());
    }
    let conditions = Arc::new(conditions);
    if let Err(error) = conditions.check() {
        let (reason, now) = (error.reason(), format_utc(now_ms()));
        tracing::error!(%reason, %error, now, "no blocks are made for now");
    }
    let (submitter, thread) = producer::start_with(
        chain,
        signing,
        pace,
        conditions.clone(),
        published,
        metrics.clone(),
        shared,
    );
    let ended = tokio::task::spawn_blocking(|| {
        let panicked = |_| Err(Error::new(Reason::Bug, "a thread that makes blocks", "a panic"));
        thread.join().unwrap_or_else(panicked)
    });
    Ok(NodeHandles {
        views,
        submitter: Some(submitter),
        conditions: Some(conditions),
        progress: None,
        promote,
        round,
        ended,
    })
}

/// Publishes the snapshot files of `smt` beside the log while the future runs, if requested.
///
/// `invalid_argument` if the chain has no `smt`.
fn publish_snapshots(
    chosen: &ResolvedSettings,
    views: &watch::Receiver<View>,
    metrics: &Metrics,
) -> Result<Option<impl Future<Output = ()> + use<>>> {
    let Some(url) = chosen.log.as_ref().filter(|_| chosen.publish_snapshots) else {
        return Ok(None);
    };
    if !views.borrow().config().keeps(Scheme::Smt) {
        let expected = "a chain with smt, with --publish-snapshots";
        return Err(Error::new(Reason::InvalidArgument, expected, "one without"));
    }
    let (bucket, folder) = (bucket(url, metrics)?, chosen.data_dir.clone());
    Ok(Some(snapshots::publish(bucket, folder, views.clone())))
}

fn log_start(view: &View, address: SocketAddr, admin: SocketAddr) {
    tracing::info!(
        %address,
        %admin,
        chain = %Hex(&view.config().id()),
        height = view.height(),
        head = %Hex(view.head_hash()),
        time = format_utc(now_ms()),
        "serving"
    );
}
