//! Computes a block's effect on the tree without changing it.

use std::vec::Vec;

use prooflight_core::Hash;
use rayon::prelude::*;

use super::draft::{DraftSection, ShardDraft};
use super::node::{NodeKind, VisitedNode};
use super::order::{BlockChanges, ChangeEffect, ChangeHeights, ChangeKey, ShardKeys};
use super::prepared_view::{PreparedPosition, PreparedView};
use super::shard::{NodeLink, SHARDS, Shard, index};
use super::top::{SubtreeHash, TopLevels};
use super::view::{ViewNode, visit};
use super::walk::ChangeWalk;

/// The number of changes that a thread takes at a time: enough to fill the hashing lanes, and few enough
/// for their nodes to stay in a core's own cache.
const CHUNK_CHANGES: usize = 1024;

/// A block that is not committed yet; dropping it abandons the block.
#[derive(Debug)]
pub struct PreparedTree {
    pub(super) base: u64,
    pub(super) height: u64,
    pub(super) top: TopLevels,
    /// In the order of their shards.
    pub(super) drafts: Vec<ShardDraft>,
}

impl PreparedTree {
    /// The root after the block.
    pub fn root(&self) -> Hash {
        self.top.root().hash
    }

    /// The block's height.
    pub const fn height(&self) -> u64 {
        self.height
    }

    /// Calls `show` with every node that the block changes, depth first; see [`VisitedNode`].
    ///
    /// For a block committed in several parts, these are the changes of this part; after the last one,
    /// [`MemoryTree::visit`](super::MemoryTree::visit) shows those of the whole block.
    pub fn visit<'t>(&'t self, show: impl FnMut(VisitedNode<'t>)) {
        let changed =
            |place: &ViewNode<'t, PreparedPosition>| place.at != PreparedPosition::Unchanged;
        visit(&PreparedView::new(&self.top, &self.drafts), changed, show);
    }

    pub(super) fn new(
        base: u64,
        height: u64,
        shards: &[Shard],
        top: &TopLevels,
        changes: BlockChanges<'_>,
    ) -> Self {
        let ShardKeys { mut keys, starts } = ShardKeys::new(changes.list);
        let work = |chunk: ShardChunk<'_>| draft_chunk(shards, top, changes, chunk);
        let chunks = ShardChunk::split(&mut keys, &starts);
        let drafts: Vec<ShardDraft> = if chunks.len() > 1 && rayon::current_num_threads() > 1 {
            chunks.into_par_iter().map(work).collect()
        } else {
            chunks.into_iter().map(work).collect()
        };
        let changed = drafts.iter().flat_map(|draft| &draft.sections);
        let top = top.with(changed.map(|&DraftSection { shard, root, root_hash, .. }| {
            (shard, SubtreeHash { stamp: root.stamp, hash: root_hash })
        }));
        Self { base, height, top, drafts }
    }
}

/// The changes of some neighbouring shards.
struct ShardChunk<'k> {
    first_shard: usize,
    /// The number of changes of each shard.
    counts: Vec<usize>,
    keys: &'k mut [ChangeKey],
}

impl<'k> ShardChunk<'k> {
    /// Cuts between shards, wherever there are enough changes for a chunk.
    fn split(mut keys: &'k mut [ChangeKey], starts: &[u32; SHARDS + 1]) -> Vec<Self> {
        let mut chunks = Vec::new();
        let mut first_shard = 0;
        for shard in 0..SHARDS {
            let length = (starts[shard + 1] - starts[first_shard]) as usize;
            if length >= CHUNK_CHANGES || shard == SHARDS - 1 && length > 0 {
                let (these, rest) = keys.split_at_mut(length);
                keys = rest;
                let bounds = &starts[first_shard..=shard + 1];
                let counts = bounds.windows(2).map(|it| (it[1] - it[0]) as usize).collect();
                chunks.push(ShardChunk { first_shard, counts, keys: these });
                first_shard = shard + 1;
            }
        }
        chunks
    }
}

fn draft_chunk(
    shards: &[Shard],
    top: &TopLevels,
    changes: BlockChanges<'_>,
    chunk: ShardChunk<'_>,
) -> ShardDraft {
    let mut walk = ChangeWalk::new(shards, changes);
    let mut keys = chunk.keys;
    for (shard, count) in (chunk.first_shard..).zip(chunk.counts) {
        let (these, rest) = keys.split_at_mut(count);
        keys = rest;
        let start = walk.keys.len();
        changes.sort(these, &mut walk.keys);
        keep_effective(&mut walk.keys, start, changes, &shards[shard]);
        if walk.keys.len() > start {
            walk.add(shard, top.shard(shard).hash, index(start));
        }
    }
    let mut draft = walk.run();
    draft.hash();
    draft
}

/// Removes deletes of keys that are not live.
///
/// The searches run interleaved, one branch at a time, so that their memory accesses overlap.
fn keep_effective(
    keys: &mut Vec<ChangeKey>,
    start: usize,
    changes: BlockChanges<'_>,
    shard: &Shard,
) {
    if let ChangeHeights::Each(_) = changes.heights {
        return;
    }
    let deletes = (start..keys.len()).filter(|&at| keys[at].effect == ChangeEffect::Delete);
    let mut searches: Vec<(usize, NodeLink)> = deletes.map(|at| (at, shard.root)).collect();
    if searches.is_empty() {
        return;
    }
    while !searches.is_empty() {
        searches.retain_mut(|(at, node)| {
            let key = keys[*at];
            match node.stamp.kind() {
                NodeKind::Branch if !node.stamp.is_empty() => {
                    let branch = shard.branch(node.slot);
                    *node = branch.child(changes.bit(key, branch.depth()));
                    shard.prefetch(*node);
                    return true;
                }
                NodeKind::Leaf if *shard.leaf(node.slot).key_hash() == changes.of(key).key_hash => {
                }
                _ => keys[*at].effect = ChangeEffect::None,
            }
            false
        });
    }
    let mut kept = start;
    for at in start..keys.len() {
        keys[kept] = keys[at];
        kept += usize::from(keys[at].effect != ChangeEffect::None);
    }
    keys.truncate(kept);
}
