//! Operations that own their bytes.

use bytes::Bytes;
use ergo_avltree_rust::operation::{KeyDelta, KeyValue, Operation as PeerOperation};
use prooflight_avl::Operation;

type KeyBytes = Vec<u8>;
type ValueBytes = Vec<u8>;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OwnedOperation {
    Lookup(KeyBytes),
    Insert(KeyBytes, ValueBytes),
    Update(KeyBytes, ValueBytes),
    InsertOrUpdate(KeyBytes, ValueBytes),
    Remove(KeyBytes),
    RemoveIfExists(KeyBytes),
    UpdateLongBy(KeyBytes, i64),
}

impl OwnedOperation {
    pub fn key(&self) -> &[u8] {
        self.as_operation().key()
    }

    pub fn as_operation(&self) -> Operation<'_> {
        match self {
            Self::Lookup(key) => Operation::Lookup { key },
            Self::Insert(key, value) => Operation::Insert { key, value },
            Self::Update(key, value) => Operation::Update { key, value },
            Self::InsertOrUpdate(key, value) => Operation::InsertOrUpdate { key, value },
            Self::Remove(key) => Operation::Remove { key },
            Self::RemoveIfExists(key) => Operation::RemoveIfExists { key },
            Self::UpdateLongBy(key, delta) => Operation::UpdateLongBy { key, delta: *delta },
        }
    }

    pub fn to_peer(&self) -> PeerOperation {
        let bytes = |bytes: &[u8]| Bytes::copy_from_slice(bytes);
        let pair = |key: &[u8], value: &[u8]| KeyValue { key: bytes(key), value: bytes(value) };
        match self {
            Self::Lookup(key) => PeerOperation::Lookup(bytes(key)),
            Self::Insert(key, value) => PeerOperation::Insert(pair(key, value)),
            Self::Update(key, value) => PeerOperation::Update(pair(key, value)),
            Self::InsertOrUpdate(key, value) => PeerOperation::InsertOrUpdate(pair(key, value)),
            Self::Remove(key) => PeerOperation::Remove(bytes(key)),
            Self::RemoveIfExists(key) => PeerOperation::RemoveIfExists(bytes(key)),
            Self::UpdateLongBy(key, delta) => {
                PeerOperation::UpdateLongBy(KeyDelta { key: bytes(key), delta: *delta })
            }
        }
    }
}

pub fn as_operations(ops: &[OwnedOperation]) -> Vec<Operation<'_>> {
    ops.iter().map(OwnedOperation::as_operation).collect()
}
