//! The settings of `run`: by flag, by environment, by file, in this order.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use clap::Args;
use prooflight_core::{Error, Reason, Result};
use prooflight_node::schemes::{SchemeOptions, Shard};
use serde::Deserialize;

use super::params::options;

/// Settings that may be given; what is not given has its default.
#[derive(Clone, Debug, Default, Args, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(crate) struct Settings {
    /// A TOML file with settings, named as the flags are.
    #[arg(long, env = "PROOFLIGHT_CONFIG")]
    #[serde(skip)]
    config: Option<PathBuf>,
    /// The folder of the chain [default: prooflight-data]
    #[arg(long, env = "PROOFLIGHT_DATA_DIR")]
    data_dir: Option<PathBuf>,
    /// Where to listen [default: 127.0.0.1:8645]
    #[arg(long, env = "PROOFLIGHT_LISTEN")]
    listen: Option<SocketAddr>,
    /// The shortest time between two blocks, in milliseconds [default: 1000]
    #[arg(long, env = "PROOFLIGHT_BLOCK_INTERVAL_MS")]
    block_interval_ms: Option<u64>,
    /// Make blocks without operations too [default: false]
    #[arg(long, env = "PROOFLIGHT_EMPTY_BLOCKS", num_args = 0..=1, default_missing_value = "true")]
    empty_blocks: Option<bool>,
    /// For how many blocks before the newest states are kept [default: all]
    #[arg(long, env = "PROOFLIGHT_KEEP_STATES")]
    keep_states: Option<u64>,
    /// A file with the bearer token that submitting needs [default: none needed]
    #[arg(long, env = "PROOFLIGHT_TOKEN_FILE")]
    token_file: Option<PathBuf>,
    /// An origin whose pages may ask, more than once [default: all]
    #[arg(long = "origin", env = "PROOFLIGHT_ORIGINS", value_delimiter = ',')]
    #[serde(rename = "origins")]
    origins: Vec<String>,
    /// Bytes of a request [default: 4194304]
    #[arg(long, env = "PROOFLIGHT_MAX_REQUEST_BYTES")]
    max_request_bytes: Option<u32>,
    /// Calls of a batch [default: 32]
    #[arg(long, env = "PROOFLIGHT_MAX_BATCH")]
    max_batch: Option<u32>,
    /// Keys of a proof [default: 1024]
    #[arg(long, env = "PROOFLIGHT_MAX_KEYS")]
    max_keys: Option<usize>,
    /// What `eth_chainId` says on a chain with `mpt`; proofs do not depend on it [default: 1337]
    #[arg(long, env = "PROOFLIGHT_ETH_CHAIN_ID")]
    eth_chain_id: Option<u64>,
    /// Connections at the same time [default: 1024]
    #[arg(long, env = "PROOFLIGHT_MAX_CONNECTIONS")]
    max_connections: Option<u32>,
    /// How long a request may take, in milliseconds [default: 30000]
    #[arg(long, env = "PROOFLIGHT_REQUEST_TIME_MS")]
    request_time_ms: Option<u64>,
    /// The node to follow, as http://HOST:PORT: takes over its blocks and makes none [default: none]
    #[arg(long, env = "PROOFLIGHT_FOLLOW")]
    follow: Option<String>,
    /// A file with the checkpoint of the chain to follow; a first start needs it
    #[arg(long, env = "PROOFLIGHT_CHECKPOINT")]
    checkpoint: Option<PathBuf>,
    /// On a first start: the keys of lvmt that are proved: full, none, or a class such as 3/4 [default: full]
    #[arg(long, env = "PROOFLIGHT_PROOF_SHARD")]
    proof_shard: Option<Shard>,
    /// On a first start: how many blocks share a snapshot file of smt [default: 1]
    #[arg(long, env = "PROOFLIGHT_BLOCKS_PER_SNAPSHOT")]
    blocks_per_snapshot: Option<u64>,
    /// The .ptau file of the chain's setup of lvmt, where its tables have to be built [default: none needed]
    #[arg(long, env = "PROOFLIGHT_LVMT_SETUP")]
    lvmt_setup: Option<PathBuf>,
    /// How long to wait before asking for new blocks again, in milliseconds [default: 1000]
    #[arg(long, env = "PROOFLIGHT_FOLLOW_INTERVAL_MS")]
    follow_interval_ms: Option<u64>,
    /// Logs as `text` or `json` [default: text]
    #[arg(long, env = "PROOFLIGHT_LOG_FORMAT")]
    log_format: Option<LogFormat>,
}

/// How logs look.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum LogFormat {
    /// Lines for people.
    #[default]
    Text,
    /// Lines of JSON.
    Json,
}

/// Settings with their defaults filled in.
#[derive(Clone, Debug)]
pub(crate) struct Chosen {
    pub(crate) data_dir: PathBuf,
    pub(crate) listen: SocketAddr,
    pub(crate) block_interval_ms: u64,
    pub(crate) empty_blocks: bool,
    pub(crate) keep_states: Option<u64>,
    pub(crate) token_file: Option<PathBuf>,
    pub(crate) origins: Vec<String>,
    pub(crate) max_request_bytes: u32,
    pub(crate) max_batch: u32,
    pub(crate) max_keys: usize,
    pub(crate) eth_chain_id: u64,
    pub(crate) max_connections: u32,
    pub(crate) request_time_ms: u64,
    pub(crate) follow: Option<String>,
    pub(crate) checkpoint: Option<PathBuf>,
    pub(crate) follow_interval_ms: u64,
    pub(crate) log_format: LogFormat,
    /// What a chain gets that comes into its folder now.
    pub(crate) schemes: SchemeOptions,
}

impl Settings {
    /// What holds: flag before environment before file before default.
    pub(crate) fn choose(self) -> Result<Chosen> {
        let file = self.config.as_deref().map(read).transpose()?.unwrap_or_default();
        let local = SocketAddr::from(([127, 0, 0, 1], 8645));
        Ok(Chosen {
            data_dir: self.data_dir.or(file.data_dir).unwrap_or_else(|| "prooflight-data".into()),
            listen: self.listen.or(file.listen).unwrap_or(local),
            block_interval_ms: self.block_interval_ms.or(file.block_interval_ms).unwrap_or(1000),
            empty_blocks: self.empty_blocks.or(file.empty_blocks).unwrap_or(false),
            keep_states: self.keep_states.or(file.keep_states),
            token_file: self.token_file.or(file.token_file),
            origins: if self.origins.is_empty() { file.origins } else { self.origins },
            max_request_bytes: self.max_request_bytes.or(file.max_request_bytes).unwrap_or(4 << 20),
            max_batch: self.max_batch.or(file.max_batch).unwrap_or(32),
            max_keys: self.max_keys.or(file.max_keys).unwrap_or(1024),
            eth_chain_id: self.eth_chain_id.or(file.eth_chain_id).unwrap_or(1337),
            max_connections: self.max_connections.or(file.max_connections).unwrap_or(1024),
            request_time_ms: self.request_time_ms.or(file.request_time_ms).unwrap_or(30_000),
            follow: self.follow.or(file.follow),
            checkpoint: self.checkpoint.or(file.checkpoint),
            follow_interval_ms: self.follow_interval_ms.or(file.follow_interval_ms).unwrap_or(1000),
            log_format: self.log_format.or(file.log_format).unwrap_or_default(),
            schemes: options(
                self.proof_shard.or(file.proof_shard),
                self.blocks_per_snapshot.or(file.blocks_per_snapshot),
                self.lvmt_setup.or(file.lvmt_setup),
            ),
        })
    }
}

fn read(path: &Path) -> Result<Settings> {
    let text = std::fs::read_to_string(path).map_err(|error| super::cannot(path, &error))?;
    toml::from_str(&text).map_err(|error| {
        Error::new(Reason::InvalidArgument, format_args!("settings in {}", path.display()), error)
    })
}
