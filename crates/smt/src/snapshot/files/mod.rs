//! Snapshot files: in a local folder, in any other `ObjectStore`, or remote and read-only.

pub(super) mod check;
mod copy;
mod local_file;
mod transfer;

pub use check::FileDamage;

use alloc::collections::BTreeMap;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::future::Future;
use core::ops::Range;
use core::pin::pin;
use core::task::{Context, Poll, Waker};
use std::io::ErrorKind;
use std::path::{Path as FolderPath, PathBuf};
use std::thread::{self, Thread};

use bytes::Bytes;
use object_store::local::LocalFileSystem;
use object_store::path::Path;
use object_store::{GetOptions, ObjectStore, ObjectStoreExt, PutPayload};
use prooflight_core::{Error, Reason, Result};
use quick_cache::sync::Cache;

use super::format::manifest::{MANIFEST_NAME, Manifest};
use super::format::{failed, file_name, last_block, missing};
use super::remote::{RemoteFiles, find_newest};
use local_file::LocalFile;

/// The location of snapshot files. When a write returns, it is durable or did not happen.
///
/// Calls block the thread. A store that needs a runtime for its I/O, as network stores do, must be
/// used on threads inside that runtime, such as those of `spawn_blocking`. The files of a local folder
/// are read by the calling thread itself, whichever it is.
#[derive(Clone, Debug)]
pub struct SnapshotFiles {
    backend: FileBackend,
    /// Recently read files of the folder, by their last block; they stay open.
    open: Arc<Cache<u64, Arc<LocalFile>>>,
}

/// The storage of the files.
#[derive(Clone, Debug)]
enum FileBackend {
    /// In a local folder, which this store writes.
    Folder(PathBuf, Arc<dyn ObjectStore>),
    /// In an object store, with a manifest.
    Store(Arc<dyn ObjectStore>),
    /// Remote and read-only, without a manifest.
    Remote(Arc<dyn RemoteFiles>),
}

/// The most files of a folder that are kept open between reads.
const MAX_OPEN_FILES: usize = 128;

impl SnapshotFiles {
    /// Uses a folder, which is created if it does not exist; `store_failed` if that fails.
    pub fn local(folder: &FolderPath) -> Result<Self> {
        let failed = |error: &dyn core::fmt::Display| {
            let expected = format_args!("the folder {}", folder.display());
            Error::new(Reason::StoreFailed, expected, error)
        };
        std::fs::create_dir_all(folder).map_err(|error| failed(&error))?;
        let store = LocalFileSystem::new_with_prefix(folder).map_err(|error| failed(&error))?;
        let store = Arc::new(store.with_fsync(true));
        Ok(Self::with_backend(FileBackend::Folder(folder.to_path_buf(), store)))
    }

    /// Opens an existing folder for reading; `store_failed` if it does not exist.
    pub fn open_existing(folder: &FolderPath) -> Result<Self> {
        if folder.is_dir() {
            return Self::local(folder);
        }
        Err(Error::new(
            Reason::StoreFailed,
            format_args!("the folder {}", folder.display()),
            "none",
        ))
    }

    /// Uses an object store. Its puts must be atomic and durable, as those of `object_store` are.
    pub fn new(store: Arc<dyn ObjectStore>) -> Self {
        Self::with_backend(FileBackend::Store(store))
    }

    /// Uses remote, read-only files.
    pub fn remote(files: Arc<dyn RemoteFiles>) -> Self {
        Self::with_backend(FileBackend::Remote(files))
    }

    fn with_backend(place: FileBackend) -> Self {
        Self { backend: place, open: Arc::new(Cache::new(MAX_OPEN_FILES)) }
    }

    /// Whether this is a local folder.
    pub(crate) fn is_local(&self) -> bool {
        self.folder().is_some()
    }

    fn folder(&self) -> Option<&FolderPath> {
        match &self.backend {
            FileBackend::Folder(folder, _) => Some(folder),
            FileBackend::Store(_) | FileBackend::Remote(_) => None,
        }
    }

    /// The files, if they are remote.
    pub(crate) fn as_remote(&self) -> Option<&dyn RemoteFiles> {
        match &self.backend {
            FileBackend::Remote(files) => Some(&**files),
            FileBackend::Folder(..) | FileBackend::Store(_) => None,
        }
    }

    /// The store; `store_failed` if the files are read-only.
    fn store(&self) -> Result<&dyn ObjectStore> {
        match &self.backend {
            FileBackend::Folder(_, store) | FileBackend::Store(store) => Ok(&**store),
            FileBackend::Remote(_) => {
                let expected = "files that are written or listed here";
                Err(Error::new(Reason::StoreFailed, expected, "files that are only read"))
            }
        }
    }

    /// Reads a whole file; `None` if it does not exist.
    pub(crate) fn read(&self, name: &str) -> Result<Option<Bytes>> {
        if let Some(folder) = self.folder() {
            return match std::fs::read(folder.join(name)) {
                Ok(bytes) => Ok(Some(bytes.into())),
                Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
                Err(error) => Err(failed(name, &error)),
            };
        }
        if let Some(files) = self.as_remote() {
            return files.read_range(name, 0..u64::MAX);
        }
        let (store, path) = (self.store()?, Path::from(name));
        let read = async { store.get_opts(&path, GetOptions::default()).await?.bytes().await };
        match block_on(read) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(object_store::Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(failed(name, &error)),
        }
    }

    /// Reads the manifest; `None` if absent.
    pub(crate) fn manifest(&self) -> Result<Option<Manifest>> {
        self.newer_manifest(None)
    }

    /// Like [`manifest`](Self::manifest), given the one that was read before.
    pub(crate) fn newer_manifest(&self, known: Option<Manifest>) -> Result<Option<Manifest>> {
        if let Some(files) = self.as_remote() {
            return find_newest(files, known);
        }
        self.read(MANIFEST_NAME)?.map(|bytes| Manifest::decode(&bytes)).transpose()
    }

    /// Replaces the manifest; from then on, readers see its blocks.
    pub(crate) fn write_manifest(&self, manifest: &Manifest) -> Result<()> {
        self.write(MANIFEST_NAME, parts([manifest.encode().to_vec()]))
    }

    /// Reads a range of the file of a local folder whose group ends with block `last`, truncated at the end of the file.
    ///
    /// The file stays open. `store_corrupt` if it does not exist.
    pub(crate) fn read_open(&self, last: u64, range: Range<u64>) -> Result<Vec<u8>> {
        let open = || self.open_file(&file_name(last)).map(Arc::new);
        self.open.get_or_insert_with(&last, open)?.read_range(range)
    }

    /// Closes a file that turned out to be damaged, since it may be written again.
    pub(crate) fn forget(&self, last: u64) {
        self.open.remove(&last);
    }

    /// Opens a file of a local folder; `store_corrupt` if it does not exist.
    fn open_file(&self, name: &str) -> Result<LocalFile> {
        let folder = self.folder().ok_or_else(|| missing(name))?;
        LocalFile::open(folder, name).map_err(|error| match error.kind() {
            ErrorKind::NotFound => missing(name),
            _ => failed(name, &error),
        })
    }

    /// Reads a range of a file, truncated at the end of the file. `store_corrupt` if the file does
    /// not exist.
    pub(crate) fn read_range(&self, name: &str, range: Range<u64>) -> Result<Bytes> {
        if self.is_local() {
            return self.open_file(name)?.read_range(range).map(Bytes::from);
        }
        if let Some(files) = self.as_remote() {
            return files.read_range(name, range)?.ok_or_else(|| missing(name));
        }
        let (store, path) = (self.store()?, Path::from(name));
        match block_on(store.get_ranges(&path, core::slice::from_ref(&range))) {
            Ok(mut parts) if parts.len() == 1 => Ok(parts.swap_remove(0)),
            Ok(_) => Err(failed(name, &"another number of parts")),
            Err(object_store::Error::NotFound { .. }) => Err(missing(name)),
            Err(error) => {
                // Some stores refuse a range that extends beyond the file.
                let bytes = read_to_end(store, &path, range).map_err(|_| failed(name, &error))?;
                Ok(bytes)
            }
        }
    }

    /// Writes a file from these parts, replacing any existing one.
    pub(crate) fn write(&self, name: &str, parts: PutPayload) -> Result<()> {
        let path = Path::from(name);
        block_on(self.store()?.put(&path, parts)).map_err(|error| failed(name, &error)).map(drop)
    }

    /// Removes a file, if it exists.
    pub(crate) fn remove(&self, name: &str) -> Result<()> {
        match block_on(self.store()?.delete(&Path::from(name))) {
            Ok(()) | Err(object_store::Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(failed(name, &error)),
        }
    }

    /// Removes temporary files that an interrupted writer left: `NAME#1` and so on.
    pub(crate) fn remove_unfinished(&self) -> Result<()> {
        let Some(folder) = self.folder() else { return Ok(()) };
        let remove = || -> std::io::Result<()> {
            for entry in std::fs::read_dir(folder)? {
                let entry = entry?;
                let name = entry.file_name();
                let unfinished = name.to_str().and_then(|name| name.split_once('#'));
                if unfinished
                    .is_some_and(|(name, _)| name == MANIFEST_NAME || last_block(name).is_some())
                {
                    std::fs::remove_file(entry.path())?;
                }
            }
            Ok(())
        };
        remove().map_err(|error| failed("any", &error))
    }

    /// Lists the files with their lengths.
    pub(crate) fn list(&self) -> Result<BTreeMap<String, u64>> {
        let list = block_on(self.store()?.list_with_delimiter(None));
        let list = list.map_err(|error| failed("any", &error))?;
        Ok(list.objects.into_iter().map(|file| (file.location.to_string(), file.size)).collect())
    }
}

fn read_to_end(
    store: &dyn ObjectStore,
    path: &Path,
    range: Range<u64>,
) -> object_store::Result<Bytes> {
    block_on(async {
        let size = store.head(path).await?.size;
        match range.start.min(size)..range.end.min(size) {
            range if range.is_empty() => Ok(Bytes::new()),
            range => store.get_range(path, range).await,
        }
    })
}

/// Runs a future on this thread, parking the thread while it waits.
fn block_on<F: Future>(future: F) -> F::Output {
    struct ThreadWaker(Thread);
    impl alloc::task::Wake for ThreadWaker {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = Waker::from(Arc::new(ThreadWaker(thread::current())));
    let mut context = Context::from_waker(&waker);
    let mut future = pin!(future);
    loop {
        match future.as_mut().poll(&mut context) {
            Poll::Ready(output) => return output,
            Poll::Pending => thread::park(),
        }
    }
}

/// Collects the parts of a file to write.
pub(crate) fn parts(parts: impl IntoIterator<Item = Vec<u8>>) -> PutPayload {
    parts.into_iter().map(Bytes::from).collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;
    use object_store::memory::InMemory;

    #[test]
    fn the_files_of_a_folder_are_read_without_the_object_store() {
        let folder = tempfile::tempdir().unwrap();
        let store = Arc::new(InMemory::new());
        let files =
            SnapshotFiles::with_backend(FileBackend::Folder(folder.path().to_path_buf(), store));
        std::fs::write(folder.path().join("a"), b"0123456789").unwrap();
        assert_eq!(files.read("a").unwrap().unwrap(), &b"0123456789"[..]);
        assert_eq!(files.read("b"), Ok(None));
        for (range, expected) in
            [(2..5, "234"), (8..20, "89"), (10..12, ""), (30..40, ""), (3..3, "")]
        {
            assert_eq!(files.read_range("a", range).unwrap(), expected.as_bytes());
        }
        let refused = files.read_range("b", 0..1).unwrap_err();
        assert_eq!(refused.reason(), Reason::StoreCorrupt);
    }

    #[test]
    fn a_file_stays_open_until_it_is_forgotten_or_too_many_are() {
        let folder = tempfile::tempdir().unwrap();
        let files = SnapshotFiles::local(folder.path()).unwrap();
        let read = |last| files.read_open(last, 0..10);
        let path = |last| folder.path().join(file_name(last));
        let lasts = 0..2 * MAX_OPEN_FILES as u64;
        for last in lasts.clone() {
            std::fs::write(path(last), last.to_string()).unwrap();
            assert_eq!(read(last).unwrap(), last.to_string().as_bytes());
            std::fs::remove_file(path(last)).unwrap();
        }
        let last = lasts.end - 1;
        assert_eq!(read(last).unwrap(), last.to_string().as_bytes());
        std::fs::write(path(last), "again").unwrap();
        files.forget(last);
        assert_eq!(read(last).unwrap(), b"again");
        let closed: Vec<Error> = lasts.filter_map(|last| read(last).err()).collect();
        assert!(closed.len() >= MAX_OPEN_FILES, "{} are closed", closed.len());
        assert!(closed.iter().all(|error| error.reason() == Reason::StoreCorrupt));
    }

    #[test]
    fn an_object_store_gives_the_same_parts() {
        let files = SnapshotFiles::new(Arc::new(InMemory::new()));
        files.write("a", parts([b"01234".to_vec(), b"56789".to_vec()])).unwrap();
        assert_eq!(files.read("a").unwrap().unwrap(), &b"0123456789"[..]);
        for (range, expected) in [(2..5, "234"), (8..20, "89")] {
            assert_eq!(files.read_range("a", range).unwrap(), expected.as_bytes());
        }
        assert_eq!(files.read_range("b", 0..1).unwrap_err().reason(), Reason::StoreCorrupt);
    }
}
