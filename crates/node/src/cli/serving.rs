//! Shared by `run` and `serve-history`: logs, threads and shutdown.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use jsonrpsee::server::ServerHandle;
use prooflight_core::{Error, Reason, Result};
use prooflight_node::api::server::{
    self, BoundAddress, RequestPolicy, ServerStatus, StatusPages, admin,
};
use prooflight_node::runtime::blocking::WorkerPool;
use prooflight_node::runtime::metrics::Metrics;
use prooflight_node::runtime::status::LifecyclePhase;
use tokio::sync::watch;
use tracing_subscriber::EnvFilter;

use super::exit::CommandError;
use super::settings::LogFormat;

/// The time that running requests get to finish once a server is told to stop.
pub(super) const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(5);

/// Runs a server on a multi-threaded runtime.
pub(super) fn run<E: From<Error>>(
    logs: LogFormat,
    serve: impl Future<Output = Result<(), E>>,
) -> Result<(), E> {
    start_logs(logs);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime =
        runtime.map_err(|error| Error::new(Reason::Bug, "threads to serve with", error))?;
    let served = runtime.block_on(serve);
    // Threads that still open a chain or make a proof are not waited for: killing them loses nothing.
    runtime.shutdown_background();
    served
}

/// Binds an address. An address that is in use may be free at the next attempt.
pub(super) fn bind(listen: SocketAddr) -> Result<BoundAddress, CommandError> {
    server::bind(listen).map_err(CommandError::unavailable)
}

/// The admin listener of a server, whose status is replaced once the chain is open.
pub(super) struct AdminListener {
    /// The address on which it listens.
    pub(super) address: SocketAddr,
    /// Receives the server's status.
    pub(super) status: watch::Sender<Arc<dyn ServerStatus>>,
}

/// Starts the admin listener, on the default address for `listen` unless another one is given.
pub(super) fn start_admin(
    given: Option<SocketAddr>,
    listen: SocketAddr,
    policy: RequestPolicy,
    metrics: &Metrics,
) -> Result<AdminListener, CommandError> {
    let (status, shown) =
        watch::channel(Arc::new(LifecyclePhase::Opening) as Arc<dyn ServerStatus>);
    // Separate workers, for which no client competes.
    let pages =
        StatusPages { status: shown, metrics: metrics.clone(), workers: WorkerPool::default() };
    let bound = bind(given.unwrap_or_else(|| admin::default_address(listen)))?;
    let address = admin::start(bound, pages, policy).map_err(CommandError::unavailable)?;
    tracing::info!(admin = %address, "opening");
    Ok(AdminListener { address, status })
}

/// Stops a server, and waits a limited time for its requests.
pub(super) async fn stop(server: ServerHandle, admin: AdminListener) {
    tracing::info!("stopping");
    admin.status.send_replace(Arc::new(LifecyclePhase::Stopping));
    // Only fails if the server has stopped already.
    let _ = server.stop();
    if tokio::time::timeout(SHUTDOWN_TIMEOUT, server.stopped()).await.is_err() {
        tracing::warn!("some requests did not end in time");
    }
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

/// Waits for a signal to stop. A signal that arrives before the future is polled counts as well.
#[cfg(unix)]
pub(super) fn stop_signal() -> Result<impl Future<Output = ()>> {
    use tokio::signal::unix::{SignalKind, signal};
    let listen = |kind| {
        signal(kind).map_err(|error| Error::new(Reason::Bug, "signals to listen for", error))
    };
    let (mut interrupt, mut terminate) =
        (listen(SignalKind::interrupt())?, listen(SignalKind::terminate())?);
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    })
}

/// Waits for a signal to stop.
#[cfg(not(unix))]
pub(super) fn stop_signal() -> Result<impl Future<Output = ()>> {
    Ok(async {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending().await
        }
    })
}
