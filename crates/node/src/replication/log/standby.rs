//! When a standby begins to lead.

use std::time::{Duration, Instant};

use tokio::sync::watch;

use crate::replication::follow::LeaderClient;

/// Decides when a standby leads.
///
/// The decision may be wrong: two leaders compete harmlessly, at the cost of a wasted block.
#[derive(Debug)]
pub struct Standby {
    /// The time without a block after which the standby leads.
    after: Duration,
    /// The node that leads now. The standby does not lead while that node is ready.
    leader: Option<LeaderClient>,
    promoted: watch::Receiver<bool>,
    /// When the last block arrived, or the leader was last ready.
    alive: Instant,
}

impl Standby {
    /// A standby that leads once no block has arrived for the time `after` and the leader, if known, is not ready; or
    /// immediately when it is promoted.
    pub fn new(
        after: Duration,
        leader: Option<LeaderClient>,
        promoted: watch::Receiver<bool>,
    ) -> Self {
        Self { after, leader, promoted, alive: Instant::now() }
    }

    /// Records that the leader made a block.
    pub(crate) fn block(&mut self) {
        self.alive = Instant::now();
    }

    /// Whether this node should lead from now on.
    pub(crate) async fn leads(&mut self) -> bool {
        if *self.promoted.borrow() {
            return true;
        }
        if self.alive.elapsed() < self.after {
            return false;
        }
        let ready = match &self.leader {
            Some(leader) => leader.ready().await,
            None => false,
        };
        if ready {
            self.block();
        }
        !ready
    }
}
