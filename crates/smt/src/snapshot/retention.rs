//! The retention of blocks and of the files that they need.

use alloc::collections::BTreeSet;

use prooflight_core::Result;

use super::check::last_of;
use super::files::Files;
use super::manifest::Manifest;
use crate::tree::{Node, Tree};

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
pub(super) struct Collector {
    used: Option<Used>,
}

/// The files that contain leaves of a block's tree.
///
/// Every node has the height of one of the leaves below it, so a tree has nodes in no other files.
/// A file that a block's tree does not use is not used by any newer tree.
#[derive(Debug)]
struct Used {
    height: u64,
    files: BTreeSet<u64>,
}

/// Files written between two scans of the whole tree.
const FILES_BETWEEN: u64 = 64;

impl Collector {
    /// Continues collecting after a block was written; `tree` is the tree after that block.
    pub(super) fn collect(
        &mut self,
        retention: Retention,
        manifest: &Manifest,
        tree: &Tree,
        files: &Files,
    ) -> Result<()> {
        if retention == Retention::All {
            return Ok(());
        }
        if let Some(used) = self.used.take_if(|used| used.height <= manifest.oldest) {
            used.remove_others(files, manifest)?;
        }
        let number = manifest.newest / manifest.blocks_per_file;
        if self.used.is_none() && number.is_multiple_of(FILES_BETWEEN) {
            self.used = Some(Used::by(tree, manifest));
        }
        Ok(())
    }
}

impl Used {
    /// Returns the files that the newest block uses.
    fn by(tree: &Tree, manifest: &Manifest) -> Self {
        let mut files = BTreeSet::new();
        tree.visit(0, |node| {
            if let Node::Leaf { height, .. } = node {
                files.insert(manifest.last_of_group(height));
            }
        });
        Self { height: manifest.newest, files }
    }

    /// Removes the older unused files.
    fn remove_others(&self, files: &Files, manifest: &Manifest) -> Result<()> {
        let own = manifest.last_of_group(self.height);
        for name in files.list()?.into_keys() {
            match last_of(&name) {
                Some(last) if last < own && !self.files.contains(&last) => files.remove(&name)?,
                _ => {}
            }
        }
        Ok(())
    }
}
