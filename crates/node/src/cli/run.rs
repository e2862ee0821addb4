//! `run`: resumes or begins a chain, and serves it until it is told to stop.

use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use prooflight_core::{Error, Hex, Reason, Result};
use prooflight_node::blocking::{self, Workers};
use prooflight_node::clock::{Clock, now_ms, utc};
use prooflight_node::follow::Progress;
use prooflight_node::metrics::Metrics;
use prooflight_node::producer::{self, Conditions, Pace, Submitter};
use prooflight_node::rpc::{self, Context, RequestLimits};
use prooflight_node::schemes::Counted;
use prooflight_node::server::{self, Front, NodeStanding, Pages, ServerLimits};
use prooflight_node::space::Space;
use prooflight_node::{Chain, View, descriptors};
use tokio::sync::watch;
use tokio::task::JoinHandle;

use super::chain::{begin_development, open};
use super::exit::Failure;
use super::follow::follow;
use super::serving;
use super::settings::{Chosen, Settings};

pub(super) fn run(settings: Settings) -> Result<(), Failure> {
    let chosen = settings.choose()?;
    serving::run(chosen.log_format, serve(chosen))
}

/// The source of the blocks that a node serves.
pub(super) struct Source {
    /// The chain up to the newest block.
    pub(super) views: watch::Receiver<View>,
    /// Receives submissions, if this node makes blocks.
    pub(super) submitter: Option<Submitter>,
    /// Whether blocks can be made, if this node makes them.
    pub(super) conditions: Option<Arc<Conditions>>,
    /// This node's progress, if it follows another.
    pub(super) progress: Option<watch::Receiver<Progress>>,
    /// Ends once `submitter` and `progress` are dropped, or when no more blocks can be stored.
    pub(super) ended: JoinHandle<Result<()>>,
}

async fn serve(mut chosen: Chosen) -> Result<(), Failure> {
    let mut stop = pin!(serving::stop_signal());
    let metrics = Metrics::new();
    chosen.schemes.counted = Counted(Some(metrics.clone()));
    // Before anything is written.
    let token = token(&chosen)?.map(Into::into);
    let connections = descriptors::connections(chosen.max_connections)?;
    let bound = serving::bind(chosen.listen)?;
    let admin = serving::start_admin(chosen.admin_listen, chosen.listen, &metrics)?;
    let starting = async {
        let (chosen, metrics) = (chosen.clone(), metrics.clone());
        match chosen.follow.clone() {
            Some(leader) => follow(&leader, chosen, metrics).await,
            None => blocking::aside(move || produce(&chosen, &metrics)).await,
        }
    };
    let Source { views, submitter, conditions, progress, mut ended } = tokio::select! {
        stopped = &mut stop => return Ok(stopped?),
        started = starting => started?,
    };
    let time = Duration::from_millis(chosen.request_time_ms);
    let workers = Workers::new();
    let context = Context {
        views: views.clone(),
        progress: progress.clone(),
        submitter,
        limits: RequestLimits { keys: chosen.max_keys, time },
        eth_chain_id: chosen.eth_chain_id,
        metrics: metrics.clone(),
        workers: workers.clone(),
    };
    let module = rpc::module(context)
        .map_err(|error| Error::new(Reason::Bug, "methods of different names", error))?;
    let limits = ServerLimits {
        request_bytes: chosen.max_request_bytes,
        batch: chosen.max_batch,
        connections,
        subscriptions: 16,
        // Leaves time to send the reply that reports the timeout before the connection is cut.
        request_time: time + Duration::from_secs(1),
    };
    admin.standing.send_replace(Arc::new(NodeStanding {
        views: views.clone(),
        conditions,
        progress,
    }));
    let pages = Pages { standing: admin.standing.subscribe(), metrics, workers };
    let front = Front { limits, token, pages, busy: false };
    let (address, server) = server::start(bound, module, &chosen.origins, front)?;
    announce(&views.borrow(), address, admin.address);

    // It ends on its own only if no more blocks can be stored.
    let early = tokio::select! {
        stopped = &mut stop => { stopped?; None }
        ended = &mut ended => Some(ended),
    };
    serving::stop(server, admin).await;
    let ended = match early {
        Some(ended) => ended,
        None => match tokio::time::timeout(serving::GRACE, ended).await {
            Ok(ended) => ended,
            // A connection that does not end still holds a submitter. Every block that it was told
            // of is on disk.
            Err(_) => return Ok(()),
        },
    };
    Ok(ended.map_err(|error| Error::new(Reason::Bug, "a source of blocks", error))??)
}

/// Resumes a chain and makes its blocks; if there is none, begins a development chain if it may.
fn produce(chosen: &Chosen, metrics: &Metrics) -> Result<Source> {
    let folder = &chosen.data_dir;
    if !Chain::exists(folder)? {
        if !chosen.dev {
            let expected = format_args!(
                "a chain in {}; `init` begins one, and `run --dev` a development chain",
                folder.display()
            );
            return Err(Error::new(Reason::InvalidArgument, expected, "none"));
        }
        begin_development(folder, &chosen.schemes)?;
        tracing::warn!(
            folder = %folder.display(),
            "no chain there: began a development chain with a key of its own"
        );
    }
    let (chain, signers) = open(&chosen.data_dir, &chosen.schemes)?;
    metrics.store(chain.disk_bytes()?);
    let (published, views) = watch::channel(chain.view()?);
    let pace = Pace {
        interval: Duration::from_millis(chosen.block_interval_ms),
        empty_blocks: chosen.empty_blocks,
        keep_states: chosen.keep_states,
    };
    let space = Space::new(folder, chosen.min_free_bytes);
    let conditions = Arc::new(Conditions::new(views.clone(), Clock::system(), space));
    if let Err(error) = conditions.check() {
        let (reason, now) = (error.reason(), utc(now_ms()));
        tracing::error!(%reason, %error, now, "no blocks are made for now");
    }
    let (submitter, thread) =
        producer::start(chain, signers, pace, conditions.clone(), published, metrics.clone());
    let ended = tokio::task::spawn_blocking(|| {
        let panicked = |_| Err(Error::new(Reason::Bug, "a thread that makes blocks", "a panic"));
        thread.join().unwrap_or_else(panicked)
    });
    Ok(Source {
        views,
        submitter: Some(submitter),
        conditions: Some(conditions),
        progress: None,
        ended,
    })
}

fn token(chosen: &Chosen) -> Result<Option<String>> {
    let Some(path) = &chosen.token_file else { return Ok(None) };
    let token = std::fs::read_to_string(path).map_err(|error| super::cannot(path, &error))?;
    let token = token.trim();
    if token.is_empty() {
        let expected = format_args!("a token in {}", path.display());
        return Err(Error::new(Reason::InvalidArgument, expected, "nothing"));
    }
    Ok(Some(token.to_owned()))
}

fn announce(view: &View, address: SocketAddr, admin: SocketAddr) {
    tracing::info!(
        %address,
        %admin,
        chain = %Hex(&view.config().id()),
        height = view.height(),
        head = %Hex(view.head_hash()),
        time = utc(now_ms()),
        "serving"
    );
}
