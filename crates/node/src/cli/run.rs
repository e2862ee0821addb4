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
    let settings = settings.resolve()?;
    let role = match (&settings.follow, &settings.log) {
        (Some(_), Some(_)) => {
            let expected = "--follow, to copy a node's blocks, or --log, to lead or stand by";
            return Err(Error::new(Reason::InvalidArgument, expected, "both").into());
        }
        (Some(leader), None) => NodeRole::Follow(leader.clone()),
        (None, _) => NodeRole::Lead,
    };
    serving::run(settings.log_format, serve(settings, role))
}

/// Serves a chain from its log.
pub(super) fn serve_log(settings: Settings) -> Result<(), CommandError> {
    let settings = settings.resolve()?;
    let Some(url) = settings.log.clone() else {
        let expected = "--log with the URL of the chain's log";
        return Err(Error::new(Reason::InvalidArgument, expected, "none").into());
    };
    serving::run(settings.log_format, serve(settings, NodeRole::Read(url)))
}

/// The role of a node: where its blocks come from.
enum NodeRole {
    /// This node makes the blocks, at once or after it was a standby.
    Lead,
    /// The node at this URL makes the blocks.
    Follow(String),
    /// The log at this URL has the blocks.
    Read(String),
}

async fn serve(mut settings: ResolvedSettings, role: NodeRole) -> Result<(), CommandError> {
    let mut stop = pin!(serving::stop_signal()?);
    let metrics = Metrics::new();
    settings.schemes.metrics = StoreMetrics(Some(metrics.clone()));
    if settings.publish_snapshots && settings.log.is_none() {
        let expected = "--log, since --publish-snapshots puts the files beside the log";
        return Err(Error::new(Reason::InvalidArgument, expected, "none").into());
    }
    // Fails before anything is written.
    files::check_folder(&settings.data_dir)?;
    Chain::exists(&settings.data_dir)?;
    scratch::remove_orphans(&settings.data_dir);
    let clients =
        Arc::new(clients(settings.token_file.as_deref(), &settings.anonymous, &settings.clients)?);
    let listener = AuthorityListener::bind(&settings, matches!(role, NodeRole::Lead))?;
    let connections =
        descriptors::connections(settings.max_connections, settings.authority_listen.is_some())?;
    let bound = serving::bind(settings.listen)?;
    let admin = serving::start_admin(
        settings.admin_listen,
        settings.listen,
        settings.policy.clone(),
        &metrics,
    )?;
    let starting = async {
        let (settings, metrics) = (settings.clone(), metrics.clone());
        let status = admin.status.clone();
        match role {
            NodeRole::Follow(leader) => follow(&leader, settings, metrics).await,
            NodeRole::Read(url) => follow_log(&url, settings, metrics).await,
            NodeRole::Lead => {
                blocking::run_blocking(move || {
                    start_producer(&settings, listener, &status, &metrics)
                })
                .await
            }
        }
    };
    let NodeHandles { views, submitter, conditions, progress, promote, round, mut ended } = tokio::select! {
        () = &mut stop => return Ok(()),
        started = starting => started?,
    };
    let publishing = publish_snapshots(&settings, &views, &metrics)?.map(tokio::spawn);
    let time = Duration::from_millis(settings.request_time_ms);
    let workers = WorkerPool::new(AnswerMemory::new(settings.max_answer_bytes));
    let context = NodeApi {
        views: views.clone(),
        progress: progress.clone(),
        submitter: submitter.map(|submitter| Box::new(submitter) as Box<dyn BlockSubmitter>),
        limits: RequestLimits { keys: settings.max_keys, time },
        eth_chain_id: settings.eth_chain_id,
        metrics: metrics.clone(),
        workers: workers.clone(),
        sync: SyncSource::new(&settings.data_dir, views.borrow().config()),
    };
    let module = rpc::module(context)
        .map_err(|error| Error::new(Reason::Bug, "methods of different names", error))?;
    admin.status.send_replace(Arc::new(NodeStatus {
        views: views.clone(),
        conditions: conditions.map(|conditions| conditions as Arc<dyn BlockReadiness>),
        progress,
        promote,
        access: AdminAccess::open(&settings.data_dir, admin.address)?,
    }));
    let pages = StatusPages { status: admin.status.subscribe(), metrics, workers };
    let layer = HttpLayer {
        limits: server_limits(&settings, connections),
        clients,
        pages,
        policy: settings.policy.clone(),
        private: false,
        refusal: None,
    };
    let (address, server) = server::start(bound, module, layer)?;
    log_start(&views.borrow(), address, admin.address);

    // The producer or follower ends on its own only if no more blocks can be stored.
    let ended_early = tokio::select! {
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
    let ended = match ended_early {
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

/// The limits of the port for clients.
fn server_limits(settings: &ResolvedSettings, connections: u32) -> ServerLimits {
    ServerLimits {
        request_bytes: settings.max_request_bytes,
        batch: settings.max_batch,
        connections,
        connections_per_address: settings.max_connections_per_address,
        proxies: settings.proxies.clone(),
        subscriptions: 16,
        // Leaves time to send the reply that reports the timeout before the connection is cut.
        request_time: Duration::from_millis(settings.request_time_ms) + Duration::from_secs(1),
    }
}

/// Resumes a chain; if there is none, begins a development chain if permitted.
fn resume(settings: &ResolvedSettings) -> Result<LeaderState> {
    let folder = &settings.data_dir;
    check_unbound(folder, settings.log_moved_from.as_deref())?;
    if !Chain::exists(folder)? {
        begin_if_dev(settings)?;
    }
    let (chain, signers) = open_with_keys(folder, &settings.schemes)?;
    Ok(LeaderState { chain, signers, shared: None, promote: None, new_binding: None })
}

/// Makes the blocks of a chain.
fn start_producer(
    settings: &ResolvedSettings,
    listener: Option<AuthorityListener>,
    status: &watch::Sender<Arc<dyn ServerStatus>>,
    metrics: &Metrics,
) -> Result<NodeHandles> {
    let folder = &settings.data_dir;
    let LeaderState { mut chain, signers, mut shared, promote, new_binding } = match &settings.log {
        Some(url) => super::log::open(url, settings, metrics)?,
        None => resume(settings)?,
    };
    let proposals = proposals(folder, &chain, shared.as_ref())?;
    let LeaderSigning { signing, round, views: authority_views } =
        choose_signing(&chain, signers, proposals, listener, status, metrics)?;
    let first = first_view(folder, &mut chain, &signing, shared.as_mut())?;
    if let Some(binding) = new_binding {
        binding.write(folder)?;
    }
    if let Some(shared) = &shared {
        shared.log.started();
    }
    let (published, views) = watch::channel(first);
    // Fails only if it was set before.
    let _ = authority_views.set(views.clone());
    signing.published(views.borrow().height())?;
    metrics.store(chain.disk_bytes()?);
    let pace = BlockPace {
        interval: Duration::from_millis(settings.block_interval_ms),
        empty_blocks: settings.empty_blocks,
        keep: settings.keep,
    };
    let space = DiskSpace::new(folder, settings.min_free_bytes);
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
    let (submitter, thread) = producer::start(
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
    settings: &ResolvedSettings,
    views: &watch::Receiver<View>,
    metrics: &Metrics,
) -> Result<Option<impl Future<Output = ()> + use<>>> {
    let Some(url) = settings.log.as_ref().filter(|_| settings.publish_snapshots) else {
        return Ok(None);
    };
    if !views.borrow().config().keeps(Scheme::Smt) {
        let expected = "a chain with smt, with --publish-snapshots";
        return Err(Error::new(Reason::InvalidArgument, expected, "one without"));
    }
    let (bucket, folder) = (bucket(url, metrics)?, settings.data_dir.clone());
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
