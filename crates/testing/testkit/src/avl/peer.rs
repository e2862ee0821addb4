//! `ergo_avltree_rust`; its panics count as refusals.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;

use bytes::Bytes;
use ergo_avltree_rust::authenticated_tree_ops::AuthenticatedTreeOps;
use ergo_avltree_rust::batch_avl_prover::BatchAVLProver;
use ergo_avltree_rust::batch_avl_verifier::BatchAVLVerifier;
use ergo_avltree_rust::batch_node::{AVLTree, Node, NodeHeader};

use super::draw::EntryShape;
use super::op::OwnedOperation;

/// The value that each key had before its operation.
type OldValues = Vec<Option<Vec<u8>>>;

/// The old values and the new digest, or `None` if the peer refuses.
pub fn verify(
    digest: &[u8; 33],
    ops: &[OwnedOperation],
    proof: &[u8],
    shape: EntryShape,
) -> Option<(OldValues, [u8; 33])> {
    let digest = Bytes::copy_from_slice(digest);
    let proof = Bytes::copy_from_slice(proof);
    quietly(|| {
        let mut verifier =
            BatchAVLVerifier::new(&digest, &proof, tree(shape), Some(ops.len()), None).ok()?;
        let results: Option<OldValues> = ops
            .iter()
            .map(|op| verifier.perform_one_operation(&op.to_peer()).ok())
            .map(|result| result.map(|old| old.map(|old| old.to_vec())))
            .collect();
        Some((results?, verifier.digest()?[..].try_into().ok()?))
    })
    .flatten()
}

pub fn prover(shape: EntryShape) -> BatchAVLProver {
    BatchAVLProver::new(tree(shape), false)
}

fn tree(shape: EntryShape) -> AVLTree {
    let resolver = |label: &[u8; 32]| Node::LabelOnly(NodeHeader::new(Some(*label), None));
    AVLTree::new(resolver, shape.key_length, shape.value_length)
}

thread_local! {
    static IS_QUIET: Cell<bool> = const { Cell::new(false) };
}

/// Runs the peer; `None` if it panics. Suppresses the panic's message and libFuzzer's abort.
pub fn quietly<T>(run: impl FnOnce() -> T) -> Option<T> {
    static PANIC_HOOK: Once = Once::new();
    PANIC_HOOK.call_once(|| {
        let loud = take_hook();
        set_hook(Box::new(move |info| {
            if !IS_QUIET.get() {
                loud(info);
            }
        }));
    });
    IS_QUIET.set(true);
    let outcome = catch_unwind(AssertUnwindSafe(run));
    IS_QUIET.set(false);
    outcome.ok()
}
