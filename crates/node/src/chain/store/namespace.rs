//! A part of a store: all keys with one prefix.

use prooflight_core::Result;
use prooflight_core::store::{ReadStore, Store, StoreEntry, WriteBatch};

/// A store, or a snapshot of one, that adds a prefix to every key. Callers do not see the prefix.
#[derive(Clone, Debug)]
pub struct Namespace<S> {
    inner: S,
    prefix: Vec<u8>,
}

impl<S> Namespace<S> {
    /// Creates the namespace of the keys of `inner` that begin with `prefix`.
    pub fn new(inner: S, prefix: impl Into<Vec<u8>>) -> Self {
        Self { inner, prefix: prefix.into() }
    }

    fn key(&self, key: &[u8]) -> Vec<u8> {
        [&self.prefix, key].concat()
    }

    /// Moves a batch for this namespace into a batch for the whole store.
    pub fn move_into(&self, whole: &mut WriteBatch, part: WriteBatch) {
        for (key, value) in part.into_changes() {
            match value {
                Some(value) => whole.put(self.key(&key), value),
                None => whole.delete(self.key(&key)),
            }
        }
    }
}

impl<S: ReadStore> ReadStore for Namespace<S> {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>> {
        self.inner.get(&self.key(key))
    }

    fn range(&self, from: &[u8], to: &[u8]) -> Box<dyn Iterator<Item = Result<StoreEntry>> + '_> {
        let skip = self.prefix.len();
        let entries = self.inner.range(&self.key(from), &self.key(to));
        Box::new(entries.map(move |entry| {
            entry.map(|(mut key, value)| {
                key.drain(..skip);
                (key, value)
            })
        }))
    }
}

impl<S: Store> Store for Namespace<S> {
    type Snapshot = Namespace<S::Snapshot>;

    fn snapshot(&self) -> Result<Self::Snapshot> {
        Ok(Namespace { inner: self.inner.snapshot()?, prefix: self.prefix.clone() })
    }

    fn write(&mut self, batch: WriteBatch) -> Result<()> {
        let mut whole = WriteBatch::new();
        self.move_into(&mut whole, batch);
        self.inner.write(whole)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;
    use prooflight_core::store::MemoryStore;

    #[test]
    fn namespaces_do_not_see_each_other() {
        let mut a = Namespace::new(MemoryStore::default(), *b"a");
        let mut batch = WriteBatch::new();
        batch.put(*b"key", *b"1");
        batch.put(*b"other", *b"2");
        a.write(batch).unwrap();
        let b = Namespace::new(a.inner.clone(), *b"b");
        assert_eq!(a.get(b"key"), Ok(Some(b"1".to_vec())));
        assert_eq!(b.get(b"key"), Ok(None));
        assert_eq!(b.range(b"", b"\xff").count(), 0);
        let found: Vec<_> = a.range(b"", b"l").map(Result::unwrap).collect();
        assert_eq!(found, [(b"key".to_vec(), b"1".to_vec())]);

        let mut batch = WriteBatch::new();
        batch.delete(*b"key");
        let before = a.snapshot().unwrap();
        a.write(batch).unwrap();
        assert_eq!((a.get(b"key"), before.get(b"key")), (Ok(None), Ok(Some(b"1".to_vec()))));
        assert_eq!(a.inner.get(b"aother"), Ok(Some(b"2".to_vec())));
    }
}
