//! The JSON of an operation on a chain's state.

use prooflight_core::chain::StateOperation;
use serde::{Deserialize, Serialize};

use crate::Hex;

/// One change of the raw state; the member `op` names it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "op", deny_unknown_fields)]
#[allow(missing_docs, reason = "the same as `prooflight_core::chain::StateOperation`")]
pub enum StateOp {
    Set { key: Hex, value: Hex },
    Delete { key: Hex },
}

impl From<StateOp> for StateOperation {
    fn from(op: StateOp) -> Self {
        match op {
            StateOp::Set { key: Hex(key), value: Hex(value) } => Self::Set { key, value },
            StateOp::Delete { key: Hex(key) } => Self::Delete { key },
        }
    }
}

impl From<StateOperation> for StateOp {
    fn from(operation: StateOperation) -> Self {
        match operation {
            StateOperation::Set { key, value } => Self::Set { key: Hex(key), value: Hex(value) },
            StateOperation::Delete { key } => Self::Delete { key: Hex(key) },
        }
    }
}
