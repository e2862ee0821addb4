//! `serve-history`: proofs of `smt` from the snapshot files of a running node, in a process of its own; from its folder, or
//! from a bucket on another machine.

use std::net::SocketAddr;
use std::path::Path;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use prooflight_core::{Error, Reason, Result};
use prooflight_node::blocking::Workers;
use prooflight_node::clients::{Clients, Rules};
use prooflight_node::descriptors;
use prooflight_node::follow::Leader;
use prooflight_node::metrics::Metrics;
use prooflight_node::rpc::RequestLimits;
use prooflight_node::rpc::archive::{self, Archive};
use prooflight_node::schemes::CACHE_BYTES;
use prooflight_node::server::{self, Front, NotReady, Pages, ServerLimits, Standing};
use prooflight_node::snapshots;
use prooflight_smt::snapshot::{Files, SmtReader};
use tokio::runtime::Handle;

use super::exit::Failure;
use super::log::bucket;
use super::serving;
use super::settings::LogFormat;

/// The files to serve, and the address.
#[derive(Debug, Args)]
pub(super) struct ServeHistory {
    /// The snapshot files: the folder `snapshots` in that of a chain with smt; or the log beside which a node puts them
    /// with --publish-snapshots, as <s3://BUCKET/FOLDER> or <file:///FOLDER>
    #[arg(long, env = "PROOFLIGHT_SNAPSHOTS")]
    snapshots: String,
    /// A node of the chain, as http://HOST:PORT, which provides the headers
    #[arg(long, env = "PROOFLIGHT_NODE")]
    node: String,
    /// The address to listen on
    #[arg(long, env = "PROOFLIGHT_LISTEN", default_value = "127.0.0.1:8655")]
    listen: SocketAddr,
    /// The address of /health, /ready and /metrics for operators [default: 127.0.0.1, 1000 ports above --listen]
    #[arg(long, env = "PROOFLIGHT_ADMIN_LISTEN")]
    admin_listen: Option<SocketAddr>,
    /// An origin whose pages may send requests; repeatable [default: all]
    #[arg(long = "origin", env = "PROOFLIGHT_ORIGINS", value_delimiter = ',')]
    origins: Vec<String>,
    /// The interval of looking for new files in a bucket, in milliseconds
    #[arg(long, env = "PROOFLIGHT_FOLLOW_INTERVAL_MS", default_value_t = 1000)]
    follow_interval_ms: u64,
    /// The bytes of memory for parts of the files that proofs read
    #[arg(long, env = "PROOFLIGHT_CACHE_BYTES", default_value_t = CACHE_BYTES)]
    cache_bytes: u64,
    /// The most keys in a proof
    #[arg(long, env = "PROOFLIGHT_MAX_KEYS", default_value_t = 1024)]
    max_keys: usize,
    /// The most concurrent connections
    #[arg(long, env = "PROOFLIGHT_MAX_CONNECTIONS", default_value_t = 1024)]
    max_connections: u32,
    /// The time limit of a request, in milliseconds
    #[arg(long, env = "PROOFLIGHT_REQUEST_TIME_MS", default_value_t = 30_000)]
    request_time_ms: u64,
    /// The log format: `text` or `json`
    #[arg(long, env = "PROOFLIGHT_LOG_FORMAT", value_enum, default_value_t)]
    log_format: LogFormat,
}

impl ServeHistory {
    pub(super) fn run(self) -> Result<(), Failure> {
        serving::run(self.log_format, self.serve())
    }

    async fn serve(self) -> Result<(), Failure> {
        let stop = pin!(serving::stop_signal()?);
        let metrics = Metrics::new();
        let connections = descriptors::connections(self.max_connections, false)?;
        let bound = serving::bind(self.listen)?;
        let admin = serving::start_admin(self.admin_listen, self.listen, &metrics)?;
        let time = Duration::from_millis(self.request_time_ms);
        let is_far = self.snapshots.contains("://");
        let (files, place) = if is_far {
            let bucket = bucket(&self.snapshots, &metrics)?;
            let place = bucket.name().to_owned();
            (snapshots::files(bucket, Handle::current()), place)
        } else {
            (Files::existing(Path::new(&self.snapshots))?, self.snapshots.clone())
        };
        let proofs = Arc::new(SmtReader::new(files, self.cache_bytes));
        let interval = Duration::from_millis(self.follow_interval_ms);
        let watching = is_far.then(|| tokio::spawn(snapshots::watch(proofs.clone(), interval)));
        let workers = Workers::new();
        let archive = Archive {
            proofs: proofs.clone(),
            is_far,
            node: Leader::new(&self.node, time)?,
            limits: RequestLimits { keys: self.max_keys, time },
            metrics: metrics.clone(),
            workers: workers.clone(),
        };
        let module = archive::module(archive)
            .map_err(|error| Error::new(Reason::Bug, "methods of different names", error))?;
        let limits = ServerLimits {
            request_bytes: 4 << 20,
            batch: 32,
            connections,
            subscriptions: 0,
            request_time: time + Duration::from_secs(1),
        };
        admin.standing.send_replace(Arc::new(FilesStanding { proofs, is_far }));
        let pages = Pages { standing: admin.standing.subscribe(), metrics, workers };
        let front =
            Front { limits, clients: Arc::new(Clients::new(Rules::ALL)), pages, busy: false };
        let (address, server) = server::start(bound, module, server::cors(&self.origins)?, front)?;
        tracing::info!(%address, admin = %admin.address, snapshots = place, node = self.node, "serving");
        stop.await;
        if let Some(watching) = watching {
            watching.abort();
        }
        serving::stop(server, admin).await;
        Ok(())
    }
}

/// The progress of the files.
struct FilesStanding {
    proofs: Arc<SmtReader>,
    /// Whether they are in a bucket, in which another task looks for new ones.
    is_far: bool,
}

impl FilesStanding {
    fn newest(&self) -> Result<u64> {
        if self.is_far { self.proofs.seen() } else { self.proofs.newest() }
    }
}

impl Standing for FilesStanding {
    fn ready(&self) -> Result<u64, NotReady> {
        Ok(self.newest()?)
    }

    /// Sets only the height: the timestamp is in the header, which the files do not have.
    fn count(&self, metrics: &Metrics) {
        if let Ok(height) = self.newest() {
            metrics.newest(height, 0);
        }
    }
}
