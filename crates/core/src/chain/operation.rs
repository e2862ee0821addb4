//! Operations: a block's changes of the state.

use crate::Hash;
use alloc::vec::Vec;
use borsh::{BorshDeserialize, BorshSerialize};

use super::Blake2bTree;
use super::encoding::encode;
use crate::merkle::{MerkleFrontier, leaf_hash};
use crate::store::RawKeyChange;

/// One change of the raw state, before any scheme maps its key.
#[derive(Clone, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub enum StateOperation {
    /// Sets a key to a value.
    Set {
        /// The raw key.
        key: Vec<u8>,
        /// The value; it may be empty.
        value: Vec<u8>,
    },
    /// Deletes a key.
    Delete {
        /// The raw key.
        key: Vec<u8>,
    },
}

impl StateOperation {
    /// The raw key.
    pub fn key(&self) -> &[u8] {
        match self {
            Self::Set { key, .. } | Self::Delete { key } => key,
        }
    }
}

impl<'a> From<&'a StateOperation> for RawKeyChange<'a> {
    fn from(operation: &'a StateOperation) -> Self {
        match operation {
            StateOperation::Set { key, value } => Self { key, value: Some(value) },
            StateOperation::Delete { key } => Self { key, value: None },
        }
    }
}

/// The root over a block's normalised operations, which are ascending by key.
pub fn operations_root(operations: &[StateOperation]) -> Hash {
    let mut tree = MerkleFrontier::<Blake2bTree>::new();
    for operation in operations {
        tree.push(leaf_hash::<Blake2bTree>(&encode(operation)));
    }
    tree.root()
}
