//! A store that counts what it reads and writes.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use prooflight_core::Result;
use prooflight_core::store::{ReadStore, Store, StoreEntry, WriteBatch};

/// A store, or a snapshot of one, that counts. Clones count together.
#[derive(Clone, Debug)]
pub struct CountingStore<S> {
    inner: S,
    counts: Arc<StoreCounts>,
}

/// What a store has read and written so far.
#[derive(Debug, Default)]
pub struct StoreCounts {
    /// Keys read, alone or in a range.
    pub reads: AtomicU64,
    /// Bytes of keys and values in written batches.
    pub bytes: AtomicU64,
}

impl<S> CountingStore<S> {
    pub fn new(inner: S) -> Self {
        Self { inner, counts: Arc::default() }
    }

    pub fn counts(&self) -> Arc<StoreCounts> {
        self.counts.clone()
    }
}

impl<S: ReadStore> ReadStore for CountingStore<S> {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>> {
        self.counts.reads.fetch_add(1, Relaxed);
        self.inner.get(key)
    }

    fn range(&self, from: &[u8], to: &[u8]) -> Box<dyn Iterator<Item = Result<StoreEntry>> + '_> {
        Box::new(self.inner.range(from, to).inspect(|_| {
            self.counts.reads.fetch_add(1, Relaxed);
        }))
    }
}

impl<S: Store> Store for CountingStore<S> {
    type Snapshot = CountingStore<S::Snapshot>;

    fn snapshot(&self) -> Result<Self::Snapshot> {
        Ok(CountingStore { inner: self.inner.snapshot()?, counts: self.counts.clone() })
    }

    fn write(&mut self, batch: WriteBatch) -> Result<()> {
        let changes = batch.into_changes();
        let size = |(key, value): &(Vec<u8>, Option<Vec<u8>>)| {
            key.len() + value.as_ref().map_or(0, Vec::len)
        };
        self.counts.bytes.fetch_add(changes.iter().map(size).sum::<usize>() as u64, Relaxed);
        let mut batch = WriteBatch::new();
        for (key, value) in changes {
            match value {
                Some(value) => batch.put(key, value),
                None => batch.delete(key),
            }
        }
        self.inner.write(batch)
    }
}
