//! The retention of blocks and of the files that they need.

use alloc::collections::BTreeSet;

use prooflight_core::Result;

use crate::snapshot::files::SnapshotFiles;
use crate::snapshot::format::last_block;
use crate::snapshot::format::manifest::Manifest;
use crate::tree::{MemoryTree, VisitedNode};

/// The blocks that can be proved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Retention {
    /// Every block.
    #[default]
    All,
    /// The newest blocks; keeps at least one. A file stays as long as a kept block has a leaf in
    /// it.
    Last(u64),
}

impl Retention {
    /// Returns the oldest kept block when `newest` is the newest.
    pub(super) fn oldest(self, oldest: u64, newest: u64) -> u64 {
        match self {
            Self::All => oldest,
            Self::Last(count) => oldest.max((newest + 1).saturating_sub(count.max(1))),
        }
    }
}

/// Removes files that no kept block needs, with some delay.
#[derive(Debug, Default)]
pub(super) struct FileCollector {
    used: Option<UsedFiles>,
}

/// The files that contain leaves of a block's tree.
///
/// Every node has the height of one of the leaves below it, so a tree has nodes in no other files.
/// A file that a block's tree does not use is not used by any newer tree.
#[derive(Debug)]
struct UsedFiles {
    height: u64,
    files: BTreeSet<u64>,
}

/// Files written between two scans of the whole tree.
const FILES_BETWEEN_SCANS: u64 = 64;

impl FileCollector {
    /// Continues collecting after a block was written; `tree` is the tree after that block.
    pub(super) fn collect(
        &mut self,
        retention: Retention,
        manifest: &Manifest,
        tree: &MemoryTree,
        files: &SnapshotFiles,
    ) -> Result<()> {
        if retention == Retention::All {
            return Ok(());
        }
        if let Some(used) = self.used.take_if(|used| used.height <= manifest.oldest) {
            used.remove_unused(files, manifest)?;
        }
        let number = manifest.newest / manifest.blocks_per_file;
        if self.used.is_none() && number.is_multiple_of(FILES_BETWEEN_SCANS) {
            self.used = Some(UsedFiles::of_tree(tree, manifest));
        }
        Ok(())
    }
}

impl UsedFiles {
    /// Returns the files that the newest block uses.
    fn of_tree(tree: &MemoryTree, manifest: &Manifest) -> Self {
        let mut files = BTreeSet::new();
        tree.visit(0, |node| {
            if let VisitedNode::Leaf { height, .. } = node {
                files.insert(manifest.last_of_group(height));
            }
        });
        Self { height: manifest.newest, files }
    }

    /// Removes the older unused files.
    fn remove_unused(&self, files: &SnapshotFiles, manifest: &Manifest) -> Result<()> {
        let own = manifest.last_of_group(self.height);
        for name in files.list()?.into_keys() {
            match last_block(&name) {
                Some(last) if last < own && !self.files.contains(&last) => files.remove(&name)?,
                _ => {}
            }
        }
        Ok(())
    }
}
