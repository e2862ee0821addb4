//! What the prover refuses, as the verifier does, and what it never makes. The vectors state the verifier's limits.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests fail by panicking"
)]

use prooflight_avl::{AvlProver, Digest, MAX_KEY_LENGTH, Mode, Operation, Params, verify_batch};
use prooflight_core::{Limits, Reason};
use prooflight_testkit::avl::draw::EntryShape;
use prooflight_testkit::avl::honest::HonestDictionary;
use prooflight_testkit::avl::op::OwnedOperation;

/// Keys of one byte and values of any length.
const PARAMS: Params = Params::new(1, None);
const SHAPE: EntryShape = EntryShape { key_length: 1, value_length: None };

#[test]
fn operations_that_fail_are_refused_as_by_the_verifier() {
    let insert = |value: &[u8]| OwnedOperation::Insert(vec![15], value.to_vec());
    let add = |delta| OwnedOperation::UpdateLongBy(vec![15], delta);
    for (first, last, reason) in [
        (vec![insert(&[])], insert(&[]), Reason::KeyExists),
        (vec![], OwnedOperation::Remove(vec![15]), Reason::KeyAbsent),
        (vec![insert(&[])], add(1), Reason::ValueNotLong),
        (vec![insert(&[1; 7])], add(i64::MIN), Reason::ValueNotLong),
        (vec![], add(-1), Reason::ValueNegative),
        (vec![add(i64::MAX)], add(1), Reason::ValueOverflow),
    ] {
        let mut honest = HonestDictionary::new(SHAPE);
        honest.apply(&first);
        // The proof of a lookup expands every node that this operation visits.
        let proof = honest.state(vec![OwnedOperation::Lookup(vec![15])]).proof;
        let by_prover = honest.prover.prove_batch(&[last.as_operation()]).unwrap_err();
        let by_verifier = honest.judge(&[last], &proof, Mode::Strict).unwrap_err();
        assert_eq!((by_prover.reason(), by_verifier.reason()), (reason, reason));
    }
}

#[test]
fn arguments_that_are_wrong_are_refused_as_by_the_verifier() {
    let lookup = |key| Operation::Lookup { key };
    let (key, none) = (&[7][..], &[][..]);
    let remove = Operation::RemoveIfExists { key };
    let add = Operation::UpdateLongBy { key, delta: 0 };
    let few = Params { max_deletes: 2, ..PARAMS.with_max_operations(4) };
    let fixed = Params::new(1, Some(5));
    for (params, ops, reason) in [
        (PARAMS, &[lookup(key), Operation::RemoveIfExists { key: none }][..], Reason::KeyLength),
        (PARAMS, &[lookup(key), lookup(&[7, 7])], Reason::KeyLength),
        (PARAMS, &[lookup(key), lookup(&[0])], Reason::KeyOutOfRange),
        (PARAMS, &[lookup(key), lookup(&[0xff])], Reason::KeyOutOfRange),
        (fixed, &[lookup(key), Operation::Insert { key, value: none }], Reason::ValueLength),
        (fixed, &[lookup(key), Operation::Update { key, value: &[1; 4] }], Reason::ValueLength),
        (
            fixed,
            &[lookup(key), Operation::InsertOrUpdate { key, value: &[1; 6] }],
            Reason::ValueLength,
        ),
        (few, &[lookup(key); 5], Reason::TooManyOperations),
        (few, &[remove, add, remove], Reason::TooManyDeletes),
    ] {
        let by_prover = AvlProver::new(params).unwrap().prove_batch(ops).unwrap_err();
        let by_verifier = verify_batch(&Digest([0; 33]), ops, &[], &params).unwrap_err();
        assert_eq!(by_prover, by_verifier);
        assert_eq!(by_prover.reason(), reason, "{by_prover}");
        let names_it = by_prover.found().contains("operation 1");
        assert_eq!(names_it, params != few, "{by_prover}");
    }
}

#[test]
fn key_lengths_from_1_to_256() {
    let prover = |length| AvlProver::new(Params::new(length, None));
    assert!(prover(1).is_ok() && prover(MAX_KEY_LENGTH).is_ok());
    for length in [0, MAX_KEY_LENGTH + 1, usize::MAX] {
        assert_eq!(prover(length).unwrap_err().reason(), Reason::InvalidArgument);
    }
}

#[test]
fn a_fixed_value_length_above_the_limit_makes_no_dictionary() {
    let limits = Limits { max_value_bytes: 100, ..Limits::DEFAULT };
    let prover = |length| AvlProver::new(Params { limits, ..Params::new(1, Some(length)) });
    assert!(prover(100).is_ok());
    for length in [101, 1 << 40, usize::MAX] {
        assert_eq!(prover(length).unwrap_err().reason(), Reason::InvalidArgument);
    }
}

/// The leanest trees of each height, in which a deletion rotates the most, need the most nodes.
#[test]
fn no_honest_proof_has_too_many_nodes() {
    for (height, heavy) in (1..=8).flat_map(|height| [(height, true), (height, false)]) {
        let mut nodes = Vec::new();
        lean_tree(height, heavy, 0, &mut nodes);
        // Key i is the i-th node; from the top down no insertion rotates.
        let mut order: Vec<_> = (1u8..).zip(&nodes).map(|(key, depth)| (depth, [key])).collect();
        order.sort_unstable();
        let mut prover = AvlProver::new(PARAMS).unwrap();
        for (_, key) in &order {
            let _ = prover.apply_batch(&[Operation::Insert { key, value: &[] }]).unwrap();
        }
        assert_eq!(prover.digest().height(), height);
        for (_, key) in &order {
            let remove = [Operation::Remove { key }];
            let proved = prover.prove_batch(&remove).unwrap();
            for mode in [Mode::Strict, Mode::Compat] {
                let params = PARAMS.with_mode(mode);
                let verified = verify_batch(&prover.digest(), &remove, &proved.proof, &params);
                assert_eq!(verified.unwrap().digest, proved.digest);
            }
        }
    }
}

/// The depths of the internal nodes of an AVL tree with as few nodes as its height allows, in order.
fn lean_tree(height: u8, heavy_left: bool, depth: u8, nodes: &mut Vec<u8>) {
    let Some(higher) = height.checked_sub(1) else { return };
    let lower = height.saturating_sub(2);
    let (left, right) = if heavy_left { (higher, lower) } else { (lower, higher) };
    lean_tree(left, heavy_left, depth + 1, nodes);
    nodes.push(depth);
    lean_tree(right, heavy_left, depth + 1, nodes);
}
