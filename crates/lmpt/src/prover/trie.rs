//! A layer in memory: a trie that only grows, in versions that share nodes.
//!
//! Each recursive call consumes a nibble at least, so there are at most 64 levels.

use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec;
use alloc::vec::Vec;
use core::cmp::min;

use prooflight_core::Hash;
use prooflight_mpt::EMPTY_ROOT;

use super::node::{MIN_HASHED_BYTES, Node, NodeKind, nibble};

/// A key with its leaf value.
pub(super) type Leaf = (Hash, Arc<[u8]>);

/// One version of a layer.
#[derive(Clone, Debug, Default)]
pub(super) struct LayerTrie {
    root: Option<Arc<Node>>,
    length: usize,
}

impl LayerTrie {
    /// The hash of the root.
    pub(super) fn root(&self) -> Hash {
        self.root.as_ref().map_or(EMPTY_ROOT, |root| root.root())
    }

    /// The number of keys.
    pub(super) const fn length(&self) -> usize {
        self.length
    }

    /// The leaf value of a key.
    pub(super) fn get(&self, key: &Hash) -> Option<&[u8]> {
        let (mut node, mut depth) = (self.root.as_ref()?, 0);
        loop {
            match &node.kind {
                NodeKind::Leaf { key: own, value } => return (own == key).then_some(value),
                NodeKind::Branch { skipped, .. } => {
                    if !follows(key, depth, skipped) {
                        return None;
                    }
                    depth += skipped.len();
                    node = node.child(nibble(key, depth))?;
                    depth += 1;
                }
            }
        }
    }

    /// The next version, with these leaves set; keys ascend without repetition.
    pub(super) fn with(&self, leaves: &[Leaf]) -> Self {
        let mut length = self.length;
        let root = with(self.root.as_ref(), 0, leaves, &mut length);
        Self { root, length }
    }

    /// The leaves, ascending.
    pub(super) fn leaves(&self) -> TrieLeaves {
        TrieLeaves { left: self.root.iter().cloned().collect() }
    }

    /// Appends the proof of keys, which ascend without repetition: the nodes on their paths, each once, depth
    /// first, nibbles ascending. Returns their leaf values.
    pub(super) fn prove(&self, keys: &[Hash], nodes: &mut Vec<Vec<u8>>) -> Vec<Option<Arc<[u8]>>> {
        let mut values = vec![None; keys.len()];
        if let (Some(root), false) = (&self.root, keys.is_empty()) {
            prove(root, 0, keys, &mut values, nodes);
        }
        values
    }
}

/// The leaves of a layer, ascending.
#[derive(Clone, Debug)]
pub(super) struct TrieLeaves {
    /// Subtrees that are left, the last one first.
    left: Vec<Arc<Node>>,
}

impl Iterator for TrieLeaves {
    type Item = Leaf;

    fn next(&mut self) -> Option<Leaf> {
        loop {
            let node = self.left.pop()?;
            match &node.kind {
                NodeKind::Leaf { key, value } => return Some((*key, value.clone())),
                NodeKind::Branch { children, .. } => {
                    self.left.extend(children.iter().rev().cloned());
                }
            }
        }
    }
}

/// A subtree with these leaves set; all keys lead to it.
fn with(
    node: Option<&Arc<Node>>,
    depth: usize,
    leaves: &[Leaf],
    length: &mut usize,
) -> Option<Arc<Node>> {
    let [first, .., last] = leaves else {
        return match (leaves, node) {
            ([(key, value)], None) => {
                *length += 1;
                Some(Node::leaf(*key, value.clone(), depth))
            }
            ([leaf], Some(node)) => Some(with_all(node, depth, (leaf, leaf), leaves, length)),
            _ => node.cloned(),
        };
    };
    if let Some(node) = node {
        return Some(with_all(node, depth, (first, last), leaves, length));
    }
    let skipped: Vec<_> = shared(&first.0, &last.0, depth).collect();
    Some(branch(&skipped, depth, |_| None, leaves, length))
}

/// Like [`with`], for a node that exists, and at least one leaf: `first` and `last` are those of `leaves`.
fn with_all(
    node: &Arc<Node>,
    depth: usize,
    (first, last): (&Leaf, &Leaf),
    leaves: &[Leaf],
    length: &mut usize,
) -> Arc<Node> {
    match &node.kind {
        NodeKind::Leaf { key, value } => {
            // The leaf is counted again with the others.
            *length -= 1;
            let mut all = leaves.to_vec();
            if let Err(at) = leaves.binary_search_by(|(other, _)| other.cmp(key)) {
                all.insert(at, (*key, value.clone()));
            }
            with(None, depth, &all, length).unwrap_or_else(|| node.clone())
        }
        NodeKind::Branch { skipped, occupied, children } => {
            let same = min(
                count_followed(&first.0, depth, skipped),
                count_followed(&last.0, depth, skipped),
            );
            let (front, rest) = skipped.split_at(same);
            let Some((&own, rest)) = rest.split_first() else {
                return branch(skipped, depth, |nibble| node.child(nibble), leaves, length);
            };
            // The leaves leave the extension before its end.
            let below = Node::branch(rest, *occupied, children.clone());
            branch(front, depth, |nibble| (nibble == own).then_some(&below), leaves, length)
        }
    }
}

/// A branch behind `skipped`, with the children that it had, and the leaves set below them.
fn branch<'n>(
    skipped: &[u8],
    depth: usize,
    child: impl Fn(u8) -> Option<&'n Arc<Node>>,
    leaves: &[Leaf],
    length: &mut usize,
) -> Arc<Node> {
    let depth = depth + skipped.len();
    let (mut occupied, mut children, mut rest) = (0, Vec::new(), leaves);
    for own in 0..16 {
        let count = rest.partition_point(|(key, _)| nibble(key, depth) <= own);
        let (leaves, after) = rest.split_at(count);
        rest = after;
        if let Some(child) = with(child(own), depth + 1, leaves, length) {
            occupied |= 1 << own;
            children.push(child);
        }
    }
    Node::branch(skipped, occupied, Box::from(children))
}

fn prove(
    node: &Node,
    depth: usize,
    keys: &[Hash],
    values: &mut [Option<Arc<[u8]>>],
    nodes: &mut Vec<Vec<u8>>,
) {
    let (rlp, behind) = node.rlp(depth);
    if depth == 0 || rlp.len() >= MIN_HASHED_BYTES {
        nodes.push(rlp);
    }
    match &node.kind {
        NodeKind::Leaf { key, value } => {
            if let Ok(at) = keys.binary_search(key)
                && let Some(found) = values.get_mut(at)
            {
                *found = Some(value.clone());
            }
        }
        NodeKind::Branch { skipped, .. } => {
            let branch_depth = depth + skipped.len();
            let mut entered = false;
            let mut values = values;
            for keys in keys.chunk_by(|a, b| shared(a, b, depth).nth(skipped.len()).is_some()) {
                let own;
                (own, values) = values.split_at_mut(keys.len());
                let Some(key) = keys.first().filter(|key| follows(key, depth, skipped)) else {
                    continue;
                };
                if !entered {
                    entered = true;
                    nodes.extend(behind.clone().filter(|branch| branch.len() >= MIN_HASHED_BYTES));
                }
                if let Some(child) = node.child(nibble(key, branch_depth)) {
                    prove(child, branch_depth + 1, keys, own, nodes);
                }
            }
        }
    }
}

/// Whether a key has these nibbles from `depth` on.
fn follows(key: &Hash, depth: usize, path: &[u8]) -> bool {
    count_followed(key, depth, path) == path.len()
}

fn count_followed(key: &Hash, depth: usize, path: &[u8]) -> usize {
    path.iter().zip(depth..).take_while(|&(step, at)| nibble(key, at) == *step).count()
}

/// The nibbles that two keys share from `depth` on.
fn shared<'k>(one: &'k Hash, other: &'k Hash, depth: usize) -> impl Iterator<Item = u8> + 'k {
    let steps = (depth..2 * one.len()).map(|at| (nibble(one, at), nibble(other, at)));
    steps.take_while(|(one, other)| one == other).map(|(step, _)| step)
}
