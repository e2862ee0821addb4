//! The settings of `run` and `serve`: from flags, the environment and a file, in this order of precedence.

use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};

use clap::Args;
use prooflight_core::{Error, Reason, Result};
use prooflight_node::BlockRetention;
use prooflight_node::api::server::RequestPolicy;
use prooflight_node::chain::schemes::{CACHE_BYTES, SchemeOptions, ShardOption};
use prooflight_node::runtime::answer_memory::{ANSWER_BYTES, MAX_REPLY_BYTES};
use prooflight_node::runtime::blocking::ProxyAddresses;
use prooflight_node::runtime::files;
use serde::Deserialize;

use super::clients::ClientSettings;
use super::exit::file_error;
use super::params::options;

/// The settings of a node; `None` if a setting is not given.
#[derive(Clone, Debug, Default, Args, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(crate) struct Settings {
    /// A TOML file with settings, named like the flags.
    #[arg(long, env = "PROOFLIGHT_CONFIG")]
    #[serde(skip)]
    config: Option<PathBuf>,
    /// The folder of the chain [default: prooflight-data]
    #[arg(long, env = "PROOFLIGHT_DATA_DIR")]
    data_dir: Option<PathBuf>,
    /// Begin a development chain, with a key of its own, if there is no chain in the folder [default: false]
    #[arg(long, env = "PROOFLIGHT_DEV", num_args = 0..=1, default_missing_value = "true")]
    dev: Option<bool>,
    /// The address to listen on [default: 127.0.0.1:8645]
    #[arg(long, env = "PROOFLIGHT_LISTEN")]
    listen: Option<SocketAddr>,
    /// The address of /health, /ready and /metrics for operators [default: 127.0.0.1, 1000 ports above --listen]
    #[arg(long, env = "PROOFLIGHT_ADMIN_LISTEN")]
    admin_listen: Option<SocketAddr>,
    /// The shortest time between two blocks, in milliseconds [default: 1000]
    #[arg(long, env = "PROOFLIGHT_BLOCK_INTERVAL_MS")]
    block_interval_ms: Option<u64>,
    /// Also make blocks without operations [default: false]
    #[arg(long, env = "PROOFLIGHT_EMPTY_BLOCKS", num_args = 0..=1, default_missing_value = "true")]
    empty_blocks: Option<bool>,
    /// The number of blocks before the newest whose states are kept [default: all]
    #[arg(long, env = "PROOFLIGHT_KEEP_STATES")]
    keep_states: Option<u64>,
    /// The number of blocks before the newest whose operations are kept, for replicas [default: all]
    #[arg(long, env = "PROOFLIGHT_KEEP_BLOCKS")]
    keep_blocks: Option<u64>,
    /// Accept no block while fewer bytes are free on the disk of the folder [default: 268435456]
    #[arg(long, env = "PROOFLIGHT_MIN_FREE_BYTES")]
    min_free_bytes: Option<u64>,
    /// A file with the bearer token required to submit [default: none required]
    #[arg(long, env = "PROOFLIGHT_TOKEN_FILE")]
    token_file: Option<PathBuf>,
    /// The address on which remote authorities ask for blocks to sign; required if the node holds fewer keys than the
    /// quorum [default: none]
    #[arg(long, env = "PROOFLIGHT_AUTHORITY_LISTEN")]
    authority_listen: Option<SocketAddr>,
    /// A file with the bearer token required of those authorities [default: none required]
    #[arg(long, env = "PROOFLIGHT_AUTHORITY_TOKEN_FILE")]
    authority_token_file: Option<PathBuf>,
    /// An origin whose pages may read and write, as <http://localhost:4173>; others are not served; repeatable [default: all
    /// pages may read]
    #[arg(long = "origin", env = "PROOFLIGHT_ORIGINS", value_delimiter = ',')]
    #[serde(rename = "origins")]
    origins: Vec<String>,
    /// A name of this node, besides its addresses and localhost, under which clients may submit without a token and the
    /// admin listener answers; repeatable [default: none]
    #[arg(long = "host", env = "PROOFLIGHT_HOSTS", value_delimiter = ',')]
    #[serde(rename = "hosts")]
    hosts: Vec<String>,
    /// The largest request, in bytes [default: 4194304]
    #[arg(long, env = "PROOFLIGHT_MAX_REQUEST_BYTES")]
    max_request_bytes: Option<u32>,
    /// The most calls in a batch [default: 32]
    #[arg(long, env = "PROOFLIGHT_MAX_BATCH")]
    max_batch: Option<u32>,
    /// The most keys in a proof [default: 1024]
    #[arg(long, env = "PROOFLIGHT_MAX_KEYS")]
    max_keys: Option<usize>,
    /// The value of `eth_chainId` on a chain with `mpt`; proofs do not depend on it [default: 1337]
    #[arg(long, env = "PROOFLIGHT_ETH_CHAIN_ID")]
    eth_chain_id: Option<u64>,
    /// The most concurrent connections [default: 1024]
    #[arg(long, env = "PROOFLIGHT_MAX_CONNECTIONS")]
    max_connections: Option<u32>,
    /// The most concurrent connections of an address, or for IPv6 of a network of 64 bits [default: 64]
    #[arg(long, env = "PROOFLIGHT_MAX_CONNECTIONS_PER_ADDRESS")]
    max_connections_per_address: Option<u32>,
    /// The address of a proxy in front of the node, whose connections count as clients each; repeatable [default: those
    /// of this machine]
    #[arg(long = "proxy", env = "PROOFLIGHT_PROXIES", value_delimiter = ',')]
    #[serde(rename = "proxies")]
    proxies: Vec<IpAddr>,
    /// The bytes of memory for answers that clients have not accepted yet, of all connections together [default: 536870912]
    #[arg(long, env = "PROOFLIGHT_MAX_ANSWER_BYTES", value_parser = answer_bytes)]
    max_answer_bytes: Option<usize>,
    /// The time limit of a request, in milliseconds [default: 30000]
    #[arg(long, env = "PROOFLIGHT_REQUEST_TIME_MS")]
    request_time_ms: Option<u64>,
    /// The node to follow, as http://HOST:PORT: copies its blocks and makes none [default: none]
    #[arg(long, env = "PROOFLIGHT_FOLLOW")]
    follow: Option<String>,
    /// The object store with the chain's log, as <s3://BUCKET/FOLDER> or <file:///FOLDER> [default: none]
    #[arg(long, env = "PROOFLIGHT_LOG_URL")]
    log: Option<String>,
    /// Publish the blocks of a chain that was made without a log, at its first start with one [default: false]
    #[arg(long, env = "PROOFLIGHT_PUBLISH", num_args = 0..=1, default_missing_value = "true")]
    publish: Option<bool>,
    /// Put the snapshot files of smt beside the log, for `serve-history --snapshots URL` [default: false]
    #[arg(long, env = "PROOFLIGHT_PUBLISH_SNAPSHOTS", num_args = 0..=1, default_missing_value = "true")]
    publish_snapshots: Option<bool>,
    /// The log to which the chain belonged, as the file `log` in its folder names it, if nobody uses it any more [default: none]
    #[arg(long, env = "PROOFLIGHT_LOG_MOVED_FROM")]
    log_moved_from: Option<String>,
    /// Execute the blocks of the log, and lead only when its leader does not [default: false]
    #[arg(long, env = "PROOFLIGHT_STANDBY", num_args = 0..=1, default_missing_value = "true")]
    standby: Option<bool>,
    /// The time without a block after which a standby leads, in milliseconds [default: 5000]
    #[arg(long, env = "PROOFLIGHT_TAKEOVER_AFTER_MS")]
    takeover_after_ms: Option<u64>,
    /// The leader, as http://HOST:PORT: a standby does not lead while that node is ready; with --sync, the node begins
    /// with the state of that node [default: none]
    #[arg(long, env = "PROOFLIGHT_LEADER")]
    leader: Option<String>,
    /// A file with the checkpoint of the chain to follow; required on a first start
    #[arg(long, env = "PROOFLIGHT_CHECKPOINT")]
    checkpoint: Option<PathBuf>,
    /// On a first start: begin with the verified state of the node of --follow or --leader, not with all blocks [default: false]
    #[arg(long, env = "PROOFLIGHT_SYNC", num_args = 0..=1, default_missing_value = "true")]
    sync: Option<bool>,
    /// On a first start: the keys that lvmt can prove: full, none, or a class such as 3/4 [default: full]
    #[arg(long, env = "PROOFLIGHT_PROOF_SHARD")]
    proof_shard: Option<ShardOption>,
    /// On a first start: the number of blocks per snapshot file of smt [default: 1]
    #[arg(long, env = "PROOFLIGHT_BLOCKS_PER_SNAPSHOT")]
    blocks_per_snapshot: Option<u64>,
    /// Prove blocks that lmpt no longer has in memory by replaying up to two eras, one at a time [default: false]
    #[arg(long, env = "PROOFLIGHT_LMPT_REPLAY", num_args = 0..=1, default_missing_value = "true")]
    lmpt_replay: Option<bool>,
    /// The bytes of memory for parts of smt's snapshot files that proofs read [default: 268435456]
    #[arg(long, env = "PROOFLIGHT_CACHE_BYTES")]
    cache_bytes: Option<u64>,
    /// The .ptau file of the chain's lvmt setup, if its tables must be built [default: none]
    #[arg(long, env = "PROOFLIGHT_LVMT_SETUP")]
    lvmt_setup: Option<PathBuf>,
    /// The interval of polling for new blocks, in milliseconds [default: 1000]
    #[arg(long, env = "PROOFLIGHT_FOLLOW_INTERVAL_MS")]
    follow_interval_ms: Option<u64>,
    /// The log format: `text` or `json` [default: text]
    #[arg(long, env = "PROOFLIGHT_LOG_FORMAT")]
    log_format: Option<LogFormat>,
    // Only in the file: clients without a token, and those with one.
    #[arg(skip)]
    anonymous: ClientSettings,
    #[arg(skip)]
    clients: BTreeMap<String, ClientSettings>,
}

/// The format of logs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum LogFormat {
    /// Human-readable lines.
    #[default]
    Text,
    /// Lines of JSON.
    Json,
}

/// Settings with their defaults filled in.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option of its own")]
pub(crate) struct ResolvedSettings {
    pub(crate) data_dir: PathBuf,
    pub(crate) dev: bool,
    pub(crate) listen: SocketAddr,
    pub(crate) admin_listen: Option<SocketAddr>,
    pub(crate) block_interval_ms: u64,
    pub(crate) empty_blocks: bool,
    pub(crate) keep: BlockRetention,
    pub(crate) min_free_bytes: u64,
    pub(crate) token_file: Option<PathBuf>,
    pub(crate) authority_listen: Option<SocketAddr>,
    pub(crate) authority_token_file: Option<PathBuf>,
    pub(crate) policy: RequestPolicy,
    pub(crate) max_request_bytes: u32,
    pub(crate) max_batch: u32,
    pub(crate) max_keys: usize,
    pub(crate) eth_chain_id: u64,
    pub(crate) max_connections: u32,
    pub(crate) max_connections_per_address: u32,
    pub(crate) proxies: ProxyAddresses,
    pub(crate) max_answer_bytes: usize,
    pub(crate) request_time_ms: u64,
    pub(crate) follow: Option<String>,
    pub(crate) log: Option<String>,
    pub(crate) publish: bool,
    pub(crate) publish_snapshots: bool,
    pub(crate) log_moved_from: Option<String>,
    pub(crate) standby: bool,
    pub(crate) takeover_after_ms: u64,
    pub(crate) leader: Option<String>,
    pub(crate) checkpoint: Option<PathBuf>,
    pub(crate) sync: bool,
    pub(crate) follow_interval_ms: u64,
    pub(crate) log_format: LogFormat,
    pub(crate) anonymous: ClientSettings,
    pub(crate) clients: BTreeMap<String, ClientSettings>,
    /// The scheme options of a chain that is created now.
    pub(crate) schemes: SchemeOptions,
}

impl Settings {
    /// Resolves the settings: flags override the environment, which overrides the file, which overrides the defaults.
    pub(crate) fn resolve(self) -> Result<ResolvedSettings> {
        let file = self.config.as_deref().map(read).transpose()?.unwrap_or_default();
        let local = SocketAddr::from(([127, 0, 0, 1], 8645));
        Ok(ResolvedSettings {
            data_dir: self.data_dir.or(file.data_dir).unwrap_or_else(|| "prooflight-data".into()),
            dev: self.dev.or(file.dev).unwrap_or(false),
            listen: self.listen.or(file.listen).unwrap_or(local),
            admin_listen: self.admin_listen.or(file.admin_listen),
            block_interval_ms: self.block_interval_ms.or(file.block_interval_ms).unwrap_or(1000),
            empty_blocks: self.empty_blocks.or(file.empty_blocks).unwrap_or(false),
            keep: BlockRetention {
                states: self.keep_states.or(file.keep_states),
                blocks: self.keep_blocks.or(file.keep_blocks),
            },
            min_free_bytes: self.min_free_bytes.or(file.min_free_bytes).unwrap_or(256 << 20),
            token_file: self.token_file.or(file.token_file),
            authority_listen: self.authority_listen.or(file.authority_listen),
            authority_token_file: self.authority_token_file.or(file.authority_token_file),
            policy: RequestPolicy::new(
                if self.origins.is_empty() { &file.origins } else { &self.origins },
                if self.hosts.is_empty() { &file.hosts } else { &self.hosts },
            )?,
            max_request_bytes: self.max_request_bytes.or(file.max_request_bytes).unwrap_or(4 << 20),
            max_batch: self.max_batch.or(file.max_batch).unwrap_or(32),
            max_keys: self.max_keys.or(file.max_keys).unwrap_or(1024),
            eth_chain_id: self.eth_chain_id.or(file.eth_chain_id).unwrap_or(1337),
            max_connections: self.max_connections.or(file.max_connections).unwrap_or(1024),
            max_connections_per_address: self
                .max_connections_per_address
                .or(file.max_connections_per_address)
                .unwrap_or(64),
            proxies: ProxyAddresses::new(if self.proxies.is_empty() {
                &file.proxies
            } else {
                &self.proxies
            }),
            max_answer_bytes: self
                .max_answer_bytes
                .or(file.max_answer_bytes.map(check_answer_bytes).transpose()?)
                .unwrap_or(ANSWER_BYTES),
            request_time_ms: self.request_time_ms.or(file.request_time_ms).unwrap_or(30_000),
            follow: self.follow.or(file.follow),
            log: self.log.or(file.log),
            publish: self.publish.or(file.publish).unwrap_or(false),
            publish_snapshots: self.publish_snapshots.or(file.publish_snapshots).unwrap_or(false),
            log_moved_from: self.log_moved_from.or(file.log_moved_from),
            standby: self.standby.or(file.standby).unwrap_or(false),
            takeover_after_ms: self.takeover_after_ms.or(file.takeover_after_ms).unwrap_or(5000),
            leader: self.leader.or(file.leader),
            checkpoint: self.checkpoint.or(file.checkpoint),
            sync: self.sync.or(file.sync).unwrap_or(false),
            follow_interval_ms: self.follow_interval_ms.or(file.follow_interval_ms).unwrap_or(1000),
            log_format: self.log_format.or(file.log_format).unwrap_or_default(),
            anonymous: file.anonymous,
            clients: file.clients,
            schemes: SchemeOptions {
                lmpt_replay: self.lmpt_replay.or(file.lmpt_replay).unwrap_or(false),
                cache_bytes: self.cache_bytes.or(file.cache_bytes).unwrap_or(CACHE_BYTES),
                ..options(
                    self.proof_shard.or(file.proof_shard),
                    self.blocks_per_snapshot.or(file.blocks_per_snapshot),
                    self.lvmt_setup.or(file.lvmt_setup),
                )
            },
        })
    }
}

fn read(path: &Path) -> Result<Settings> {
    let text = files::read_to_string(path).map_err(|error| file_error(path, &error))?;
    toml::from_str(&text).map_err(|error| {
        Error::new(Reason::InvalidArgument, format_args!("settings in {}", path.display()), error)
    })
}

/// Parses the memory for answers, in bytes.
pub(super) fn answer_bytes(text: &str) -> Result<usize, String> {
    let bytes = text.parse().map_err(|error| format!("{error}"))?;
    check_answer_bytes(bytes).map_err(|error| error.to_string())
}

/// `invalid_argument` if the largest answer does not fit.
fn check_answer_bytes(bytes: usize) -> Result<usize> {
    if bytes >= MAX_REPLY_BYTES as usize {
        return Ok(bytes);
    }
    let expected = format_args!("memory for an answer of {MAX_REPLY_BYTES} bytes");
    Err(Error::new(Reason::InvalidArgument, expected, bytes))
}
