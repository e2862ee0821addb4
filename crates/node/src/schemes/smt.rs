//! The sparse Merkle tree with versions: its newest state in memory, all blocks in snapshot files.

use std::sync::{Arc, Mutex, PoisonError};

use prooflight_core::chain::{SignedHeader, StateOperation};
use prooflight_core::store::WriteBatch;
use prooflight_core::{Hash, Result, Scheme};
use prooflight_smt::snapshot::{Files, Options, Record, Retention, SnapshotReader, SnapshotWriter};

use super::{
    Changes, NormalBlock, Place, Prepared, ProvedRange, SchemeProver, SchemeStore, other_changes,
};
use crate::block;
use crate::store::{EmbeddedSnapshot, EmbeddedStore};

/// The folder of the snapshot files, in that of the chain.
pub const SNAPSHOTS: &str = "snapshots";

/// Pages of snapshot files that are kept in memory for proofs.
pub const CACHE_BYTES: u64 = 64 << 20;

/// The tree of a chain. A block's file is written once the block itself is in the store; a file that a
/// crash left out is written when the chain is opened again.
#[derive(Debug)]
pub struct SmtScheme {
    writer: SnapshotWriter,
    proofs: Arc<SmtProofs>,
}

impl SmtScheme {
    /// Opens the files, or begins without any; those that are damaged are named in the log, and made
    /// again from the blocks.
    ///
    /// `store_corrupt`, with nothing written, if a file has another root than the header in `store`.
    pub fn open(store: &EmbeddedStore, place: Place<'_>) -> Result<Self> {
        let files = Files::local(&place.folder.join(SNAPSHOTS))?;
        let blocks_per_file = place.options.blocks_per_file;
        let options = Options { blocks_per_file, retention: Retention::All };
        let root_of = |block| Ok(block::read_header(store, block)?.as_ref().and_then(root_in));
        let (writer, damage) = SnapshotWriter::open_for(files.clone(), options, root_of)?;
        for damage in damage {
            tracing::warn!(file = damage.file, error = %damage.error, "snapshot file made again");
        }
        Ok(Self { writer, proofs: Arc::new(SmtProofs::new(files)) })
    }
}

impl SchemeStore for SmtScheme {
    fn scheme(&self) -> Scheme {
        Scheme::Smt
    }

    fn height(&self) -> Option<u64> {
        self.writer.newest()
    }

    fn root(&self) -> Vec<u8> {
        self.writer.root().to_vec()
    }

    fn prepare<'a>(&self, block: &'a NormalBlock) -> Result<Prepared<'a>> {
        let height = self.height().map_or(0, |height| height + 1);
        let records: Vec<_> = block.operations().iter().map(record).collect();
        let prepared = self.writer.prepare(height, &records)?;
        Ok(Prepared {
            root: prepared.root().to_vec(),
            transition: None,
            writes: WriteBatch::new(),
            changes: Changes::Smt(prepared),
        })
    }

    fn commit(&mut self, prepared: Prepared<'_>) -> Result<()> {
        let Changes::Smt(block) = prepared.changes else { return Err(other_changes()) };
        self.writer.commit(block).map(|_| ())
    }

    /// Readers see what the files have, also where the manifest was damaged.
    fn opened(&mut self) -> Result<()> {
        self.writer.publish()
    }

    /// Takes effect with the next file; from then on as many blocks are kept as now.
    fn prune(&mut self, oldest: u64) -> Result<()> {
        if let Some(kept) = self.height().and_then(|height| (height + 1).checked_sub(oldest)) {
            self.writer.set_retention(Retention::Last(kept));
        }
        Ok(())
    }

    fn prover(&self) -> Arc<dyn SchemeProver> {
        self.proofs.clone()
    }
}

fn root_in(header: &SignedHeader) -> Option<Hash> {
    header.header.root(Scheme::Smt)?.try_into().ok()
}

fn record(operation: &StateOperation) -> Record<'_> {
    match operation {
        StateOperation::Set { key, value } => Record { key, value: Some(value) },
        StateOperation::Delete { key } => Record { key, value: None },
    }
}

/// Proofs from the files, which are there from the first block on.
///
/// Reading them blocks, and is not for tasks: see [`blocking`](crate::blocking).
#[derive(Debug)]
pub struct SmtProofs {
    files: Files,
    reader: Mutex<Option<Arc<SnapshotReader>>>,
}

impl SmtProofs {
    /// Proofs from files that another process may be writing.
    pub fn new(files: Files) -> Self {
        Self { files, reader: Mutex::default() }
    }

    /// The reader of the files; `version_unavailable` before there is one.
    pub fn reader(&self) -> Result<Arc<SnapshotReader>> {
        let mut reader = self.reader.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(reader) = &*reader {
            return Ok(reader.clone());
        }
        let opened = Arc::new(SnapshotReader::open(self.files.clone(), CACHE_BYTES)?);
        *reader = Some(opened.clone());
        Ok(opened)
    }

    /// The newest block that the files have now.
    pub fn newest(&self) -> Result<u64> {
        Ok(self.reader()?.refresh()?.newest)
    }
}

impl SchemeProver for SmtProofs {
    fn prove(
        &self,
        _: &EmbeddedSnapshot,
        height: u64,
        keys: &[&[u8]],
    ) -> Result<(Vec<u8>, Vec<u8>)> {
        let proved = self.reader()?.prove(height, keys)?;
        Ok((proved.root.to_vec(), proved.proof))
    }

    fn history(&self, key: &[u8], from: u64, to: u64) -> Result<ProvedRange> {
        let proved = self.reader()?.history(key, from, to)?;
        Ok(ProvedRange { roots: proved.roots, proof: proved.proof })
    }

    fn diff(&self, after: Option<u64>, to: u64) -> Result<ProvedRange> {
        let proved = self.reader()?.diff(after, to)?;
        Ok(ProvedRange { roots: vec![(to, proved.root)], proof: proved.proof })
    }
}
