//! `run`: resumes or begins a chain, and serves it until it is told to stop.

use std::time::Duration;

use prooflight_core::{Error, Hex, Reason, Result};
use prooflight_node::metrics::Metrics;
use prooflight_node::producer::{self, Pace};
use prooflight_node::rpc::{self, Context, RequestLimits};
use prooflight_node::server::{self, Access, ServerLimits};
use prooflight_node::{Chain, View};
use tokio::sync::watch;
use tracing_subscriber::EnvFilter;

use super::chain::{begin_development, open};
use super::settings::{Chosen, LogFormat, Settings};

/// How long requests under way may go on once the node is told to stop.
const GRACE: Duration = Duration::from_secs(5);

pub(super) fn run(settings: Settings) -> Result<()> {
    let chosen = settings.choose()?;
    start_logs(chosen.log_format);
    if !Chain::exists(&chosen.data_dir) {
        begin_development(&chosen.data_dir)?;
        tracing::warn!(
            folder = %chosen.data_dir.display(),
            "no chain there: began a development chain with a key of its own"
        );
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime =
        runtime.map_err(|error| Error::new(Reason::Bug, "threads to serve with", error))?;
    runtime.block_on(serve(chosen))
}

async fn serve(chosen: Chosen) -> Result<()> {
    let (chain, signers) = open(&chosen.data_dir)?;
    let (published, views) = watch::channel(chain.view()?);
    let pace = Pace {
        interval: Duration::from_millis(chosen.block_interval_ms),
        empty_blocks: chosen.empty_blocks,
        keep_states: chosen.keep_states,
    };
    let access = Access { token: token(&chosen)?, origins: chosen.origins };
    let (submitter, producing) = producer::start(chain, signers, pace, published);
    let time = Duration::from_millis(chosen.request_time_ms);
    let metrics = Metrics::new();
    let limits = RequestLimits { keys: chosen.max_keys, time, reads: READS };
    let context = Context::new(views.clone(), Some(submitter), limits, metrics.clone());
    let module = rpc::module(context)
        .map_err(|error| Error::new(Reason::Bug, "methods of different names", error))?;
    let limits = ServerLimits {
        request_bytes: chosen.max_request_bytes,
        reply_bytes: REPLY_BYTES,
        batch: chosen.max_batch,
        connections: chosen.max_connections,
        subscriptions: 16,
        // The reply that says so is written before the connection is cut.
        request_time: time + Duration::from_secs(1),
    };
    let (address, server) =
        server::start(chosen.listen, module, &limits, access, views.clone(), metrics).await?;
    announce(&views.borrow(), address);

    // The thread ends on its own only if it can make no more blocks.
    let mut producing = tokio::task::spawn_blocking(move || producing.join());
    let ended = tokio::select! {
        stopped = stop_signal() => { stopped?; None }
        ended = &mut producing => Some(ended),
    };
    tracing::info!("stopping");
    // Only fails if the server has stopped already.
    let _ = server.stop();
    if tokio::time::timeout(GRACE, server.stopped()).await.is_err() {
        tracing::warn!("some requests did not end in time");
    }
    let ended = match ended {
        Some(ended) => ended,
        None => match tokio::time::timeout(GRACE, producing).await {
            Ok(ended) => ended,
            // A connection that does not end still holds the way to submit; what it was told is on
            // disk, and what is not on disk it was not told.
            Err(_) => return Ok(()),
        },
    };
    match ended {
        Ok(Ok(result)) => result,
        Ok(Err(_)) | Err(_) => {
            Err(Error::new(Reason::Bug, "a thread that makes blocks", "a panic"))
        }
    }
}

/// Calls that read the store at the same time.
const READS: usize = 64;

/// Bytes of a reply: a proof of the largest size in hexadecimal, and what is around it.
const REPLY_BYTES: u32 = 40 << 20;

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

fn announce(view: &View, address: std::net::SocketAddr) {
    tracing::info!(
        %address,
        chain = %Hex(&view.config().id()),
        height = view.height(),
        head = %Hex(view.head_hash()),
        "serving"
    );
}

fn start_logs(format: LogFormat) {
    let filter = EnvFilter::try_from_env("PROOFLIGHT_LOG")
        .unwrap_or_else(|_| "info,fjall=warn,lsm_tree=warn".into());
    let logs = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    match format {
        LogFormat::Text => logs.with_ansi(false).init(),
        LogFormat::Json => logs.json().init(),
    }
}

#[cfg(unix)]
async fn stop_signal() -> Result<()> {
    use tokio::signal::unix::{SignalKind, signal};
    let listen = |kind| {
        signal(kind).map_err(|error| Error::new(Reason::Bug, "signals to listen for", error))
    };
    let (mut interrupt, mut terminate) =
        (listen(SignalKind::interrupt())?, listen(SignalKind::terminate())?);
    tokio::select! {
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
    }
    Ok(())
}

#[cfg(not(unix))]
async fn stop_signal() -> Result<()> {
    let signal = tokio::signal::ctrl_c().await;
    signal.map_err(|error| Error::new(Reason::Bug, "a signal to listen for", error))
}
