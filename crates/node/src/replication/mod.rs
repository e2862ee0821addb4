//! How a chain reaches other nodes: by blocks, by states, by its log, and by copies.

pub mod backup;
pub mod follow;
pub mod log;
pub mod snapshots;
pub mod sync;
