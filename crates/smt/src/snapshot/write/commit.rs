//! Commits prepared blocks: adds them to the tree, and writes their files immediately or on another thread while
//! the next block is prepared.

use prooflight_core::store::RawKeyChange;
use prooflight_core::{Hash, Result};

use super::background_write::{BackgroundWrite, write_file};
use super::group::{BlockGroup, FinishedFile};
use super::writer::{PreparedBlock, SnapshotWriter};
use crate::snapshot::format::manifest::{Manifest, last_of_group};

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

    /// Prepares and commits a block.
    pub fn apply(&mut self, height: u64, changes: &[RawKeyChange<'_>]) -> Result<Hash> {
        let prepared = self.prepare(height, changes)?;
        self.commit(prepared)
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
            self.nodes.files().write_manifest(&manifest)?;
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

    /// Adds a prepared block to the tree, and makes its file ready if it is the last block of its file.
    fn adopt(&mut self, prepared: PreparedBlock) -> Result<Hash> {
        let PreparedBlock { height, root, new } = prepared;
        let Some((prepared, records)) = new else { return Ok(root) };
        self.publish()?;
        self.tree.commit(&prepared)?;
        let mut group = self.group.take().unwrap_or_else(|| BlockGroup::new(height));
        let branches = group.push(records, root);
        let last = last_of_group(height, self.options.blocks_per_file);
        if height < last {
            self.group = Some(group);
            return Ok(root);
        }
        let branches = branches.unwrap_or_else(|| group.branches(&self.tree, last));
        let previous = self.manifest.map_or(0, |manifest| manifest.newest_header);
        let finished = group.finish(last, branches, self.root, previous)?;
        self.root = finished.root;
        self.ready = Some(finished);
        Ok(root)
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
