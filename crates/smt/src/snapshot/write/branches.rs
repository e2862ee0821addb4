//! Lays out the branches of a snapshot file, collected by visiting the tree.

use alloc::vec;
use alloc::vec::Vec;

use crate::snapshot::format::clusters::{ChildLocation, ClusterLayout};
use crate::snapshot::format::link::{FileLink, NodeLocation};
use crate::tree::{NodeKind, VisitedChild};
use prooflight_core::Hash;

/// Collects the nodes of a visit, in order, and lays them out in clusters.
#[derive(Debug)]
pub(super) struct BranchCollector {
    first: u64,
    last: u64,
    visited: Vec<VisitedBranch>,
    /// Branches above the next node with a side still to visit, and that side.
    open: Vec<(usize, usize)>,
    /// The root, if it is not a branch of the visit.
    root: Option<FileLink>,
}

/// The clusters of a file, as parts to be concatenated.
#[derive(Debug)]
pub(super) struct FileClusters {
    pub(super) parts: Vec<Vec<u8>>,
    /// The root, if it is in the file.
    pub(super) root: Option<FileLink>,
}

#[derive(Debug)]
struct VisitedBranch {
    parent: Option<usize>,
    depth: u8,
    children: [(NodeKind, u64, Hash, ChildLocation); 2],
}

impl BranchCollector {
    /// Starts with no branches; blocks `first..=last` changed those to come.
    pub(super) const fn new(first: u64, last: u64) -> Self {
        Self { first, last, visited: Vec::new(), open: Vec::new(), root: None }
    }

    /// Adds the next node of the visit, a branch.
    pub(super) fn branch(&mut self, depth: u8, left: VisitedChild<'_>, right: VisitedChild<'_>) {
        let number = self.visited.len();
        let parent = self.attach(ChildLocation::Branch(number));
        let children = [left, right];
        self.open.extend([1, 0].into_iter().filter_map(|side| {
            let visited = children[side].height >= self.first;
            visited.then_some((number, side))
        }));
        let children = children.map(|it| (it.kind, it.height, *it.hash, ChildLocation::OtherFile));
        self.visited.push(VisitedBranch { parent, depth, children });
    }

    /// Adds the next node of the visit, which is already placed: `at` is where a leaf's record
    /// begins in the file, or where the cluster of a branch begins. The visit does not descend
    /// below such a branch.
    pub(super) fn placed(&mut self, kind: NodeKind, height: u64, at: u64) {
        if self.attach(ChildLocation::SameFile(at)).is_none() {
            self.root = Some(FileLink {
                kind,
                place: NodeLocation::SameFile { age: self.last - height, at },
            });
        }
    }

    /// Returns the clusters, after the given parts.
    pub(super) fn finish(self, mut parts: Vec<Vec<u8>>) -> FileClusters {
        debug_assert!(self.open.is_empty());
        let first: usize = parts.iter().map(Vec::len).sum();
        let first = first as u64;
        // The visit was depth-first; clusters need breadth-first order.
        let mut order: Vec<usize> = Vec::with_capacity(self.visited.len());
        order.extend((!self.visited.is_empty()).then_some(0));
        let mut numbers = vec![0; self.visited.len()];
        let mut next = 0;
        while let Some(&branch) = order.get(next) {
            numbers[branch] = next;
            order.extend(self.visited[branch].children.iter().filter_map(|it| match it.3 {
                ChildLocation::Branch(below) => Some(below),
                _ => None,
            }));
            next += 1;
        }
        let of = |number: usize| &self.visited[order[number]];
        let layout =
            ClusterLayout::new(order.len(), |branch| of(branch).parent.map(|it| numbers[it]));
        let branch = |number: usize| {
            let VisitedBranch { depth, children, .. } = of(number);
            let child = |side: usize| {
                let (kind, height, hash, below) = &children[side];
                let below = match *below {
                    ChildLocation::Branch(below) => ChildLocation::Branch(numbers[below]),
                    below => below,
                };
                (VisitedChild { kind: *kind, height: *height, hash }, below)
            };
            (*depth, [child(0), child(1)])
        };
        let mut bytes = Vec::new();
        layout.write(first, self.last, branch, &mut bytes);
        parts.push(bytes);
        let height = |it: &VisitedBranch| it.children.iter().map(|child| child.1).max();
        let root = self.visited.first().and_then(height).map(|height| {
            let place = NodeLocation::SameFile { age: self.last - height, at: first };
            FileLink { kind: NodeKind::Branch, place }
        });
        FileClusters { parts, root: root.or(self.root) }
    }

    /// Links the next node to its parent; returns `None` for the root.
    fn attach(&mut self, below: ChildLocation) -> Option<usize> {
        let (parent, side) = self.open.pop()?;
        self.visited[parent].children[side].3 = below;
        Some(parent)
    }
}
