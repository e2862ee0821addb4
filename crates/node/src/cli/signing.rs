//! How the blocks of a node get signed, and the listener for remote authorities.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use jsonrpsee::server::ServerHandle;
use prooflight_core::{Error, Reason, Result};
use prooflight_node::api::clients::ClientRegistry;
use prooflight_node::api::descriptors::AUTHORITY_CONNECTIONS;
use prooflight_node::api::server::{
    self, BoundAddress, HttpLayer, RequestPolicy, ServerLimits, ServerStatus, StatusPages,
};
use prooflight_node::chain::keys::Signers;
use prooflight_node::chain::proposal::ProposalStore;
use prooflight_node::replication::log::SharedLog;
use prooflight_node::runtime::blocking::{ProxyAddresses, WorkerPool};
use prooflight_node::runtime::metrics::Metrics;
use prooflight_node::runtime::status::NotReady;
use prooflight_node::signing::collector::{BlockSigner, SignatureCollector};
use prooflight_node::signing::proposals::{ProposalFolder, ProposalLog};
use prooflight_node::signing::rpc::{AuthorityApi, module};
use prooflight_node::signing::signature_round::SignatureRound;
use prooflight_node::{Chain, View};
use tokio::sync::watch;

use super::clients::authorities;
use super::exit::CommandError;
use super::serving;
use super::settings::ResolvedSettings;

/// The listener for authorities, bound before anything is written.
pub(super) struct AuthorityListener {
    bound: BoundAddress,
    clients: Arc<ClientRegistry>,
    policy: RequestPolicy,
    proxies: ProxyAddresses,
    time: Duration,
}

/// The most connections of an address, which several authorities may share.
const CONNECTIONS_PER_AUTHORITY: u32 = 32;

impl AuthorityListener {
    /// Binds the address, if the settings have one; `leads` says whether the node may make blocks.
    pub(super) fn bind(
        settings: &ResolvedSettings,
        leads: bool,
    ) -> Result<Option<Self>, CommandError> {
        let Some(listen) = settings.authority_listen else { return Ok(None) };
        if !leads {
            let expected = "--authority-listen where blocks are made: with `run`, without --follow";
            return Err(Error::new(Reason::InvalidArgument, expected, "a replica").into());
        }
        let clients = Arc::new(authorities(settings.authority_token_file.as_deref())?);
        let time = Duration::from_millis(settings.request_time_ms);
        let policy = settings.policy.clone().without_pages();
        Ok(Some(Self {
            bound: serving::bind(listen)?,
            clients,
            policy,
            proxies: settings.proxies.clone(),
            time,
        }))
    }

    /// Serves a signature round until the handle is dropped. Also returns the address, and the cell for the chain. The
    /// caller sets that cell once there is a block.
    fn open(
        self,
        round: &Arc<SignatureRound>,
        status: watch::Receiver<Arc<dyn ServerStatus>>,
        metrics: &Metrics,
    ) -> Result<(SocketAddr, SharedViews, ServerHandle)> {
        let (views, workers) = (SharedViews::default(), WorkerPool::default());
        let context = AuthorityApi {
            round: round.clone(),
            views: views.clone(),
            time: self.time,
            metrics: metrics.clone(),
            workers: workers.clone(),
        };
        let module = module(context)
            .map_err(|error| Error::new(Reason::Bug, "methods of different names", error))?;
        let limits = ServerLimits {
            request_bytes: 16 << 10,
            batch: 1,
            connections: AUTHORITY_CONNECTIONS,
            connections_per_address: CONNECTIONS_PER_AUTHORITY,
            proxies: self.proxies,
            subscriptions: 0,
            request_time: self.time + Duration::from_secs(1),
        };
        let pages = StatusPages { status, metrics: metrics.clone(), workers };
        let layer = HttpLayer {
            limits,
            clients: self.clients,
            pages,
            policy: self.policy,
            private: true,
            refusal: None,
        };
        let (address, server) = server::start(self.bound, module, layer)?;
        Ok((address, views, server))
    }
}

/// The chain up to the newest block; set once there is a block.
type SharedViews = Arc<OnceLock<watch::Receiver<View>>>;

/// How the blocks of this node get signed.
pub(super) struct LeaderSigning {
    pub(super) signing: BlockSigner,
    /// The signature round, with its server, if authorities are remote.
    pub(super) round: Option<(Arc<SignatureRound>, ServerHandle)>,
    /// Receives the chain for authorities.
    pub(super) views: SharedViews,
}

/// The store of proposals: the log if there is one, otherwise the folder of the chain.
pub(super) fn proposals(
    folder: &Path,
    chain: &Chain,
    shared: Option<&SharedLog>,
) -> Result<Box<dyn ProposalStore>> {
    let kept = ProposalFolder::of(folder);
    let Some(shared) = shared else { return Ok(Box::new(kept)) };
    let proposals = ProposalLog::new(&shared.log);
    proposals.take_over(&kept, chain.height().map_or(0, |height| height + 1))?;
    Ok(Box::new(proposals))
}

/// Signs with local keys if they are a quorum, otherwise starts the listener for authorities.
pub(super) fn choose_signing(
    chain: &Chain,
    signers: Signers,
    proposals: Box<dyn ProposalStore>,
    listener: Option<AuthorityListener>,
    status: &watch::Sender<Arc<dyn ServerStatus>>,
    metrics: &Metrics,
) -> Result<LeaderSigning> {
    let config = chain.config();
    let quorum = config.quorum;
    let listener = match (signers.are_quorum(config), listener) {
        (true, None) => {
            let signing = BlockSigner::Local(signers);
            return Ok(LeaderSigning { signing, round: None, views: SharedViews::default() });
        }
        (true, Some(_)) => {
            let expected = "no --authority-listen, since the local keys are a quorum";
            return Err(Error::new(Reason::InvalidArgument, expected, "one"));
        }
        (false, None) => {
            let expected = format_args!(
                "the keys of {quorum} authorities, or --authority-listen for remote authorities"
            );
            return Err(Error::new(Reason::InvalidConfig, expected, signers.count()));
        }
        (false, Some(listener)) => listener,
    };
    let round = SignatureRound::new(config.clone(), &signers, chain.height(), metrics.clone());
    let round = Arc::new(round);
    if chain.height().is_none() {
        status.send_replace(Arc::new(PendingGenesis(round.clone())));
    }
    let (address, views, server) = listener.open(&round, status.subscribe(), metrics)?;
    tracing::info!(authorities = %address, quorum, "remote authorities sign");
    let signing = BlockSigner::Remote(SignatureCollector::new(round.clone(), proposals, signers));
    Ok(LeaderSigning { signing, round: Some((round, server)), views })
}

/// The status of a node whose genesis block waits for signatures.
struct PendingGenesis(Arc<SignatureRound>);

impl ServerStatus for PendingGenesis {
    fn ready(&self) -> Result<u64, NotReady> {
        self.0.check()?;
        let expected = "the genesis block, signed";
        Err(Error::new(Reason::QuorumMissing, expected, "one that waits for signatures").into())
    }

    fn count(&self, _: &Metrics) {}
}
