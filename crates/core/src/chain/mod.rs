//! Chains of the reference node: configuration, headers, operations, and a light client's rules.
//!
//! A chain is a sequence of blocks, each a [`Header`] and its [`StateOperation`]s. The application
//! pins a [`Checkpoint`]; [`verify_head`] accepts a signed head that extends it, and
//! [`verify_ancestor`] any older header of an accepted head. Specified in
//! `test-vectors/spec/chain.md`.

mod checkpoint;
mod config;
mod encoding;
mod hash;
mod header;
mod headers;
mod operation;
mod scheme_config;
mod sync;

pub use checkpoint::Checkpoint;
pub use config::{ChainConfig, ChainLimits};
pub use hash::{Blake2bTree, state_key};
pub use header::{Header, SignedHeader};
pub use headers::AcceptedHeaders;
pub use operation::{StateOperation, operations_root};
pub use scheme_config::{LmptConfig, LvmtConfig, SchemeConfig};
pub use sync::{
    HeaderOrder, RequestedBlock, SyncPolicy, check_requested, relation, verify_ancestor,
    verify_ancestor_at, verify_ancestors, verify_head,
};
