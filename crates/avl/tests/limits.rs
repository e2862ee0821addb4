//! Every limit, every check of the caller's arguments, and every reason that this crate can give.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests fail by panicking"
)]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::slice;

use prooflight_avl::{
    AvlProver, Digest, MAX_KEY_LENGTH, Mode, Operation, Params, PersistentAvlProver, ergo,
    verify_batch,
};
use prooflight_core::store::{MemoryStore, ReadStore, Store, WriteBatch};
use prooflight_core::{Code, Error, Limits, Reason, Result};
use prooflight_testkit::avl::draw::EntryShape;
use prooflight_testkit::avl::honest::HonestDictionary;
use prooflight_testkit::avl::op::{OwnedOperation, as_operations};
use prooflight_testkit::avl::proof_parts::{LEAF_TAG, ProofParts, ProofToken, hash};

/// Keys of one byte and values of any length.
const PARAMS: Params = Params::new(1, None);
const SHAPE: EntryShape = EntryShape { key_length: 1, value_length: None };

/// A reason, and a refusal that must have it.
type Case = (Reason, fn() -> Error);

/// One case for each reason.
const CASES: &[Case] = &[
    (Reason::Truncated, || hostile(&[], 0, &[OwnedOperation::Lookup(vec![15])], None)),
    (Reason::ProofTooLarge, || {
        let limits = Limits { max_proof_bytes: 33, ..Limits::DEFAULT };
        caller(Params { limits, ..PARAMS }, &[], &[4; 34])
    }),
    (Reason::ValueTooLarge, || caller(PARAMS, &[], &[LEAF_TAG, 0, 0xff, 0, 1, 0, 1])),
    (Reason::MissingChild, || look(&[leaf(0, 15), ProofToken::Internal(0)], &[0])),
    (Reason::NotOneRoot, || look(&[leaf(0, 15), leaf(15, 20)], &[0])),
    (Reason::InvalidBalance, || look(&[leaf(0, 15), leaf(15, 20), ProofToken::Internal(5)], &[0])),
    (Reason::RootMismatch, || caller(PARAMS, &[], &[[3; 33].as_slice(), &[4]].concat())),
    (Reason::HeightMismatch, || look(&[leaf(0, 15), leaf(15, 20), ProofToken::Internal(1)], &[0])),
    (Reason::TooManyNodes, || hostile(&two_keys(), 1, &[], Some(&[]))),
    (Reason::DirectionsExhausted, || look(&two_keys(), &[])),
    (Reason::DirectionsLeftOver, || look(&shows_15(), &[0, 0])),
    (Reason::DirectionsPadding, || look(&shows_15(), &[0b10])),
    (Reason::NodeNotExpanded, || look(&shows_15(), &[1])),
    (Reason::NodeNotVisited, || look(&two_keys(), &[0])),
    (Reason::KeyNotInLeaf, || look(&two_keys(), &[1])),
    (Reason::TreeShape, || {
        hostile(&[leaf(15, 20)], 0, &[OwnedOperation::Remove(vec![15])], Some(&[]))
    }),
    (Reason::KeyExists, || {
        honest(&[
            OwnedOperation::Insert(vec![15], vec![]),
            OwnedOperation::Insert(vec![15], vec![]),
        ])
    }),
    (Reason::KeyAbsent, || honest(&[OwnedOperation::Remove(vec![15])])),
    (Reason::ValueNotLong, || {
        honest(&[
            OwnedOperation::Insert(vec![15], vec![1; 7]),
            OwnedOperation::UpdateLongBy(vec![15], 1),
        ])
    }),
    (Reason::ValueNegative, || honest(&[OwnedOperation::UpdateLongBy(vec![15], -1)])),
    (Reason::ValueOverflow, || {
        honest(&[
            OwnedOperation::UpdateLongBy(vec![15], i64::MAX),
            OwnedOperation::UpdateLongBy(vec![15], 1),
        ])
    }),
    (Reason::HeightOverflow, || {
        // 255 balanced levels, all of which grow.
        let level = [ProofToken::Label([7; 32]), ProofToken::Internal(0)];
        let tokens = [vec![leaf(15, 20)], vec![level; 255].concat()].concat();
        let directions = [&[0xff; 31][..], &[0x7f]].concat();
        hostile(&tokens, 255, &[OwnedOperation::Insert(vec![16], vec![])], Some(&directions))
    }),
    (Reason::AdProofsRootMismatch, || ergo_block([0; 32])),
    (Reason::StateRootMismatch, || ergo_block(hash(&[&label_only()]))),
    (Reason::InvalidArgument, || caller(Params::new(0, None), &[], &[])),
    (Reason::DigestLength, || Digest::try_from(&[0; 32][..]).unwrap_err()),
    (Reason::KeyLength, || caller(PARAMS, &[Operation::Lookup { key: &[1, 2] }], &[])),
    (Reason::KeyOutOfRange, || caller(PARAMS, &[Operation::Lookup { key: &[0] }], &[])),
    (Reason::ValueLength, || {
        caller(Params::new(1, Some(8)), &[Operation::Insert { key: &[1], value: &[0; 7] }], &[])
    }),
    (Reason::TooManyOperations, || {
        caller(PARAMS.with_max_operations(1), &[Operation::Lookup { key: &[1] }; 2], &[])
    }),
    (Reason::TooManyDeletes, || {
        let params = Params { max_deletes: 1, ..PARAMS };
        caller(params, &[Operation::RemoveIfExists { key: &[1] }; 2], &[])
    }),
    (Reason::VersionUnavailable, || {
        let kept = PersistentAvlProver::open(MemoryStore::default(), PARAMS).unwrap();
        kept.digest_at(1).unwrap_err()
    }),
    (Reason::StoreCorrupt, || {
        let kept = PersistentAvlProver::open(MemoryStore::default(), PARAMS).unwrap();
        let mut store = kept.into_store();
        let mut batch = WriteBatch::new();
        store.range(b"n", b"o").for_each(|entry| batch.delete(entry.unwrap().0));
        store.write(batch).unwrap();
        PersistentAvlProver::open(store, PARAMS).unwrap_err()
    }),
];

/// Reasons that occur in the sources, but that no test of practical size reaches.
const UNREACHED: &[(Reason, &str)] = &[
    (Reason::Bug, "a lookup's value is always a part of the proof"),
    (Reason::StoreFailed, "a file of nodes that cannot be written: `gather.rs` tests it"),
    (Reason::DictionaryFull, "needs 2^31 nodes; `prover::arena` tests the check itself"),
];

/// Reasons of a chain's state, which `state.rs` tests.
const OF_STATE: &[Reason] =
    &[Reason::InvalidBlock, Reason::OperationsMismatch, Reason::WrongSchemes];

#[test]
fn every_reason_is_given_exactly_when_it_should_be() {
    for (expected, case) in CASES {
        let error = case();
        assert_eq!(error.reason(), *expected, "{error}");
        assert_eq!(error.code(), expected.code());
        assert!(!error.expected().is_empty() && !error.found().is_empty(), "{error:?}");
    }
}

/// Every reason that occurs in the crate's sources must have a case.
#[test]
fn no_reason_is_without_a_case() {
    let mut named = BTreeSet::new();
    names(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut named);
    // From core: its readers, limits, headers, and revisions in a store.
    named.extend(["Truncated", "StoreCorrupt", "VersionUnavailable"].map(String::from));
    named.insert("WrongSchemes".to_owned());
    named.extend(["ProofTooLarge", "TooManyOperations", "ValueTooLarge"].map(String::from));
    let tested = CASES.iter().map(|(reason, _)| reason).chain(UNREACHED.iter().map(|(r, _)| r));
    let tested: BTreeSet<String> =
        tested.chain(OF_STATE).map(|reason| format!("{reason:?}")).collect();
    assert_eq!(named, tested);
}

/// Collects the names that follow `Reason::` in the sources below a folder.
fn names(folder: &Path, found: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            names(&path, found);
        } else {
            let text = fs::read_to_string(&path).unwrap();
            let after = text.split("Reason::").skip(1);
            let name =
                |text: &str| text.split(|c: char| !c.is_alphanumeric()).next().map(str::to_owned);
            found.extend(after.filter_map(name));
        }
    }
}

fn leaf(key: u8, next_key: u8) -> ProofToken {
    ProofToken::Leaf { key: vec![key], next_key: vec![next_key], value: Vec::new() }
}

/// The keys 0 and 15 under one node, both shown.
fn two_keys() -> [ProofToken; 3] {
    [leaf(0, 15), leaf(15, 20), ProofToken::Internal(0)]
}

/// The same shape with the left one as a label.
fn shows_15() -> [ProofToken; 3] {
    [ProofToken::Label([7; 32]), leaf(15, 20), ProofToken::Internal(0)]
}

/// The refusal of a lookup of key 15 in a tree of height 1, under a digest that matches it.
fn look(tokens: &[ProofToken], directions: &[u8]) -> Error {
    hostile(tokens, 1, &[OwnedOperation::Lookup(vec![15])], Some(directions))
}

/// The refusal of operations on a tree under a digest that matches it; without directions the
/// proof ends before its end mark.
fn hostile(
    tokens: &[ProofToken],
    height: u8,
    ops: &[OwnedOperation],
    directions: Option<&[u8]>,
) -> Error {
    let directions_or_none = directions.unwrap_or_default().to_vec();
    let anatomy = ProofParts { tokens: tokens.to_vec(), directions: directions_or_none };
    let mut proof = anatomy.bytes(SHAPE);
    if directions.is_none() {
        proof.pop();
    }
    let digest = anatomy.root().map_or([height; 33], |root| root.digest(height));
    verify_batch(&Digest(digest), &as_operations(ops), &proof, &PARAMS).unwrap_err()
}

/// The refusal of the last operation on an empty dictionary, by the prover and by the verifier.
fn honest(ops: &[OwnedOperation]) -> Error {
    let (last, first) = ops.split_last().unwrap();
    let mut honest = HonestDictionary::new(SHAPE);
    honest.apply(first);
    // The proof of a lookup expands every node that this operation visits.
    let proof = honest.state(vec![OwnedOperation::Lookup(last.key().to_vec())]).proof;
    let by_prover = honest.prover.prove_batch(&[last.as_operation()]).unwrap_err();
    let by_verifier = honest.judge(slice::from_ref(last), &proof, Mode::Strict).unwrap_err();
    assert_eq!(by_prover.reason(), by_verifier.reason());
    by_verifier
}

/// The refusal of arguments or bytes under a digest that no proof matches.
fn caller(params: Params, ops: &[Operation<'_>], proof: &[u8]) -> Error {
    verify_batch(&Digest([0; 33]), ops, proof, &params).unwrap_err()
}

/// A proof for a batch without operations.
fn label_only() -> Vec<u8> {
    [[3; 33].as_slice(), &[4]].concat()
}

/// The refusal of a block without operations whose header claims a changed state.
fn ergo_block(ad_proofs_root: [u8; 32]) -> Error {
    let header = ergo::AdProofsHeader {
        parent_state_root: Digest([3; 33]),
        state_root: Digest([4; 33]),
        ad_proofs_root,
    };
    ergo::verify_ad_proofs(&header, &[], &label_only()).unwrap_err()
}

#[test]
fn key_lengths_from_1_to_256() {
    for length in [0, MAX_KEY_LENGTH + 1, usize::MAX] {
        let params = Params::new(length, None);
        assert_eq!(AvlProver::new(params).unwrap_err().reason(), Reason::InvalidArgument);
        assert_eq!(caller(params, &[], &label_only()).reason(), Reason::InvalidArgument);
    }
    for length in [1, 2, 255, MAX_KEY_LENGTH] {
        let params = Params::new(length, None);
        let mut prover = AvlProver::new(params).unwrap();
        let (first, last) = ([&vec![0; length - 1][..], &[1]].concat(), vec![0xfe; length]);
        let ops = [&first, &last].map(|key| Operation::Insert { key, value: b"value" });
        let before = prover.digest();
        let proved = prover.apply_batch(&ops).unwrap();
        let verified = verify_batch(&before, &ops, &proved.proof, &params).unwrap();
        assert_eq!(verified.digest, prover.digest());
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

#[test]
fn keys_of_another_length_and_sentinels_are_the_callers_mistake() {
    for length in [1, 2, 32] {
        let params = Params::new(length, Some(1));
        let prover = AvlProver::new(params).unwrap();
        let reason = |key: &[u8]| {
            let ops =
                [Operation::Lookup { key: &vec![1; length] }, Operation::RemoveIfExists { key }];
            let refused = caller(params, &ops, &label_only());
            assert_eq!(prover.prove_batch(&ops).unwrap_err(), refused);
            assert!(refused.found().contains("operation 1"), "{refused}");
            assert_eq!(refused.code(), Code::InvalidInput);
            refused.reason()
        };
        for wrong in [0, length - 1, length + 1, 2 * length + 1] {
            if wrong != length {
                assert_eq!(reason(&vec![1; wrong]), Reason::KeyLength);
            }
        }
        assert_eq!(reason(&vec![0; length]), Reason::KeyOutOfRange);
        assert_eq!(reason(&vec![0xff; length]), Reason::KeyOutOfRange);
    }
}

#[test]
fn values_of_another_length_or_above_the_limit_are_the_callers_mistake() {
    let limits = Limits { max_value_bytes: 10, ..Limits::DEFAULT };
    let variable = Params { limits, ..PARAMS };
    for (params, allowed, wrong) in
        [(variable, &[0, 1, 10][..], &[11, 1000][..]), (Params::new(1, Some(5)), &[5], &[0, 4, 6])]
    {
        let prover = AvlProver::new(params).unwrap();
        for length in wrong {
            let value = &vec![1; *length][..];
            let key = &[7][..];
            for op in [
                Operation::Insert { key, value },
                Operation::Update { key, value },
                Operation::InsertOrUpdate { key, value },
            ] {
                let refused = caller(params, &[op], &label_only());
                assert_eq!(refused.reason(), Reason::ValueLength);
                assert_eq!(prover.prove_batch(&[op]).unwrap_err(), refused);
            }
        }
        for length in allowed {
            let insert = [Operation::Insert { key: &[7], value: &vec![1; *length] }];
            let proved = prover.prove_batch(&insert).unwrap();
            let verified = verify_batch(&prover.digest(), &insert, &proved.proof, &params);
            assert_eq!(verified.unwrap().digest, proved.digest);
        }
    }
}

#[test]
fn as_many_operations_and_deletes_as_the_limits_say() {
    let lookup = Operation::Lookup { key: &[7] };
    let deletes = [
        Operation::RemoveIfExists { key: &[7] },
        Operation::UpdateLongBy { key: &[7], delta: 0 },
        Operation::RemoveIfExists { key: &[8] },
    ];
    let params = Params { max_deletes: 2, ..PARAMS.with_max_operations(4) };
    let prover = AvlProver::new(params).unwrap();
    let run = |ops: &[Operation<'_>]| -> Result<()> {
        let proved = prover.prove_batch(ops)?;
        assert_eq!(
            verify_batch(&prover.digest(), ops, &proved.proof, &params)?.results.len(),
            ops.len()
        );
        Ok(())
    };
    assert_eq!(run(&[lookup; 4]), Ok(()));
    assert_eq!(run(&[lookup; 5]).unwrap_err().reason(), Reason::TooManyOperations);
    assert_eq!(run(&[deletes[0], deletes[1], lookup]), Ok(()));
    assert_eq!(run(&deletes).unwrap_err().reason(), Reason::TooManyDeletes);
    // The verifier checks for itself.
    assert_eq!(caller(params, &[lookup; 5], &[]).reason(), Reason::TooManyOperations);
    assert_eq!(caller(params, &deletes, &[]).reason(), Reason::TooManyDeletes);
}

#[test]
fn the_default_limits_are_those_of_the_specification() {
    let Limits { max_proof_bytes, max_keys, max_value_bytes, .. } = Limits::DEFAULT;
    assert_eq!((max_proof_bytes, max_keys, max_value_bytes), (8_388_608, 4096, 65_536));
    assert_eq!(PARAMS.limits, Limits::DEFAULT);
    assert_eq!(PARAMS.max_deletes, 4096);
    let Limits { max_proof_bytes, max_keys, max_value_bytes, .. } = ergo::ERGO_PARAMS.limits;
    assert_eq!((max_proof_bytes, max_keys, max_value_bytes), (8_388_608, 65_536, 4_194_304));
    assert_eq!((ergo::ERGO_PARAMS.max_deletes, ergo::ERGO_PARAMS.mode), (65_536, Mode::Compat));
    assert_eq!((ergo::ERGO_PARAMS.key_length, ergo::ERGO_PARAMS.value_length), (32, None));
}

#[test]
fn proofs_and_values_up_to_the_limit_and_no_longer() {
    let mut honest = HonestDictionary::new(SHAPE);
    honest.apply(&[OwnedOperation::Insert(vec![15], vec![1; 100])]);
    let statement = honest.state(vec![OwnedOperation::Lookup(vec![15])]);
    let verify = |max_proof_bytes, max_value_bytes| {
        let limits = Limits { max_proof_bytes, max_value_bytes, ..Limits::DEFAULT };
        let params = Params { limits, ..PARAMS };
        let ops = as_operations(&statement.ops);
        verify_batch(&honest.digest(), &ops, &statement.proof, &params)
            .map(|batch| batch.results.len())
            .map_err(|error| error.reason())
    };
    let length = statement.proof.len();
    assert_eq!(verify(length, 100), Ok(1));
    assert_eq!(verify(length - 1, 100), Err(Reason::ProofTooLarge));
    assert_eq!(verify(length, 99), Err(Reason::ValueTooLarge));
}

/// A fully expanded tree of `height`, with its own digest.
fn full_tree(height: u8) -> (ProofParts, Digest) {
    fn grow(height: u8, next: &mut u8, tokens: &mut Vec<ProofToken>) {
        if height == 0 {
            tokens.push(leaf(*next, *next + 1));
            *next += 1;
            return;
        }
        grow(height - 1, next, tokens);
        grow(height - 1, next, tokens);
        tokens.push(ProofToken::Internal(0));
    }
    let mut tokens = Vec::new();
    grow(height, &mut 0, &mut tokens);
    let anatomy = ProofParts { tokens, directions: vec![0] };
    let digest = Digest(anatomy.root().unwrap().digest(height));
    (anatomy, digest)
}

#[test]
fn as_many_nodes_as_the_operations_can_need() {
    // (n + m) (2h + 1) + m (t + t div 2) + 1, with t = 1 + max(h, ceil(log2 n)); m = n in compat mode.
    let last = |height: u8| vec![(1 << height) - 1];
    for (height, deletes, mode, enough) in [
        (0, false, Mode::Strict, true),
        (1, false, Mode::Strict, true),
        // 7 nodes, 6 allowed.
        (2, false, Mode::Strict, false),
        // 15 allowed.
        (2, true, Mode::Strict, true),
        (2, false, Mode::Compat, true),
        // 15 nodes, 21 allowed.
        (3, true, Mode::Strict, true),
        (3, false, Mode::Compat, true),
        // 31 nodes, 26 allowed.
        (4, true, Mode::Strict, false),
        (4, false, Mode::Compat, false),
    ] {
        let (anatomy, digest) = full_tree(height);
        let key = last(height);
        let op =
            if deletes { OwnedOperation::RemoveIfExists(key) } else { OwnedOperation::Lookup(key) };
        let op = if height == 0 { OwnedOperation::Lookup(vec![0x80]) } else { op };
        let proof = anatomy.bytes(SHAPE);
        let answer = verify_batch(&digest, &[op.as_operation()], &proof, &PARAMS.with_mode(mode));
        let few = answer.is_err_and(|error| error.reason() == Reason::TooManyNodes);
        assert_eq!(few, !enough, "{height} {deletes} {mode:?}");
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

#[test]
fn the_first_argument_that_is_wrong_gives_the_reason() {
    let bad = Params { max_deletes: 0, ..Params::new(0, Some(8)).with_max_operations(1) };
    let short = Operation::Insert { key: &[0], value: &[] };
    let long = Operation::Remove { key: &[0; 3] };
    let reason = |params, ops: &[Operation<'_>]| caller(params, ops, &[0; 40]).reason();
    assert_eq!(reason(bad, &[long, short]), Reason::InvalidArgument);
    let bad = Params { key_length: 1, max_deletes: 0, ..bad };
    assert_eq!(reason(bad, &[long, short]), Reason::TooManyOperations);
    assert_eq!(reason(bad, &[long]), Reason::TooManyDeletes);
    assert_eq!(reason(Params { max_deletes: 1, ..bad }, &[long]), Reason::KeyLength);
    assert_eq!(reason(bad, &[short]), Reason::KeyOutOfRange);
    let limits = Limits { max_proof_bytes: 39, ..Limits::DEFAULT };
    let insert = Operation::Insert { key: &[1], value: &[] };
    assert_eq!(reason(Params { limits, ..bad }, &[insert]), Reason::ValueLength);
    let fits = Operation::Insert { key: &[1], value: &[0; 8] };
    assert_eq!(reason(Params { limits, ..bad }, &[fits]), Reason::ProofTooLarge);
}
