//! Assigns a block's changes to the pages that they change.

use alloc::vec::Vec;
use core::cmp::Ordering;
use core::ops::Range;

use super::entry::EntryWrite;
use super::top::{TopChild, TopNode};
use crate::path::{KeyBits, bit};

/// A part of the tree, with the changes that belong to it.
#[derive(Debug)]
pub(super) enum RoutePart<'t> {
    /// An unchanged node.
    Node(&'t TopChild),
    /// A page that changes.
    Page(&'t TopChild, Range<usize>),
    /// New entries, next to a node.
    New(Range<usize>),
}

/// The parts of a tree, in the order of their keys.
pub(super) fn route<'t>(top: &'t TopChild, changes: &[EntryWrite<'_>]) -> Vec<RoutePart<'t>> {
    let mut parts = Vec::new();
    let mut visits = Vec::from([(top, 0..changes.len())]);
    // The new entries after a node: they follow once the number of open visits has dropped to this.
    let mut after: Vec<(usize, Range<usize>)> = Vec::new();
    while let Some((node, run)) = visits.pop() {
        match &node.node {
            TopNode::Empty => parts.push(RoutePart::New(run)),
            _ if run.is_empty() => parts.push(RoutePart::Node(node)),
            TopNode::Page(_) => parts.push(RoutePart::Page(node, run)),
            TopNode::Branch(branch) => {
                let prefix = KeyBits::of(&branch.key, branch.depth);
                let order = |change: &EntryWrite<'_>| prefix.order_of(change.key);
                let of_run = &changes[run.clone()];
                let first = run.start + of_run.partition_point(|it| order(it) == Ordering::Less);
                let end = run.start + of_run.partition_point(|it| order(it) != Ordering::Greater);
                if run.start < first {
                    parts.push(RoutePart::New(run.start..first));
                }
                if end < run.end {
                    after.push((visits.len(), end..run.end));
                }
                if first == end {
                    parts.push(RoutePart::Node(node));
                } else {
                    let inside = &changes[first..end];
                    let left = inside.partition_point(|it| !bit(it.key, branch.depth));
                    let [a, b] = &branch.children;
                    visits.extend([(b, first + left..end), (a, first..first + left)]);
                }
            }
        }
        while let Some((_, run)) = after.pop_if(|(left, _)| *left == visits.len()) {
            parts.push(RoutePart::New(run));
        }
    }
    parts
}
