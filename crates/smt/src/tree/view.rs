//! The nodes of a tree or of a prepared block, reached from their parents.

use std::vec::Vec;

use super::node::{Child, Kind, Node};
use super::shard::{Leaf, SHARDS, Shard, Stamp};
use super::top::{Subtree, Top};
use prooflight_core::Hash;

/// Nodes that are reached from the root.
pub(super) trait View<'t> {
    /// The location of a node.
    type At: Copy;

    /// The root, unless the tree is empty.
    fn root(&self) -> Option<Place<'t, Self::At>>;

    /// The content of a node, if the view has it.
    fn open(&self, place: &Place<'t, Self::At>) -> Option<Opened<'t, Self::At>>;
}

/// A node: its stamp and hash as its parent has them, and its location.
#[derive(Clone, Copy)]
pub(super) struct Place<'t, At> {
    pub(super) stamp: Stamp,
    pub(super) hash: &'t Hash,
    pub(super) at: At,
}

/// The content of a node.
pub(super) enum Opened<'t, At> {
    Branch { depth: u8, children: [Place<'t, At>; 2] },
    Leaf(&'t Leaf),
}

/// Calls `show` with the wanted nodes of a view, depth first, and skips every subtree whose top is not wanted.
pub(super) fn visit<'t, V: View<'t>>(
    view: &V,
    wanted: impl Fn(&Place<'t, V::At>) -> bool,
    mut show: impl FnMut(Node<'t>),
) {
    let mut pending: Vec<_> = view.root().into_iter().filter(&wanted).collect();
    while let Some(place) = pending.pop() {
        let (height, hash) = (place.stamp.height(), place.hash);
        match view.open(&place) {
            None => {}
            Some(Opened::Branch { depth, children }) => {
                let [left, right] = children.map(|it| it.child());
                show(Node::Branch { depth, height, hash, left, right });
                pending.extend(children.into_iter().rev().filter(&wanted));
            }
            Some(Opened::Leaf(Leaf([key_hash, value_hash]))) => {
                let live = place.stamp.kind() == Kind::Leaf;
                let value_hash = live.then_some(value_hash);
                show(Node::Leaf { height, hash, key_hash, value_hash });
            }
        }
    }
}

impl<'t, At> Place<'t, At> {
    pub(super) fn child(&self) -> Child<'t> {
        Child { kind: self.stamp.kind(), height: self.stamp.height(), hash: self.hash }
    }
}

/// The committed tree.
pub(super) struct TreeView<'t> {
    pub(super) top: &'t Top,
    pub(super) shards: &'t [Shard],
}

/// The location of a node of the tree.
#[derive(Clone, Copy)]
pub(super) enum TreeAt {
    Top(usize),
    Shard { shard: usize, slot: u32 },
}

impl<'t> View<'t> for TreeView<'t> {
    type At = TreeAt;

    fn root(&self) -> Option<Place<'t, TreeAt>> {
        (!self.top.is_empty()).then(|| self.subtree(1))
    }

    fn open(&self, place: &Place<'t, TreeAt>) -> Option<Opened<'t, TreeAt>> {
        Some(match place.at {
            TreeAt::Top(at) => Opened::Branch {
                depth: Top::depth(at),
                children: [self.subtree(2 * at), self.subtree(2 * at + 1)],
            },
            TreeAt::Shard { shard, slot } if place.stamp.kind() == Kind::Branch => {
                let branch = self.shards[shard].branch(slot);
                let child = |side| Place {
                    stamp: branch.stamps[side],
                    hash: &branch.hashes[side],
                    at: TreeAt::Shard { shard, slot: branch.slots[side] },
                };
                Opened::Branch { depth: branch.depth(), children: [child(0), child(1)] }
            }
            TreeAt::Shard { shard, slot } => Opened::Leaf(self.shards[shard].leaf(slot)),
        })
    }
}

impl<'t> TreeView<'t> {
    /// The node at a nonempty place of the top levels.
    fn subtree(&self, at: usize) -> Place<'t, TreeAt> {
        let at = self.top.node(at);
        let Subtree { stamp, hash } = self.top.at(at);
        let at = match at.checked_sub(SHARDS) {
            None => TreeAt::Top(at),
            Some(shard) => TreeAt::Shard { shard, slot: self.shards[shard].root.slot },
        };
        Place { stamp: *stamp, hash, at }
    }
}
