//! A chain under construction.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use prooflight_core::chain::ChainConfig;
use prooflight_core::store::{Store as _, StoreEntry, WriteBatch};
use prooflight_core::{Error, Hash, Reason, Result, Scheme};

use super::{Chain, format};
use crate::chain::block::{self, CONFIG_KEY};
use crate::chain::schemes::{self, SchemeContext, SchemeOptions};
use crate::chain::store::{self, Anchor, EmbeddedStore};

/// A chain under construction. Its store gets its final name once it is complete, so that an interrupted start leaves no
/// chain.
pub(crate) struct ChainBuilder {
    folder: PathBuf,
    /// The store, which has the chain's configuration.
    store: EmbeddedStore,
    /// Held while a batch of entries is written.
    writing: Arc<Mutex<()>>,
}

/// Entries of one part of a state, which are written together.
pub(crate) struct EntryWriter {
    store: EmbeddedStore,
    writing: Arc<Mutex<()>>,
    entries: Vec<StoreEntry>,
    bytes: usize,
}

/// The bytes of entries that are written together.
const IMPORT_BATCH_BYTES: usize = 64 << 20;

impl ChainBuilder {
    pub(crate) fn begin(
        folder: &Path,
        config: &ChainConfig,
        options: &SchemeOptions,
    ) -> Result<Self> {
        config.check()?;
        if Chain::exists(folder)? {
            let expected = format_args!("no chain in {}", folder.display());
            return Err(Error::new(Reason::InvalidArgument, expected, "one"));
        }
        let new_store = unfinished_store(folder);
        let failed = not_created(folder);
        if new_store.exists() {
            fs::remove_dir_all(&new_store).map_err(&failed)?;
        }
        fs::create_dir_all(folder).map_err(&failed)?;
        options.write(folder)?;
        format::write(folder)?;
        schemes::begin(config, SchemeContext { folder, options })?;
        let mut store = store::open(&new_store)?;
        let mut batch = WriteBatch::new();
        batch.put(CONFIG_KEY, block::encode_config(config)?);
        store.write(batch)?;
        Ok(Self { folder: folder.to_owned(), store, writing: Arc::default() })
    }

    pub(crate) fn write(&mut self, batch: WriteBatch) -> Result<()> {
        self.store.write(batch)
    }

    /// Creates a writer of entries. Each part of a state has a writer of its own, so that parts can be received in
    /// parallel; their keys are in different ranges.
    pub(crate) fn entry_writer(&self) -> EntryWriter {
        let (store, writing) = (self.store.clone(), self.writing.clone());
        EntryWriter { store, writing, entries: Vec::new(), bytes: 0 }
    }

    /// Gives the store its final name; its newest block, if it has one, counts as acknowledged. All writers must be
    /// flushed and dropped.
    pub(crate) fn finish(self, newest: Option<(u64, Hash)>) -> Result<()> {
        let Self { folder, store, .. } = self;
        drop(store);
        if let Some((height, hash)) = newest {
            Anchor::new(folder.join("anchor")).write(height, &hash)?;
        }
        fs::rename(unfinished_store(&folder), store_folder(&folder))
            .and_then(|()| fs::File::open(&folder)?.sync_all())
            .map_err(not_created(&folder))
    }
}

impl EntryWriter {
    pub(crate) const fn store(&self) -> &EmbeddedStore {
        &self.store
    }

    pub(crate) fn write(&mut self, batch: WriteBatch) -> Result<()> {
        self.store.write(batch)
    }

    /// Adds entries with new keys. They are in the store after [`flush`](Self::flush).
    pub(crate) fn add(&mut self, entries: impl IntoIterator<Item = StoreEntry>) -> Result<()> {
        for entry in entries {
            self.bytes += entry.0.len() + entry.1.len();
            self.entries.push(entry);
        }
        if self.bytes < IMPORT_BATCH_BYTES { Ok(()) } else { self.flush() }
    }

    /// Adds the entries of a scheme, all with new keys.
    pub(crate) fn add_scheme(&mut self, scheme: Scheme, writes: WriteBatch) -> Result<()> {
        let prefix = [b'x', scheme.id()];
        let entries = writes.into_changes().into_iter();
        self.add(entries.filter_map(|(key, value)| Some(([&prefix, &key[..]].concat(), value?))))
    }

    /// Writes the entries that were added.
    pub(crate) fn flush(&mut self) -> Result<()> {
        let mut batch = core::mem::take(&mut self.entries);
        self.bytes = 0;
        if batch.is_empty() {
            return Ok(());
        }
        batch.sort_unstable_by(|(a, _), (b, _)| a.cmp(b));
        let _writing = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        self.store.add(batch.into_iter().map(Ok))
    }
}

pub(super) fn store_folder(folder: &Path) -> PathBuf {
    folder.join("store")
}

fn unfinished_store(folder: &Path) -> PathBuf {
    folder.join("store.new")
}

fn not_created(folder: &Path) -> impl Fn(std::io::Error) -> Error {
    move |error| {
        Error::new(
            Reason::StoreFailed,
            format_args!("a new {}", unfinished_store(folder).display()),
            error,
        )
    }
}
