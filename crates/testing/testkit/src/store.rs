//! A store in memory that clones share, and that may run out of space.

use std::sync::{Arc, Mutex, MutexGuard};

use prooflight_core::store::{MemoryStore, ReadStore, Store, StoreEntry, WriteBatch};
use prooflight_core::{Error, Reason, Result};

/// A store in memory, shared by its clones.
#[derive(Clone, Debug, Default)]
pub struct SharedStore(Arc<Mutex<StoreContent>>);

#[derive(Debug, Default)]
struct StoreContent {
    store: MemoryStore,
    /// The number of writes that still succeed; `None`: all.
    left: Option<u64>,
}

impl SharedStore {
    /// A store with this content.
    pub fn new(store: MemoryStore) -> Self {
        Self(Arc::new(Mutex::new(StoreContent { store, left: None })))
    }

    /// Lets this many writes succeed and fails all later ones; `None` lifts the limit.
    pub fn limit(&self, writes: Option<u64>) {
        self.inner().left = writes;
    }

    /// A copy of the content.
    pub fn content(&self) -> MemoryStore {
        self.inner().store.clone()
    }

    fn inner(&self) -> MutexGuard<'_, StoreContent> {
        self.0.lock().unwrap()
    }
}

impl ReadStore for SharedStore {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>> {
        self.inner().store.get(key)
    }

    fn range(&self, from: &[u8], to: &[u8]) -> Box<dyn Iterator<Item = Result<StoreEntry>> + '_> {
        let entries: Vec<_> = self.content().range(from, to).collect();
        Box::new(entries.into_iter())
    }
}

impl Store for SharedStore {
    type Snapshot = MemoryStore;

    fn snapshot(&self) -> Result<MemoryStore> {
        Ok(self.content())
    }

    fn write(&mut self, batch: WriteBatch) -> Result<()> {
        let mut inner = self.inner();
        if let Some(left) = &mut inner.left {
            *left = left
                .checked_sub(1)
                .ok_or_else(|| Error::new(Reason::StoreFailed, "a whole write", "a full disk"))?;
        }
        inner.store.write(batch)
    }
}
