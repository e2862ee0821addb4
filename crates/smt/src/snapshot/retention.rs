//! Which blocks are kept, and which files they need.

use alloc::collections::BTreeSet;

use prooflight_core::Result;

use super::check::last_of;
use super::files::Files;
use super::manifest::Manifest;
use crate::tree::{Node, Tree};

/// Which blocks can be proved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Retention {
    /// Every block.
    #[default]
    All,
    /// The newest ones, at least one. A file stays as long as a kept block has a leaf in it.
    Last(u64),
}

impl Retention {
    /// The oldest block that is kept when this one is the newest.
    pub(super) fn oldest(self, oldest: u64, newest: u64) -> u64 {
        match self {
            Self::All => oldest,
            Self::Last(count) => oldest.max((newest + 1).saturating_sub(count.max(1))),
        }
    }
}

/// Removes the files that no kept block needs, some time after.
#[derive(Debug, Default)]
pub(super) struct Collector {
    used: Option<Used>,
}

/// The files that a block's tree has leaves in.
///
/// A node is as old as one of the leaves below it, so that a tree has nodes in no other files; and what a
/// block's tree does not have, no newer one has.
#[derive(Debug)]
struct Used {
    block: u64,
    files: BTreeSet<u64>,
}

/// Going through the whole tree is worth it once in so many files.
const FILES_BETWEEN: u64 = 64;

impl Collector {
    /// Goes on after a block was written, which the tree has.
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
        if let Some(used) = self.used.take_if(|used| used.block <= manifest.oldest) {
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
    /// The files that the newest block uses.
    fn by(tree: &Tree, manifest: &Manifest) -> Self {
        let mut files = BTreeSet::new();
        tree.visit(0, |node| {
            if let Node::Leaf { version, .. } = node {
                files.insert(manifest.last_of_group(version));
            }
        });
        Self { block: manifest.newest, files }
    }

    /// Removes the older files that are not used.
    fn remove_others(&self, files: &Files, manifest: &Manifest) -> Result<()> {
        let own = manifest.last_of_group(self.block);
        for name in files.list()?.into_keys() {
            match last_of(&name) {
                Some(last) if last < own && !self.files.contains(&last) => files.remove(&name)?,
                _ => {}
            }
        }
        Ok(())
    }
}
