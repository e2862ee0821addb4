//! The reference full node: it keeps the state of every scheme on disk, makes blocks, signs headers
//! and serves proofs.
//!
//! * [`Chain`] is the only writer: a block is one atomic batch, on disk before it becomes visible.
//! * [`View`] reads the chain up to one head, while further blocks are made.
//! * [`schemes`] has the authenticated stores, one [`SchemeStore`](schemes::SchemeStore) each.
//! * [`producer`] makes blocks of submitted operations, [`follow`] copies those of another node.
//! * [`sync`] begins a copy with a state, instead of all blocks.
//! * [`log`] has the chain's log in an object store, if there is one; [`snapshots`] has the files of `smt` there.
//! * [`backup`] copies a chain while it grows; [`audit()`] checks one without executing its blocks.
//! * [`rpc`] and [`server`] serve the chain to [`clients`]; blocking work runs on the threads of [`blocking`].
//! * [`authority`] signs blocks on another machine; [`collector`] and [`signature_round`] have them signed.

#![forbid(unsafe_code)]

mod accounts;
mod audit;
pub mod authority;
pub mod backup;
mod block;
pub mod blocking;
mod chain;
pub mod clients;
pub mod clock;
pub mod collector;
pub mod descriptors;
pub mod files;
pub mod follow;
pub mod history;
pub mod log;
pub mod metrics;
pub mod normalise;
pub mod producer;
pub mod proposals;
pub mod rpc;
pub mod schemes;
pub mod scratch;
pub mod server;
pub mod signature_round;
pub mod snapshots;
pub mod space;
pub mod store;
pub mod sync;
mod token;
mod view;

pub use audit::{AuditReport, audit};
pub use block::{Block, BlockBody};
pub use chain::{BlockRetention, Chain, ExecutedBlock, Verdict};
pub use view::{AncestorHeaders, BlockId, BlocksProof, View};
