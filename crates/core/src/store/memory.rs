//! A store in memory.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::ops::Bound;

use super::{ReadStore, Store, StoreEntry, WriteBatch};
use crate::Result;

/// A store in memory, for tests and browsers; dropping it loses everything.
#[derive(Clone, Debug, Default)]
pub struct MemoryStore {
    entries: Arc<BTreeMap<Vec<u8>, Vec<u8>>>,
}

impl ReadStore for MemoryStore {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>> {
        Ok(self.entries.get(key).cloned())
    }

    fn range(&self, from: &[u8], to: &[u8]) -> Box<dyn Iterator<Item = Result<StoreEntry>> + '_> {
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
