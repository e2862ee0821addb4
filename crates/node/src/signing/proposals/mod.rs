//! Where proposals are kept: a folder of the leader, or the chain's log.

mod folder;
mod log;

pub use folder::ProposalFolder;
pub use log::ProposalLog;
