//! Messages written byte by byte, which an honest prover would not write.

use prooflight_core::{Envelope, Hash};
use prooflight_smt::proof::{ProofLeaf, Writer};

use super::key;
use super::plain::{Node, bit};

/// The envelope with any body.
pub(super) fn message(kind: Envelope, body: &[&[u8]]) -> Vec<u8> {
    [&Writer::new(kind).finish()[..], &body.concat()].concat()
}

/// The part of a tree on one way down, with another leaf at its end.
pub(super) fn with_leaf(
    mut writer: Writer,
    tree: &Node,
    height: u64,
    way: &Hash,
    leaf: ProofLeaf<'_>,
) -> Vec<u8> {
    writer.root(height, tree.height());
    let (mut node, mut parent) = (tree, None);
    while let Node::Branch { depth, left, right } = node {
        writer.branch(parent, *depth, left.height(), right.height());
        let (child, sibling) = if bit(way, *depth) == 0 { (left, right) } else { (right, left) };
        writer.closed(&sibling.hash());
        (node, parent) = (child, Some(*depth));
    }
    writer.proof_leaf(leaf);
    writer.finish()
}

/// A tree with one node on the way to a key changed: the root is at level 0. None if the way is shorter.
pub(super) fn changed(
    tree: &Node,
    key: &[u8],
    level: usize,
    change: impl FnOnce(&mut Node),
) -> Option<Node> {
    let (mut forged, mut at, mut change) = (tree.clone(), 0, Some(change));
    forged.path_mut(key, &mut |node| {
        if at == level
            && let Some(change) = change.take()
        {
            change(node);
        }
        at += 1;
    });
    change.is_none().then_some(forged)
}

/// A tree with the leaf of a key changed.
pub(super) fn changed_leaf(
    tree: &Node,
    number: u16,
    change: impl FnOnce(&mut Node),
) -> Option<Node> {
    let mut steps = 0;
    tree.clone().path_mut(&key(number), &mut |_| steps += 1);
    changed(tree, &key(number), steps - 1, change)
}

/// A chain of branches over the leaf of the key asked for, whose value is empty.
///
/// Each branch is as many bits further down than the one before as `further` says.
pub(super) fn chain(kind: Envelope, further: &[u8]) -> Vec<u8> {
    let branches = further.iter().flat_map(|&further| [&[further, 0][..], &[7; 32]].concat());
    let branches: Vec<u8> = branches.collect();
    message(kind, &[&[0], &branches, &[0, 0, 0, 0]])
}
