//! The reference full node: it keeps the state of every scheme on disk, makes blocks, signs headers
//! and serves proofs.
//!
//! * [`Chain`] is the one writer: a block is one atomic batch, on disk before anything shows it.
//! * [`View`] reads the chain up to one head, while further blocks are made.
//! * [`schemes`] has the authenticated stores, one [`SchemeStore`](schemes::SchemeStore) each.
//! * [`producer`] makes blocks of what is submitted, [`follow`] takes over those of another node.
//! * [`rpc`] and [`server`] serve the chain; what blocks a thread runs in [`blocking`].

#![forbid(unsafe_code)]

mod accounts;
pub mod authority;
mod block;
pub mod blocking;
mod chain;
pub mod follow;
pub mod history;
pub mod metrics;
pub mod normalise;
pub mod producer;
pub mod rpc;
pub mod schemes;
pub mod server;
pub mod store;
mod view;

pub use block::{Block, Body};
pub use chain::Chain;
pub use view::{At, Placed, ProvedBlocks, View};
