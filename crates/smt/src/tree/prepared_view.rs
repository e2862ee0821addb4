//! The nodes that a prepared block changes, reached from their parents.

use std::vec::Vec;

use super::draft::{ShardDraft, UNCHANGED_CHILD};
use super::node::NodeKind;
use super::shard::SHARDS;
use super::top::{SubtreeHash, TopLevels};
use super::view::{NodeView, ViewContent, ViewNode};

/// A prepared block: its top levels, and the changed nodes of its shards.
pub(super) struct PreparedView<'t> {
    top: &'t TopLevels,
    drafts: &'t [ShardDraft],
    /// The changed shards, ascending: the shard, its draft, the section in the draft.
    shards: Vec<(usize, usize, usize)>,
}

/// The location of a node of a prepared block.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum PreparedPosition {
    Top(usize),
    Draft {
        draft: usize,
        at: u32,
    },
    /// Not changed by the block.
    Unchanged,
}

impl<'t> PreparedView<'t> {
    pub(super) fn new(top: &'t TopLevels, drafts: &'t [ShardDraft]) -> Self {
        let in_draft = |(at, draft): (usize, &'t ShardDraft)| {
            let sections = draft.sections.iter().enumerate();
            sections.map(move |(section, it)| (it.shard, at, section))
        };
        let shards = drafts.iter().enumerate().flat_map(in_draft).collect();
        Self { top, drafts, shards }
    }

    /// The node at a nonempty place of the top levels.
    fn subtree(&self, at: usize) -> ViewNode<'t, PreparedPosition> {
        let at = self.top.node(at);
        let SubtreeHash { stamp, hash } = self.top.at(at);
        let shards = TopLevels::shards(at);
        let next = self.shards.partition_point(|&(shard, ..)| shard < shards.start);
        let at = match self.shards.get(next) {
            Some((shard, draft, section)) if shards.contains(shard) => {
                if at < SHARDS {
                    PreparedPosition::Top(at)
                } else {
                    let at = self.drafts[*draft].sections[*section].root_at;
                    PreparedPosition::Draft { draft: *draft, at }
                }
            }
            _ => PreparedPosition::Unchanged,
        };
        ViewNode { stamp: *stamp, hash, at }
    }
}

impl<'t> NodeView<'t> for PreparedView<'t> {
    type At = PreparedPosition;

    fn root(&self) -> Option<ViewNode<'t, PreparedPosition>> {
        (!self.top.is_empty()).then(|| self.subtree(1))
    }

    fn open(
        &self,
        place: &ViewNode<'t, PreparedPosition>,
    ) -> Option<ViewContent<'t, PreparedPosition>> {
        Some(match place.at {
            PreparedPosition::Top(at) => ViewContent::Branch {
                depth: TopLevels::depth(at),
                children: [self.subtree(2 * at), self.subtree(2 * at + 1)],
            },
            PreparedPosition::Draft { draft, at } if place.stamp.kind() == NodeKind::Branch => {
                let nodes = &self.drafts[draft];
                let branch = &nodes.branches[at as usize];
                let children = nodes.branch_positions[at as usize].children;
                let child = |side: usize| ViewNode {
                    stamp: branch.stamps[side],
                    hash: &branch.hashes[side],
                    at: match children[side] {
                        UNCHANGED_CHILD => PreparedPosition::Unchanged,
                        at => PreparedPosition::Draft { draft, at },
                    },
                };
                ViewContent::Branch { depth: branch.depth(), children: [child(0), child(1)] }
            }
            PreparedPosition::Draft { draft, at } => {
                ViewContent::Leaf(&self.drafts[draft].leaves[at as usize])
            }
            PreparedPosition::Unchanged => return None,
        })
    }
}
