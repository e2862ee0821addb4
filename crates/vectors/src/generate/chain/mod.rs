//! The files of `chain/`: what a light client accepts of a chain, and what it must not.

pub(super) mod inclusion;
mod made;
pub(super) mod sync_negative;
pub(super) mod sync_valid;
mod tricks;
