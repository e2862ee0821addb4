//! Implements the store interface of `prooflight_core::store` with fjall, a log-structured store in
//! Rust. Measurements: `docs/storage.md`.

#![forbid(unsafe_code)]

mod keyspaces;

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use fjall::config::PartitioningPolicy;
use fjall::{Database, KeyspaceCreateOptions, PersistMode, Readable, Snapshot};
use prooflight_core::store::{ReadStore, Store, StoreEntry, WriteBatch, corrupt};
use prooflight_core::{Error, Reason, Result};

use keyspaces::KeyspaceMap;

/// A store in a folder. Clones share the same store.
#[derive(Clone)]
pub struct EmbeddedStore {
    database: Database,
    spaces: Arc<KeyspaceMap>,
}

/// A snapshot of the store at one moment.
#[derive(Clone)]
pub struct EmbeddedSnapshot {
    snapshot: Snapshot,
    spaces: Arc<KeyspaceMap>,
}

/// The most files that the store keeps open between reads.
pub const MAX_CACHED_FILES: usize = 256;

/// The most bytes of the cache of file blocks. At ten million keys, filters and indices alone take more than fjall's
/// default of 32 MiB.
const CACHE_BYTES: u64 = 128 << 20;

/// The most bytes of the journal, the writes that are not in tables yet: opening replays it. It is kept until the
/// memory of each keyspace is full, or until this limit.
const JOURNAL_BYTES: u64 = 96 << 20;

/// The options of a new store; an existing store keeps its options.
///
/// Filters and indices are read in parts at every level: one of a table of deletions has megabytes, and whole ones
/// would be read anew for each key that misses the cache.
fn options() -> KeyspaceCreateOptions {
    KeyspaceCreateOptions::default()
        .filter_block_partitioning_policy(PartitioningPolicy::all(true))
        .index_block_partitioning_policy(PartitioningPolicy::all(true))
}

impl EmbeddedStore {
    /// Opens the store in a folder, which is created if it does not exist.
    ///
    /// `store_failed` if another process has it open, `store_corrupt` if its files are damaged.
    pub fn open(folder: &Path) -> Result<Self> {
        Self::open_divided(folder, &[])
    }

    /// Opens a store whose keys with each of these prefixes are kept apart from all others, so that they are
    /// written and found faster. A store must always be opened with the same prefixes.
    ///
    /// A key with several of the prefixes belongs to the longest. No prefix is all `0xff`. Errors as for [`open`](Self::open).
    pub fn open_divided(folder: &Path, prefixes: &[&[u8]]) -> Result<Self> {
        let named = |error: &fjall::Error| match error {
            fjall::Error::Locked => {
                let expected = format_args!("{} for this process alone", folder.display());
                Error::new(Reason::StoreFailed, expected, "another process that has it open")
            }
            error => match failed(error) {
                unusable if unusable.reason() == Reason::StoreFailed => {
                    let expected = format_args!("files that can be used in {}", folder.display());
                    Error::new(Reason::StoreFailed, expected, unusable.found())
                }
                damaged => damaged,
            },
        };
        // With a second worker, one of them spins for as long as the other compacts.
        let builder = Database::builder(folder)
            .cache_size(CACHE_BYTES)
            .max_journaling_size(JOURNAL_BYTES)
            .max_cached_files(Some(MAX_CACHED_FILES))
            .worker_threads(1);
        let database = builder.open().map_err(|error| named(&error))?;
        let spaces =
            KeyspaceMap::open(&database, prefixes, options).map_err(|error| named(&error))?;
        Ok(Self { database, spaces: Arc::new(spaces) })
    }

    /// Creates a store with these entries, divided by prefixes, in a folder that has none. The entries are on disk
    /// when it returns.
    ///
    /// Much faster than batches. `store_failed` as for [`open`](Self::open), `invalid_argument` if an entry's key
    /// is not above the one before.
    pub fn load(
        folder: &Path,
        prefixes: &[&[u8]],
        entries: impl IntoIterator<Item = Result<StoreEntry>>,
    ) -> Result<Self> {
        let mut store = Self::open_divided(folder, prefixes)?;
        store.add(entries)?;
        Ok(store)
    }

    /// Adds entries, ascending by key, with keys that the store does not have; they are on disk when it returns.
    ///
    /// Much faster than batches, but not atomic: if it fails, the folder must be dropped.
    pub fn add(&mut self, entries: impl IntoIterator<Item = Result<StoreEntry>>) -> Result<()> {
        let mut entries = entries.into_iter().peekable();
        let mut last: Option<Vec<u8>> = None;
        // Each keyspace takes its consecutive entries together; the entries of a prefix are consecutive.
        while let Some(first) = entries.peek() {
            let Ok((key, _)) = first else { break };
            let space = self.spaces.keyspace_of(key).clone();
            let mut ingestion = space.start_ingestion().map_err(|error| failed(&error))?;
            let of_space = |entry: &Result<StoreEntry>| match entry {
                Ok((key, _)) => self.spaces.keyspace_of(key).id() == space.id(),
                Err(_) => false,
            };
            while let Some(entry) = entries.next_if(of_space) {
                let (key, value) = entry?;
                if last.as_ref().is_some_and(|last| *last >= key) {
                    let expected = "entries ascending by key";
                    return Err(Error::new(Reason::InvalidArgument, expected, "others"));
                }
                ingestion.write(key.clone(), value).map_err(|error| failed(&error))?;
                last = Some(key);
            }
            ingestion.finish().map_err(|error| failed(&error))?;
        }
        if let Some(Err(error)) = entries.next() {
            return Err(error);
        }
        self.database.persist(PersistMode::SyncAll).map_err(|error| failed(&error))
    }

    /// Returns the size on disk in bytes.
    pub fn disk_bytes(&self) -> Result<u64> {
        self.database.disk_space().map_err(|error| failed(&error))
    }
}

impl ReadStore for EmbeddedStore {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>> {
        let value = self.spaces.keyspace_of(key).get(key).map_err(|error| failed(&error))?;
        Ok(value.map(|value| value.to_vec()))
    }

    fn range(&self, from: &[u8], to: &[u8]) -> Box<dyn Iterator<Item = Result<StoreEntry>> + '_> {
        range(&self.database.snapshot(), &self.spaces, from, to)
    }
}

impl Store for EmbeddedStore {
    type Snapshot = EmbeddedSnapshot;

    fn snapshot(&self) -> Result<EmbeddedSnapshot> {
        Ok(EmbeddedSnapshot {
            snapshot: self.database.snapshot(),
            spaces: Arc::clone(&self.spaces),
        })
    }

    fn write(&mut self, batch: WriteBatch) -> Result<()> {
        let mut writes = self.database.batch().durability(Some(PersistMode::SyncAll));
        for (key, value) in batch.into_changes() {
            let space = self.spaces.keyspace_of(&key);
            match value {
                Some(value) => writes.insert(space, key, value),
                None => writes.remove(space, key),
            }
        }
        writes.commit().map_err(|error| failed(&error))
    }
}

impl ReadStore for EmbeddedSnapshot {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>> {
        let value =
            self.snapshot.get(self.spaces.keyspace_of(key), key).map_err(|error| failed(&error))?;
        Ok(value.map(|value| value.to_vec()))
    }

    fn range(&self, from: &[u8], to: &[u8]) -> Box<dyn Iterator<Item = Result<StoreEntry>> + '_> {
        range(&self.snapshot, &self.spaces, from, to)
    }
}

impl fmt::Debug for EmbeddedStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EmbeddedStore").finish_non_exhaustive()
    }
}

impl fmt::Debug for EmbeddedSnapshot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EmbeddedSnapshot").finish_non_exhaustive()
    }
}

fn range<'s>(
    snapshot: &Snapshot,
    spaces: &KeyspaceMap,
    from: &[u8],
    to: &[u8],
) -> Box<dyn Iterator<Item = Result<StoreEntry>> + 's> {
    let snapshot = snapshot.clone();
    let parts = spaces.parts(from, to).into_iter();
    let entries = parts.flat_map(move |(space, from, to)| snapshot.range(&space, from..to));
    Box::new(entries.map(|entry| {
        let (key, value) = entry.into_inner().map_err(|error| failed(&error))?;
        Ok((key.to_vec(), value.to_vec()))
    }))
}

#[cold]
fn failed(error: &fjall::Error) -> Error {
    match error {
        fjall::Error::Io(_) | fjall::Error::Poisoned | fjall::Error::Locked => {
            Error::new(Reason::StoreFailed, "a store that reads and writes", error)
        }
        fjall::Error::Storage(fjall::LsmError::Io(error)) => {
            Error::new(Reason::StoreFailed, "a store that reads and writes", error)
        }
        damaged => corrupt("files as they were written", damaged),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;

    fn batch(changes: &[(&str, Option<&str>)]) -> WriteBatch {
        let mut batch = WriteBatch::new();
        for (key, value) in changes {
            match value {
                Some(value) => batch.put(*key, *value),
                None => batch.delete(*key),
            }
        }
        batch
    }

    #[test]
    fn what_is_written_is_there_after_opening_again() {
        let folder = tempfile::tempdir().unwrap();
        let mut store = EmbeddedStore::open(folder.path()).unwrap();
        store.write(batch(&[("a", Some("1")), ("b", Some("")), ("c", Some("3"))])).unwrap();
        let before = store.snapshot().unwrap();
        store.write(batch(&[("a", None), ("b", Some("2"))])).unwrap();
        assert_eq!(before.get(b"a"), Ok(Some(b"1".to_vec())));
        assert_eq!(before.get(b"b"), Ok(Some(Vec::new())));
        drop((store, before));

        let store = EmbeddedStore::open(folder.path()).unwrap();
        assert_eq!(store.get(b"a"), Ok(None));
        let found: Vec<_> = store.range(b"a", b"c").map(Result::unwrap).collect();
        assert_eq!(found, [(b"b".to_vec(), b"2".to_vec())]);
        assert_eq!(store.range(b"c", b"a").count(), 0);
    }

    #[test]
    fn a_store_is_made_of_entries_and_then_written_like_any_other() {
        let folder = tempfile::tempdir().unwrap();
        let entries = (0..1000_u32).map(|n| Ok((n.to_be_bytes().to_vec(), b"1".to_vec())));
        let mut store = EmbeddedStore::load(folder.path(), &[], entries).unwrap();
        let mut changes = WriteBatch::new();
        changes.put(7_u32.to_be_bytes(), *b"2");
        changes.delete(8_u32.to_be_bytes());
        store.write(changes).unwrap();
        drop(store);
        let store = EmbeddedStore::open(folder.path()).unwrap();
        assert_eq!(store.range(b"", &[0xff]).count(), 999);
        assert_eq!(store.get(&7_u32.to_be_bytes()), Ok(Some(b"2".to_vec())));
        assert_eq!(store.get(&8_u32.to_be_bytes()), Ok(None));
        assert_eq!(store.get(&999_u32.to_be_bytes()), Ok(Some(b"1".to_vec())));

        for second in ["a", "b"] {
            let folder = tempfile::tempdir().unwrap();
            let entries = ["b", second].map(|key| Ok((key.into(), Vec::new())));
            let refused = EmbeddedStore::load(folder.path(), &[], entries).unwrap_err();
            assert_eq!(refused.reason(), Reason::InvalidArgument);
        }
    }

    /// Prefixes, of which one begins with another.
    const PREFIXES: [&[u8]; 4] = [b"s", b"x\x01", b"x\xff", b"x\x01a"];

    /// Keys before, in, between and after those of the prefixes, ascending.
    fn keys() -> Vec<&'static [u8]> {
        vec![
            b"r\xff",
            b"s",
            b"s\0",
            b"s\xff\xff",
            b"t",
            b"x",
            b"x\0\xff",
            b"x\x01",
            b"x\x01a",
            b"x\x01aa",
            b"x\x01\xff",
            b"x\x02",
            b"x\xfe\xff",
            b"x\xff",
            b"x\xff\xff",
            b"y",
            b"\xff",
        ]
    }

    fn all_of(store: &impl ReadStore) -> Vec<StoreEntry> {
        store.range(b"", b"\xff\xff").map(Result::unwrap).collect()
    }

    #[test]
    fn a_divided_store_reads_like_any_other() {
        let (folder, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let mut divided = EmbeddedStore::open_divided(folder.path(), &PREFIXES).unwrap();
        let entries = keys().into_iter().map(|key| (key.to_vec(), key.to_vec()));
        let whole = EmbeddedStore::load(other.path(), &[], entries.clone().map(Ok)).unwrap();
        let mut batch = WriteBatch::new();
        for (key, value) in entries.clone() {
            batch.put(key, value);
        }
        divided.write(batch).unwrap();
        let loaded = tempfile::tempdir().unwrap();
        let loaded = EmbeddedStore::load(loaded.path(), &PREFIXES, entries.map(Ok)).unwrap();
        let snapshot = divided.snapshot().unwrap();
        for from in keys() {
            assert_eq!(divided.get(from), Ok(Some(from.to_vec())));
            assert_eq!(snapshot.get(from), Ok(Some(from.to_vec())));
            for to in keys() {
                let expected: Vec<_> = whole.range(from, to).map(Result::unwrap).collect();
                for store in [&divided, &loaded] {
                    let found: Vec<_> = store.range(from, to).map(Result::unwrap).collect();
                    assert_eq!(found, expected, "{from:?} to {to:?}");
                }
                assert_eq!(snapshot.range(from, to).count(), expected.len());
            }
        }
        let own = PREFIXES.map(|prefix| divided.spaces.keyspace_of(prefix).iter().count());
        assert_eq!(own, [3, 2, 2, 2]);

        let mut batch = WriteBatch::new();
        for key in keys() {
            batch.delete(key);
        }
        divided.write(batch).unwrap();
        assert_eq!((all_of(&divided).len(), all_of(&snapshot).len()), (0, keys().len()));
    }

    #[test]
    fn a_second_process_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let store = EmbeddedStore::open(folder.path()).unwrap();
        let refused = EmbeddedStore::open(folder.path()).unwrap_err();
        assert_eq!(refused.reason(), Reason::StoreFailed);
        drop(store);
    }

    #[test]
    fn the_last_change_of_a_key_in_a_batch_wins() {
        let folder = tempfile::tempdir().unwrap();
        let mut store = EmbeddedStore::open(folder.path()).unwrap();
        store
            .write(batch(&[("a", Some("1")), ("a", Some("2")), ("b", Some("1")), ("b", None)]))
            .unwrap();
        assert_eq!(store.get(b"a"), Ok(Some(b"2".to_vec())));
        assert_eq!(store.get(b"b"), Ok(None));
    }
}
