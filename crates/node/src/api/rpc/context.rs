//! The state that the methods of the node share, and the threads on which they read the store.

use std::time::Duration;

use prooflight_core::Result;
use tokio::sync::watch;

use super::method::{CallLimits, RpcCall, RpcContext};
use crate::api::producer::BlockSubmitter;
use crate::chain::view::View;
use crate::replication::follow::FollowProgress;
use crate::replication::sync::SyncSource;
use crate::runtime::blocking::{WorkRequest, WorkerPool};
use crate::runtime::metrics::Metrics;

/// Limits on requests.
#[derive(Clone, Copy, Debug)]
pub struct RequestLimits {
    /// Keys per proof.
    pub keys: usize,
    /// Time limit of a call.
    pub time: Duration,
}

/// The state shared by all methods.
pub struct NodeApi {
    /// The chain up to the newest block.
    pub views: watch::Receiver<View>,
    /// This node's progress, if it follows another.
    pub progress: Option<watch::Receiver<FollowProgress>>,
    /// Accepts submissions, if this node makes blocks.
    pub submitter: Option<Box<dyn BlockSubmitter>>,
    /// Limits on requests.
    pub limits: RequestLimits,
    /// The value of `eth_chainId`, on a chain with accounts.
    pub eth_chain_id: u64,
    /// The counters.
    pub metrics: Metrics,
    /// The threads on which the store is read.
    pub workers: WorkerPool,
    /// The states that replicas begin from.
    pub sync: SyncSource,
}

/// A call of a method of the node.
pub(super) type NodeCall = RpcCall<NodeApi>;

impl RpcContext for NodeApi {
    fn call_limits(&self) -> CallLimits<'_> {
        CallLimits { time: self.limits.time, metrics: &self.metrics }
    }
}

impl NodeApi {
    /// Runs work with a few reads of the store.
    pub(super) async fn read<T: Send + 'static>(
        &self,
        run: impl FnOnce(&View) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let views = self.views.clone();
        self.workers.read(move || run(&newest(&views))).await
    }

    /// Runs work that may take long or have a large answer: proofs, blocks, and the headers of many blocks.
    pub(super) async fn prove<T: Send + 'static>(
        &self,
        ask: WorkRequest,
        run: impl FnOnce(&View) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let (views, waiting) = (self.views.clone(), self.metrics.waiting(ask.scheme));
        let proof = move || {
            drop(waiting);
            run(&newest(&views))
        };
        self.workers.prove(ask, proof).await
    }
}

/// Returns a copy of the newest view, so that no lock blocks the publisher of newer ones.
pub(super) fn newest(views: &watch::Receiver<View>) -> View {
    views.borrow().clone()
}
