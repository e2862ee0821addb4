//! Known failures of existing AVL+ verifiers and provers that no vector states.
//!
//! Proofs from a reopened store are in `persistence.rs`.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests fail by panicking"
)]

use prooflight_avl::{Digest, Mode, Operation, verify_batch};
use prooflight_core::{Limits, Reason};
use prooflight_testkit::avl::draw::EntryShape;
use prooflight_testkit::avl::honest::HonestDictionary;
use prooflight_testkit::avl::op::{OwnedOperation, as_operations};
use prooflight_testkit::avl::proof_parts::{ProofParts, ProofToken};

const VARIABLE: EntryShape = EntryShape { key_length: 32, value_length: None };

/// A tree that fills the largest proof, in a vector only as deep as is practical: each node has a label on one
/// side and the rest of the tree on the other.
#[test]
fn a_spine_of_any_length_neither_overflows_nor_takes_long() {
    const LEVELS: usize = 245_000;
    let key = VARIABLE.key(50);
    let leaf = ProofToken::Leaf { key: key.clone(), next_key: VARIABLE.key(60), value: Vec::new() };
    let label = ProofToken::Label([7; 32]);
    let [left, right] = [0xff, 0x01].map(ProofToken::Internal);
    let to_the_left = [vec![leaf.clone()], vec![[label.clone(), left]; LEVELS].concat()].concat();
    let to_the_right = [vec![label; LEVELS], vec![leaf], vec![right; LEVELS]].concat();
    // Enough operations that the limit on nodes does not refuse the tree first.
    let ops = vec![Operation::RemoveIfExists { key: &key }; 4096];
    for tokens in [to_the_left, to_the_right] {
        let proof = ProofParts { tokens, directions: vec![0; LEVELS / 8] }.bytes(VARIABLE);
        assert!(proof.len() <= Limits::DEFAULT.max_proof_bytes);
        for mode in [Mode::Strict, Mode::Compat] {
            let refused = verify_batch(&Digest([255; 33]), &ops, &proof, &VARIABLE.params(mode));
            assert_eq!(refused.unwrap_err().reason(), Reason::HeightMismatch);
        }
    }
}

#[test]
fn prove_batch_does_not_change_the_dictionary() {
    let (key, long) = (|n| VARIABLE.key(n), |value: i64| value.to_be_bytes().to_vec());
    let mut honest = HonestDictionary::new(VARIABLE);
    let ops: Vec<_> =
        (1..=24).map(|n| OwnedOperation::Insert(key(10 * n), long(n.into()))).collect();
    honest.apply(&ops);
    let untouched = honest.clone();
    let batches = [
        vec![
            OwnedOperation::Remove(key(50)),
            OwnedOperation::Remove(key(60)),
            OwnedOperation::Insert(key(61), long(1)),
        ],
        vec![
            OwnedOperation::Lookup(key(70)),
            OwnedOperation::Update(key(70), long(2)),
            OwnedOperation::InsertOrUpdate(key(70), long(3)),
            OwnedOperation::Remove(key(70)),
            OwnedOperation::RemoveIfExists(key(70)),
            OwnedOperation::UpdateLongBy(key(70), 4),
            OwnedOperation::UpdateLongBy(key(70), -1),
        ],
        // The last operation fails.
        vec![
            OwnedOperation::Remove(key(80)),
            OwnedOperation::Insert(key(55), long(2)),
            OwnedOperation::Insert(key(90), long(3)),
        ],
    ];
    let mut failed = 0;
    for ops in &batches {
        let first = honest.prover.prove_batch(&as_operations(ops));
        failed += usize::from(first.is_err());
        assert_eq!(honest.prover.prove_batch(&as_operations(ops)), first);
        assert_eq!(honest.digest(), untouched.digest());
        assert!(honest.prover.iter().eq(untouched.prover.iter()));
        for other in &batches {
            let here = honest.prover.prove_batch(&as_operations(other));
            assert_eq!(here, untouched.prover.prove_batch(&as_operations(other)));
        }
    }
    assert_eq!(failed, 1);
}
