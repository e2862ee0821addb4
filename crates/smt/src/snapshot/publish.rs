//! Writes the file of a committed block: immediately, or on another thread while the next block is
//! prepared.

use std::thread::{self, JoinHandle};

use prooflight_core::{Error, Hash, Reason, Result};

use super::files::{SnapshotFiles, file_name};
use super::group::FinishedFile;
use super::manifest::Manifest;
use super::writer::{PreparedBlock, SnapshotWriter};

impl SnapshotWriter {
    /// Commits a prepared block. If the block is the last one of its file, writes the file. Returns
    /// the root.
    ///
    /// On return, the file is durable and visible to readers. On `store_failed`, the block is in
    /// the tree, and [`publish`](Self::publish) retries writing the file. `invalid_argument` if
    /// another block was committed since this one was prepared.
    pub fn commit(&mut self, prepared: PreparedBlock) -> Result<Hash> {
        let root = self.adopt(prepared)?;
        self.publish()?;
        Ok(root)
    }

    /// Like [`commit`](Self::commit), but another thread writes the file: it is durable and visible
    /// to readers only once the next call of [`publish`](Self::publish), of this or of
    /// [`commit`](Self::commit) has returned.
    ///
    /// Use it for many consecutive blocks. If the write fails, that next call fails. Only a local
    /// folder is written on another thread.
    pub fn commit_in_background(&mut self, prepared: PreparedBlock) -> Result<Hash> {
        let root = self.adopt(prepared)?;
        if !self.nodes.files().is_local() {
            self.publish()?;
        } else if let Some(file) = &self.ready {
            let manifest = self.manifest_with(file);
            self.writing =
                BackgroundWrite::start(self.nodes.files().clone(), file.clone(), manifest);
        }
        Ok(root)
    }

    /// Waits for the file being written, and writes a file that an earlier call could not write.
    ///
    /// After opening, also writes the manifest if it does not match the intact blocks, so that
    /// readers see these without waiting for the next block.
    pub fn publish(&mut self) -> Result<()> {
        let begun = self.writing.take();
        if let Some(manifest) = self.manifest.filter(|_| self.is_manifest_stale) {
            manifest.write(self.nodes.files())?;
            self.is_manifest_stale = false;
        }
        let Some(file) = &self.ready else { return Ok(()) };
        let manifest = match begun {
            Some(writing) => writing.wait()?,
            None => write_file(self.nodes.files(), file, self.manifest_with(file))?,
        };
        self.manifest = Some(manifest);
        self.spare.put_back(self.ready.take());
        self.collector.collect(self.options.retention, &manifest, &self.tree, self.nodes.files())
    }

    /// Returns the manifest to publish once a file is written.
    fn manifest_with(&self, file: &FinishedFile) -> Manifest {
        let oldest = self.manifest.map_or(file.first, |manifest| manifest.oldest);
        Manifest {
            blocks_per_file: self.options.blocks_per_file,
            oldest: self.options.retention.oldest(oldest, file.last),
            newest: file.last,
            newest_header: file.checksum,
        }
    }
}

/// A file being written on another thread. Dropping it waits for the write, since writes must not
/// overlap.
#[derive(Debug)]
pub(super) struct BackgroundWrite(Option<JoinHandle<Result<Manifest>>>);

impl BackgroundWrite {
    /// Returns `None` if no thread can be started.
    fn start(files: SnapshotFiles, file: FinishedFile, manifest: Manifest) -> Option<Self> {
        let work = move || write_file(&files, &file, manifest);
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

impl Drop for BackgroundWrite {
    fn drop(&mut self) {
        if let Some(thread) = self.0.take() {
            let _ = thread.join();
        }
    }
}

/// Writes a file, then, once it is durable, the manifest that names it.
fn write_file(files: &SnapshotFiles, file: &FinishedFile, manifest: Manifest) -> Result<Manifest> {
    files.write(&file_name(file.last), file.payload.clone())?;
    manifest.write(files)?;
    Ok(manifest)
}
