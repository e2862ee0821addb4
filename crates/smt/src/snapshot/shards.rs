//! The branches of a block below the first levels: part by part, each from lists and not from a visit.

use super::clusters::{Below, Layout};
use crate::prover::tree::{At, Part};

/// How a part's branches are cut into clusters.
pub(super) fn layout(part: Part<'_>) -> Layout {
    Layout::new(part.branches(), |branch| part.parent(branch))
}

/// The clusters of a part that block `block` changed; `record_at` says where the record of a change begins.
pub(super) fn write(
    part: Part<'_>,
    layout: &Layout,
    first: u64,
    block: u64,
    record_at: impl Fn(usize) -> u64,
    bytes: &mut alloc::vec::Vec<u8>,
) {
    let below = |at| match at {
        At::Unchanged => Below::Elsewhere,
        At::Branch(branch) => Below::Branch(branch),
        At::Leaf(change) => Below::At(record_at(change)),
    };
    let branch = |number: usize| {
        let (depth, children) = part.branch(number);
        (depth, children.map(|(child, at)| (child, below(at))))
    };
    layout.write(first, block, branch, bytes);
}
