//! The branches of a snapshot file, in the order in which a way down needs few pages.
//!
//! The branches that a file has form the top of a tree: whatever is above a changed node has changed.
//! It is cut into clusters of [`LEVELS`] levels. A cluster's branches lie together, its top one first; the
//! last cluster begins with the root.

use alloc::vec::Vec;

use super::header::BRANCH_BYTES;
use super::link::{Link, Place};
use crate::hash::Hash;
use crate::prover::tree::{Child, Kind};

/// So that a cluster, of at most 31 branches, has less than a page of 4 KiB.
pub(super) const LEVELS: usize = 5;

/// Set in the word of a child in the same cluster, whose place counts from the cluster's begin.
const IN_CLUSTER: u64 = 1 << 11;
const PLACE_AT: u32 = 12;

/// Takes the nodes of a visit, in its order, and gives the bytes of the branches.
#[derive(Debug)]
pub(super) struct Branches {
    first: u64,
    last: u64,
    /// Written before, and in the file before these bytes.
    parts: Vec<Vec<u8>>,
    bytes: Vec<u8>,
    count: u64,
    /// The cluster under way on each band of levels; the way down goes through one on each.
    clusters: Vec<Vec<[u8; BRANCH_BYTES]>>,
    /// The branches on the way down.
    open: Vec<Open>,
    root: Option<Link>,
}

/// A hash and a word.
const CHILD_BYTES: usize = BRANCH_BYTES / 2;
/// Where the words of a branch are.
const WORDS_AT: [usize; 2] = [32, CHILD_BYTES + 32];

/// A branch below which not all is visited.
#[derive(Debug)]
struct Open {
    band: usize,
    at: usize,
    /// The side that the next visited node is on.
    side: usize,
    /// Whether the right side is still to come after it.
    right_too: bool,
}

impl Branches {
    /// The branches that changed in these blocks.
    ///
    /// `bytes` is empty memory to write into.
    pub(super) fn new(first: u64, last: u64, bytes: Vec<u8>) -> Self {
        let (parts, clusters, open) = (Vec::new(), Vec::new(), Vec::new());
        Self { first, last, parts, bytes, count: 0, clusters, open, root: None }
    }

    /// Puts branches before those that are still to be visited.
    pub(super) fn push_part(&mut self, part: Vec<u8>) {
        debug_assert!(self.bytes.is_empty());
        self.count += (part.len() / BRANCH_BYTES) as u64;
        self.parts.push(part);
    }

    /// The next node of the visit is a branch.
    pub(super) fn branch(&mut self, depth: u8, left: Child<'_>, right: Child<'_>) {
        self.root_is(Kind::Branch, left.version.max(right.version));
        let band = self.open.len() / LEVELS;
        if self.clusters.len() == band {
            self.clusters.push(Vec::new());
        }
        let visited = [left.version >= self.first, right.version >= self.first];
        let mut bytes = [0; BRANCH_BYTES];
        for (side, child) in [left, right].into_iter().enumerate() {
            let word = self.link(child.kind, child.version).pack(depth);
            put_child(&mut bytes, side, child.hash, word);
        }
        let at = self.clusters[band].len();
        self.clusters[band].push(bytes);
        self.open.push(Open {
            band,
            at,
            side: usize::from(!visited[0]),
            right_too: visited == [true, true],
        });
    }

    /// The next node of the visit is in its place: a leaf, whose record begins there in the file, or a
    /// branch of a part with this number, below which no more is visited.
    pub(super) fn placed(&mut self, kind: Kind, version: u64, at: u64) {
        self.root_is(kind, version);
        self.visited(at, false);
    }

    /// The number of branches, their bytes, and the root, if any node was visited.
    pub(super) fn finish(mut self) -> (u64, Vec<Vec<u8>>, Option<Link>) {
        debug_assert!(self.open.is_empty());
        self.parts.push(self.bytes);
        (self.count, self.parts, self.root)
    }

    fn root_is(&mut self, kind: Kind, version: u64) {
        if self.open.is_empty() {
            self.root = Some(self.link(kind, version));
        }
    }

    /// A link to a node whose place is not known yet if it is here.
    fn link(&self, kind: Kind, version: u64) -> Link {
        let place = if version < self.first {
            Place::There { version }
        } else {
            Place::Here { age: self.last - version, at: 0 }
        };
        Link { kind, place }
    }

    /// All of a subtree was visited: its place goes into the word that its parent has for it.
    fn visited(&mut self, mut at: u64, mut in_cluster: bool) {
        while let Some(parent) = self.open.last_mut() {
            let branch = &mut self.clusters[parent.band][parent.at];
            let mark = if in_cluster { IN_CLUSTER } else { 0 };
            change_word(branch, parent.side, |word| word | at << PLACE_AT | mark);
            if parent.right_too {
                (parent.side, parent.right_too) = (1, false);
                return;
            }
            let (band, parent_at) = (parent.band, parent.at);
            self.open.pop();
            in_cluster = parent_at > 0;
            at = if in_cluster { parent_at as u64 } else { self.write_cluster(band) };
        }
        if let Some(Link { place: Place::Here { at: root, .. }, .. }) = &mut self.root {
            *root = at;
        }
    }

    /// Writes a cluster; gives the place of its top branch.
    fn write_cluster(&mut self, band: usize) -> u64 {
        let base = self.count;
        let cluster = &mut self.clusters[band];
        for branch in cluster.iter_mut() {
            for side in 0..2 {
                change_word(branch, side, |word| match word & IN_CLUSTER {
                    0 => word,
                    _ => (word & !IN_CLUSTER) + (base << PLACE_AT),
                });
            }
        }
        self.bytes.extend_from_slice(cluster.as_flattened());
        self.count += cluster.len() as u64;
        cluster.clear();
        base
    }
}

/// Writes what a branch has of one child.
pub(super) fn put_child(branch: &mut [u8; BRANCH_BYTES], side: usize, hash: &Hash, word: u64) {
    let child = &mut branch[side * CHILD_BYTES..][..CHILD_BYTES];
    child[..32].copy_from_slice(hash);
    child[32..].copy_from_slice(&word.to_le_bytes());
}

fn change_word(branch: &mut [u8; BRANCH_BYTES], side: usize, change: impl FnOnce(u64) -> u64) {
    if let Some(word) = branch[WORDS_AT[side]..].first_chunk_mut() {
        *word = change(u64::from_le_bytes(*word)).to_le_bytes();
    }
}
