//! The reference full node: it keeps the state of every scheme on disk, makes blocks, signs headers
//! and serves proofs.
//!
//! A module imports only modules below it in this list.
//!
//! * [`producer`] makes blocks of submitted operations, and leads or waits to lead.
//! * [`signing`] has blocks signed: by local keys, or by [authorities](signing::authority) on other machines.
//! * [`api`] serves the chain: JSON-RPC, status pages, clients and their limits.
//! * [`replication`] copies a chain: [by blocks](replication::follow), [by a state](replication::sync), [by its
//!   log](replication::log) in an object store, or [as a backup](replication::backup).
//! * [`chain`] keeps the chain. [`Chain`] is its only writer: a block is one atomic batch, on disk before it becomes
//!   visible. [`View`] reads the chain up to one head. [`schemes`](chain::schemes) has the authenticated stores.
//! * [`runtime`] knows no chain: threads for blocking work, the memory of answers, files, the clock, metrics.

#![forbid(unsafe_code)]

pub mod api;
pub mod chain;
pub mod producer;
pub mod replication;
pub mod runtime;
pub mod signing;

pub use chain::audit::{AuditReport, audit};
pub use chain::block::{Block, BlockBody, BlockRef};
pub use chain::view::{AncestorHeaders, BlockId, BlocksProof, View};
pub use chain::{BlockRetention, Chain, ExecutedBlock, Verdict};
