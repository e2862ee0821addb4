//! Iterates over the leaves of a block's tree, subtree by subtree.

use alloc::vec;
use alloc::vec::Vec;

use prooflight_core::{Error, Result};
use rayon::prelude::*;

use super::nodes::{NodeContent, NodeReader};
use super::subtree::{LeafEntry, PendingSubtree};
use crate::snapshot::files::SnapshotFiles;
use crate::snapshot::format::NodeRef;

/// Reads a tree; a local folder is read on rayon's current pool. Ends early at a node that cannot
/// be read, and keeps the error.
pub(crate) struct TreeLeaves {
    /// One reader per thread, so that threads do not wait for each other.
    readers: Vec<NodeReader>,
    subtrees: vec::IntoIter<PendingSubtree>,
    /// Leaves that were read but not yet returned.
    read: vec::IntoIter<Vec<LeafEntry>>,
    next: vec::IntoIter<LeafEntry>,
    pub(crate) error: Option<Error>,
}

/// Branches above this depth are read first.
const SUBTREE_DEPTH: u8 = 8;

/// Subtrees below that depth that a thread reads before it waits for the others.
const SUBTREES_PER_THREAD: usize = 4;

impl TreeLeaves {
    pub(crate) fn new(
        files: &SnapshotFiles,
        blocks_per_file: u64,
        cache_bytes: u64,
        root: Option<NodeRef>,
    ) -> Result<Self> {
        // Other stores may work only on the caller's thread.
        let threads = if files.is_local() { rayon::current_num_threads() } else { 1 };
        let cache_bytes = cache_bytes / threads as u64;
        let reader = || NodeReader::new(files.clone(), blocks_per_file, cache_bytes);
        let readers: Vec<NodeReader> = core::iter::repeat_with(reader).take(threads).collect();
        let root = root.map(|node| PendingSubtree { node, parent: None, prefix: [0; 32] });
        let mut pending: Vec<PendingSubtree> = root.into_iter().collect();
        let mut subtrees = Vec::new();
        while let Some(subtree) = pending.pop() {
            match subtree.open(&readers[0])? {
                NodeContent::Branch { depth, children } if depth < SUBTREE_DEPTH => {
                    pending.extend(subtree.children(depth, children));
                }
                _ => subtrees.push(subtree),
            }
        }
        let (subtrees, read) = (subtrees.into_iter(), Vec::new().into_iter());
        Ok(Self { readers, subtrees, read, next: Vec::new().into_iter(), error: None })
    }
}

impl Iterator for TreeLeaves {
    type Item = LeafEntry;

    fn next(&mut self) -> Option<LeafEntry> {
        loop {
            if let Some(leaf) = self.next.next() {
                return Some(leaf);
            }
            if let Some(leaves) = self.read.next() {
                self.next = leaves.into_iter();
                continue;
            }
            let count = self.readers.len() * SUBTREES_PER_THREAD;
            let next: Vec<PendingSubtree> = self.subtrees.by_ref().take(count).collect();
            if next.is_empty() {
                return None;
            }
            let read = |(nodes, subtrees): (&NodeReader, &[PendingSubtree])| {
                let mut leaves = Vec::new();
                subtrees.iter().try_for_each(|it| it.leaves(nodes, &mut leaves)).map(|()| leaves)
            };
            let read: Result<Vec<_>> = match self.readers.as_slice() {
                [nodes] => read((nodes, &next)).map(|leaves| vec![leaves]),
                readers => {
                    readers.par_iter().zip(next.par_chunks(SUBTREES_PER_THREAD)).map(read).collect()
                }
            };
            match read {
                Ok(read) => self.read = read.into_iter(),
                Err(error) => {
                    self.error = Some(error);
                    self.subtrees = Vec::new().into_iter();
                    return None;
                }
            }
        }
    }
}
