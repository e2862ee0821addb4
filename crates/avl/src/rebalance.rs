//! Relinking and rebalancing along the path from a changed subtree up to the root.
//!
//! Source: Reyzin et al. 2017, appendix B, with the rotations exactly as scrypto does them.

use prooflight_core::{Error, Reason, Result};

use crate::tree::{EditableTree, NodeId, Side, TreePath, expect_internal};

/// Links `child` in place of the subtree at the end of `path`, which became higher if `grew`.
///
/// Returns the new root and whether the whole tree became higher. Empties the path.
pub(crate) fn rise_after_growth<'a, T: EditableTree<'a>>(
    tree: &mut T,
    path: &mut TreePath,
    mut child: NodeId,
    mut grew: bool,
) -> Result<(NodeId, bool)> {
    while let Some((node, side)) = path.pop() {
        let node = tree.edit(node);
        let balance = tree.balance(node);
        if grew && side.is_higher(balance) {
            child = rotate_grown(tree, node, side, child)?;
            grew = false;
            continue;
        }
        tree.set_child(node, side, child);
        if grew {
            tree.set_balance(node, balance.wrapping_add(side.tilt()));
            grew = balance == 0;
        }
        child = node;
    }
    Ok((child, grew))
}

/// Links `child` in place of the subtree at the end of `path`, which became lower if `shrank`.
///
/// Returns the new top and whether it became lower. Takes the path down to `keep` entries.
pub(crate) fn rise_after_shrinking<'a, T: EditableTree<'a>>(
    tree: &mut T,
    path: &mut TreePath,
    keep: usize,
    mut child: NodeId,
    mut shrank: bool,
) -> Result<(NodeId, bool)> {
    while path.len() > keep {
        let Some((node, side)) = path.pop() else { break };
        let node = tree.edit(node);
        tree.set_child(node, side, child);
        (child, shrank) = settle_shrunk(tree, node, side, shrank)?;
    }
    Ok((child, shrank))
}

/// Restores the balance of an edited node whose subtree on `side` became lower if `shrank`.
pub(crate) fn settle_shrunk<'a, T: EditableTree<'a>>(
    tree: &mut T,
    node: NodeId,
    side: Side,
    shrank: bool,
) -> Result<(NodeId, bool)> {
    if !shrank {
        return Ok((node, false));
    }
    let balance = tree.balance(node);
    if side.opposite().is_higher(balance) {
        return rotate_shrunk(tree, node, side);
    }
    let balance = balance.wrapping_sub(side.tilt());
    tree.set_balance(node, balance);
    Ok((node, balance == 0))
}

/// `node` was higher on `side`, and `child` on that side became higher still.
fn rotate_grown<'a, T: EditableTree<'a>>(
    tree: &mut T,
    node: NodeId,
    side: Side,
    child: NodeId,
) -> Result<NodeId> {
    expect_internal(tree, child)?;
    if !side.is_higher(tree.balance(child)) {
        return rotate_twice(tree, node, side, child);
    }
    rotate_once(tree, node, side, child);
    tree.set_balance(node, 0);
    tree.set_balance(child, 0);
    Ok(child)
}

/// `node` was higher on the side opposite to `side`, and its subtree on `side` became lower.
fn rotate_shrunk<'a, T: EditableTree<'a>>(
    tree: &mut T,
    node: NodeId,
    side: Side,
) -> Result<(NodeId, bool)> {
    let higher = side.opposite();
    let sibling = tree.child(node, higher);
    expect_internal(tree, sibling)?;
    tree.visit(sibling);
    if side.is_higher(tree.balance(sibling)) {
        let grandchild = tree.child(sibling, side);
        expect_internal(tree, grandchild)?;
        tree.visit(grandchild);
        let sibling = tree.edit(sibling);
        return Ok((rotate_twice(tree, node, higher, sibling)?, true));
    }
    let sibling = tree.edit(sibling);
    let balance = tree.balance(sibling);
    rotate_once(tree, node, higher, sibling);
    tree.set_balance(node, higher.tilt().wrapping_sub(balance));
    let balance = balance.wrapping_sub(higher.tilt());
    tree.set_balance(sibling, balance);
    Ok((sibling, balance == 0))
}

/// Lifts `child`, which is on `side` of `node`, over `node`. Both are edited nodes.
fn rotate_once<'a, T: EditableTree<'a>>(tree: &mut T, node: NodeId, side: Side, child: NodeId) {
    let inner = tree.child(child, side.opposite());
    tree.set_child(node, side, inner);
    tree.set_child(child, side.opposite(), node);
}

/// Lifts the inner grandchild over `child` and `node`. `node` and `child` are edited nodes.
fn rotate_twice<'a, T: EditableTree<'a>>(
    tree: &mut T,
    node: NodeId,
    side: Side,
    child: NodeId,
) -> Result<NodeId> {
    let top = tree.child(child, side.opposite());
    expect_internal(tree, top)?;
    let (left, right) = match tree.balance(top) {
        0 => (0, 0),
        -1 => (0, 1),
        1 => (-1, 0),
        other => return Err(Error::new(Reason::TreeShape, "a balance of -1, 0 or 1", other)),
    };
    let top = tree.edit(top);
    tree.set_child(child, side.opposite(), tree.child(top, side));
    tree.set_child(node, side, tree.child(top, side.opposite()));
    tree.set_child(top, side, child);
    tree.set_child(top, side.opposite(), node);
    let (child_balance, node_balance) = match side {
        Side::Left => (left, right),
        Side::Right => (right, left),
    };
    tree.set_balance(child, child_balance);
    tree.set_balance(node, node_balance);
    tree.set_balance(top, 0);
    Ok(top)
}
