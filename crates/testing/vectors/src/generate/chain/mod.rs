//! The files of `chain/`: what a light client accepts, and what it must refuse.

mod avl_chain;
pub(super) mod block_valid;
mod header_chain;
pub(super) mod history_amb;
pub(super) mod inclusion;
pub(super) mod inclusions;
pub(super) mod key_range;
pub(super) mod signatures;
mod special_signatures;
mod state_amb;
mod state_lmpt;
pub(super) mod state_schemes;
pub(super) mod state_valid;
pub(super) mod sync_valid;
