//! Lays out the branches that a prepared block changes: each part from its lists, the top levels by
//! a visit.

use alloc::vec::Vec;

use rayon::prelude::*;

use super::branches::{BranchCollector, FileClusters};
use super::buffer_pool::BufferPool;
use crate::snapshot::format::clusters::{ChildLocation, ClusterLayout};
use crate::tree::{DraftChild, PreparedTree, ShardPart, UpperNode};

/// Returns the clusters of a block with its own file; `record_at` returns where the record of a
/// change begins.
pub(super) fn branches(
    prepared: &PreparedTree,
    parts: &[ShardPart<'_>],
    record_at: impl Fn(usize) -> u64 + Sync,
    spare: &BufferPool,
) -> FileClusters {
    let height = prepared.height();
    let layouts = map(parts.to_vec(), |part| {
        ClusterLayout::new(part.branches(), |branch| part.parent(branch))
    });
    let mut end = 0;
    let firsts = layouts.iter().map(|layout| {
        let first = end;
        end += layout.bytes() as u64;
        first
    });
    let firsts: Vec<u64> = firsts.collect();
    let written = map(parts.iter().zip(&layouts).zip(&firsts).collect(), |work| {
        let ((part, layout), first) = work;
        let below = |at| match at {
            DraftChild::Unchanged => ChildLocation::OtherFile,
            DraftChild::Branch(branch) => ChildLocation::Branch(branch),
            DraftChild::Leaf(change) => ChildLocation::SameFile(record_at(change)),
        };
        let branch = |number: usize| {
            let (depth, children) = part.branch(number);
            (depth, children.map(|(child, at)| (child, below(at))))
        };
        let mut bytes = spare.branches();
        layout.write(*first, height, branch, &mut bytes);
        bytes
    });
    let mut branches = BranchCollector::new(height, height);
    prepared.visit_upper(|node| match node {
        UpperNode::Branch { depth, children: [left, right] } => branches.branch(depth, left, right),
        UpperNode::Shard { part, at, kind, height } => {
            let at = match at {
                DraftChild::Branch(branch) => firsts[part] + layouts[part].offset(branch),
                DraftChild::Leaf(change) => record_at(change),
                DraftChild::Unchanged => return,
            };
            branches.placed(kind, height, at);
        }
    });
    branches.finish(written)
}

/// Runs the work on rayon's current pool, if that has threads for it.
fn map<T: Send, R: Send>(work: Vec<T>, each: impl Fn(T) -> R + Send + Sync) -> Vec<R> {
    if work.len() > 1 && rayon::current_num_threads() > 1 {
        work.into_par_iter().map(each).collect()
    } else {
        work.into_iter().map(each).collect()
    }
}
