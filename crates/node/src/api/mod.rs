//! What clients reach: JSON-RPC, the status pages, and who may call.

pub mod clients;
pub mod descriptors;
pub mod producer;
pub mod rpc;
pub mod server;
