//! Reads the remote nodes that a proof needs on several threads. The proof is then made from the
//! cache.
//!
//! Errors are ignored here: the proof meets them again.

use alloc::vec::Vec;

use prooflight_core::{Hash, Result};

use super::nodes::{NodeContent, NodePath, NodeReader};
use super::prove::with_bit;
use crate::part::bit;
use crate::snapshot::format::NodeRef;
use crate::snapshot::remote::parallel_map;

/// The most nodes that are read ahead for a proof.
const MAX_NODES_AHEAD: usize = 1 << 16;

/// A node to open, and what to read below it.
struct ReadStep<T> {
    node: NodeRef,
    parent: Option<u8>,
    prefix: Hash,
    wanted: T,
}

/// Reads the nodes on the paths of these keys' hashes.
pub(super) fn keys(nodes: &NodeReader, cached: &NodeReader, root: NodeRef, hashes: &[Hash]) {
    let all: Vec<usize> = (0..hashes.len()).collect();
    let Some(&prefix) = hashes.first() else { return };
    let root = ReadStep { node: root, parent: None, prefix, wanted: all };
    open_levels(nodes, cached, root, |step, depth, children| {
        let (right, left): (Vec<usize>, Vec<usize>) =
            step.wanted.iter().partition(|&&key| bit(&hashes[key], depth) == 1);
        let child = |(node, wanted): (NodeRef, Vec<usize>)| {
            let prefix = hashes[*wanted.first()?];
            Some(ReadStep { node, parent: Some(depth), prefix, wanted })
        };
        children.into_iter().zip([left, right]).filter_map(child).collect()
    });
}

/// Reads the nodes that changed after a block (`None`: all nodes).
pub(super) fn changes(nodes: &NodeReader, cached: &NodeReader, root: NodeRef, after: Option<u64>) {
    let root = ReadStep { node: root, parent: None, prefix: [0; 32], wanted: () };
    open_levels(nodes, cached, root, |step, depth, children| {
        let prefixes = [step.prefix, with_bit(step.prefix, depth)];
        let all = children.into_iter().zip(prefixes);
        let new = all.filter(|(node, _)| after.is_none_or(|after| node.height > after));
        new.map(|(node, prefix)| ReadStep { node, parent: Some(depth), prefix, wanted: () })
            .collect()
    });
}

/// Opens the nodes level by level: nodes of one level do not depend on each other. Cached nodes need no further
/// thread.
fn open_levels<T: Send + Sync>(
    nodes: &NodeReader,
    cached: &NodeReader,
    root: ReadStep<T>,
    children: impl Fn(&ReadStep<T>, u8, [NodeRef; 2]) -> Vec<ReadStep<T>> + Sync,
) {
    let open = |nodes: &NodeReader, step: &ReadStep<T>| -> Result<Vec<ReadStep<T>>> {
        let path = NodePath { prefix: &step.prefix, parent: step.parent };
        Ok(match nodes.open(&step.node, path)? {
            NodeContent::Branch { depth, children: both } => children(step, depth, both),
            NodeContent::Leaf { .. } => Vec::new(),
        })
    };
    let (mut level, mut opened) = (Vec::from([root]), 0);
    while !level.is_empty() && opened < MAX_NODES_AHEAD {
        opened += level.len();
        let (mut next, mut unread) = (Vec::new(), Vec::new());
        for step in level {
            match open(cached, &step) {
                Ok(below) => next.extend(below),
                Err(_) => unread.push(step),
            }
        }
        let read = parallel_map(&unread, |step| open(nodes, step).unwrap_or_default());
        next.extend(read.into_iter().flatten());
        level = next;
    }
}
