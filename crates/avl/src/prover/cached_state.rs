//! A chain's AVL+ state that copies its newest nodes to a file, so that the next opening is fast.

use core::fmt;
use std::hash::{BuildHasher as _, RandomState};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};

use prooflight_core::store::{
    Prepared, RawKeyChange, ReadStore, StateStore, Store, WriteBatch, corrupt,
};
use prooflight_core::{Error, Reason, Result};

use super::chain::{AvlReader, AvlState};
use super::descending_reader::DescendingReader;
use super::persistent::PreparedBatch;
use super::record::IDENTITY_KEY;
use super::revision_file::{FileOrigin, RevisionFile, RevisionFileWriter};
use crate::params::Params;

/// An [`AvlState`] that opens fast: from time to time, a thread copies the nodes of the newest state to a file.
///
/// The file may be missing or outdated. Its records are checked like those of the store.
pub struct CachedAvlState<S> {
    state: AvlState<S>,
    params: CachedAvlParams,
    identity: [u8; 16],
    /// The first unused id when the file was last started.
    end: u64,
    writing: Option<FileWriteThread>,
}

/// The parameters of an [`CachedAvlState`].
#[derive(Clone)]
pub struct CachedAvlParams {
    /// The parameters of the state.
    pub state: Params,
    /// The path of the file. The next one is written to the same path with the extension `new`.
    pub file: PathBuf,
    /// The file is rewritten after this number of new nodes, or after 1.5 times the nodes of the state if that is more.
    pub min_new_nodes: u64,
    /// Called on the thread that commits blocks.
    pub on_event: Arc<dyn Fn(&RevisionFileEvent<'_>) + Send + Sync>,
}

/// A report about the file.
#[derive(Clone, Copy, Debug)]
pub enum RevisionFileEvent<'a> {
    /// It was not used, or only in part: it is missing, damaged, or of another store.
    Unused,
    /// It was written.
    Written {
        /// The nodes in it.
        nodes: u64,
    },
    /// It could not be written; the previous one stays.
    Failed(&'a Error),
}

/// A thread that writes the file.
struct FileWriteThread {
    thread: JoinHandle<Result<()>>,
    nodes: u64,
    stop: Arc<AtomicBool>,
}

impl<S> StateStore for CachedAvlState<S>
where
    S: Store<Snapshot: Send + 'static>,
{
    type Source = S;
    type Params = CachedAvlParams;
    type Next = PreparedBatch;
    type Reader = AvlReader<S::Snapshot>;

    fn open(mut store: S, params: CachedAvlParams) -> Result<Self> {
        let identity = identity(&mut store)?;
        let (state, end) = AvlState::open_with_file(store, params.state, &params.file, &identity)?;
        if end == 0 && state.dictionary().live() >= params.min_new_nodes {
            (params.on_event)(&RevisionFileEvent::Unused);
        }
        Ok(Self { state, params, identity, end, writing: None })
    }

    fn height(&self) -> Option<u64> {
        self.state.height()
    }

    fn root(&self) -> Vec<u8> {
        self.state.root()
    }

    fn prepare(&self, changes: &[RawKeyChange<'_>]) -> Result<Prepared<PreparedBatch>> {
        self.state.prepare(changes)
    }

    fn commit(&mut self, next: PreparedBatch) -> Result<()> {
        self.state.commit(next)?;
        if self.writing.as_ref().is_some_and(|running| running.thread.is_finished()) {
            self.finish();
        }
        self.begin_if_due()
    }

    fn prune(&mut self, oldest: u64) -> Result<()> {
        self.state.prune(oldest)
    }

    fn reader(&mut self) -> Result<Self::Reader> {
        self.state.reader()
    }
}

impl<S> CachedAvlState<S>
where
    S: Store<Snapshot: Send + 'static>,
{
    /// Starts a new file if there are enough new nodes.
    fn begin_if_due(&mut self) -> Result<()> {
        let dictionary = self.state.dictionary();
        let (nodes, end) = (dictionary.live(), dictionary.next_id());
        // A lower bound writes more bytes per block; a higher one makes an opening read more from the store.
        let due = self.params.min_new_nodes.max(nodes + nodes / 2);
        if self.writing.is_some() || end.saturating_sub(self.end) < due {
            return Ok(());
        }
        let (store, ids) = (dictionary.snapshot()?, dictionary.live_ids());
        let origin = FileOrigin { identity: self.identity, end };
        let stop = Arc::new(AtomicBool::new(false));
        let (params, stopped) = (self.params.clone(), stop.clone());
        let thread = thread::Builder::new().name("avl nodes".into());
        match thread.spawn(move || write_revision_file(&store, ids, &params, origin, &stopped)) {
            Ok(thread) => self.writing = Some(FileWriteThread { thread, nodes, stop }),
            Err(error) => {
                let error = Error::new(Reason::StoreFailed, "a thread that gathers nodes", error);
                (self.params.on_event)(&RevisionFileEvent::Failed(&error));
            }
        }
        // A failure delays the next attempt as much as a success does.
        self.end = end;
        Ok(())
    }
}

impl<S> CachedAvlState<S> {
    /// Waits for the thread that writes the file, if one is running.
    pub fn finish(&mut self) {
        let Some(FileWriteThread { thread, nodes, .. }) = self.writing.take() else { return };
        let panicked = |_| Err(Error::new(Reason::Bug, "a file of nodes", "a panic"));
        match thread.join().unwrap_or_else(panicked) {
            Ok(()) => (self.params.on_event)(&RevisionFileEvent::Written { nodes }),
            Err(error) => (self.params.on_event)(&RevisionFileEvent::Failed(&error)),
        }
    }
}

impl<S> Drop for CachedAvlState<S> {
    fn drop(&mut self) {
        if let Some(running) = self.writing.take() {
            running.stop.store(true, Ordering::Relaxed);
            // A panic of the thread was reported when it happened.
            let _ = running.thread.join();
        }
    }
}

impl<S: fmt::Debug> fmt::Debug for CachedAvlState<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AvlGathering").field("state", &self.state).finish_non_exhaustive()
    }
}

impl fmt::Debug for CachedAvlParams {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GatheringParams").field("file", &self.file).finish_non_exhaustive()
    }
}

/// The identity of a store; written if the store does not have one yet.
fn identity(store: &mut impl Store) -> Result<[u8; 16]> {
    if let Some(identity) = store.get(IDENTITY_KEY)? {
        let length = identity.len();
        return identity.try_into().map_err(|_| corrupt("an identity of 16 bytes", length));
    }
    // The standard library seeds `RandomState` with random bytes.
    let [high, low] = [(); 2].map(|()| u128::from(RandomState::new().hash_one(IDENTITY_KEY)));
    let identity = (high << 64 | low).to_be_bytes();
    let mut writes = WriteBatch::new();
    writes.put(IDENTITY_KEY, identity);
    store.write(writes)?;
    Ok(identity)
}

/// Writes the file with these nodes; reads them from the previous file where it has them.
fn write_revision_file(
    store: &impl ReadStore,
    mut ids: Vec<u64>,
    params: &CachedAvlParams,
    origin: FileOrigin,
    stop: &AtomicBool,
) -> Result<()> {
    ids.sort_unstable_by(|a, b| b.cmp(a));
    let mut before = RevisionFile::open(&params.file, &params.state, &origin.identity, origin.end);
    let mut nodes = DescendingReader::new(store, before.as_mut());
    let mut file = RevisionFileWriter::begin(&params.file, origin)?;
    for id in ids {
        if stop.load(Ordering::Relaxed) {
            return Ok(());
        }
        file.add(id, &nodes.read(id)?)?;
    }
    drop(before);
    file.finish()
}
