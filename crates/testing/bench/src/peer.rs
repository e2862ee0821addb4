//! The peer, `ergo_avltree_rust`, behind the same interface as ours.

use core::ops::Add;

use bytes::Bytes;
use ergo_avltree_rust::authenticated_tree_ops::AuthenticatedTreeOps;
use ergo_avltree_rust::batch_avl_prover::BatchAVLProver;
use ergo_avltree_rust::batch_avl_verifier::BatchAVLVerifier;
use ergo_avltree_rust::batch_node::{AVLTree, Node, NodeHeader, NodeId};
use ergo_avltree_rust::operation::{KeyDelta, KeyValue, Operation};
use prooflight_avl::{Digest, Params};
use prooflight_vectors::avl::AvlOp;

use crate::{BatchCase, Result};

/// A [`BatchCase`] in the peer's types, so that no conversion is timed.
pub struct PeerCase {
    params: Params,
    before: Bytes,
    ops: Vec<Operation>,
    proof: Bytes,
}

/// The hashing that every verifier must do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LabelCounts {
    /// Labels to compute: those of the nodes that the proof expands, and of the new nodes.
    pub labels: usize,
    /// BLAKE2b compressions for these labels.
    pub compressions: usize,
}

impl PeerCase {
    /// Converts a case.
    pub fn new(case: &BatchCase) -> Self {
        Self {
            params: case.params,
            before: Bytes::copy_from_slice(&case.before.0),
            ops: peer_operations(&case.ops),
            proof: Bytes::copy_from_slice(&case.proof),
        }
    }

    /// Verifies the case with the peer's verifier; returns the digest after it.
    pub fn verify(&self) -> Result<Digest> {
        let mut verifier = self.reconstruct()?;
        for op in &self.ops {
            verifier.perform_one_operation(op)?;
        }
        digest(&verifier)
    }

    /// Counts labels in the peer's tree, which computes each label on first use.
    pub fn work(&self) -> Result<LabelCounts> {
        let mut verifier = self.reconstruct()?;
        let mut work = LabelCounts::default();
        work.count(&verifier.top_node(), &|_| true);
        for op in &self.ops {
            verifier.perform_one_operation(op)?;
        }
        work.count(&verifier.top_node(), &|header| header.label.is_none());
        Ok(work)
    }

    fn reconstruct(&self) -> Result<BatchAVLVerifier> {
        let tree = empty(&self.params);
        Ok(BatchAVLVerifier::new(&self.before, &self.proof, tree, Some(self.ops.len()), None)?)
    }
}

impl LabelCounts {
    /// Counts the expanded nodes below `node`, stopping at those that are not `needed`.
    fn count(&mut self, node: &NodeId, needed: &dyn Fn(&NodeHeader) -> bool) {
        let length = match &*node.borrow() {
            Node::Internal(node) if needed(&node.hdr) => {
                self.count(&node.left, needed);
                self.count(&node.right, needed);
                2 + 32 + 32
            }
            Node::Leaf(leaf) if needed(&leaf.hdr) => {
                let key = leaf.hdr.key.as_ref().map_or(0, Bytes::len);
                1 + key + leaf.value.len() + leaf.next_node_key.len()
            }
            _ => return,
        };
        self.labels += 1;
        self.compressions += length.div_ceil(128);
    }
}

impl Add for LabelCounts {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        let labels = self.labels + other.labels;
        Self { labels, compressions: self.compressions + other.compressions }
    }
}

/// The peer's prover.
pub struct PeerProver(BatchAVLProver);

impl PeerProver {
    /// Creates an empty dictionary.
    pub fn new(params: &Params) -> Self {
        Self(BatchAVLProver::new(empty(params), false))
    }

    /// Proves a batch and applies it; returns the proof and the digest after it.
    pub fn apply(&mut self, ops: &[Operation]) -> Result<(Bytes, Digest)> {
        for op in ops {
            self.0.perform_one_operation(op)?;
        }
        let proof = self.0.generate_proof();
        Ok((proof, digest(&self.0)?))
    }
}

/// Converts operations to the peer's types.
pub fn peer_operations(ops: &[AvlOp]) -> Vec<Operation> {
    ops.iter().map(operation).collect()
}

fn operation(op: &AvlOp) -> Operation {
    let bytes = |bytes: &[u8]| Bytes::copy_from_slice(bytes);
    match op {
        AvlOp::Lookup { key } => Operation::Lookup(bytes(&key.0)),
        AvlOp::Insert { key, value } => Operation::Insert(key_value(&key.0, &value.0)),
        AvlOp::Update { key, value } => Operation::Update(key_value(&key.0, &value.0)),
        AvlOp::InsertOrUpdate { key, value } => {
            Operation::InsertOrUpdate(key_value(&key.0, &value.0))
        }
        AvlOp::Remove { key } => Operation::Remove(bytes(&key.0)),
        AvlOp::RemoveIfExists { key } => Operation::RemoveIfExists(bytes(&key.0)),
        AvlOp::UpdateLongBy { key, delta } => {
            Operation::UpdateLongBy(KeyDelta { key: bytes(&key.0), delta: delta.0 })
        }
    }
}

fn key_value(key: &[u8], value: &[u8]) -> KeyValue {
    KeyValue { key: Bytes::copy_from_slice(key), value: Bytes::copy_from_slice(value) }
}

fn empty(params: &Params) -> AVLTree {
    let resolver = |digest: &[u8; 32]| Node::LabelOnly(NodeHeader::new(Some(*digest), None));
    AVLTree::new(resolver, params.key_length, params.value_length)
}

fn digest(tree: &impl AuthenticatedTreeOps) -> Result<Digest> {
    let digest = tree.digest().ok_or("the peer has no digest")?;
    Ok(Digest::try_from(&digest[..])?)
}
