//! The nodes that a prepared block changes, as lists, so that they can be written without walking the tree.

use std::vec::Vec;

use super::changed::{PreparedAt, PreparedView};
use super::draft::{Above, Draft, UNCHANGED};
use super::node::{Child, Kind};
use super::prepare::Prepared;
use super::shard::Stamp;
use super::view::{Opened, Place, View};

/// The changed nodes of some neighbouring shards.
///
/// Branches are numbered from 0, level by level, and within a level in the order of their parents.
#[derive(Clone, Copy)]
pub(crate) struct Part<'t>(&'t Draft);

/// The location of a branch's child.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum At {
    /// Not changed by the block.
    Unchanged,
    /// The branch of the same part with this number.
    Branch(usize),
    /// The leaf written by the block's change with this index.
    Leaf(usize),
}

/// A changed node of the top levels, which are above the parts, or the top node of a shard.
pub(crate) enum Upper<'t> {
    Branch { depth: u8, children: [Child<'t>; 2] },
    Shard { part: usize, at: At, kind: Kind, height: u64 },
}

impl Prepared {
    /// The changed nodes by part, in the order of the tree.
    pub(crate) fn parts(&self) -> Vec<Part<'_>> {
        self.drafts.iter().map(Part).collect()
    }

    /// Calls `show` with the nodes above the parts, down to the shards, depth first as [`visit`](Self::visit).
    pub(crate) fn visit_upper<'t>(&'t self, mut show: impl FnMut(Upper<'t>)) {
        let view = PreparedView::new(&self.top, &self.drafts);
        let changed = |place: &Place<'t, PreparedAt>| place.at != PreparedAt::Unchanged;
        let mut pending: Vec<_> = view.root().into_iter().filter(changed).collect();
        while let Some(place) = pending.pop() {
            match (place.at, view.open(&place)) {
                (PreparedAt::Draft { draft, at }, _) => {
                    let (kind, height) = (place.stamp.kind(), place.stamp.height());
                    let at = Part(&self.drafts[draft]).at(place.stamp, at);
                    show(Upper::Shard { part: draft, at, kind, height });
                }
                (_, Some(Opened::Branch { depth, children })) => {
                    show(Upper::Branch { depth, children: children.map(|it| it.child()) });
                    pending.extend(children.into_iter().rev().filter(changed));
                }
                _ => {}
            }
        }
    }
}

impl<'t> Part<'t> {
    /// The number of branches.
    pub(crate) fn branches(self) -> usize {
        self.0.branches.len()
    }

    /// The branch above this one; `None` at the top of a shard.
    pub(crate) fn parent(self, branch: usize) -> Option<usize> {
        match self.0.branch_places[branch].parent.open() {
            Above::Branch { at, .. } => Some(at),
            Above::Section(_) => None,
        }
    }

    /// The depth of a branch, and its children.
    pub(crate) fn branch(self, branch: usize) -> (u8, [(Child<'t>, At); 2]) {
        let (it, place) = (&self.0.branches[branch], &self.0.branch_places[branch]);
        let child = |side: usize| {
            let (stamp, hash) = (it.stamps[side], &it.hashes[side]);
            let child = Child { kind: stamp.kind(), height: stamp.height(), hash };
            (child, self.at(stamp, place.children[side]))
        };
        (it.depth(), [child(0), child(1)])
    }

    /// The indices of the changes that wrote the leaves: all except deletes without effect.
    pub(crate) fn changes(self) -> impl Iterator<Item = usize> {
        self.0.leaf_places.iter().map(|leaf| leaf.change as usize)
    }

    fn at(self, stamp: Stamp, at: u32) -> At {
        match (at, stamp.kind()) {
            (UNCHANGED, _) => At::Unchanged,
            (at, Kind::Branch) => At::Branch(at as usize),
            (at, _) => At::Leaf(self.0.leaf_places[at as usize].change as usize),
        }
    }
}
