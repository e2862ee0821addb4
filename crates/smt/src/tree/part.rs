//! The nodes that a prepared block changes, as lists, so that they can be written without walking the tree.

use std::vec::Vec;

use super::draft::{ParentNode, ShardDraft, UNCHANGED_CHILD};
use super::node::{NodeKind, VisitedChild};
use super::prepare::PreparedTree;
use super::prepared_view::{PreparedPosition, PreparedView};
use super::shard::Stamp;
use super::view::{NodeView, ViewContent, ViewNode};

/// The changed nodes of some neighbouring shards.
///
/// Branches are numbered from 0, level by level, and within a level in the order of their parents.
#[derive(Clone, Copy)]
pub(crate) struct ShardPart<'t>(&'t ShardDraft);

/// The location of a branch's child.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DraftChild {
    /// Not changed by the block.
    Unchanged,
    /// The branch of the same part with this number.
    Branch(usize),
    /// The leaf written by the block's change with this index.
    Leaf(usize),
}

/// A changed node of the top levels, which are above the parts, or the top node of a shard.
pub(crate) enum UpperNode<'t> {
    Branch { depth: u8, children: [VisitedChild<'t>; 2] },
    Shard { part: usize, at: DraftChild, kind: NodeKind, height: u64 },
}

impl PreparedTree {
    /// The changed nodes by part, in the order of the tree.
    pub(crate) fn parts(&self) -> Vec<ShardPart<'_>> {
        self.drafts.iter().map(ShardPart).collect()
    }

    /// Calls `show` with the nodes above the parts, down to the shards, depth first as [`visit`](Self::visit).
    pub(crate) fn visit_upper<'t>(&'t self, mut show: impl FnMut(UpperNode<'t>)) {
        let view = PreparedView::new(&self.top, &self.drafts);
        let changed =
            |place: &ViewNode<'t, PreparedPosition>| place.at != PreparedPosition::Unchanged;
        let mut pending: Vec<_> = view.root().into_iter().filter(changed).collect();
        while let Some(place) = pending.pop() {
            match (place.at, view.open(&place)) {
                (PreparedPosition::Draft { draft, at }, _) => {
                    let (kind, height) = (place.stamp.kind(), place.stamp.height());
                    let at = ShardPart(&self.drafts[draft]).at(place.stamp, at);
                    show(UpperNode::Shard { part: draft, at, kind, height });
                }
                (_, Some(ViewContent::Branch { depth, children })) => {
                    show(UpperNode::Branch { depth, children: children.map(|it| it.child()) });
                    pending.extend(children.into_iter().rev().filter(changed));
                }
                _ => {}
            }
        }
    }
}

impl<'t> ShardPart<'t> {
    /// The number of branches.
    pub(crate) fn branches(self) -> usize {
        self.0.branches.len()
    }

    /// The branch above this one; `None` at the top of a shard.
    pub(crate) fn parent(self, branch: usize) -> Option<usize> {
        match self.0.branch_positions[branch].parent.open() {
            ParentNode::Branch { at, .. } => Some(at),
            ParentNode::Section(_) => None,
        }
    }

    /// The depth of a branch, and its children.
    pub(crate) fn branch(self, branch: usize) -> (u8, [(VisitedChild<'t>, DraftChild); 2]) {
        let (it, place) = (&self.0.branches[branch], &self.0.branch_positions[branch]);
        let child = |side: usize| {
            let (stamp, hash) = (it.stamps[side], &it.hashes[side]);
            let child = VisitedChild { kind: stamp.kind(), height: stamp.height(), hash };
            (child, self.at(stamp, place.children[side]))
        };
        (it.depth(), [child(0), child(1)])
    }

    /// The indices of the changes that wrote the leaves: all except deletes without effect.
    pub(crate) fn changes(self) -> impl Iterator<Item = usize> {
        self.0.leaf_positions.iter().map(|leaf| leaf.change as usize)
    }

    fn at(self, stamp: Stamp, at: u32) -> DraftChild {
        match (at, stamp.kind()) {
            (UNCHANGED_CHILD, _) => DraftChild::Unchanged,
            (at, NodeKind::Branch) => DraftChild::Branch(at as usize),
            (at, _) => DraftChild::Leaf(self.0.leaf_positions[at as usize].change as usize),
        }
    }
}
