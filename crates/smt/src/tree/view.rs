//! The nodes of a tree or of a prepared block, reached from their parents.

use std::vec::Vec;

use super::node::{NodeKind, VisitedChild, VisitedNode};
use super::shard::{Leaf, SHARDS, Shard, Stamp};
use super::top::{SubtreeHash, TopLevels};
use prooflight_core::Hash;

/// Nodes that are reached from the root.
pub(super) trait NodeView<'t> {
    /// The location of a node.
    type At: Copy;

    /// The root, unless the tree is empty.
    fn root(&self) -> Option<ViewNode<'t, Self::At>>;

    /// The content of a node, if the view has it.
    fn open(&self, place: &ViewNode<'t, Self::At>) -> Option<ViewContent<'t, Self::At>>;
}

/// A node: its stamp and hash as its parent has them, and its location.
#[derive(Clone, Copy)]
pub(super) struct ViewNode<'t, At> {
    pub(super) stamp: Stamp,
    pub(super) hash: &'t Hash,
    pub(super) at: At,
}

/// The content of a node.
pub(super) enum ViewContent<'t, At> {
    Branch { depth: u8, children: [ViewNode<'t, At>; 2] },
    Leaf(&'t Leaf),
}

/// Calls `show` with the wanted nodes of a view, depth first, and skips every subtree whose top is not wanted.
pub(super) fn visit<'t, V: NodeView<'t>>(
    view: &V,
    wanted: impl Fn(&ViewNode<'t, V::At>) -> bool,
    mut show: impl FnMut(VisitedNode<'t>),
) {
    let mut pending: Vec<_> = view.root().into_iter().filter(&wanted).collect();
    while let Some(place) = pending.pop() {
        let (height, hash) = (place.stamp.height(), place.hash);
        match view.open(&place) {
            None => {}
            Some(ViewContent::Branch { depth, children }) => {
                let [left, right] = children.map(|it| it.child());
                show(VisitedNode::Branch { depth, height, hash, left, right });
                pending.extend(children.into_iter().rev().filter(&wanted));
            }
            Some(ViewContent::Leaf(Leaf([key_hash, value_hash]))) => {
                let live = place.stamp.kind() == NodeKind::Leaf;
                let value_hash = live.then_some(value_hash);
                show(VisitedNode::Leaf { height, hash, key_hash, value_hash });
            }
        }
    }
}

impl<'t, At> ViewNode<'t, At> {
    pub(super) fn child(&self) -> VisitedChild<'t> {
        VisitedChild { kind: self.stamp.kind(), height: self.stamp.height(), hash: self.hash }
    }
}

/// The committed tree.
pub(super) struct TreeView<'t> {
    pub(super) top: &'t TopLevels,
    pub(super) shards: &'t [Shard],
}

/// The location of a node of the tree.
#[derive(Clone, Copy)]
pub(super) enum TreePosition {
    Top(usize),
    Shard { shard: usize, slot: u32 },
}

impl<'t> NodeView<'t> for TreeView<'t> {
    type At = TreePosition;

    fn root(&self) -> Option<ViewNode<'t, TreePosition>> {
        (!self.top.is_empty()).then(|| self.subtree(1))
    }

    fn open(&self, place: &ViewNode<'t, TreePosition>) -> Option<ViewContent<'t, TreePosition>> {
        Some(match place.at {
            TreePosition::Top(at) => ViewContent::Branch {
                depth: TopLevels::depth(at),
                children: [self.subtree(2 * at), self.subtree(2 * at + 1)],
            },
            TreePosition::Shard { shard, slot } if place.stamp.kind() == NodeKind::Branch => {
                let branch = self.shards[shard].branch(slot);
                let child = |side| ViewNode {
                    stamp: branch.stamps[side],
                    hash: &branch.hashes[side],
                    at: TreePosition::Shard { shard, slot: branch.slots[side] },
                };
                ViewContent::Branch { depth: branch.depth(), children: [child(0), child(1)] }
            }
            TreePosition::Shard { shard, slot } => ViewContent::Leaf(self.shards[shard].leaf(slot)),
        })
    }
}

impl<'t> TreeView<'t> {
    /// The node at a nonempty place of the top levels.
    fn subtree(&self, at: usize) -> ViewNode<'t, TreePosition> {
        let at = self.top.node(at);
        let SubtreeHash { stamp, hash } = self.top.at(at);
        let at = match at.checked_sub(SHARDS) {
            None => TreePosition::Top(at),
            Some(shard) => TreePosition::Shard { shard, slot: self.shards[shard].root.slot },
        };
        ViewNode { stamp: *stamp, hash, at }
    }
}
