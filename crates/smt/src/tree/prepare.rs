//! Computes a block's effect on the tree without changing it.

use std::vec::Vec;

use prooflight_core::Hash;
use rayon::prelude::*;

use super::changed::{PreparedAt, PreparedView};
use super::draft::{Draft, Section};
use super::node::{Kind, Node};
use super::order::{ByShard, Changes, Effect, Heights, Key};
use super::shard::{Link, SHARDS, Shard, index};
use super::top::{Subtree, Top};
use super::view::{Place, visit};
use super::walk::Walk;

/// The number of changes that a thread takes at a time: enough to fill the hashing lanes, and few enough
/// for their nodes to stay in a core's own cache.
const CHUNK: usize = 1024;

/// A block that is not committed yet; dropping it abandons the block.
#[derive(Debug)]
pub struct Prepared {
    pub(super) base: u64,
    pub(super) height: u64,
    pub(super) top: Top,
    /// In the order of their shards.
    pub(super) drafts: Vec<Draft>,
}

impl Prepared {
    /// The root after the block.
    pub fn root(&self) -> Hash {
        self.top.root().hash
    }

    /// The block's height.
    pub const fn height(&self) -> u64 {
        self.height
    }

    /// Calls `show` with every node that the block changes, depth first; see [`Node`].
    ///
    /// For a block committed in several parts, these are the changes of this part; after the last one,
    /// [`Tree::visit`](super::Tree::visit) shows those of the whole block.
    pub fn visit<'t>(&'t self, show: impl FnMut(Node<'t>)) {
        let changed = |place: &Place<'t, PreparedAt>| place.at != PreparedAt::Unchanged;
        visit(&PreparedView::new(&self.top, &self.drafts), changed, show);
    }

    pub(super) fn new(
        base: u64,
        height: u64,
        shards: &[Shard],
        top: &Top,
        changes: Changes<'_>,
    ) -> Self {
        let ByShard { mut keys, starts } = ByShard::new(changes.list);
        let work = |chunk: Chunk<'_>| draft(shards, top, changes, chunk);
        let chunks = Chunk::split(&mut keys, &starts);
        let drafts: Vec<Draft> = if chunks.len() > 1 && rayon::current_num_threads() > 1 {
            chunks.into_par_iter().map(work).collect()
        } else {
            chunks.into_iter().map(work).collect()
        };
        let changed = drafts.iter().flat_map(|draft| &draft.sections);
        let top = top.with(changed.map(|&Section { shard, root, root_hash, .. }| {
            (shard, Subtree { stamp: root.stamp, hash: root_hash })
        }));
        Self { base, height, top, drafts }
    }
}

/// The changes of some neighbouring shards.
struct Chunk<'k> {
    first_shard: usize,
    /// The number of changes of each shard.
    counts: Vec<usize>,
    keys: &'k mut [Key],
}

impl<'k> Chunk<'k> {
    /// Cuts between shards, wherever there are enough changes for a chunk.
    fn split(mut keys: &'k mut [Key], starts: &[u32; SHARDS + 1]) -> Vec<Self> {
        let mut chunks = Vec::new();
        let mut first_shard = 0;
        for shard in 0..SHARDS {
            let length = (starts[shard + 1] - starts[first_shard]) as usize;
            if length >= CHUNK || shard == SHARDS - 1 && length > 0 {
                let (these, rest) = keys.split_at_mut(length);
                keys = rest;
                let bounds = &starts[first_shard..=shard + 1];
                let counts = bounds.windows(2).map(|it| (it[1] - it[0]) as usize).collect();
                chunks.push(Chunk { first_shard, counts, keys: these });
                first_shard = shard + 1;
            }
        }
        chunks
    }
}

fn draft(shards: &[Shard], top: &Top, changes: Changes<'_>, chunk: Chunk<'_>) -> Draft {
    let mut walk = Walk::new(shards, changes);
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
fn keep_effective(keys: &mut Vec<Key>, start: usize, changes: Changes<'_>, shard: &Shard) {
    if let Heights::Each(_) = changes.heights {
        return;
    }
    let deletes = (start..keys.len()).filter(|&at| keys[at].effect == Effect::Delete);
    let mut searches: Vec<(usize, Link)> = deletes.map(|at| (at, shard.root)).collect();
    if searches.is_empty() {
        return;
    }
    while !searches.is_empty() {
        searches.retain_mut(|(at, node)| {
            let key = keys[*at];
            match node.stamp.kind() {
                Kind::Branch if !node.stamp.is_empty() => {
                    let branch = shard.branch(node.slot);
                    *node = branch.child(changes.bit(key, branch.depth()));
                    shard.prefetch(*node);
                    return true;
                }
                Kind::Leaf if *shard.leaf(node.slot).key_hash() == changes.of(key).key_hash => {}
                _ => keys[*at].effect = Effect::None,
            }
            false
        });
    }
    let mut kept = start;
    for at in start..keys.len() {
        keys[kept] = keys[at];
        kept += usize::from(keys[at].effect != Effect::None);
    }
    keys.truncate(kept);
}
