//! The walk from a trie's root along the paths of keys, all at once.

use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

use prooflight_core::{Hash, Limits, Result};

use crate::nibbles::KeyPath;
use crate::node::{ChildRef, Node};
use crate::nodes::ProofNodes;

/// Walks from the root until the value or absence of every key is proven; returns their values.
///
/// Depth first, lower nibbles before higher ones: each node outside its parent is the next one of the proof. No node
/// may be left over.
pub(crate) fn walk<'a>(
    root: &Hash,
    keys: &[&[u8]],
    nodes: &ProofNodes<'a>,
) -> Result<Vec<Option<&'a [u8]>>> {
    let first = nodes.hashed(0, root)?;
    let mut used = 1;
    let values = walk_from(first, keys, &mut |child| {
        Ok(Some(match child {
            ChildRef::Empty => return Ok(None),
            ChildRef::Inline(payload) => Node::from_items(payload, &Limits::NONE)?,
            ChildRef::Hash(hash) => {
                let node = nodes.hashed(used, hash)?;
                used += 1;
                node
            }
        }))
    })?;
    nodes.check_used(used)?;
    Ok(values)
}

/// Walks from a first node along the paths of keys; returns their values. `go` returns the node of a child, if any.
pub(crate) fn walk_from<'a>(
    first: Node<'a>,
    keys: &[&[u8]],
    go: &mut dyn FnMut(ChildRef<'a>) -> Result<Option<Node<'a>>>,
) -> Result<Vec<Option<&'a [u8]>>> {
    let mut walk = VerifierWalk { keys, values: vec![None; keys.len()], next: Vec::new() };
    walk.visit(first, 0..keys.len(), 0)?;
    while let Some(WalkStep { child, after_extension, keys, walked }) = walk.next.pop() {
        let Some(node) = go(child)? else { continue };
        if after_extension {
            node.check_is_branch()?;
        }
        walk.visit(node, keys, walked)?;
    }
    Ok(walk.values)
}

struct VerifierWalk<'k, 'a> {
    keys: &'k [&'k [u8]],
    values: Vec<Option<&'a [u8]>>,
    /// A stack of the children to visit. A key leads to at most one of them.
    next: Vec<WalkStep<'a>>,
}

/// A child to which keys lead.
struct WalkStep<'a> {
    child: ChildRef<'a>,
    after_extension: bool,
    /// The keys that lead to the child, at least one.
    keys: Range<usize>,
    /// The number of nibbles up to the child.
    walked: usize,
}

impl<'a> VerifierWalk<'_, 'a> {
    /// Sets the values of the keys that end at a node, and pushes the children that the other keys lead to.
    fn visit(&mut self, node: Node<'a>, mut keys: Range<usize>, walked: usize) -> Result<()> {
        match node {
            Node::Leaf { path: rest, value } => {
                for key in keys {
                    let mut path = self.path(key, walked);
                    self.values[key] = (path.follow(&rest) && path.is_walked()).then_some(value);
                }
            }
            Node::Extension { path: shared, child } => {
                while let Some((follows, keys)) =
                    last_run(&mut keys, |key| self.path(key, walked).follow(&shared))
                {
                    if follows {
                        let walked = walked + shared.length();
                        self.next.push(WalkStep { child, after_extension: true, keys, walked });
                    }
                }
            }
            Node::Branch(branch) => {
                while let Some((nibble, keys)) =
                    last_run(&mut keys, |key| self.path(key, walked).next())
                {
                    if let Some(nibble) = nibble {
                        let (child, walked) = (branch.child(nibble)?, walked + 1);
                        self.next.push(WalkStep { child, after_extension: false, keys, walked });
                    } else {
                        let value = Some(branch.value).filter(|value| !value.is_empty());
                        self.values[keys].fill(value);
                    }
                }
            }
        }
        Ok(())
    }

    fn path(&self, key: usize, walked: usize) -> KeyPath<'_> {
        KeyPath::after(self.keys[key], walked)
    }
}

/// Removes the longest run at the end of `keys` with the same result of `of`; returns this result and the run.
fn last_run<T: PartialEq>(
    keys: &mut Range<usize>,
    of: impl Fn(usize) -> T,
) -> Option<(T, Range<usize>)> {
    let last = of(keys.end.checked_sub(1).filter(|last| keys.contains(last))?);
    let length = keys.clone().rev().take_while(|&key| of(key) == last).count();
    let run = keys.end - length..keys.end;
    keys.end = run.start;
    Some((last, run))
}
