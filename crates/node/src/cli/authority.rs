//! `authority`: a remote authority, which signs the blocks of a leader or of its successors.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use prooflight_core::chain::Checkpoint;
use prooflight_core::{Error, Hex, Reason, Result};
use prooflight_node::api::server::RequestPolicy;
use prooflight_node::chain::keys::read_key;
use prooflight_node::chain::schemes::ShardOption;
use prooflight_node::replication::follow::{FollowPace, LeaderClient};
use prooflight_node::runtime::blocking;
use prooflight_node::runtime::clock::{format_utc, now_ms};
use prooflight_node::runtime::metrics::Metrics;
use prooflight_node::runtime::space::DiskSpace;
use prooflight_node::signing::authority as signing;
use prooflight_node::signing::authority::{AuthorityPeer, SigningMemory};
use prooflight_node::{BlockRetention, Chain};

use super::clients::read_token;
use super::exit::CommandError;
use super::new_folder::begin_in;
use super::params::options;
use super::replica::{begin_replica, checkpoint, require_checkpoint};
use super::serving;
use super::settings::LogFormat;

/// The arguments of `authority`.
#[derive(Clone, Debug, Args)]
pub(super) struct AuthorityArgs {
    /// The folder of this authority: its copy of the chain, and its memory of what it has signed
    #[arg(long, env = "PROOFLIGHT_DATA_DIR", default_value = "prooflight-authority")]
    data_dir: PathBuf,
    /// The file with its key
    #[arg(long, env = "PROOFLIGHT_KEY")]
    key: PathBuf,
    /// The --authority-listen address of the leader, as http://HOST:PORT; repeatable, for a leader and its
    /// standbys
    #[arg(
        long = "leader",
        env = "PROOFLIGHT_LEADER",
        value_delimiter = ',',
        required_unless_present = "sign_from"
    )]
    leaders: Vec<String>,
    /// A file with the checkpoint of the chain; required on a first start
    #[arg(long, env = "PROOFLIGHT_CHECKPOINT")]
    checkpoint: Option<PathBuf>,
    /// Write a new signing memory and exit. Confirms that the key has signed nothing at this height or above; 0
    /// for a key that was never used
    #[arg(long)]
    sign_from: Option<u64>,
    /// A file with the bearer token that the leader requires
    #[arg(long, env = "PROOFLIGHT_TOKEN_FILE")]
    token_file: Option<PathBuf>,
    /// The address of /health, /ready and /metrics for operators
    #[arg(long, env = "PROOFLIGHT_ADMIN_LISTEN", default_value_t = SocketAddr::from((Ipv4Addr::LOCALHOST, 9646)))]
    admin_listen: SocketAddr,
    /// A name of this machine, besides its addresses and localhost, under which the admin listener answers; repeatable
    /// [default: none]
    #[arg(long = "host", env = "PROOFLIGHT_HOSTS", value_delimiter = ',')]
    hosts: Vec<String>,
    /// The time limit of the leader's answers, in milliseconds
    #[arg(long, env = "PROOFLIGHT_REQUEST_TIME_MS", default_value_t = 30_000)]
    request_time_ms: u64,
    /// The delay before the leader is asked again after a failure, in milliseconds; it doubles up to 32
    /// times that
    #[arg(long, env = "PROOFLIGHT_RETRY_MS", default_value_t = 250)]
    retry_ms: u64,
    /// The number of blocks before the newest whose states are kept [default: all]
    #[arg(long, env = "PROOFLIGHT_KEEP_STATES")]
    keep_states: Option<u64>,
    /// Sign nothing while fewer bytes are free on the disk of the folder
    #[arg(long, env = "PROOFLIGHT_MIN_FREE_BYTES", default_value_t = 256 << 20)]
    min_free_bytes: u64,
    /// On a first start: the keys that lvmt can prove; an authority proves none
    #[arg(long, env = "PROOFLIGHT_PROOF_SHARD", default_value = "none")]
    proof_shard: ShardOption,
    /// The .ptau file of the chain's lvmt setup, if its tables must be built [default: none]
    #[arg(long, env = "PROOFLIGHT_LVMT_SETUP")]
    lvmt_setup: Option<PathBuf>,
    /// The log format: `text` or `json`
    #[arg(long, env = "PROOFLIGHT_LOG_FORMAT", value_enum, default_value_t)]
    log_format: LogFormat,
}

/// The file of the signing memory, in the folder of the authority.
const MEMORY_FILE: &str = "signed";

impl AuthorityArgs {
    pub(super) fn run(self) -> Result<(), CommandError> {
        match self.sign_from {
            Some(height) => Ok(self.begin_memory(height)?),
            None => serving::run(self.log_format, self.serve()),
        }
    }

    /// Writes a new signing memory.
    fn begin_memory(&self, height: u64) -> Result<()> {
        let key = read_key(&self.key)?;
        let public = key.verifying_key().to_bytes();
        let (chain, pinned) = self.chain()?;
        let path = self.data_dir.join(MEMORY_FILE);
        let memory = SigningMemory::begin(&path, chain.config().id(), public, height)?;
        let authority = signing::Authority::new(chain, key, memory, pinned);
        let authority = authority.inspect_err(|_| {
            // No signature depends on this memory yet.
            let _ = std::fs::remove_file(&path);
        })?;
        println!(
            "authority {} ({}) signs from height {height} on",
            authority.index(),
            Hex(&public)
        );
        println!("{} is its memory: never delete it or put an older one back", path.display());
        Ok(())
    }

    async fn serve(self) -> Result<(), CommandError> {
        let mut stop = pin!(serving::stop_signal()?);
        let metrics = Metrics::new();
        let policy = RequestPolicy::new(&[], &self.hosts)?;
        let listen = self.admin_listen;
        let bound = serving::start_admin(Some(listen), listen, policy, &metrics)?;
        let opening = {
            let metrics = metrics.clone();
            blocking::run_blocking(move || self.open(&metrics))
        };
        let peer = tokio::select! {
            () = &mut stop => return Ok(()),
            opened = opening => opened?,
        };
        bound.status.send_replace(Arc::new(peer.statuses()));
        tracing::info!(admin = %bound.address, time = format_utc(now_ms()), "serving");
        tokio::select! {
            () = &mut stop => {
                tracing::info!("stopping");
                Ok(())
            }
            ended = peer.run() => Ok(ended?),
        }
    }

    /// Opens the copy of the chain, or begins it from the checkpoint.
    fn chain(&self) -> Result<(Chain, Option<Checkpoint>)> {
        let folder = &self.data_dir;
        let pinned = checkpoint(folder, self.checkpoint.as_deref())?;
        if Chain::exists(folder)? {
            return Ok((Chain::open(folder)?, pinned));
        }
        let schemes = options(Some(self.proof_shard), None, self.lvmt_setup.clone());
        let first = require_checkpoint(folder, pinned.as_ref())?;
        let chain = begin_in(folder, || begin_replica(folder, first, &schemes))?;
        Ok((chain, pinned))
    }

    fn open(&self, metrics: &Metrics) -> Result<AuthorityPeer> {
        let time = Duration::from_millis(self.request_time_ms);
        let token = self.token_file.as_deref().map(read_token).transpose()?;
        let leader = |url: &String| match (LeaderClient::new(url, time)?, &token) {
            (leader, Some(token)) => leader.with_token(token),
            (leader, None) => Ok(leader),
        };
        let leaders = self.leaders.iter().map(leader).collect::<Result<Vec<_>>>()?;
        let key = read_key(&self.key)?;
        let public = key.verifying_key().to_bytes();
        let path = self.data_dir.join(MEMORY_FILE);
        if !Chain::exists(&self.data_dir)? && !path.exists() {
            let expected = format_args!(
                "the folder of an authority in {}; --sign-from begins one",
                self.data_dir.display()
            );
            return Err(Error::new(Reason::InvalidArgument, expected, "none"));
        }
        let (chain, pinned) = self.chain()?;
        let memory = SigningMemory::open(&path, chain.config().id(), public)?;
        metrics.store(chain.disk_bytes()?);
        let authority = signing::Authority::new(chain, key, memory, pinned)?;
        tracing::info!(
            authority = authority.index(),
            key = %Hex(&public),
            height = authority.next(),
            signed = authority.memory().height(),
            "authority opened"
        );
        let pace = FollowPace {
            interval: Duration::from_millis(self.retry_ms),
            keep: BlockRetention { states: self.keep_states, blocks: None },
        };
        let space = DiskSpace::new(&self.data_dir, self.min_free_bytes);
        Ok(AuthorityPeer::new(authority, leaders, pace, &space, metrics))
    }
}
