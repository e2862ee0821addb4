//! The parts of a running node.

use std::sync::Arc;

use jsonrpsee::server::ServerHandle;
use prooflight_core::Result;
use prooflight_node::chain::keys::Signers;
use prooflight_node::producer::{BlockConditions, Submitter};
use prooflight_node::replication::follow::FollowProgress;
use prooflight_node::replication::log::{LogBinding, SharedLog};
use prooflight_node::signing::signature_round::SignatureRound;
use prooflight_node::{Chain, View};
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// The handles of a running chain.
pub(super) struct NodeHandles {
    /// The chain up to the newest block.
    pub(super) views: watch::Receiver<View>,
    /// Receives submissions, if this node makes blocks.
    pub(super) submitter: Option<Submitter>,
    /// The conditions for making blocks, if this node makes them.
    pub(super) conditions: Option<Arc<BlockConditions>>,
    /// This node's progress, if it follows another.
    pub(super) progress: Option<watch::Receiver<FollowProgress>>,
    /// Makes this node lead, if it is a standby.
    pub(super) promote: Option<watch::Sender<bool>>,
    /// The signature round with its server, if remote authorities sign.
    pub(super) round: Option<(Arc<SignatureRound>, ServerHandle)>,
    /// Ends once `submitter` and `progress` are dropped, or when no more blocks can be stored.
    pub(super) ended: JoinHandle<Result<()>>,
}

/// The state of a node that makes the blocks of its chain.
pub(super) struct LeaderState {
    pub(super) chain: Chain,
    /// The local authority keys.
    pub(super) signers: Signers,
    /// The log that is shared with other nodes, if the chain has one.
    pub(super) shared: Option<SharedLog>,
    /// Makes this node lead, if it is a standby.
    pub(super) promote: Option<watch::Sender<bool>>,
    /// The binding to write once there is a genesis block, if remote authorities must sign that block.
    pub(super) new_binding: Option<LogBinding>,
}
