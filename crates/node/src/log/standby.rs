//! When a standby begins to lead.

use std::time::{Duration, Instant};

use tokio::sync::watch;

use crate::follow::Leader;

/// Decides when a standby leads.
///
/// It may guess: two leaders compete harmlessly, and a wrong guess costs a wasted block.
#[derive(Debug)]
pub struct Standby {
    /// The time without a block after which it leads.
    after: Duration,
    /// The node that leads now; it keeps leading while it says that it can.
    leader: Option<Leader>,
    promoted: watch::Receiver<bool>,
    /// When the last block came, or the leader was last able to make one.
    alive: Instant,
}

impl Standby {
    /// A standby that leads once no block has come for some time and the leader, if it is known, does
    /// not say that it is ready; or at once when it is promoted.
    pub fn new(after: Duration, leader: Option<Leader>, promoted: watch::Receiver<bool>) -> Self {
        Self { after, leader, promoted, alive: Instant::now() }
    }

    /// Records that the leader made a block.
    pub(crate) fn block(&mut self) {
        self.alive = Instant::now();
    }

    /// Whether to lead from now on.
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
