//! The key-value store that provers keep their state in: get, ordered range, atomic batch, snapshot.
//!
//! Nothing else is assumed, so that an embedded store, memory, or a distributed engine can stand
//! behind it. Keys and values are byte strings; keys are ordered as unsigned bytes.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::ops::Bound;

use crate::Result;

/// A key with its value.
pub type Entry = (Vec<u8>, Vec<u8>);

/// Reading one consistent state of a store. Failures are `store_failed`.
pub trait Read {
    /// The value of a key, or `None`.
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>>;

    /// The entries with `from <= key < to`, ascending.
    fn range(&self, from: &[u8], to: &[u8]) -> Box<dyn Iterator<Item = Result<Entry>> + '_>;
}

/// A store that is written in atomic batches.
pub trait Store: Read {
    /// A state that later writes do not change.
    type Snapshot: Read;

    /// The state as it is now.
    fn snapshot(&self) -> Result<Self::Snapshot>;

    /// Writes a whole batch or nothing; when it returns, the batch is as durable as the store gets.
    fn write(&mut self, batch: WriteBatch) -> Result<()>;
}

/// Changes that are written together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WriteBatch {
    changes: Vec<(Vec<u8>, Option<Vec<u8>>)>,
}

impl WriteBatch {
    /// An empty batch.
    pub const fn new() -> Self {
        Self { changes: Vec::new() }
    }

    /// Sets a key. The last change of a key in a batch wins.
    pub fn put(&mut self, key: impl Into<Vec<u8>>, value: impl Into<Vec<u8>>) {
        self.changes.push((key.into(), Some(value.into())));
    }

    /// Deletes a key.
    pub fn delete(&mut self, key: impl Into<Vec<u8>>) {
        self.changes.push((key.into(), None));
    }

    /// Whether nothing is changed.
    pub const fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }

    /// The changes in order: a key, and its new value or `None` if it is deleted.
    pub fn into_changes(self) -> Vec<(Vec<u8>, Option<Vec<u8>>)> {
        self.changes
    }
}

/// A store in memory, for tests and browsers; what it keeps is gone with it.
#[derive(Clone, Debug, Default)]
pub struct MemoryStore {
    entries: Arc<BTreeMap<Vec<u8>, Vec<u8>>>,
}

impl Read for MemoryStore {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>> {
        Ok(self.entries.get(key).cloned())
    }

    fn range(&self, from: &[u8], to: &[u8]) -> Box<dyn Iterator<Item = Result<Entry>> + '_> {
        if from >= to {
            return Box::new(core::iter::empty());
        }
        let range = (Bound::Included(from), Bound::Excluded(to));
        let entries = self.entries.range::<[u8], _>(range);
        Box::new(entries.map(|(key, value)| Ok((key.clone(), value.clone()))))
    }
}

impl Store for MemoryStore {
    type Snapshot = Self;

    fn snapshot(&self) -> Result<Self> {
        Ok(self.clone())
    }

    fn write(&mut self, batch: WriteBatch) -> Result<()> {
        let entries = Arc::make_mut(&mut self.entries);
        for (key, value) in batch.into_changes() {
            match value {
                Some(value) => entries.insert(key, value),
                None => entries.remove(&key),
            };
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_snapshot_stays_as_it_was() {
        let mut store = MemoryStore::default();
        let mut batch = WriteBatch::new();
        batch.put(*b"b", *b"1");
        batch.put(*b"a", *b"2");
        store.write(batch).unwrap();
        let snapshot = store.snapshot().unwrap();
        let mut batch = WriteBatch::new();
        batch.delete(*b"a");
        batch.put(*b"b", *b"3");
        store.write(batch).unwrap();
        assert_eq!(store.get(b"a"), Ok(None));
        assert_eq!(snapshot.get(b"a"), Ok(Some(b"2".to_vec())));
        let keys: Vec<_> = snapshot.range(b"a", b"c").map(|entry| entry.unwrap().0).collect();
        assert_eq!(keys, [b"a", b"b"]);
        assert_eq!(snapshot.range(b"b", b"a").count(), 0);
    }
}
