//! Iterates over the leaves of a block's tree, subtree by subtree.

use alloc::vec;
use alloc::vec::Vec;

use prooflight_core::{Error, Result};
use rayon::prelude::*;

use super::files::Files;
use super::nodes::{NodeRef, Nodes, Opened};
use super::subtree::{Leaf, Subtree};

/// Reads a tree; a local folder is read on rayon's current pool. Ends early at a node that cannot
/// be read, and keeps the error.
pub(super) struct Leaves {
    /// One reader per thread, so that threads do not wait for each other.
    readers: Vec<Nodes>,
    subtrees: vec::IntoIter<Subtree>,
    /// Leaves that were read but not yet returned.
    read: vec::IntoIter<Vec<Leaf>>,
    next: vec::IntoIter<Leaf>,
    pub(super) error: Option<Error>,
}

/// Branches above this depth are read first.
const DEPTH: u8 = 8;

/// Subtrees below that depth that a thread reads before it waits for the others.
const AT_ONCE: usize = 4;

impl Leaves {
    pub(super) fn new(
        files: &Files,
        blocks_per_file: u64,
        cache_bytes: u64,
        root: Option<NodeRef>,
    ) -> Result<Self> {
        // Other stores may work only on the caller's thread.
        let threads = if files.is_local() { rayon::current_num_threads() } else { 1 };
        let cache_bytes = cache_bytes / threads as u64;
        let reader = || Nodes::new(files.clone(), blocks_per_file, cache_bytes);
        let readers: Vec<Nodes> = core::iter::repeat_with(reader).take(threads).collect();
        let root = root.map(|node| Subtree { node, parent: None, prefix: [0; 32] });
        let mut pending: Vec<Subtree> = root.into_iter().collect();
        let mut subtrees = Vec::new();
        while let Some(subtree) = pending.pop() {
            match subtree.open(&readers[0])? {
                Opened::Branch { depth, children } if depth < DEPTH => {
                    pending.extend(subtree.children(depth, children));
                }
                _ => subtrees.push(subtree),
            }
        }
        let (subtrees, read) = (subtrees.into_iter(), Vec::new().into_iter());
        Ok(Self { readers, subtrees, read, next: Vec::new().into_iter(), error: None })
    }
}

impl Iterator for Leaves {
    type Item = Leaf;

    fn next(&mut self) -> Option<Leaf> {
        loop {
            if let Some(leaf) = self.next.next() {
                return Some(leaf);
            }
            if let Some(leaves) = self.read.next() {
                self.next = leaves.into_iter();
                continue;
            }
            let count = self.readers.len() * AT_ONCE;
            let next: Vec<Subtree> = self.subtrees.by_ref().take(count).collect();
            if next.is_empty() {
                return None;
            }
            let read = |(nodes, subtrees): (&Nodes, &[Subtree])| {
                let mut leaves = Vec::new();
                subtrees.iter().try_for_each(|it| it.leaves(nodes, &mut leaves)).map(|()| leaves)
            };
            let read: Result<Vec<_>> = match self.readers.as_slice() {
                [nodes] => read((nodes, &next)).map(|leaves| vec![leaves]),
                readers => readers.par_iter().zip(next.par_chunks(AT_ONCE)).map(read).collect(),
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
