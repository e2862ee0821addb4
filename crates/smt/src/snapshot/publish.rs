//! From a block that the tree has to its file: at once, or on another thread while the next block is prepared.

use std::thread::{self, JoinHandle};

use prooflight_core::{Error, Hash, Reason, Result};

use super::files::{Files, file_name};
use super::group::Finished;
use super::manifest::Manifest;
use super::writer::{PreparedBlock, SnapshotWriter};

impl SnapshotWriter {
    /// Takes over a prepared block, and writes its file if it is the last block of one; gives the root.
    ///
    /// When this returns, the file is durable and readers see it. If it fails with `store_failed`, the
    /// tree has the block, and [`publish`](Self::publish) tries again to write the file.
    /// `invalid_argument` if another block was committed since it was prepared.
    pub fn commit(&mut self, prepared: PreparedBlock) -> Result<Hash> {
        let root = self.take_over(prepared)?;
        self.publish()?;
        Ok(root)
    }

    /// The same, but another thread writes the file meanwhile: it is durable, and readers see it, only when
    /// the next call of [`publish`](Self::publish), or of this or [`commit`](Self::commit), has returned.
    ///
    /// For many blocks in a row. What could not be written fails that next call. Only a local folder
    /// is written by another thread.
    pub fn commit_in_background(&mut self, prepared: PreparedBlock) -> Result<Hash> {
        let root = self.take_over(prepared)?;
        if !self.nodes.files().is_local() {
            self.publish()?;
        } else if let Some(file) = &self.ready {
            let manifest = self.manifest_with(file);
            self.writing = Writing::start(self.nodes.files().clone(), file.clone(), manifest);
        }
        Ok(root)
    }

    /// Waits for the file that is being written, and writes one that an earlier call could not write.
    ///
    /// After opening, writes the manifest if it names other blocks than those that are intact: readers see
    /// these without waiting for the next one.
    pub fn publish(&mut self) -> Result<()> {
        let begun = self.writing.take();
        if let Some(manifest) = self.manifest.filter(|_| self.is_manifest_stale) {
            manifest.write(self.nodes.files())?;
            self.is_manifest_stale = false;
        }
        let Some(file) = &self.ready else { return Ok(()) };
        let manifest = match begun {
            Some(writing) => writing.wait()?,
            None => write(self.nodes.files(), file, self.manifest_with(file))?,
        };
        self.manifest = Some(manifest);
        self.spare.keep(self.ready.take());
        self.collector.collect(self.options.retention, &manifest, &self.tree, self.nodes.files())
    }

    /// The manifest once a file is written.
    fn manifest_with(&self, file: &Finished) -> Manifest {
        let oldest = self.manifest.map_or(file.first, |manifest| manifest.oldest);
        Manifest {
            blocks_per_file: self.options.blocks_per_file,
            oldest: self.options.retention.oldest(oldest, file.last),
            newest: file.last,
            newest_header: file.checksum,
        }
    }
}

/// A file that another thread is writing. Dropping it waits as well: no one else may write before.
#[derive(Debug)]
pub(super) struct Writing(Option<JoinHandle<Result<Manifest>>>);

impl Writing {
    /// Nothing if there is no thread to be had.
    fn start(files: Files, file: Finished, manifest: Manifest) -> Option<Self> {
        let work = move || write(&files, &file, manifest);
        thread::Builder::new().spawn(work).ok().map(|thread| Self(Some(thread)))
    }

    fn wait(mut self) -> Result<Manifest> {
        self.0.take().and_then(|thread| thread.join().ok()).unwrap_or_else(|| {
            Err(Error::new(
                Reason::StoreFailed,
                "a thread that writes the file",
                "one that panicked",
            ))
        })
    }
}

impl Drop for Writing {
    fn drop(&mut self) {
        if let Some(thread) = self.0.take() {
            let _ = thread.join();
        }
    }
}

/// Writes a file, and once it is durable the manifest that names it.
fn write(files: &Files, file: &Finished, manifest: Manifest) -> Result<Manifest> {
    files.write(&file_name(file.last), file.payload.clone())?;
    manifest.write(files)?;
    Ok(manifest)
}
