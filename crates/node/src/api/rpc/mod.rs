//! The methods of the node. Source: `test-vectors/spec/rpc.md` and `openrpc.json`.

pub mod archive;
mod chain;
mod context;
pub(crate) mod cost;
mod eth;
mod headers;
mod history;
pub(crate) mod method;
mod prove;
mod range;
mod submit;
mod sync;

pub use context::{NodeApi, RequestLimits};
pub(crate) use method::check_effects;
pub use method::{CallLimits, RpcContext};

use jsonrpsee::RpcModule;
use jsonrpsee::core::RegisterMethodError;
use prooflight_core::{Error, Reason};
use serde_json::Value;

use crate::chain::wire::to_object;

/// The description of the methods, as `rpc.discover` returns it.
pub const OPENRPC: &str = include_str!("../../../openrpc.json");

/// Registers the methods.
pub fn module(context: NodeApi) -> Result<RpcModule<NodeApi>, RegisterMethodError> {
    let mut module = RpcModule::new(context);
    chain::register(&mut module)?;
    headers::register(&mut module)?;
    prove::register(&mut module)?;
    submit::register(&mut module)?;
    history::register(&mut module)?;
    range::register(&mut module)?;
    sync::register(&mut module)?;
    eth::register(&mut module)?;
    module.register_method("rpc.discover", |_, _, _| {
        serde_json::from_str::<Value>(OPENRPC)
            .map_err(|error| to_object(&Error::new(Reason::Bug, "a description", error)))
    })?;
    Ok(module)
}
