//! Adds changed proofs to a file.

use prooflight_core::Reason;
use prooflight_testkit::amb::proof::{ModelProof, ProofLeaf, ProofNode};
use prooflight_testkit::amb::query::Query;
use prooflight_testkit::amb::state::AmbModel;
use prooflight_testkit::amb::tree::{NodeKind, TreeNode, bit};
use serde_json::Value;

use super::{honest, input};
use crate::generate::builder::FileBuilder;

/// Nodes count fewer entries.
pub(super) const COUNT_LIMIT: u64 = 1 << 56;

/// Lies about a state, with one flag.
pub(super) struct AmbLies<'a> {
    file: &'a mut FileBuilder,
    flag: &'static str,
    pub(super) state: AmbModel,
}

impl<'a> AmbLies<'a> {
    pub(super) const fn new(
        file: &'a mut FileBuilder,
        flag: &'static str,
        state: AmbModel,
    ) -> Self {
        Self { file, flag, state }
    }

    /// The honest proof of a query.
    pub(super) fn honest(&self, query: &Query) -> ModelProof {
        honest(&self.state, query)
    }

    /// Adds an input.
    pub(super) fn invalid(&mut self, comment: &str, input: &Value, reason: Reason) {
        self.file.invalid(&[self.flag], comment, input, reason);
    }

    /// Adds an input of which only the refusal is pinned: a verifier misreads it from the point of the attack on.
    pub(super) fn rejected(&mut self, comment: &str, input: &Value) {
        self.file.rejected(&[self.flag], comment, input);
    }

    /// Adds other bytes.
    pub(super) fn bytes(&mut self, comment: &str, query: &Query, proof: &[u8], reason: Reason) {
        let input = input(&self.state, query, proof);
        self.invalid(comment, &input, reason);
    }

    /// Adds other bytes, of which only the refusal is pinned.
    pub(super) fn refused(&mut self, comment: &str, query: &Query, proof: &[u8]) {
        let input = input(&self.state, query, proof);
        self.rejected(comment, &input);
    }

    /// Adds the honest proof with limits that it exceeds.
    pub(super) fn limited(&mut self, comment: &str, query: &Query, limits: &Value, reason: Reason) {
        let mut input = input(&self.state, query, &self.honest(query).encode());
        input["limits"] = limits.clone();
        self.invalid(comment, &input, reason);
    }

    /// Adds the changed proof of a query.
    pub(super) fn changed(
        &mut self,
        comment: &str,
        query: &Query,
        reason: Reason,
        change: impl FnOnce(&mut ModelProof, &AmbModel),
    ) {
        let mut proof = self.honest(query);
        change(&mut proof, &self.state);
        self.bytes(comment, query, &proof.encode(), reason);
    }

    /// Adds the changed proof of a query, of which only the refusal is pinned.
    pub(super) fn misread(
        &mut self,
        comment: &str,
        query: &Query,
        change: impl FnOnce(&mut ModelProof, &AmbModel),
    ) {
        let mut proof = self.honest(query);
        change(&mut proof, &self.state);
        self.refused(comment, query, &proof.encode());
    }

    /// Adds a proof of which the leaf at the end of the path to a key is changed.
    pub(super) fn leaf(
        &mut self,
        comment: &str,
        query: &Query,
        key: &str,
        reason: Reason,
        change: impl FnOnce(&mut ProofLeaf),
    ) {
        self.changed(comment, query, reason, |proof, _| change(proof.leaf(key.as_bytes())));
    }

    /// Adds a proof in which the leaf of a key is closed as if it were settled.
    pub(super) fn close(&mut self, comment: &str, query: &Query, key: &str, reason: Reason) {
        self.changed(comment, query, reason, |proof, state| {
            let (tree, key) = (state.tree().expect("a tree"), key.as_bytes());
            let depth = (0..=2304)
                .find(|&depth| matches!(node(&tree, key, depth).kind, NodeKind::Leaf { .. }));
            let depth = depth.expect("a leaf");
            *proof.on_path(key, depth) =
                ProofNode::closed(&node(&tree, key, depth).record, state.height, true);
        });
    }
}

/// The node that is so many branches below the root, on the path to a key.
pub(super) fn node<'a>(tree: &'a TreeNode, key: &[u8], branches: usize) -> &'a TreeNode {
    (0..branches).fold(tree, |node, _| match &node.kind {
        NodeKind::Branch { prefix, children } => &children[usize::from(bit(key, prefix.len()))],
        NodeKind::Leaf { .. } => panic!("{key:?}: a leaf"),
    })
}
