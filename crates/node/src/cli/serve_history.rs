//! `serve-history`: a separate process that serves proofs of `smt` from the snapshot files of a running node, in its
//! folder or in a bucket. Headers come from a node, or from the chain's log.

use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use prooflight_core::{Error, Reason, Result};
use prooflight_log::BucketLog;
use prooflight_node::api::clients::{ClientRegistry, ClientRules};
use prooflight_node::api::descriptors;
use prooflight_node::api::rpc::RequestLimits;
use prooflight_node::api::rpc::archive::{self, ArchiveApi, HeaderSource};
use prooflight_node::api::server::{
    self, HttpLayer, RequestPolicy, ServerLimits, ServerStatus, StatusPages,
};
use prooflight_node::chain::schemes::CACHE_BYTES;
use prooflight_node::replication::follow::LeaderClient;
use prooflight_node::replication::snapshots::{self, HeaderReader};
use prooflight_node::runtime::answer_memory::{ANSWER_BYTES, AnswerMemory};
use prooflight_node::runtime::blocking::{ProxyAddresses, WorkerPool};
use prooflight_node::runtime::files;
use prooflight_node::runtime::metrics::Metrics;
use prooflight_node::runtime::scratch::ScratchFolder;
use prooflight_node::runtime::status::NotReady;
use prooflight_smt::snapshot::{SmtReader, SnapshotFiles};
use tokio::runtime::Handle;
use tokio::task::JoinHandle;

use super::bucket::{bucket, bucket_at_start};
use super::exit::CommandError;
use super::replica::read_checkpoint;
use super::serving;
use super::settings::{LogFormat, answer_bytes};

/// The arguments of `serve-history`.
#[derive(Debug, Args)]
pub(super) struct ServeHistory {
    /// The snapshot files: the folder `snapshots` in that of a chain with smt; or the log beside which a node puts them
    /// with --publish-snapshots, as <s3://BUCKET/FOLDER> or <file:///FOLDER>
    #[arg(long, env = "PROOFLIGHT_SNAPSHOTS")]
    snapshots: String,
    #[command(flatten)]
    headers: HeaderArgs,
    /// With --log: a file with the checkpoint of the chain
    #[arg(long, env = "PROOFLIGHT_CHECKPOINT")]
    checkpoint: Option<PathBuf>,
    /// The address to listen on
    #[arg(long, env = "PROOFLIGHT_LISTEN", default_value = "127.0.0.1:8655")]
    listen: SocketAddr,
    /// The address of /health, /ready and /metrics for operators [default: 127.0.0.1, 1000 ports above --listen]
    #[arg(long, env = "PROOFLIGHT_ADMIN_LISTEN")]
    admin_listen: Option<SocketAddr>,
    /// An origin whose pages may read, as <http://localhost:4173>; others are not served; repeatable [default: all]
    #[arg(long = "origin", env = "PROOFLIGHT_ORIGINS", value_delimiter = ',')]
    origins: Vec<String>,
    /// A name of this machine, besides its addresses and localhost, under which the admin listener answers; repeatable
    /// [default: none]
    #[arg(long = "host", env = "PROOFLIGHT_HOSTS", value_delimiter = ',')]
    hosts: Vec<String>,
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
    /// The most concurrent connections of an address, or for IPv6 of a network of 64 bits
    #[arg(long, env = "PROOFLIGHT_MAX_CONNECTIONS_PER_ADDRESS", default_value_t = 64)]
    max_connections_per_address: u32,
    /// The address of a proxy in front of the server, whose connections count as clients each; repeatable [default:
    /// those of this machine]
    #[arg(long = "proxy", env = "PROOFLIGHT_PROXIES", value_delimiter = ',')]
    proxies: Vec<IpAddr>,
    /// The bytes of memory for answers that clients have not accepted yet, of all connections together
    #[arg(long, env = "PROOFLIGHT_MAX_ANSWER_BYTES", default_value_t = ANSWER_BYTES, value_parser = answer_bytes)]
    max_answer_bytes: usize,
    /// The time limit of a request, in milliseconds
    #[arg(long, env = "PROOFLIGHT_REQUEST_TIME_MS", default_value_t = 30_000)]
    request_time_ms: u64,
    /// The log format: `text` or `json`
    #[arg(long, env = "PROOFLIGHT_LOG_FORMAT", value_enum, default_value_t)]
    log_format: LogFormat,
}

/// The source of the headers.
#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
struct HeaderArgs {
    /// A node of the chain, as http://HOST:PORT, which provides the headers
    #[arg(long, env = "PROOFLIGHT_NODE")]
    node: Option<String>,
    /// Instead of --node: the chain's log, as <s3://BUCKET/FOLDER> or <file:///FOLDER>, which provides the headers
    #[arg(long, env = "PROOFLIGHT_LOG_URL", requires = "checkpoint")]
    log: Option<String>,
}

/// The task that reads headers from the log. Dropping this ends it.
struct HeaderTask {
    task: JoinHandle<()>,
    /// Removed when this is dropped.
    _folder: ScratchFolder,
}

impl Drop for HeaderTask {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl ServeHistory {
    /// The source of the headers, with its name. Starts to read the log in the background.
    async fn source(
        &self,
        metrics: &Metrics,
    ) -> Result<(HeaderSource, String, Option<HeaderTask>)> {
        let time = Duration::from_millis(self.request_time_ms);
        let (url, checkpoint) = match (&self.headers, &self.checkpoint) {
            (HeaderArgs { node: Some(node), .. }, _) => {
                let node = LeaderClient::new(node, time)?;
                let name = node.to_string();
                return Ok((HeaderSource::Node(node), name, None));
            }
            (HeaderArgs { log: Some(url), .. }, Some(checkpoint)) => (url, checkpoint),
            _ => {
                let expected = "--node with a node, or --log with the chain's log and --checkpoint";
                return Err(Error::new(Reason::InvalidArgument, expected, "neither"));
            }
        };
        let (bucket, pinned) = (bucket_at_start(url, metrics)?, read_checkpoint(checkpoint)?);
        let log = BucketLog::open(bucket, Arc::new(pinned.config.clone())).await?;
        log.bucket().end_startup_retry();
        let name = log.bucket().name().to_owned();
        let folder = ScratchFolder::new().map_err(|error| {
            Error::new(Reason::StoreFailed, "a temporary folder (TMPDIR)", error)
        })?;
        let (reader, headers) = HeaderReader::new(log, pinned, folder.path())?;
        let task = tokio::spawn(reader.run(Duration::from_millis(self.follow_interval_ms)));
        Ok((HeaderSource::Log(headers), name, Some(HeaderTask { task, _folder: folder })))
    }

    pub(super) fn run(self) -> Result<(), CommandError> {
        serving::run(self.log_format, self.serve())
    }

    async fn serve(self) -> Result<(), CommandError> {
        let mut stop = pin!(serving::stop_signal()?);
        let metrics = Metrics::new();
        let policy = RequestPolicy::new(&self.origins, &self.hosts)?;
        let connections = descriptors::connections(self.max_connections, false)?;
        let bound = serving::bind(self.listen)?;
        let admin = serving::start_admin(self.admin_listen, self.listen, policy.clone(), &metrics)?;
        let time = Duration::from_millis(self.request_time_ms);
        let is_remote = self.snapshots.contains("://");
        let (files, location) = if is_remote {
            let bucket = bucket(&self.snapshots, &metrics)?;
            let location = bucket.name().to_owned();
            (snapshots::files(bucket, Handle::current()), location)
        } else {
            files::check_folder(Path::new(&self.snapshots))?;
            (SnapshotFiles::open_existing(Path::new(&self.snapshots))?, self.snapshots.clone())
        };
        let (source, headers, reading) = tokio::select! {
            () = &mut stop => return Ok(()),
            source = self.source(&metrics) => source?,
        };
        let proofs = Arc::new(SmtReader::new(files, self.cache_bytes));
        let interval = Duration::from_millis(self.follow_interval_ms);
        let watching = is_remote.then(|| tokio::spawn(snapshots::watch(proofs.clone(), interval)));
        let workers = WorkerPool::new(AnswerMemory::new(self.max_answer_bytes));
        let archive = ArchiveApi {
            proofs: proofs.clone(),
            is_remote,
            source: source.clone(),
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
            connections_per_address: self.max_connections_per_address,
            proxies: ProxyAddresses::new(&self.proxies),
            subscriptions: 0,
            request_time: time + Duration::from_secs(1),
        };
        admin.status.send_replace(Arc::new(FilesStatus { proofs, is_remote, source }));
        let pages = StatusPages { status: admin.status.subscribe(), metrics, workers };
        let clients = Arc::new(ClientRegistry::new(ClientRules::ALL));
        let layer = HttpLayer { limits, clients, pages, policy, private: false, refusal: None };
        let (address, server) = server::start(bound, module, layer)?;
        tracing::info!(%address, admin = %admin.address, snapshots = location, headers, "serving");
        stop.await;
        if let Some(watching) = watching {
            watching.abort();
        }
        drop(reading);
        serving::stop(server, admin).await;
        Ok(())
    }
}

/// The status of the snapshot files.
struct FilesStatus {
    proofs: Arc<SmtReader>,
    /// Whether the files are in a bucket, which another task polls for new files.
    is_remote: bool,
    source: HeaderSource,
}

impl FilesStatus {
    fn newest(&self) -> Result<u64> {
        if self.is_remote { self.proofs.last_seen() } else { self.proofs.newest() }
    }
}

impl ServerStatus for FilesStatus {
    fn ready(&self) -> Result<u64, NotReady> {
        let newest = self.newest()?;
        match &self.source {
            HeaderSource::Node(_) => Ok(newest),
            HeaderSource::Log(headers) => match headers.view()?.height() {
                height if height >= newest => Ok(newest),
                height => Err(NotReady::Behind { height, newest: Some(newest) }),
            },
        }
    }

    /// Sets only the height: the timestamp is in the header, which the files do not have.
    fn count(&self, metrics: &Metrics) {
        if let Ok(height) = self.newest() {
            metrics.newest(height, 0);
        }
    }
}
