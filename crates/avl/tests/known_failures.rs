//! Known failures of existing AVL+ verifiers and provers, one test each.
//!
//! Proofs from a reopened store are in `persistence.rs`.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests fail by panicking"
)]

use std::slice;

use prooflight_avl::{Digest, Mode, Operation, Params, Transition, verify_batch};
use prooflight_core::{Code, Error, Limits, Reason, Verified};
use prooflight_testkit::avl::draw::EntryShape;
use prooflight_testkit::avl::honest::HonestDictionary;
use prooflight_testkit::avl::op::{OwnedOperation, as_operations};
use prooflight_testkit::avl::proof_parts::{LEAF_TAG, ProofParts, ProofToken, hash};

const MODES: [Mode; 2] = [Mode::Strict, Mode::Compat];
const VARIABLE: EntryShape = EntryShape { key_length: 32, value_length: None };
const LONGS: EntryShape = EntryShape { key_length: 32, value_length: Some(8) };

/// A dictionary with the keys 10, 20, … 10 n, each with a value of eight bytes.
fn dictionary(shape: EntryShape, n: u8) -> HonestDictionary {
    let mut honest = HonestDictionary::new(shape);
    let ops: Vec<_> =
        (1..=n).map(|i| OwnedOperation::Insert(shape.key(10 * i), long(i.into()))).collect();
    honest.apply(&ops);
    honest
}

fn long(value: i64) -> Vec<u8> {
    value.to_be_bytes().to_vec()
}

/// One operation of every kind on a key.
fn every_op(key: &[u8]) -> [OwnedOperation; 8] {
    let key = || key.to_vec();
    [
        OwnedOperation::Lookup(key()),
        OwnedOperation::Insert(key(), long(1)),
        OwnedOperation::Update(key(), long(2)),
        OwnedOperation::InsertOrUpdate(key(), long(3)),
        OwnedOperation::Remove(key()),
        OwnedOperation::RemoveIfExists(key()),
        OwnedOperation::UpdateLongBy(key(), 4),
        OwnedOperation::UpdateLongBy(key(), -1),
    ]
}

fn reason(answer: Result<Verified<Transition<'_>>, Error>) -> Reason {
    answer.expect_err("a refusal").reason()
}

#[test]
fn every_proper_prefix_of_a_proof_is_refused() {
    let honest = dictionary(VARIABLE, 12);
    let key = |n| VARIABLE.key(n);
    let ops = vec![
        OwnedOperation::Remove(key(50)),
        OwnedOperation::Insert(key(55), long(5)),
        OwnedOperation::Lookup(key(120)),
    ];
    let statement = honest.state(ops);
    assert!(statement.proof.len() >= 249);
    for mode in MODES {
        honest.judge(&statement.ops, &statement.proof, mode).unwrap();
        for end in 0..statement.proof.len() {
            let error = honest.judge(&statement.ops, &statement.proof[..end], mode).unwrap_err();
            let reason = error.reason();
            assert!(matches!(reason, Reason::Truncated | Reason::DirectionsExhausted), "{reason}");
        }
    }
}

#[test]
fn missing_directions_are_refused() {
    let honest = dictionary(VARIABLE, 12);
    for op in every_op(&VARIABLE.key(50)) {
        let statement = honest.state(vec![op]);
        let mut anatomy = ProofParts::parse(&statement.proof, VARIABLE).unwrap();
        anatomy.directions.pop();
        for mode in MODES.iter().filter(|_| !statement.ops.is_empty()) {
            let refused = honest.judge(&statement.ops, &anatomy.bytes(VARIABLE), *mode);
            assert_eq!(refused.unwrap_err().reason(), Reason::DirectionsExhausted);
        }
    }
}

#[test]
fn a_lookup_proof_does_not_serve_a_remove() {
    for size in 1..=24 {
        let honest = dictionary(VARIABLE, size);
        for n in 1..=size {
            let key = VARIABLE.key(10 * n);
            let lookup = honest.state(vec![OwnedOperation::Lookup(key.clone())]);
            let removes = [
                OwnedOperation::Remove(key.clone()),
                OwnedOperation::RemoveIfExists(key.clone()),
                negated(&honest, &key),
            ];
            for remove in removes {
                for mode in MODES {
                    let refused = honest.judge(slice::from_ref(&remove), &lookup.proof, mode);
                    assert_eq!(refused.unwrap_err().reason(), Reason::NodeNotExpanded);
                }
            }
        }
    }
}

/// The addition that brings a key to zero, which deletes it.
fn negated(honest: &HonestDictionary, key: &[u8]) -> OwnedOperation {
    let value = honest.model.get(key).unwrap().try_into().unwrap();
    OwnedOperation::UpdateLongBy(key.to_vec(), -i64::from_be_bytes(value))
}

#[test]
fn a_wrong_value_length_is_refused() {
    let lengths = [None, Some(0), Some(1), Some(7), Some(8), Some(9), Some(255), Some(usize::MAX)];
    for shape in [VARIABLE, LONGS] {
        let honest = dictionary(shape, 12);
        for op in every_op(&shape.key(50)) {
            let statement = honest.state(vec![op]);
            if statement.ops.is_empty() {
                continue;
            }
            for value_length in lengths.into_iter().filter(|it| *it != shape.value_length) {
                for mode in MODES {
                    let params = Params::new(32, value_length).with_mode(mode);
                    let ops = as_operations(&statement.ops);
                    let error = verify_batch(&honest.digest(), &ops, &statement.proof, &params);
                    let error = error.unwrap_err();
                    // Either the operation's own value is already wrong, or the proof is.
                    if error.reason() == Reason::ValueLength {
                        assert!(ops[0].value().is_some_and(|v| Some(v.len()) != value_length));
                    } else {
                        assert!(matches!(error.code(), Code::Malformed | Code::Mismatch));
                    }
                }
            }
        }
    }
}

#[test]
fn an_addition_to_a_short_value_is_refused() {
    let key = VARIABLE.key(7);
    for length in 0..8 {
        let mut honest = HonestDictionary::new(VARIABLE);
        honest.apply(&[OwnedOperation::Insert(key.clone(), vec![1; length])]);
        let proof = honest.state(vec![OwnedOperation::Lookup(key.clone())]).proof;
        let removing = honest.state(vec![OwnedOperation::Remove(key.clone())]).proof;
        for delta in [1, -1, i64::MAX, i64::MIN] {
            let add = [OwnedOperation::UpdateLongBy(key.clone(), delta)];
            for mode in MODES {
                for proof in [&proof, &removing] {
                    let refused = honest.judge(&add, proof, mode).unwrap_err();
                    assert_eq!(refused.reason(), Reason::ValueNotLong);
                }
            }
            let proved = honest.prover.prove_batch(&as_operations(&add)).unwrap_err();
            assert_eq!(proved.reason(), Reason::ValueNotLong);
        }
    }
}

#[test]
fn a_leaf_under_any_height_serves_no_remove() {
    for shape in [VARIABLE, LONGS] {
        let [key, next] = [shape.key(50), shape.key(60)];
        let label = hash(&[&[0], &key, &long(4), &next]);
        let leaf = ProofToken::Leaf { key: key.clone(), next_key: next, value: long(4) };
        let proof = ProofParts { tokens: vec![leaf], directions: vec![0; 4] }.bytes(shape);
        for height in 0..=255 {
            let mut digest = [height; 33];
            digest[..32].copy_from_slice(&label);
            for op in
                every_op(&key).into_iter().chain([OwnedOperation::UpdateLongBy(key.clone(), -4)])
            {
                let strict = verify(shape, &digest, &op, &proof, Mode::Strict);
                let compat = verify(shape, &digest, &op, &proof, Mode::Compat);
                // Strict mode also checks the directions, and that a leaf has height 0.
                assert!(strict.is_err());
                match op {
                    OwnedOperation::Remove(_)
                    | OwnedOperation::RemoveIfExists(_)
                    | OwnedOperation::UpdateLongBy(_, -4) => {
                        assert_eq!(compat, Err(Reason::TreeShape));
                    }
                    OwnedOperation::Insert(..) => assert_eq!(compat, Err(Reason::KeyExists)),
                    _ => assert_eq!(compat.unwrap().height(), height),
                }
            }
            let inserted = OwnedOperation::Insert(shape.key(55), long(1));
            let compat = verify(shape, &digest, &inserted, &proof, Mode::Compat);
            match height.checked_add(1) {
                Some(higher) => assert_eq!(compat.unwrap().height(), higher),
                None => assert_eq!(compat, Err(Reason::HeightOverflow)),
            }
        }
    }
}

fn verify(
    shape: EntryShape,
    digest: &[u8; 33],
    op: &OwnedOperation,
    proof: &[u8],
    mode: Mode,
) -> Result<Digest, Reason> {
    verify_batch(&Digest(*digest), &[op.as_operation()], proof, &shape.params(mode))
        .map(|batch| batch.digest)
        .map_err(|error| error.reason())
}

/// A chain of nodes, each with a label on one side and the rest of the chain on the other.
///
/// The balances say that the chain is the higher side, except at the lowest node.
fn spine(levels: usize, side: Side, leaf: &ProofToken) -> ProofParts {
    let label = ProofToken::Label([7; 32]);
    let balance = |level| match (level, side) {
        (0, _) => ProofToken::Internal(0x00),
        (_, Side::Left) => ProofToken::Internal(0xff),
        (_, Side::Right) => ProofToken::Internal(0x01),
    };
    let mut tokens = Vec::with_capacity(2 * levels + 1);
    match side {
        Side::Left => {
            tokens.push(leaf.clone());
            tokens.extend((0..levels).flat_map(|level| [label.clone(), balance(level)]));
        }
        Side::Right => {
            tokens.extend(std::iter::repeat_n(label, levels));
            tokens.push(leaf.clone());
            tokens.extend((0..levels).map(balance));
        }
    }
    let bits: Vec<bool> = vec![side == Side::Left; levels];
    let byte =
        |bits: &[bool]| (0..).zip(bits).fold(0, |byte, (at, &bit)| byte | u8::from(bit) << at);
    ProofParts { tokens, directions: bits.chunks(8).map(byte).collect() }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Left,
    Right,
}

#[test]
fn a_spine_of_any_length_neither_overflows_nor_takes_long() {
    let key = VARIABLE.key(50);
    let leaf =
        ProofToken::Leaf { key: key.clone(), next_key: VARIABLE.key(60), value: b"value".to_vec() };
    // Enough operations that the limit on nodes does not refuse the tree first.
    let ops = vec![Operation::RemoveIfExists { key: &key }; 4096];
    for levels in [256, 1500, 60_000, 245_000] {
        for side in [Side::Left, Side::Right] {
            let anatomy = spine(levels, side, &leaf);
            let proof = anatomy.bytes(VARIABLE);
            assert!(proof.len() <= Limits::DEFAULT.max_proof_bytes);
            let root = anatomy.root().unwrap();
            assert_eq!(root.depth, levels);
            for digest in [root.digest(255), root.digest(0), [0xaa; 33], [0xff; 33]] {
                for mode in MODES {
                    let params = VARIABLE.params(mode);
                    let refused = verify_batch(&Digest(digest), &ops, &proof, &params);
                    let reason = reason(refused);
                    let few = reason == Reason::TooManyNodes && digest[32] < 255;
                    assert!(few || reason == Reason::HeightMismatch, "{reason}");
                }
            }
        }
    }
}

/// The deepest tree that a digest can name: read, changed and hashed without recursion.
#[test]
fn a_spine_of_255_levels_is_a_tree_like_any_other() {
    let key = VARIABLE.key(50);
    let leaf = |value| ProofToken::Leaf { key: key.clone(), next_key: VARIABLE.key(60), value };
    for side in [Side::Left, Side::Right] {
        let before = spine(255, side, &leaf(long(6)));
        let after = spine(255, side, &leaf(long(7)));
        let proof = before.bytes(VARIABLE);
        let [before, after] = [before, after].map(|it| it.root().unwrap().digest(255));
        for mode in MODES {
            let run = |op: &OwnedOperation| verify(VARIABLE, &before, op, &proof, mode);
            assert_eq!(run(&OwnedOperation::Lookup(key.clone())), Ok(Digest(before)));
            assert_eq!(run(&OwnedOperation::Update(key.clone(), long(7))), Ok(Digest(after)));
            // The lowest two nodes rotate, and the growth ends there.
            let inserted = run(&OwnedOperation::Insert(VARIABLE.key(55), long(7)));
            assert_eq!(inserted.unwrap().height(), 255);
            let removed = run(&OwnedOperation::Remove(key.clone()));
            let expected =
                if side == Side::Left { Reason::TreeShape } else { Reason::NodeNotExpanded };
            assert_eq!(removed, Err(expected));
        }
    }
}

#[test]
fn trailing_bytes_are_refused() {
    for n in [0, 1, 12] {
        let honest = dictionary(VARIABLE, n);
        for op in every_op(&VARIABLE.key(50)) {
            let statement = honest.state(vec![op]);
            for tail in [&[0][..], &[0xff], &[4], &[0; 1000]] {
                let proof = [&statement.proof, tail].concat();
                let refused = honest.judge(&statement.ops, &proof, Mode::Strict).unwrap_err();
                assert_eq!(refused.reason(), Reason::DirectionsLeftOver);
            }
        }
    }
}

#[test]
fn a_negative_value_length_is_a_large_one() {
    let key = VARIABLE.key(50);
    for length in [-1i32, -4, -36, -69, -70, -73, -1000, i32::MIN] {
        let mut proof = vec![LEAF_TAG];
        proof.extend([&key[..], &VARIABLE.key(60), &length.to_be_bytes(), &[4]].concat());
        for mode in MODES {
            let ops = [Operation::Lookup { key: &key }];
            let params = VARIABLE.params(mode);
            let refused = verify_batch(&Digest([0; 33]), &ops, &proof, &params);
            assert_eq!(reason(refused), Reason::ValueTooLarge);
            // Even without a limit, the decoder only reads forward.
            let limits = Limits { max_value_bytes: usize::MAX, ..Limits::DEFAULT };
            let params = Params { limits, ..params };
            let refused = verify_batch(&Digest([0; 33]), &ops, &proof, &params);
            assert_eq!(reason(refused), Reason::Truncated);
        }
    }
}

#[test]
fn prove_batch_does_not_change_the_dictionary() {
    let honest = dictionary(VARIABLE, 24);
    let untouched = honest.clone();
    let key = |n| VARIABLE.key(n);
    let batches = [
        vec![
            OwnedOperation::Remove(key(50)),
            OwnedOperation::Remove(key(60)),
            OwnedOperation::Insert(key(61), long(1)),
        ],
        every_op(&key(70))
            .into_iter()
            .filter(|op| !matches!(op, OwnedOperation::Insert(..)))
            .collect(),
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
