//! How a block gets its signatures.

pub mod authority;
pub mod collector;
pub mod proposals;
pub mod rpc;
pub mod signature_round;
