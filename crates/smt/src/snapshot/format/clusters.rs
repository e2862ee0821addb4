//! Clusters: neighbouring branches of a file, stored together without the hashes that can be
//! recomputed.
//!
//! The branches in a file form the top of a tree, because every ancestor of a changed node has
//! changed. The tree is cut into clusters, each a branch and its nearest descendants, so that a
//! walk down touches few pages. For a child in the same cluster neither hash nor location is
//! stored: it comes next.

use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;
use std::sync::OnceLock;

use super::header::FileHeader;
use super::link::{FileLink, NodeLocation};
use super::node_ref::{NodePosition, NodeRef};
use crate::hash::{self, LANES, Preimage, hash_nodes};
use crate::tree::{NodeKind, VisitedChild};
use prooflight_core::Hash;

/// Maximum number of branches in a cluster: five full levels.
const MAX_CLUSTER_BRANCHES: usize = 31;
/// Per branch: its depth, and which of its children are in the cluster.
const HEAD_BYTES: usize = 2;
/// Per child outside the cluster: its hash and its link.
const CHILD_BYTES: usize = 40;

/// Bytes of a cluster of n branches: its count and n heads, and n + 1 children outside it.
const fn cluster_bytes(branches: usize) -> usize {
    1 + branches * HEAD_BYTES + (branches + 1) * CHILD_BYTES
}

/// Maximum bytes of a cluster.
pub(crate) const MAX_CLUSTER_BYTES: usize = cluster_bytes(MAX_CLUSTER_BRANCHES);

/// The location of a child of a branch that is being written.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ChildLocation {
    /// In another file.
    OtherFile,
    /// In this file, at this position.
    SameFile(u64),
    /// A branch of the same batch, by its number.
    Branch(usize),
}

/// The assignment of branches to clusters.
///
/// Branches are numbered from 0 in breadth-first order, each level in the order of its parents.
#[derive(Debug)]
pub(crate) struct ClusterLayout {
    /// The cluster of each branch.
    clusters: Vec<usize>,
    /// The number of branches of each cluster.
    sizes: Vec<usize>,
    /// Where each cluster begins.
    starts: Vec<usize>,
    bytes: usize,
}

impl ClusterLayout {
    pub(crate) fn new(branches: usize, parent: impl Fn(usize) -> Option<usize>) -> Self {
        let mut clusters = Vec::with_capacity(branches);
        let mut sizes: Vec<usize> = Vec::new();
        for branch in 0..branches {
            let above = parent(branch).map(|above| clusters[above]);
            let cluster =
                above.filter(|&above| sizes[above] < MAX_CLUSTER_BRANCHES).unwrap_or(sizes.len());
            if cluster == sizes.len() {
                sizes.push(0);
            }
            sizes[cluster] += 1;
            clusters.push(cluster);
        }
        let mut bytes = 0;
        let start = |&size: &usize| {
            let start = bytes;
            bytes += cluster_bytes(size);
            start
        };
        let starts = sizes.iter().map(start).collect();
        Self { clusters, sizes, starts, bytes }
    }

    /// The total size of the clusters in bytes.
    pub(crate) const fn bytes(&self) -> usize {
        self.bytes
    }

    /// Where the cluster of a branch begins.
    pub(crate) fn offset(&self, branch: usize) -> u64 {
        self.starts[self.clusters[branch]] as u64
    }

    /// Appends the clusters. `first` is the position of the first one among the clusters of the
    /// file, `last` the file's last block; `branch` returns depth and children.
    pub(crate) fn write<'c>(
        &self,
        first: u64,
        last: u64,
        branch: impl Fn(usize) -> (u8, [(VisitedChild<'c>, ChildLocation); 2]),
        bytes: &mut Vec<u8>,
    ) {
        let base = bytes.len();
        bytes.resize(base + self.bytes, 0);
        let bytes = &mut bytes[base..];
        for (&start, &size) in self.starts.iter().zip(&self.sizes) {
            let [count, ..] = size.to_le_bytes();
            bytes[start] = count;
        }
        // Where the next head and the next child of each cluster go.
        let mut next: Vec<[usize; 2]> =
            self.starts.iter().zip(&self.sizes).map(section_starts).collect();
        for (number, &cluster) in self.clusters.iter().enumerate() {
            let (depth, children) = branch(number);
            let [head_at, child_at] = &mut next[cluster];
            let mut inside = 0;
            for (side, (child, below)) in children.into_iter().enumerate() {
                let here = |at| NodeLocation::SameFile { age: last - child.height, at };
                let place = match below {
                    ChildLocation::Branch(below) if self.clusters[below] == cluster => {
                        inside |= 1 << side;
                        continue;
                    }
                    ChildLocation::Branch(below) => here(first + self.offset(below)),
                    ChildLocation::SameFile(at) => here(at),
                    ChildLocation::OtherFile => NodeLocation::OtherFile { height: child.height },
                };
                let entry = &mut bytes[*child_at..][..CHILD_BYTES];
                entry[..32].copy_from_slice(child.hash);
                let word = FileLink { kind: child.kind, place }.pack();
                entry[32..].copy_from_slice(&word.to_le_bytes());
                *child_at += CHILD_BYTES;
            }
            bytes[*head_at..][..HEAD_BYTES].copy_from_slice(&[depth, inside]);
            *head_at += HEAD_BYTES;
        }
    }
}

/// Where the heads and the children of a cluster begin.
fn section_starts((start, size): (&usize, &usize)) -> [usize; 2] {
    [start + 1, start + 1 + size * HEAD_BYTES]
}

/// A decoded cluster. Hashes are computed on demand: a walk to a descendant needs none.
#[derive(Debug)]
pub(crate) struct Cluster {
    offset: u64,
    /// Depths and children. Branches inside the cluster come after their parents, in the order of
    /// their parents.
    branches: Box<[(u8, [ClusterChild; 2])]>,
    /// The children that are not in the cluster.
    outside: Box<[NodeRef]>,
    /// The height and hash of each branch.
    hashes: OnceLock<Box<[(u64, Hash)]>>,
}

/// A child of a branch that was read.
#[derive(Clone, Copy, Debug)]
enum ClusterChild {
    /// The branch with this number in the cluster.
    Inside(u8),
    /// The child with this number among those outside.
    Outside(u8),
}

impl Cluster {
    /// Decodes the cluster at `place` from the start of `bytes`; `None` if it is malformed.
    pub(crate) fn read(header: &FileHeader, place: u64, bytes: &[u8]) -> Option<Self> {
        let (&count, rest) =
            bytes.split_first().filter(|&(&it, _)| usize::from(it) <= MAX_CLUSTER_BRANCHES)?;
        let (heads, mut entries) = rest.split_at_checked(usize::from(count) * HEAD_BYTES)?;
        let mut next = 1;
        let mut branches = Vec::with_capacity(count.into());
        let mut outside = Vec::with_capacity(usize::from(count) + 1);
        for (number, &[depth, inside]) in (0..).zip(heads.as_chunks::<HEAD_BYTES>().0) {
            let mut child = |side: usize| {
                if inside >> side & 1 == 1 {
                    next += 1;
                    return (next <= count).then_some(ClusterChild::Inside(next - 1));
                }
                let (entry, rest) = entries.split_first_chunk::<CHILD_BYTES>()?;
                entries = rest;
                let (hash, word) = entry.split_first_chunk::<32>()?;
                let link = FileLink::unpack(u64::from_le_bytes(*word.first_chunk()?))?;
                outside.push(NodeRef::new(header, link, *hash)?);
                u8::try_from(outside.len() - 1).ok().map(ClusterChild::Outside)
            };
            let children = [child(0)?, child(1)?];
            branches.push((depth, children));
            // The next branch must be a child of this one or of an earlier one.
            if inside > 3 || next <= number + 1 && number + 1 < count {
                return None;
            }
        }
        let whole = next == count;
        let (branches, outside) = (branches.into_boxed_slice(), outside.into_boxed_slice());
        whole.then(|| Self { offset: place, branches, outside, hashes: OnceLock::new() })
    }

    /// Its size in memory once its hashes are computed; the overhead of the allocator and the cache is estimated.
    pub(crate) fn memory_bytes(&self) -> u64 {
        let branch = size_of::<(u8, [ClusterChild; 2])>() + size_of::<(u64, Hash)>();
        let own = size_of::<Self>() + self.branches.len() * branch;
        (own + size_of_val(&*self.outside) + 5 * 16 + 64) as u64
    }

    /// Returns where a branch's child on one side is, if it is in the same file, and its kind.
    pub(crate) fn child_position(
        &self,
        number: u8,
        side: usize,
    ) -> Option<(Option<NodePosition>, NodeKind)> {
        let (_, children) = self.branches.get(usize::from(number))?;
        Some(match children[side] {
            ClusterChild::Inside(branch) => {
                (Some(NodePosition { offset: self.offset, branch }), NodeKind::Branch)
            }
            ClusterChild::Outside(number) => {
                let node = self.outside[usize::from(number)];
                (node.at, node.kind)
            }
        })
    }

    /// The depth of a branch.
    pub(crate) fn depth(&self, number: u8) -> Option<u8> {
        self.branches.get(usize::from(number)).map(|(depth, _)| *depth)
    }

    /// Returns a branch by its number in the cluster: its depth, its children, and its hash.
    pub(crate) fn branch(&self, number: u8) -> Option<(u8, [NodeRef; 2], Hash)> {
        let (depth, children) = self.branches.get(usize::from(number))?;
        let hashes = self.hashes.get_or_init(|| self.hash());
        let child = |below: &ClusterChild| match *below {
            ClusterChild::Outside(number) => self.outside[usize::from(number)],
            ClusterChild::Inside(branch) => {
                let (height, hash) = hashes[usize::from(branch)];
                let at = Some(NodePosition { offset: self.offset, branch });
                NodeRef { kind: NodeKind::Branch, height, hash, at }
            }
        };
        Some((*depth, children.each_ref().map(child), hashes[usize::from(number)].1))
    }

    /// Hashes every branch, children first, in batches in which no branch is an ancestor of
    /// another.
    fn hash(&self) -> Box<[(u64, Hash)]> {
        let mut all = vec![(0, [0; 32]); self.branches.len()];
        let mut end = all.len();
        while end > 0 {
            let is_ready = |number: &usize| {
                let children = &self.branches[*number].1;
                children
                    .iter()
                    .all(|it| !matches!(it, ClusterChild::Inside(it) if usize::from(*it) < end))
            };
            let count = (0..end).rev().take(LANES).take_while(is_ready).count();
            let start = end - count;
            let child = |below: &'_ ClusterChild| match *below {
                ClusterChild::Outside(number) => {
                    let NodeRef { height, hash, .. } = self.outside[usize::from(number)];
                    (height, hash)
                }
                ClusterChild::Inside(branch) => all[usize::from(branch)],
            };
            let mut heights = [0; LANES];
            let preimages = self.branches[start..end].iter().zip(&mut heights).map(
                |((depth, children), height)| {
                    let [left, right] = children.each_ref().map(child);
                    *height = left.0.max(right.0);
                    let [left, right] = [&left, &right]
                        .map(|(height, hash)| hash::ChildHash { height: *height, hash });
                    Preimage::branch(*depth, left, right)
                },
            );
            let preimages: Vec<Preimage> = preimages.collect();
            let mut hashes = [[0; 32]; LANES];
            hash_nodes(&preimages, &mut hashes);
            for (of, known) in all[start..end].iter_mut().zip(heights.into_iter().zip(hashes)) {
                *of = known;
            }
            end = start;
        }
        all.into_boxed_slice()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: FileHeader = FileHeader {
        first: 7,
        last: 7,
        root: None,
        root_hash: [0; 32],
        branches_at: 128,
        branch_bytes: 0,
        body_checksum: 0,
        previous: 0,
    };

    /// A tree of `count` branches, each below the one with half its number, with leaves of block 7 to the
    /// left and of block 5 to the right, and the hash of each branch.
    struct ExampleTree {
        count: usize,
        leaves: Vec<Hash>,
        hashes: Vec<Hash>,
    }

    impl ExampleTree {
        fn new(count: usize) -> Self {
            let leaves = (0..=2 * count).map(|leaf| [u8::try_from(leaf).unwrap(); 32]).collect();
            let mut example = Self { count, leaves, hashes: vec![[0; 32]; count] };
            for branch in (0..count).rev() {
                let (depth, [left, right]) = example.branch(branch);
                let of = |child: VisitedChild<'_>| (child.height, *child.hash);
                let ((left, left_hash), (right, right_hash)) = (of(left.0), of(right.0));
                let left = hash::ChildHash { height: left, hash: &left_hash };
                let right = hash::ChildHash { height: right, hash: &right_hash };
                example.hashes[branch] = Preimage::branch(depth, left, right).hash();
            }
            example
        }

        fn branch(&self, number: usize) -> (u8, [(VisitedChild<'_>, ChildLocation); 2]) {
            let child = |side: usize| {
                let below = 2 * number + 1 + side;
                let (kind, height, hash, place) = if below < self.count {
                    (NodeKind::Branch, 7, &self.hashes[below], ChildLocation::Branch(below))
                } else if side == 0 {
                    (
                        NodeKind::Leaf,
                        7,
                        &self.leaves[below],
                        ChildLocation::SameFile(200 + below as u64),
                    )
                } else {
                    (NodeKind::Tombstone, 5, &self.leaves[below], ChildLocation::OtherFile)
                };
                (VisitedChild { kind, height, hash }, place)
            };
            (u8::try_from((number + 1).ilog2()).unwrap(), [child(0), child(1)])
        }

        fn write(&self) -> (ClusterLayout, Vec<u8>) {
            let parent = |branch: usize| branch.checked_sub(1).map(|it| it / 2);
            let layout = ClusterLayout::new(self.count, parent);
            let mut bytes = Vec::new();
            layout.write(0, 7, |branch| self.branch(branch), &mut bytes);
            assert_eq!(bytes.len(), layout.bytes());
            (layout, bytes)
        }
    }

    #[test]
    fn clusters_are_read_as_written() {
        for count in [1, 2, 3, 30, 31, 32, 63, 100] {
            let example = ExampleTree::new(count);
            let (layout, bytes) = example.write();
            let mut seen = 0;
            let mut pending = vec![(0, NodePosition { offset: 0, branch: 0 })];
            while let Some((number, at)) = pending.pop() {
                let rest = &bytes[usize::try_from(at.offset).unwrap()..];
                let cluster = Cluster::read(&HEADER, at.offset, rest).unwrap();
                let (read_depth, read_children, hash) = cluster.branch(at.branch).unwrap();
                assert_eq!(at.offset, layout.offset(number));
                assert_eq!(hash, example.hashes[number], "{number} of {count}");
                let (depth, children) = example.branch(number);
                assert_eq!((read_depth, cluster.depth(at.branch)), (depth, Some(depth)));
                for (side, (read, (child, below))) in read_children.iter().zip(children).enumerate()
                {
                    assert_eq!(cluster.child_position(at.branch, side), Some((read.at, read.kind)));
                    let of_child = (child.kind, child.height, *child.hash);
                    assert_eq!((read.kind, read.height, read.hash), of_child);
                    match below {
                        ChildLocation::Branch(below) => pending.push((below, read.at.unwrap())),
                        ChildLocation::SameFile(place) => {
                            assert_eq!(read.at.unwrap().offset, place);
                        }
                        ChildLocation::OtherFile => assert_eq!(read.at, None),
                    }
                }
                seen += 1;
            }
            assert_eq!(seen, count);
        }
    }

    #[test]
    fn a_cluster_with_any_bit_flipped_has_another_hash_or_is_none() {
        let example = ExampleTree::new(20);
        let (_, bytes) = example.write();
        let children_at = 1 + 20 * HEAD_BYTES;
        for bit in 0..bytes.len() * 8 {
            let mut flipped = bytes.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            let Some(read) = Cluster::read(&HEADER, 0, &flipped) else { continue };
            // A branch commits only to the height in the link; its target is checked when it is
            // read.
            let in_link =
                (bit / 8).checked_sub(children_at).is_some_and(|at| at % CHILD_BYTES >= 32);
            assert!(in_link || read.branch(0).unwrap().2 != example.hashes[0], "bit {bit}");
        }
        for cut in 0..bytes.len() {
            assert!(Cluster::read(&HEADER, 0, &bytes[..cut]).is_none(), "{cut} bytes");
        }
    }
}
