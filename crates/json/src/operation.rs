//! The JSON of an operation on a chain's state.

use prooflight_core::chain::StateOperation;
use serde::{Deserialize, Serialize};

use crate::HexBytes;

/// One change of the raw state; the member `op` names it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "op", deny_unknown_fields)]
#[allow(missing_docs, reason = "the same as `prooflight_core::chain::StateOperation`")]
pub enum OperationJson {
    Set { key: HexBytes, value: HexBytes },
    Delete { key: HexBytes },
}

impl From<OperationJson> for StateOperation {
    fn from(op: OperationJson) -> Self {
        match op {
            OperationJson::Set { key: HexBytes(key), value: HexBytes(value) } => {
                Self::Set { key, value }
            }
            OperationJson::Delete { key: HexBytes(key) } => Self::Delete { key },
        }
    }
}

impl From<StateOperation> for OperationJson {
    fn from(operation: StateOperation) -> Self {
        match operation {
            StateOperation::Set { key, value } => {
                Self::Set { key: HexBytes(key), value: HexBytes(value) }
            }
            StateOperation::Delete { key } => Self::Delete { key: HexBytes(key) },
        }
    }
}
