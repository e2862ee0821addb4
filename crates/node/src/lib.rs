//! The reference full node: it keeps the state of every scheme on disk, makes blocks, signs headers
//! and serves proofs.
//!
//! * [`Chain`] is the only writer: a block is one atomic batch, on disk before it becomes visible.
//! * [`View`] reads the chain up to one head, while further blocks are made.
//! * [`schemes`] has the authenticated stores, one [`SchemeStore`](schemes::SchemeStore) each.
//! * [`producer`] makes blocks of submitted operations, [`follow`] copies those of another node.
//! * [`rpc`] and [`server`] serve the chain; blocking work runs on the threads of [`blocking`].

#![forbid(unsafe_code)]

mod accounts;
pub mod authority;
mod block;
pub mod blocking;
mod chain;
pub mod clock;
pub mod descriptors;
pub mod follow;
pub mod history;
pub mod metrics;
pub mod normalise;
pub mod producer;
pub mod rpc;
pub mod schemes;
pub mod server;
pub mod space;
pub mod store;
mod view;

pub use block::{Block, Body};
pub use chain::Chain;
pub use view::{At, Placed, ProvedBlocks, View};
