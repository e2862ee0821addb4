//! The key-value store that provers keep their state in: get, ordered range, atomic batch, snapshot.
//!
//! Nothing else is assumed, so that an embedded store, memory, or a distributed engine can implement
//! it. Keys and values are byte strings; keys are ordered as unsigned bytes. [`TreeRevisions`] keeps
//! a tree of immutable nodes on top of it, with a root for each revision. [`StateStore`] is the
//! interface of each scheme's authenticated store, whether it uses this store or files of its own.

mod memory;
mod revisions;
#[cfg(feature = "sealed")]
pub mod sealed;
mod state;

pub use memory::MemoryStore;
pub use revisions::{
    PreparedRevision, RevisionRoot, TreeRevisions, id_be, node_key, only_revision, require_node,
    root_at,
};
pub use state::{Prepared, RawKeyChange, StateProof, StateReader, StateStore, TransferRequest};

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::fmt::Display;

use crate::{Error, Reason, Result};

/// A key with its value.
pub type StoreEntry = (Vec<u8>, Vec<u8>);

/// Reading one consistent state of a store. Failures are `store_failed`.
pub trait ReadStore {
    /// The value of a key; `None` if absent.
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>>;

    /// The entries with `from <= key < to`, ascending.
    fn range(&self, from: &[u8], to: &[u8]) -> Box<dyn Iterator<Item = Result<StoreEntry>> + '_>;
}

/// A store that is written in atomic batches.
pub trait Store: ReadStore {
    /// A consistent view that later writes do not change.
    type Snapshot: ReadStore;

    /// A snapshot of the current state.
    fn snapshot(&self) -> Result<Self::Snapshot>;

    /// Writes a whole batch or nothing; when it returns, the batch is as durable as the store can make it.
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

    /// Whether the batch has no changes.
    pub const fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }

    /// The changes in order: a key, and its new value or `None` if it is deleted.
    pub fn into_changes(self) -> Vec<(Vec<u8>, Option<Vec<u8>>)> {
        self.changes
    }
}

/// A `store_corrupt` error: the store returned something other than what was written to it.
#[cold]
pub fn corrupt(expected: impl Display, found: impl Display) -> Error {
    Error::new(Reason::StoreCorrupt, expected, found)
}
