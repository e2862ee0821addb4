//! A dictionary without any tree: the meaning of the operations.

use std::collections::BTreeMap;
use std::ops::Bound;

use prooflight_core::Reason;

use super::draw::EntryShape;
use super::op::OwnedOperation;

#[derive(Clone, Debug)]
pub struct DictionaryModel {
    shape: EntryShape,
    entries: BTreeMap<Vec<u8>, Vec<u8>>,
}

impl DictionaryModel {
    pub fn new(shape: EntryShape) -> Self {
        Self { shape, entries: BTreeMap::new() }
    }

    /// Performs one operation; returns the value before it, or why it fails.
    pub fn apply(&mut self, op: &OwnedOperation) -> Result<Option<Vec<u8>>, Reason> {
        let old = self.entries.get(op.key()).cloned();
        let new = self.outcome(op, old.as_deref())?;
        match new {
            Some(value) => self.entries.insert(op.key().to_vec(), value),
            None => self.entries.remove(op.key()),
        };
        Ok(old)
    }

    /// The value after the operation.
    fn outcome(&self, op: &OwnedOperation, old: Option<&[u8]>) -> Result<Option<Vec<u8>>, Reason> {
        let sum = |sum: i64| match self.shape.value_length {
            None | Some(8) => Ok(Some(sum.to_be_bytes().to_vec())),
            Some(_) => Err(Reason::ValueLength),
        };
        match (op, old) {
            (OwnedOperation::Insert(..), Some(_)) => Err(Reason::KeyExists),
            (OwnedOperation::Update(..) | OwnedOperation::Remove(_), None) => {
                Err(Reason::KeyAbsent)
            }
            (OwnedOperation::Lookup(_) | OwnedOperation::UpdateLongBy(_, 0), old) => {
                Ok(old.map(<[u8]>::to_vec))
            }
            (OwnedOperation::Remove(_) | OwnedOperation::RemoveIfExists(_), _) => Ok(None),
            (
                OwnedOperation::Insert(_, new)
                | OwnedOperation::Update(_, new)
                | OwnedOperation::InsertOrUpdate(_, new),
                _,
            ) => Ok(Some(new.clone())),
            (&OwnedOperation::UpdateLongBy(_, delta), None) => match delta {
                ..0 => Err(Reason::ValueNegative),
                _ => sum(delta),
            },
            (&OwnedOperation::UpdateLongBy(_, delta), Some(old)) => {
                let eight = old.get(..8).ok_or(Reason::ValueNotLong)?;
                let eight = i64::from_be_bytes(eight.try_into().unwrap());
                match i128::from(eight) + i128::from(delta) {
                    0 => Ok(None),
                    exact => match i64::try_from(exact) {
                        Err(_) => Err(Reason::ValueOverflow),
                        Ok(..0) => Err(Reason::ValueNegative),
                        Ok(exact) => sum(exact),
                    },
                }
            }
        }
    }

    /// The keys on both sides of an absent key.
    pub fn neighbours(&self, key: &[u8]) -> (Option<&[u8]>, Option<&[u8]>) {
        let mut below = self.entries.range::<[u8], _>((Bound::Unbounded, Bound::Excluded(key)));
        let mut above = self.entries.range::<[u8], _>((Bound::Excluded(key), Bound::Unbounded));
        (below.next_back().map(|(key, _)| &key[..]), above.next().map(|(key, _)| &key[..]))
    }

    pub fn get(&self, key: &[u8]) -> Option<&[u8]> {
        self.entries.get(key).map(Vec::as_slice)
    }

    pub fn entries(&self) -> impl Iterator<Item = (&[u8], &[u8])> {
        self.entries.iter().map(|(key, value)| (&key[..], &value[..]))
    }
}
