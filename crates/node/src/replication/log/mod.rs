//! The chain's log in an object store, between the producer and the store of this node.
//!
//! A block is written to the log, then to the store, and only then published. Source: `docs/scale.md`.

mod binding;
mod block_log;
mod reconcile;
mod standby;

pub use binding::{LogBinding, check_bound, check_unbound};
pub(crate) use block_log::is_recent;
pub use block_log::{BlockLog, decode_entry};
pub use reconcile::{check_chain, execute, missing_blocks, publish};
pub use standby::Standby;

use std::time::Duration;

/// The log that a producer shares with other leaders.
#[derive(Debug)]
pub struct SharedLog {
    /// The log.
    pub log: BlockLog,
    /// The interval of polling for blocks of other leaders.
    pub poll: Duration,
    /// Decides when to begin to lead; `None` to lead at once.
    pub standby: Option<Standby>,
}
