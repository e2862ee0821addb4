//! Submissions of operations.

use jsonrpsee::RpcModule;
use jsonrpsee::core::RegisterMethodError;
use prooflight_core::chain::StateOperation;
use prooflight_core::{Error, Reason, Result};
use prooflight_json::{Hash32, OperationJson, Quantity};
use serde::{Deserialize, Serialize};

use super::context::{NodeApi, NodeCall};
use super::method::method;
use crate::chain::normalise;

pub(super) fn register(module: &mut RpcModule<NodeApi>) -> Result<(), RegisterMethodError> {
    method(module, "prooflight_submit", submit)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SubmitParams {
    ops: Vec<OperationJson>,
}

/// The block that includes the submitted operations.
#[derive(Clone, Serialize)]
struct SubmitReply {
    height: Quantity,
    hash: Hash32,
}

async fn submit(call: NodeCall, SubmitParams { ops }: SubmitParams) -> Result<SubmitReply> {
    let Some(submitter) = &call.context.submitter else {
        let expected = "a node that makes blocks";
        return Err(Error::new(Reason::ReadOnly, expected, "one that follows another"));
    };
    if !call.may_submit {
        let expected = "the header Authorization: Bearer with a token that may submit";
        return Err(Error::new(Reason::NotAuthorised, expected, "another, or none"));
    }
    let config = call.context.views.borrow().config().clone();
    let operations: Vec<StateOperation> = ops.into_iter().map(Into::into).collect();
    normalise::check_all(&operations, &config)?;
    let included = submitter.submit(operations).await?;
    Ok(SubmitReply { height: Quantity(included.height), hash: Hash32(included.hash) })
}
