//! The tree of a chain: the newest state in memory, every block in snapshot files.

use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

use prooflight_core::statement::Statement;
use prooflight_core::store::{
    Prepared, RawKeyChange, StateProof, StateReader, StateStore, WriteBatch,
};
use prooflight_core::{Error, Hash, Reason, Result, Scheme};

use super::files::{FileDamage, SnapshotFiles};
use super::read::{HistoryProof, LinkReport, SnapshotReader};
use super::write::{PreparedBlock, Retention, SnapshotWriter, WriterOptions};

/// The tree of a chain.
///
/// A block's file is written when the block is committed, after the block itself has been stored.
/// If a crash prevents that, the file is written when the block is prepared and committed again.
#[derive(Debug)]
pub struct SmtState {
    writer: SnapshotWriter,
    reader: Arc<SmtReader>,
}

/// How the files of a chain are stored.
pub struct SmtParams {
    /// Options of the writer.
    pub options: WriterOptions,
    /// Approximate bytes of the files to cache in memory for proofs.
    pub cache_bytes: u64,
    /// Returns the root after a block, or `None` if the chain does not have the block: see
    /// [`SnapshotWriter::open_for`].
    pub root_of: Box<dyn Fn(u64) -> Result<Option<Hash>>>,
    /// Called for each damaged file; the file will be written again.
    pub on_damage: fn(&FileDamage),
}

impl fmt::Debug for SmtParams {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SmtParams").field("options", &self.options).finish_non_exhaustive()
    }
}

impl StateStore for SmtState {
    type Source = SnapshotFiles;
    type Params = SmtParams;
    type Next = PreparedBlock;
    type Reader = Arc<SmtReader>;

    /// `store_corrupt`, with nothing written, if the root of a file differs from that of the
    /// chain's block.
    fn open(source: SnapshotFiles, params: SmtParams) -> Result<Self> {
        let SmtParams { options, cache_bytes, root_of, on_damage: damaged } = params;
        let (writer, damage) = SnapshotWriter::open_for(source.clone(), options, root_of)?;
        damage.iter().for_each(damaged);
        Ok(Self { writer, reader: Arc::new(SmtReader::new(source, cache_bytes)) })
    }

    fn height(&self) -> Option<u64> {
        self.writer.newest()
    }

    fn root(&self) -> Vec<u8> {
        self.writer.root().to_vec()
    }

    fn prepare(&self, changes: &[RawKeyChange<'_>]) -> Result<Prepared<PreparedBlock>> {
        let height = self.height().map_or(0, |height| height + 1);
        let next = self.writer.prepare(height, changes)?;
        let root = next.root().to_vec();
        Ok(Prepared { root, writes: WriteBatch::new(), transition: None, next })
    }

    fn commit(&mut self, next: PreparedBlock) -> Result<()> {
        self.writer.commit(next).map(|_| ())
    }

    /// Takes effect with the next file; from then on, the number of kept blocks stays as it is now.
    fn prune(&mut self, oldest: u64) -> Result<()> {
        if let Some(kept) = self.height().and_then(|height| (height + 1).checked_sub(oldest)) {
            self.writer.set_retention(Retention::Last(kept));
        }
        Ok(())
    }

    /// Publishes the intact blocks first, so that readers see them even if the manifest was
    /// damaged.
    fn reader(&mut self) -> Result<Arc<SmtReader>> {
        self.writer.publish()?;
        Ok(self.reader.clone())
    }
}

/// Proves the tree of a chain from its files, which must exist from the first block on.
///
/// Another process may be writing them. Calls block the thread; see [`SnapshotFiles`].
#[derive(Debug)]
pub struct SmtReader {
    files: SnapshotFiles,
    cache_bytes: u64,
    reader: Mutex<Option<Arc<SnapshotReader>>>,
}

impl SmtReader {
    /// Proves from these files; `cache_bytes` is the approximate size of the cache in memory.
    pub fn new(files: SnapshotFiles, cache_bytes: u64) -> Self {
        Self { files, cache_bytes, reader: Mutex::default() }
    }

    /// Returns the newest block in the files; `version_unavailable` if there is none yet.
    pub fn newest(&self) -> Result<u64> {
        Ok(self.snapshot_reader()?.refresh()?.newest)
    }

    /// Returns the newest block that was read last; `version_unavailable` if none was read yet. Reads
    /// nothing.
    pub fn last_seen(&self) -> Result<u64> {
        let newest = self.lock().as_ref().map(|reader| reader.kept_blocks().newest);
        newest.ok_or_else(|| Error::new(Reason::VersionUnavailable, "a snapshot", "none read yet"))
    }

    /// See [`SnapshotReader::check_links`].
    pub fn check_links(&self, last: u64) -> Result<LinkReport> {
        self.snapshot_reader()?.check_links(last)
    }

    fn snapshot_reader(&self) -> Result<Arc<SnapshotReader>> {
        if let Some(reader) = &*self.lock() {
            return Ok(reader.clone());
        }
        // Without the lock: a bucket may take long to answer.
        let reader = Arc::new(SnapshotReader::open(self.files.clone(), self.cache_bytes)?);
        Ok(self.lock().get_or_insert(reader).clone())
    }

    fn lock(&self) -> MutexGuard<'_, Option<Arc<SnapshotReader>>> {
        self.reader.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl StateReader for SmtReader {
    fn prove(&self, statement: &Statement<'_>) -> Result<StateProof> {
        match *statement {
            Statement::Keys { height, keys } => {
                let proved = self.snapshot_reader()?.prove(height, keys)?;
                Ok(StateProof::at(height, proved.root, proved.proof))
            }
            Statement::History { key, from, to } => {
                let HistoryProof { roots, proof } =
                    self.snapshot_reader()?.history(key, from, to)?;
                let roots =
                    roots.into_iter().map(|(height, root)| (height, root.to_vec())).collect();
                Ok(StateProof { roots, proof })
            }
            Statement::Diff { from, to } => {
                let proved = self.snapshot_reader()?.diff(from, to)?;
                Ok(StateProof::at(to, proved.root, proved.proof))
            }
            Statement::Account { .. } | Statement::Range { .. } | Statement::Count { .. } => {
                Err(statement.unknown_to(Scheme::Smt))
            }
        }
    }
}
