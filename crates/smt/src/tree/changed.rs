//! The nodes that a prepared block changes, reached from their parents.

use std::vec::Vec;

use super::draft::{Draft, UNCHANGED};
use super::node::Kind;
use super::shard::SHARDS;
use super::top::{Subtree, Top};
use super::view::{Opened, Place, View};

/// A prepared block: its top levels, and the changed nodes of its shards.
pub(super) struct PreparedView<'t> {
    top: &'t Top,
    drafts: &'t [Draft],
    /// The changed shards, ascending: the shard, its draft, the section in the draft.
    shards: Vec<(usize, usize, usize)>,
}

/// The location of a node of a prepared block.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum PreparedAt {
    Top(usize),
    Draft {
        draft: usize,
        at: u32,
    },
    /// Not changed by the block.
    Unchanged,
}

impl<'t> PreparedView<'t> {
    pub(super) fn new(top: &'t Top, drafts: &'t [Draft]) -> Self {
        let in_draft = |(at, draft): (usize, &'t Draft)| {
            let sections = draft.sections.iter().enumerate();
            sections.map(move |(section, it)| (it.shard, at, section))
        };
        let shards = drafts.iter().enumerate().flat_map(in_draft).collect();
        Self { top, drafts, shards }
    }

    /// The node at a nonempty place of the top levels.
    fn subtree(&self, at: usize) -> Place<'t, PreparedAt> {
        let at = self.top.node(at);
        let Subtree { stamp, hash } = self.top.at(at);
        let shards = Top::shards(at);
        let next = self.shards.partition_point(|&(shard, ..)| shard < shards.start);
        let at = match self.shards.get(next) {
            Some((shard, draft, section)) if shards.contains(shard) => {
                if at < SHARDS {
                    PreparedAt::Top(at)
                } else {
                    let at = self.drafts[*draft].sections[*section].root_at;
                    PreparedAt::Draft { draft: *draft, at }
                }
            }
            _ => PreparedAt::Unchanged,
        };
        Place { stamp: *stamp, hash, at }
    }
}

impl<'t> View<'t> for PreparedView<'t> {
    type At = PreparedAt;

    fn root(&self) -> Option<Place<'t, PreparedAt>> {
        (!self.top.is_empty()).then(|| self.subtree(1))
    }

    fn open(&self, place: &Place<'t, PreparedAt>) -> Option<Opened<'t, PreparedAt>> {
        Some(match place.at {
            PreparedAt::Top(at) => Opened::Branch {
                depth: Top::depth(at),
                children: [self.subtree(2 * at), self.subtree(2 * at + 1)],
            },
            PreparedAt::Draft { draft, at } if place.stamp.kind() == Kind::Branch => {
                let nodes = &self.drafts[draft];
                let branch = &nodes.branches[at as usize];
                let children = nodes.branch_places[at as usize].children;
                let child = |side: usize| Place {
                    stamp: branch.stamps[side],
                    hash: &branch.hashes[side],
                    at: match children[side] {
                        UNCHANGED => PreparedAt::Unchanged,
                        at => PreparedAt::Draft { draft, at },
                    },
                };
                Opened::Branch { depth: branch.depth(), children: [child(0), child(1)] }
            }
            PreparedAt::Draft { draft, at } => {
                Opened::Leaf(&self.drafts[draft].leaves[at as usize])
            }
            PreparedAt::Unchanged => return None,
        })
    }
}
