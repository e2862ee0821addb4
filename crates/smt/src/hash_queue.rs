//! A queue of proof nodes that are hashed bottom-up in SIMD batches.
//!
//! Reading a part needs none of its hashes. So its nodes are queued until there are many, and nodes that do
//! not depend on each other are hashed together. The queue is bounded, however long the proof.

use alloc::vec;
use alloc::vec::Vec;

use crate::hash::{EMPTY_ROOT, LANES, Preimage, hash_lanes};
use prooflight_core::Hash;

/// Hash once this many nodes are pending: enough to fill every lane, and far above the longest path (256).
const HASH_BATCH: usize = 1024;

/// The usual number of branches above a leaf in a tree of a few million keys.
pub(crate) const TYPICAL_DEPTH: usize = 32;

/// Nodes that are not hashed yet, and the roots of the parts that they belong to.
pub(crate) struct HashQueue {
    /// Every node before its children.
    nodes: Vec<PendingNode>,
    /// Whether every node is a child of the one before, as in the proof of one key.
    is_path: bool,
    roots: Vec<Hash>,
}

struct PendingNode {
    preimage: Preimage,
    place: HashTarget,
    /// The number of its ancestors.
    level: usize,
}

/// Where a node's hash goes.
#[derive(Clone, Copy)]
pub(crate) enum HashTarget {
    /// The root of this part.
    Root(usize),
    /// The message of this node, on this side.
    Child { parent: usize, side: usize },
}

impl HashQueue {
    /// An empty queue.
    pub(crate) fn new() -> Self {
        let nodes = Vec::with_capacity(TYPICAL_DEPTH);
        Self { nodes, is_path: true, roots: Vec::with_capacity(1) }
    }

    /// Begins the next part; returns where the hash of its root goes. The part is an empty tree unless a
    /// node is added there.
    pub(crate) fn next_root(&mut self) -> HashTarget {
        self.hash_if_full([].into_iter());
        self.roots.push(EMPTY_ROOT);
        HashTarget::Root(self.roots.len() - 1)
    }

    /// Adds a node and returns its preimage.
    pub(crate) fn push(&mut self, place: HashTarget, preimage: Preimage) -> &mut Preimage {
        let (follows, level) = match place {
            HashTarget::Root(_) => (self.nodes.is_empty(), 0),
            HashTarget::Child { parent, .. } => {
                (parent + 1 == self.nodes.len(), self.nodes[parent].level + 1)
            }
        };
        self.is_path &= follows;
        &mut self.nodes.push_mut(PendingNode { preimage, place, level }).preimage
    }

    /// The number of nodes, and so the next one's index.
    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Hashes the nodes once there are many. The nodes of `path`, a node and its ancestors from the root
    /// down, still get children: they stay, renumbered from 0.
    pub(crate) fn hash_if_full(&mut self, path: impl ExactSizeIterator<Item = usize>) -> bool {
        if self.nodes.len() < HASH_BATCH {
            return false;
        }
        let path: Vec<usize> = path.collect();
        self.hash(&path);
        for (to, &from) in path.iter().enumerate() {
            self.nodes.swap(to, from);
            if let HashTarget::Child { parent, .. } = &mut self.nodes[to].place {
                *parent = to - 1;
            }
        }
        self.nodes.truncate(path.len());
        self.is_path = true;
        true
    }

    /// The roots of all parts that were begun; the last one must be complete.
    pub(crate) fn roots(mut self) -> Vec<Hash> {
        self.hash(&[]);
        self.roots
    }

    /// The root of the only part.
    pub(crate) fn root(self) -> Hash {
        self.roots().first().copied().unwrap_or(EMPTY_ROOT)
    }

    /// Hashes all nodes except those of `path`, the deepest first.
    fn hash(&mut self, path: &[usize]) {
        if self.is_path {
            for node in (path.len()..self.nodes.len()).rev() {
                let PendingNode { preimage, place, .. } = &self.nodes[node];
                self.put(*place, preimage.hash());
            }
            return;
        }
        let (order, starts) = self.by_level(path);
        let mut end = order.len();
        for start in starts.into_iter().rev() {
            for group in order[start..end].chunks(LANES) {
                let mut hashes = [[0; 32]; LANES];
                let lane = |lane: usize| self.nodes[group[lane]].preimage.lane();
                hash_lanes(group.len(), lane, &mut hashes);
                for (&node, hash) in group.iter().zip(hashes) {
                    self.put(self.nodes[node].place, hash);
                }
            }
            end = start;
        }
    }

    fn put(&mut self, place: HashTarget, hash: Hash) {
        match place {
            HashTarget::Root(part) => self.roots[part] = hash,
            HashTarget::Child { parent, side } => {
                self.nodes[parent].preimage.set_child(side, &hash);
            }
        }
    }

    /// All nodes except those of `path`, level by level from the roots down, and where each level starts.
    fn by_level(&self, path: &[usize]) -> (Vec<usize>, Vec<usize>) {
        let counted = || {
            let nodes = self.nodes.iter().enumerate();
            nodes.filter(|(at, node)| path.get(node.level) != Some(at))
        };
        let levels = self.nodes.iter().map(|node| node.level + 1).max().unwrap_or(0);
        // For each level: first its number of nodes, then its end, and, once all nodes are placed, its start.
        let mut starts = vec![0; levels];
        for (_, node) in counted() {
            starts[node.level] += 1;
        }
        let mut end = 0;
        for start in &mut starts {
            end += *start;
            *start = end;
        }
        let mut order = vec![0; end];
        for (at, node) in counted() {
            starts[node.level] -= 1;
            order[starts[node.level]] = at;
        }
        (order, starts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::ChildHash;

    /// A stream of numbers from a seed.
    fn draw(state: &mut u64) -> u64 {
        *state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
        *state >> 33
    }

    /// Adds a random subtree with this many leaves as a reader does, and hashes it node by node.
    fn add(
        opened: &mut HashQueue,
        path: &mut Vec<usize>,
        side: usize,
        leaves: u64,
        random: &mut u64,
    ) -> Hash {
        let place = match path.last() {
            Some(&parent) => HashTarget::Child { parent, side },
            None => opened.next_root(),
        };
        if leaves == 1 {
            let [byte, ..] = draw(random).to_le_bytes();
            let leaf = Preimage::leaf(draw(random), &[byte; 32], &[side.to_le_bytes()[0]; 32]);
            opened.push(place, leaf);
            return leaf.hash();
        }
        let ([depth, ..], heights) = (leaves.to_le_bytes(), [draw(random), draw(random)]);
        let node = opened.len();
        opened.push(place, Preimage::over_unknown(depth, heights));
        path.push(node);
        let left_leaves = draw(random) % (leaves - 1) + 1;
        let counts = [left_leaves, leaves - left_leaves];
        let hashes = [0, 1].map(|side| {
            let hash = add(opened, path, side, counts[side], random);
            if opened.hash_if_full(path.iter().copied()) {
                path.iter_mut().enumerate().for_each(|(at, node)| *node = at);
            }
            hash
        });
        path.pop();
        let [left, right] = [0, 1].map(|at| ChildHash { height: heights[at], hash: &hashes[at] });
        Preimage::branch(depth, left, right).hash()
    }

    #[test]
    fn nodes_hashed_together_have_the_hashes_that_they_have_alone() {
        for seed in 0..20 {
            let (mut opened, mut random) = (HashQueue::new(), seed);
            // Parts of one node, of a few, and of more than the queue holds; the last one after an
            // empty part.
            let mut expected = Vec::new();
            for leaves in [1, 2, 7, 1, 300, 5000, 40] {
                expected.push(add(&mut opened, &mut Vec::new(), 0, leaves, &mut random));
                assert!(opened.len() <= HASH_BATCH + 256, "seed {seed}");
            }
            opened.next_root();
            expected.push(EMPTY_ROOT);
            expected.push(add(&mut opened, &mut Vec::new(), 0, 3, &mut random));
            assert_eq!(opened.roots(), expected, "seed {seed}");
        }
    }

    #[test]
    fn a_path_has_the_root_that_it_has_node_by_node() {
        let mut opened = HashQueue::new();
        let mut place = opened.next_root();
        for depth in 0..=255 {
            let parent = opened.len();
            opened.push(place, Preimage::over_unknown(depth, [7, 5])).set_child(1, &[depth; 32]);
            place = HashTarget::Child { parent, side: 0 };
        }
        let leaf = Preimage::leaf(7, &[1; 32], &[2; 32]);
        opened.push(place, leaf);
        let expected = (0..=255).rev().fold(leaf.hash(), |hash, depth| {
            let left = ChildHash { height: 7, hash: &hash };
            Preimage::branch(depth, left, ChildHash { height: 5, hash: &[depth; 32] }).hash()
        });
        assert_eq!(opened.root(), expected);
    }
}
