//! The prover: the newest state as a tree in memory, and what is kept of older blocks.

pub mod tree;
