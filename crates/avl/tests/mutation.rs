//! Changed proofs, digests and operations: strict mode refuses every change of a proof, and neither
//! mode ever returns a wrong answer.
//!
//! The judge is [`Honest::judge`]: an accepted answer must agree with the model's values and with the
//! prover's digest, and in strict mode the accepted bytes must be the prover's own.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests fail by panicking"
)]

use arbitrary::Unstructured;
use prooflight_avl::{Digest, Mode, verify_batch};
use prooflight_core::Reason;
use prooflight_testkit::avl::draw::EntryShape;
use prooflight_testkit::avl::honest::{HonestDictionary, TrueStatement};
use prooflight_testkit::avl::mutation::mutate_ops;
use prooflight_testkit::avl::op::{OwnedOperation, as_operations};
use prooflight_testkit::avl::proof_parts::{LABEL_TAG, ProofParts, ProofToken};
use prooflight_testkit::avl::targets::avl_mutate;
use rand::rngs::StdRng;
use rand::{Rng, RngCore, SeedableRng};

/// Dictionaries of every shape, each with true statements: empty to large, zero to eight operations.
fn statements() -> Vec<(HonestDictionary, Vec<TrueStatement>)> {
    let mut all = Vec::new();
    for (round, shape) in (0..6).flat_map(|round| EntryShape::ALL.map(|shape| (round, shape))) {
        let data = random_bytes(all.len() as u64);
        let u = &mut Unstructured::new(&data);
        let history = [0, 4, 12, 20, 40, 80][round];
        let honest = HonestDictionary::draw(u, shape, history).unwrap();
        let statements = [0, 1, 1, 2, 4, 8].map(|most| {
            let mut ops = shape.draw_ops(u, most).unwrap();
            if ops.is_empty() && most > 0 {
                ops.push(shape.draw_op(u).unwrap());
            }
            honest.state(ops)
        });
        all.push((honest, statements.into()));
    }
    all
}

fn random_bytes(seed: u64) -> Vec<u8> {
    let mut data = vec![0; 8000];
    StdRng::seed_from_u64(seed).fill_bytes(&mut data);
    data
}

/// Strict mode must refuse the changed proof; compat mode may accept it only with the true answer.
fn refused(honest: &HonestDictionary, statement: &TrueStatement, proof: &[u8]) {
    assert_ne!(proof, statement.proof);
    let strict = honest.judge(&statement.ops, proof, Mode::Strict);
    assert!(strict.is_err(), "{} accepted for {:?}", hex::encode(proof), statement.ops);
    let _ = honest.judge(&statement.ops, proof, Mode::Compat);
}

/// All statements whose proof is small enough for exhaustive changes.
fn each_small(most: usize, mut test: impl FnMut(&HonestDictionary, &TrueStatement)) {
    let mut count = 0;
    for (honest, statements) in statements() {
        for statement in statements.iter().filter(|statement| statement.proof.len() <= most) {
            for mode in [Mode::Strict, Mode::Compat] {
                honest.judge(&statement.ops, &statement.proof, mode).unwrap();
            }
            test(&honest, statement);
            count += 1;
        }
    }
    assert!(count >= 100, "{count}");
}

#[test]
fn every_bit_flipped() {
    each_small(500, |honest, statement| {
        let mut proof = statement.proof.clone();
        for bit in 0..proof.len() * 8 {
            proof[bit / 8] ^= 1 << (bit % 8);
            refused(honest, statement, &proof);
            proof[bit / 8] ^= 1 << (bit % 8);
        }
    });
}

#[test]
fn every_byte_replaced_by_every_token() {
    each_small(500, |honest, statement| {
        let mut proof = statement.proof.clone();
        for at in 0..proof.len() {
            let byte = proof[at];
            for other in [0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x7f, 0x80, 0xfe, 0xff] {
                if other != byte {
                    proof[at] = other;
                    refused(honest, statement, &proof);
                }
            }
            proof[at] = byte;
        }
    });
}

#[test]
fn a_byte_inserted_anywhere() {
    each_small(500, |honest, statement| {
        for at in 0..=statement.proof.len() {
            for byte in [0x00, 0x01, 0x02, 0x03, 0x04, 0xff] {
                let mut proof = statement.proof.clone();
                proof.insert(at, byte);
                refused(honest, statement, &proof);
            }
        }
    });
}

#[test]
fn bytes_deleted_swapped_or_doubled_anywhere() {
    each_small(500, |honest, statement| {
        let length = statement.proof.len();
        for at in 0..length {
            for size in [1, 2, 4, 32, 33].into_iter().filter(|size| at + size <= length) {
                let mut deleted = statement.proof.clone();
                deleted.drain(at..at + size);
                refused(honest, statement, &deleted);
                let mut doubled = statement.proof.clone();
                doubled.splice(at..at, statement.proof[at..at + size].iter().copied());
                refused(honest, statement, &doubled);
            }
            for other in [at + 1, at + 2, at + 33].into_iter().filter(|&other| other < length) {
                let mut swapped = statement.proof.clone();
                swapped.swap(at, other);
                if swapped != statement.proof {
                    refused(honest, statement, &swapped);
                }
            }
        }
    });
}

#[test]
fn truncated_at_every_length() {
    each_small(usize::MAX, |honest, statement| {
        for end in 0..statement.proof.len() {
            refused(honest, statement, &statement.proof[..end]);
            // Even compat mode needs every byte of the nodes and the directions.
            let compat = honest.judge(&statement.ops, &statement.proof[..end], Mode::Compat);
            let reason = compat.unwrap_err().reason();
            assert!(matches!(reason, Reason::Truncated | Reason::DirectionsExhausted), "{reason}");
        }
    });
}

#[test]
fn trailing_bytes_are_compat_only() {
    each_small(usize::MAX, |honest, statement| {
        for tail in [&[0][..], &[0xff], &[0; 40], &[LABEL_TAG; 33]] {
            let proof = [&statement.proof, tail].concat();
            refused(honest, statement, &proof);
            honest.judge(&statement.ops, &proof, Mode::Compat).unwrap();
        }
    });
}

#[test]
fn spliced_from_other_proofs() {
    let mut rng = StdRng::seed_from_u64(1);
    let mut tried = 0;
    let all = statements();
    for (honest, statements) in &all {
        let (_, strangers) = &all[rng.random_range(0..all.len())];
        for statement in statements {
            for other in statements.iter().chain(strangers) {
                for _ in 0..20 {
                    let cut = rng.random_range(0..=statement.proof.len());
                    let from = rng.random_range(0..=other.proof.len());
                    let proof = [&statement.proof[..cut], &other.proof[from..]].concat();
                    if proof != statement.proof {
                        refused(honest, statement, &proof);
                        tried += 1;
                    }
                }
                if other.proof != statement.proof {
                    refused(honest, statement, &other.proof);
                }
            }
        }
    }
    assert!(tried > 10_000, "{tried}");
}

#[test]
fn one_proofs_nodes_with_another_ones_directions() {
    for (honest, statements) in statements() {
        let parts = |proof: &[u8]| ProofParts::parse(proof, honest.shape).unwrap();
        for statement in &statements {
            for other in &statements {
                let tokens = parts(&statement.proof).tokens;
                let directions = parts(&other.proof).directions;
                let proof = ProofParts { tokens, directions }.bytes(honest.shape);
                if proof != statement.proof {
                    refused(&honest, statement, &proof);
                }
            }
        }
    }
}

/// The root stays the same, so only the rule "expanded if and only if needed" can refuse these.
#[test]
fn more_or_fewer_nodes_expanded() {
    let (mut more, mut inner, mut fewer) = (0, 0, 0);
    for (honest, statements) in statements() {
        for statement in &statements {
            for other in &statements {
                let proof = honest.show_more(statement, other);
                // Such a proof may have more nodes than the remaining operations can need.
                if proof == statement.proof {
                    continue;
                }
                let reason =
                    honest.judge(&statement.ops, &proof, Mode::Strict).unwrap_err().reason();
                assert!(
                    matches!(reason, Reason::NodeNotVisited | Reason::TooManyNodes),
                    "{reason}"
                );
                if reason == Reason::NodeNotVisited {
                    honest.judge(&statement.ops, &proof, Mode::Compat).unwrap();
                    more += 1;
                }
            }
            inner += inner_nodes_alone(&honest, statement);
            let anatomy = ProofParts::parse(&statement.proof, honest.shape).unwrap();
            for at in 0..anatomy.tokens.len() {
                let mut collapsed = anatomy.clone();
                collapsed.collapse(at);
                if collapsed == anatomy {
                    continue;
                }
                let proof = collapsed.bytes(honest.shape);
                for mode in [Mode::Strict, Mode::Compat] {
                    let refused = honest.judge(&statement.ops, &proof, mode).unwrap_err();
                    assert_eq!(refused.reason(), Reason::NodeNotExpanded);
                }
                fewer += 1;
            }
        }
    }
    assert!(more > 200 && inner > 500 && fewer > 300, "{more} {inner} {fewer}");
}

/// Expands internal nodes that no operation needs, over labels and without any leaf.
fn inner_nodes_alone(honest: &HonestDictionary, statement: &TrueStatement) -> usize {
    let mut tried = 0;
    for number in (1..254).step_by(11) {
        let path = honest.state(vec![OwnedOperation::Lookup(honest.shape.key(number))]);
        let shown = ProofParts::parse(&honest.show_more(statement, &path), honest.shape).unwrap();
        for at in 0..shown.tokens.len() {
            if !matches!(shown.tokens[at], ProofToken::Internal(_)) {
                continue;
            }
            let mut alone = shown.clone();
            alone.collapse_children(at);
            let proof = alone.bytes(honest.shape);
            if proof == statement.proof {
                // A deletion reads such a node before it rotates.
                continue;
            }
            let reason = honest.judge(&statement.ops, &proof, Mode::Strict).unwrap_err().reason();
            if reason == Reason::NodeNotVisited {
                honest.judge(&statement.ops, &proof, Mode::Compat).unwrap();
                tried += 1;
            } else {
                assert!(
                    matches!(reason, Reason::NodeNotExpanded | Reason::TooManyNodes),
                    "{reason}"
                );
            }
        }
    }
    tried
}

#[test]
fn every_bit_of_the_digest_flipped() {
    each_small(usize::MAX, |honest, statement| {
        let ops = as_operations(&statement.ops);
        let verify = |digest: &Digest, mode| {
            verify_batch(digest, &ops, &statement.proof, &honest.shape.params(mode))
        };
        let honest_answer = verify(&honest.digest(), Mode::Compat).unwrap();
        for bit in 0..33 * 8 {
            let mut digest = honest.digest();
            digest.0[bit / 8] ^= 1 << (bit % 8);
            let (strict, compat) = (verify(&digest, Mode::Strict), verify(&digest, Mode::Compat));
            if bit < 32 * 8 {
                assert_eq!(strict.unwrap_err().reason(), Reason::RootMismatch);
                assert_eq!(compat.unwrap_err().reason(), Reason::RootMismatch);
                continue;
            }
            // A batch without operations changes nothing, and its proof has no leaf that shows the height.
            match strict {
                Ok(answer) => assert!(ops.is_empty() && answer.digest == digest),
                Err(error) => {
                    let reason = error.reason();
                    let too_low = matches!(reason, Reason::HeightMismatch | Reason::TooManyNodes);
                    assert!(!ops.is_empty() && too_low, "{reason}");
                }
            }
            // In compat mode the height is only carried along: scrypto does not check it.
            match compat {
                Ok(answer) => {
                    let [was, is] = [honest.digest(), digest].map(|it| i32::from(it.height()));
                    let [expected, found] =
                        [honest_answer.digest, answer.digest].map(|it| i32::from(it.height()));
                    assert_eq!(answer.results, honest_answer.results);
                    assert_eq!(answer.digest.root(), honest_answer.digest.root());
                    assert_eq!(found - is, expected - was);
                }
                Err(error) => {
                    let reason = error.reason();
                    let range = matches!(reason, Reason::HeightOverflow | Reason::TooManyNodes);
                    assert!(range, "{reason}");
                }
            }
        }
    });
}

/// A proof is accepted for exactly those operations for which the prover makes the same bytes.
#[test]
fn operations_changed_reordered_dropped_or_doubled() {
    let (mut accepted, mut refused) = (0, 0);
    for (seed, (honest, statements)) in (1000..).zip(statements()) {
        let data = random_bytes(seed);
        let u = &mut Unstructured::new(&data);
        for statement in &statements {
            for _ in 0..40 {
                let mut ops = statement.ops.clone();
                mutate_ops(u, &mut ops, honest.shape).unwrap();
                let proved = honest.prover.prove_batch(&as_operations(&ops));
                let same = proved.is_ok_and(|proved| proved.proof == statement.proof);
                let strict = honest.judge(&ops, &statement.proof, Mode::Strict);
                assert_eq!(strict.is_ok(), same, "{ops:?} for {:?}", statement.ops);
                let _ = honest.judge(&ops, &statement.proof, Mode::Compat);
                *if same { &mut accepted } else { &mut refused } += 1;
            }
        }
    }
    assert!(accepted > 500 && refused > 5000, "{accepted} {refused}");
}

#[test]
fn the_dictionary_has_moved_on() {
    for (mut honest, statements) in statements() {
        let before = honest.digest();
        honest.apply(&statements[5].ops);
        if honest.digest() == before {
            continue;
        }
        for statement in &statements {
            let ops = honest.possible(statement.ops.clone());
            for mode in [Mode::Strict, Mode::Compat] {
                let error = honest.judge(&ops, &statement.proof, mode).unwrap_err();
                let reason = error.reason();
                let early = matches!(reason, Reason::HeightMismatch | Reason::TooManyNodes);
                assert!(reason == Reason::RootMismatch || early, "{reason}");
            }
        }
    }
}

/// Several changes at once, of proofs and operations, as the fuzz target of this name makes them.
#[test]
fn random_changes() {
    for seed in 0..6000 {
        avl_mutate(&mut Unstructured::new(&random_bytes(seed))).unwrap();
    }
}
