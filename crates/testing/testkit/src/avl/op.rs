//! Operations that own their bytes.

use bytes::Bytes;
use ergo_avltree_rust::operation::{KeyDelta, KeyValue, Operation as PeerOperation};
use prooflight_avl::Operation;

type Key = Vec<u8>;
type Value = Vec<u8>;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Op {
    Lookup(Key),
    Insert(Key, Value),
    Update(Key, Value),
    InsertOrUpdate(Key, Value),
    Remove(Key),
    RemoveIfExists(Key),
    UpdateLongBy(Key, i64),
}

impl Op {
    pub fn key(&self) -> &[u8] {
        self.ours().key()
    }

    pub fn ours(&self) -> Operation<'_> {
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

    pub fn peer(&self) -> PeerOperation {
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

pub fn ours(ops: &[Op]) -> Vec<Operation<'_>> {
    ops.iter().map(Op::ours).collect()
}
