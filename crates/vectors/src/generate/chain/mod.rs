//! The files of `chain/`: what a light client accepts of a chain, and what it must not.

pub(super) mod block_before;
pub(super) mod block_negative;
pub(super) mod block_valid;
pub(super) mod compared;
pub(super) mod inclusion;
pub(super) mod inclusions;
mod ledger;
mod made;
pub(super) mod ranges;
pub(super) mod state_negative;
pub(super) mod state_schemes;
pub(super) mod state_valid;
pub(super) mod sync_negative;
pub(super) mod sync_valid;
mod tricks;
