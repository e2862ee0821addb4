//! The tree exactly as it is defined, with the state of every block: slow, recursive and simple.
//!
//! Also the honest prover of the tests and of the vectors' generator; with changed nodes, it is the liar.
#![allow(dead_code, reason = "each user needs only a part of it")]
#![allow(unreachable_pub, reason = "nothing is exported from a test or a generator")]

use std::collections::BTreeMap;

use prooflight_core::Hash;
use prooflight_smt::PastState;
use prooflight_smt::hash::{ChildHash, EMPTY_ROOT, Preimage, hash_key, hash_value};
use prooflight_smt::proof::{
    DIFF_ENVELOPE, DiffLeaf, HISTORY_ENVELOPE, PROOF_ENVELOPE, ProofLeaf, ProofWriter,
};

/// A key and its new value; `None` deletes it.
pub type BlockOp = (Vec<u8>, Option<Vec<u8>>);

/// Every change of every key.
#[derive(Clone, Debug, Default)]
pub struct PlainTree {
    changes: BTreeMap<Vec<u8>, Vec<ValueChange>>,
}

/// The block of a change, and the value that it set; `None` for a delete.
type ValueChange = (u64, Option<Vec<u8>>);

impl PlainTree {
    /// Applies a block's operations, which come after those of all blocks so far.
    ///
    /// The last operation on a key counts; a delete of a key that had no value before the block does nothing.
    pub fn apply(&mut self, height: u64, ops: impl IntoIterator<Item = BlockOp>) {
        let ops: BTreeMap<Vec<u8>, Option<Vec<u8>>> = ops.into_iter().collect();
        for (key, value) in ops {
            let changes = self.changes.entry(key.clone()).or_default();
            let live = changes.last().is_some_and(|(_, value)| value.is_some());
            if value.is_some() || live {
                changes.push((height, value));
            } else if changes.is_empty() {
                self.changes.remove(&key);
            }
        }
    }

    /// The keys that were ever written.
    pub fn keys(&self) -> Vec<Vec<u8>> {
        self.changes.keys().cloned().collect()
    }

    /// The same key, borrowed from this tree.
    pub fn own(&self, key: &[u8]) -> &[u8] {
        self.changes.get_key_value(key).map_or(&[], |(key, _)| key)
    }

    /// The last change of a key up to a block.
    pub fn last_change(&self, key: &[u8], height: u64) -> Option<(u64, Option<&[u8]>)> {
        let changes = self.changes.get(key)?;
        let (since, value) = changes.iter().rfind(|(since, _)| *since <= height)?;
        Some((*since, value.as_deref()))
    }

    pub fn answer(&self, key: &[u8], height: u64) -> PastState<'_> {
        match self.last_change(key, height) {
            Some((since, Some(value))) => PastState::Present { value, since },
            Some((deleted_at, None)) => PastState::Deleted { deleted_at },
            None => PastState::NeverWritten,
        }
    }

    /// The tree of a block, unless it is empty.
    pub fn tree(&self, height: u64) -> Option<PlainNode> {
        let leaf = |key: &Vec<u8>| {
            let (since, value) = self.last_change(key, height)?;
            Some(PlainNode::leaf(since, key, value))
        };
        let mut leaves: Vec<(Hash, PlainNode)> =
            self.changes.keys().filter_map(|key| Some((hash_key(key), leaf(key)?))).collect();
        leaves.sort_by_key(|(key_hash, _)| *key_hash);
        grow(leaves)
    }

    pub fn root(&self, height: u64) -> Hash {
        self.tree(height).map_or(EMPTY_ROOT, |tree| tree.hash())
    }

    pub fn prove<K: AsRef<[u8]>>(&self, height: u64, keys: &[K]) -> Vec<u8> {
        encode_proof(height, self.tree(height).as_ref(), keys)
    }

    /// The blocks that a key's history needs, newest first.
    pub fn history_blocks(&self, key: &[u8], from: u64, to: u64) -> Vec<u64> {
        let mut blocks = vec![to];
        let mut height = to;
        while let Some((since, _)) = self.last_change(key, height).filter(|(at, _)| *at > from) {
            height = since - 1;
            blocks.push(height);
        }
        blocks
    }

    /// Blocks with their roots.
    pub fn roots(&self, blocks: &[u64]) -> Vec<(u64, Hash)> {
        blocks.iter().map(|&height| (height, self.root(height))).collect()
    }

    pub fn prove_history(&self, key: &[u8], from: u64, to: u64) -> Vec<u8> {
        let blocks = self.history_blocks(key, from, to);
        let trees: Vec<_> = blocks.iter().map(|&height| (height, self.tree(height))).collect();
        encode_history(key, &trees)
    }

    pub fn prove_diff(&self, from: Option<u64>, to: u64) -> Vec<u8> {
        encode_diff(from, to, self.tree(to).as_ref())
    }
}

/// The tree over leaves in ascending order of their key hashes.
fn grow(mut leaves: Vec<(Hash, PlainNode)>) -> Option<PlainNode> {
    if leaves.len() < 2 {
        return leaves.pop().map(|(_, leaf)| leaf);
    }
    let (first, last) = (leaves[0].0, leaves[leaves.len() - 1].0);
    let depth = (0..=255).find(|&depth| bit(&first, depth) != bit(&last, depth)).expect("two keys");
    let right = leaves.split_off(leaves.partition_point(|(hash, _)| bit(hash, depth) == 0));
    let (left, right) = (grow(leaves)?, grow(right)?);
    Some(PlainNode::Branch { depth, left: Box::new(left), right: Box::new(right) })
}

pub fn bit(hash: &Hash, depth: u8) -> u8 {
    let depth = usize::from(depth);
    hash[depth / 8] >> (7 - depth % 8) & 1
}

/// A node of a tree; a liar may change anything.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlainNode {
    Leaf {
        height: u64,
        key: Vec<u8>,
        value: Option<Vec<u8>>,
    },
    Branch {
        depth: u8,
        left: Box<Self>,
        right: Box<Self>,
    },
    /// A placeholder for a subtree; an honest tree has none.
    Closed {
        height: u64,
        hash: Hash,
    },
}

impl PlainNode {
    pub fn leaf(height: u64, key: &[u8], value: Option<&[u8]>) -> Self {
        Self::Leaf { height, key: key.to_vec(), value: value.map(<[u8]>::to_vec) }
    }

    pub fn height(&self) -> u64 {
        match self {
            Self::Leaf { height, .. } | Self::Closed { height, .. } => *height,
            Self::Branch { left, right, .. } => left.height().max(right.height()),
        }
    }

    pub fn hash(&self) -> Hash {
        match self {
            Self::Leaf { height, key, value: Some(value) } => {
                Preimage::leaf(*height, &hash_key(key), &hash_value(value)).hash()
            }
            Self::Leaf { height, key, value: None } => {
                Preimage::tombstone(*height, &hash_key(key)).hash()
            }
            Self::Branch { depth, left, right } => {
                let hashes = [left.hash(), right.hash()];
                let left = ChildHash { height: left.height(), hash: &hashes[0] };
                let right = ChildHash { height: right.height(), hash: &hashes[1] };
                Preimage::branch(*depth, left, right).hash()
            }
            Self::Closed { hash, .. } => *hash,
        }
    }

    /// Visits the nodes on the path to a key, from the root down.
    pub fn path_mut(&mut self, key: &[u8], visit: &mut impl FnMut(&mut Self)) {
        visit(self);
        if let Self::Branch { depth, left, right } = self {
            let child = if bit(&hash_key(key), *depth) == 0 { left } else { right };
            child.path_mut(key, visit);
        }
    }
}

/// The distinct hashes of keys, ascending.
fn sorted<K: AsRef<[u8]>>(keys: &[K]) -> Vec<Hash> {
    let mut hashes: Vec<Hash> = keys.iter().map(|key| hash_key(key.as_ref())).collect();
    hashes.sort_unstable();
    hashes.dedup();
    hashes
}

pub fn encode_proof<K: AsRef<[u8]>>(height: u64, tree: Option<&PlainNode>, keys: &[K]) -> Vec<u8> {
    let mut writer = ProofWriter::new(PROOF_ENVELOPE);
    write_part(&mut writer, height, tree, &sorted(keys));
    writer.finish()
}

pub fn encode_history(key: &[u8], trees: &[(u64, Option<PlainNode>)]) -> Vec<u8> {
    let mut writer = ProofWriter::new(HISTORY_ENVELOPE);
    for (height, tree) in trees {
        write_part(&mut writer, *height, tree.as_ref(), &[hash_key(key)]);
    }
    writer.finish()
}

fn write_part(writer: &mut ProofWriter, height: u64, tree: Option<&PlainNode>, keys: &[Hash]) {
    if let Some(tree) = tree {
        writer.root(height, tree.height());
        write_to_keys(writer, None, tree, keys);
    }
}

fn write_to_keys(writer: &mut ProofWriter, parent: Option<u8>, node: &PlainNode, keys: &[Hash]) {
    match node {
        PlainNode::Leaf { key, value, .. } => {
            let key_hash = hash_key(key);
            let value_hash = hash_value(value.as_deref().unwrap_or_default());
            let index = keys.iter().position(|key| *key == key_hash).map(|index| index as u64);
            writer.proof_leaf(match (index, value) {
                (Some(index), Some(value)) => ProofLeaf::Live { index, value },
                (Some(index), None) => ProofLeaf::Deleted { index },
                (None, Some(_)) => {
                    ProofLeaf::OtherLive { key_hash: &key_hash, value_hash: &value_hash }
                }
                (None, None) => ProofLeaf::OtherDeleted { key_hash: &key_hash },
            });
        }
        PlainNode::Branch { depth, left, right } => {
            writer.branch(parent, *depth, left.height(), right.height());
            let (on_left, on_right): (Vec<Hash>, Vec<Hash>) =
                keys.iter().partition(|key| bit(key, *depth) == 0);
            let children = [(left, on_left), (right, on_right)];
            for (child, _) in children.iter().filter(|(_, keys)| keys.is_empty()) {
                writer.closed(&child.hash());
            }
            for (child, keys) in children.iter().filter(|(_, keys)| !keys.is_empty()) {
                write_to_keys(writer, Some(*depth), child, keys);
            }
        }
        PlainNode::Closed { hash, .. } => writer.closed(hash),
    }
}

pub fn encode_diff(from: Option<u64>, to: u64, tree: Option<&PlainNode>) -> Vec<u8> {
    let mut writer = ProofWriter::new(DIFF_ENVELOPE);
    if let Some(tree) = tree {
        writer.root(to, tree.height());
        write_newer(&mut writer, None, tree, from);
    }
    writer.finish()
}

fn write_newer(writer: &mut ProofWriter, parent: Option<u8>, node: &PlainNode, from: Option<u64>) {
    match node {
        PlainNode::Leaf { key, value, .. } => writer.diff_leaf(match value {
            Some(value) => DiffLeaf::Live { key, value },
            None => DiffLeaf::Deleted { key },
        }),
        PlainNode::Branch { depth, left, right } => {
            writer.branch(parent, *depth, left.height(), right.height());
            let is_new = |child: &PlainNode| from.is_none_or(|from| child.height() > from);
            for child in [left, right].into_iter().filter(|child| !is_new(child)) {
                writer.closed(&child.hash());
            }
            for child in [left, right].into_iter().filter(|child| is_new(child)) {
                write_newer(writer, Some(*depth), child, from);
            }
        }
        PlainNode::Closed { hash, .. } => writer.closed(hash),
    }
}
