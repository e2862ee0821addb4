//! One operation on a tree, once its leaf has been found.
//!
//! The verifier finds the leaf by the proof's directions, the prover by comparing keys; after that
//! both run this code. Source: Reyzin et al. 2017, section 4 and appendix B.

use prooflight_core::{Error, Reason, Result};

use crate::operation::{LeafEffect, Operation};
use crate::params::Params;
use crate::rebalance::{rise_after_growth, rise_after_shrinking, settle_shrunk};
use crate::tree::{EditableTree, NodeId, NodeKind, Side, TreePath, expect_internal, unexpected};

/// The leaf that covers an operation's key, and whether it holds exactly that key.
pub(crate) struct CoveringLeaf {
    pub(crate) leaf: NodeId,
    pub(crate) matches: bool,
}

/// The root after an operation, and how the height changed: by -1, 0 or 1.
pub(crate) struct TreeUpdate {
    pub(crate) root: NodeId,
    pub(crate) height_change: i32,
}

/// Performs `op` at the leaf that `path` leads to; empties the path.
///
/// Nothing is marked or changed if the operation itself fails, for example on a key that exists.
pub(crate) fn perform<'a, T: EditableTree<'a>>(
    tree: &mut T,
    root: NodeId,
    path: &mut TreePath,
    found: &CoveringLeaf,
    op: &Operation<'a>,
    params: &Params,
) -> Result<TreeUpdate> {
    let leaf = found.leaf;
    let effect = op.effect(found.matches.then(|| tree.value_bytes(leaf)))?;
    if let LeafEffect::Set(value) | LeafEffect::Insert(value) = &effect {
        params.check_value(value.as_ref().len())?;
    }
    for &(node, _) in path.iter() {
        tree.visit(node);
    }
    tree.visit(leaf);
    match effect {
        LeafEffect::Keep => {
            path.clear();
            Ok(TreeUpdate { root, height_change: 0 })
        }
        LeafEffect::Set(value) => {
            tree.discard_value(tree.value(leaf));
            let leaf = tree.edit(leaf);
            let value = tree.new_value(value)?;
            tree.set_value(leaf, value);
            let (root, _) = rise_after_growth(tree, path, leaf, false)?;
            Ok(TreeUpdate { root, height_change: 0 })
        }
        LeafEffect::Insert(value) => {
            let key = tree.new_key(op.key())?;
            let value = tree.new_value(value)?;
            let left = tree.edit(leaf);
            let right = tree.new_leaf(key, value, tree.next_key(left))?;
            tree.set_next_key(left, key);
            let subtree = tree.new_internal(left, right, key)?;
            let (root, grew) = rise_after_growth(tree, path, subtree, true)?;
            Ok(TreeUpdate { root, height_change: i32::from(grew) })
        }
        LeafEffect::Delete => {
            let (root, shrank) = delete(tree, path, leaf)?;
            Ok(TreeUpdate { root, height_change: -i32::from(shrank) })
        }
    }
}

/// Deletes the leaf that `path` leads to; returns the new root and whether it became lower.
///
/// The leaf's key separates the two subtrees of exactly one internal node, the last one on the path
/// that was left to the right. Source: scrypto's `deleteHelper`.
fn delete<'a, T: EditableTree<'a>>(
    tree: &mut T,
    path: &mut TreePath,
    leaf: NodeId,
) -> Result<(NodeId, bool)> {
    let Some(at) = path.iter().rposition(|&(_, side)| side == Side::Right) else {
        return Err(Error::new(
            Reason::TreeShape,
            "a leaf to the right of some internal node",
            "the leftmost leaf",
        ));
    };
    let (separator, _) = path[at];
    path.truncate(at);
    tree.discard_key(tree.key(leaf));
    tree.discard_value(tree.value(leaf));
    let left = tree.child(separator, Side::Left);
    let right = tree.child(separator, Side::Right);

    if right == leaf {
        // The leaf goes with its parent; its predecessor takes over its next key.
        let subtree = set_next_key_of_last(tree, left, tree.next_key(leaf))?;
        tree.discard(leaf);
        tree.discard(separator);
        return rise_after_shrinking(tree, path, 0, subtree, true);
    }
    if tree.kind(left) == NodeKind::Leaf {
        // The predecessor moves into the leaf's place, and its old place goes with the parent.
        tree.visit(left);
        let subtree = set_entry_of_first(tree, right, left)?;
        tree.discard(left);
        tree.discard(separator);
        return rise_after_shrinking(tree, path, 0, subtree, true);
    }
    // The predecessor, the last leaf on the left, moves into the leaf's place.
    let (last, new_left, shrank) = delete_last(tree, path, left)?;
    let node = tree.edit(separator);
    tree.set_separator(node, tree.key(last));
    let new_right = set_entry_of_first(tree, right, last)?;
    tree.discard(last);
    tree.set_child(node, Side::Left, new_left);
    tree.set_child(node, Side::Right, new_right);
    let (subtree, shrank) = settle_shrunk(tree, node, Side::Left, shrank)?;
    rise_after_shrinking(tree, path, 0, subtree, shrank)
}

/// Removes the last leaf of a subtree; returns it, the new subtree and whether that became lower.
fn delete_last<'a, T: EditableTree<'a>>(
    tree: &mut T,
    path: &mut TreePath,
    subtree: NodeId,
) -> Result<(NodeId, NodeId, bool)> {
    let keep = path.len();
    let mut node = subtree;
    let last = loop {
        expect_internal(tree, node)?;
        tree.visit(node);
        let right = tree.child(node, Side::Right);
        if tree.kind(right) == NodeKind::Leaf {
            break right;
        }
        path.push((node, Side::Right));
        node = right;
    };
    tree.visit(last);
    let rest = tree.child(node, Side::Left);
    tree.discard(node);
    let (subtree, shrank) = rise_after_shrinking(tree, path, keep, rest, true)?;
    Ok((last, subtree, shrank))
}

/// Gives the last leaf of a subtree another next key; returns the new subtree.
fn set_next_key_of_last<'a, T: EditableTree<'a>>(
    tree: &mut T,
    subtree: NodeId,
    next: T::Key,
) -> Result<NodeId> {
    let (top, leaf) = edit_edge(tree, subtree, Side::Right)?;
    tree.set_next_key(leaf, next);
    Ok(top)
}

/// Gives the first leaf of a subtree the key and value of another leaf; returns the new subtree.
fn set_entry_of_first<'a, T: EditableTree<'a>>(
    tree: &mut T,
    subtree: NodeId,
    from: NodeId,
) -> Result<NodeId> {
    let (top, leaf) = edit_edge(tree, subtree, Side::Left)?;
    tree.set_key(leaf, tree.key(from));
    tree.set_value(leaf, tree.value(from));
    Ok(top)
}

/// Edits every node on the outer edge of a subtree; returns its top and the leaf at the end.
fn edit_edge<'a, T: EditableTree<'a>>(
    tree: &mut T,
    subtree: NodeId,
    side: Side,
) -> Result<(NodeId, NodeId)> {
    let mut parent = None;
    let mut top = subtree;
    let mut node = subtree;
    loop {
        let kind = tree.kind(node);
        if kind == NodeKind::Label {
            return Err(unexpected("an expanded node", kind));
        }
        tree.visit(node);
        let edited = tree.edit(node);
        match parent {
            Some(parent) => tree.set_child(parent, side, edited),
            None => top = edited,
        }
        if kind == NodeKind::Leaf {
            return Ok((top, edited));
        }
        parent = Some(edited);
        node = tree.child(edited, side);
    }
}
