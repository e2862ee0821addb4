//! Trees that no honest prover makes, under digests that match them: the verifier's two modes, an
//! independent hasher and the Rust peer must agree about every one of them.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests fail by panicking"
)]

use arbitrary::Unstructured;
use prooflight_avl::{Digest, Mode, verify_batch};
use prooflight_testkit::avl::draw::EntryShape;
use prooflight_testkit::avl::hostile::HostileBatch;
use prooflight_testkit::avl::op::{OwnedOperation, as_operations};
use prooflight_testkit::avl::proof_parts::{ProofParts, ProofToken};
use rand::rngs::StdRng;
use rand::{RngCore, SeedableRng};

#[test]
fn both_modes_the_hasher_and_the_peer_agree() {
    let mut accepted = [0, 0];
    for seed in 0..8000 {
        let mut data = vec![0; 3000];
        StdRng::seed_from_u64(seed).fill_bytes(&mut data);
        let hostile = HostileBatch::draw(&mut Unstructured::new(&data)).unwrap();
        hostile.check();
        for (mode, accepted) in [Mode::Strict, Mode::Compat].into_iter().zip(&mut accepted) {
            let params = hostile.shape.params(mode);
            let ops = as_operations(&hostile.ops);
            let answer = verify_batch(&Digest(hostile.digest), &ops, &hostile.proof, &params);
            *accepted += usize::from(!ops.is_empty() && answer.is_ok());
        }
    }
    // Many of the trees get as far as the operations and are accepted, more of them in compat mode.
    let [strict, compat] = accepted;
    assert!(strict > 500 && compat > strict + 200, "{accepted:?}");
}

const SHAPE: EntryShape = EntryShape { key_length: 1, value_length: Some(0) };

/// Every tree of up to four leaves and labels, with every mix of sound and unsound balances, and
/// every effect that an operation can have on each of its leaves.
#[test]
fn every_operation_on_every_small_tree() {
    let mut checked = 0;
    for tokens in (1..=4).flat_map(|ends| trees(ends, 0)) {
        for (op, path) in effects(&tokens) {
            check(&tokens, vec![op], &path);
            checked += 1;
        }
    }
    assert!(checked > 50_000, "{checked}");
}

/// The smallest trees in which a deletion rotates twice, to the left and to the right.
#[test]
fn every_deletion_that_may_rotate_twice() {
    let mut checked = 0;
    let to_the_left = over(&trees(2, 0), &over(&trees(2, 2), &trees(1, 4)));
    let to_the_right = over(&over(&trees(1, 0), &trees(2, 1)), &trees(2, 3));
    for tokens in to_the_left.into_iter().chain(to_the_right) {
        for (op, path) in effects(&tokens) {
            if matches!(op, OwnedOperation::Remove(_)) {
                check(&tokens, vec![op], &path);
                checked += 1;
            }
        }
    }
    assert!(checked > 50_000, "{checked}");
}

/// The tree after the first operation is hostile, too; every path through it is tried.
#[test]
fn every_two_operations_on_every_smaller_tree() {
    let mut checked = 0;
    for tokens in (1..=3).flat_map(|ends| trees(ends, 0)) {
        let effects = effects(&tokens);
        for (first, path) in &effects {
            for (second, _) in &effects {
                for way in 0..8u8 {
                    let way = [0, 1, 2].map(|bit| way >> bit & 1 == 1);
                    let ops = vec![first.clone(), second.clone()];
                    check(&tokens, ops, &[&path[..], &way].concat());
                    checked += 1;
                }
            }
        }
    }
    assert!(checked > 50_000, "{checked}");
}

fn check(tokens: &[ProofToken], ops: Vec<OwnedOperation>, path: &[bool]) {
    let byte = |bits: &[bool]| bits.iter().rev().fold(0, |byte, &left| byte << 1 | u8::from(left));
    let directions = path.chunks(8).map(byte).collect();
    let proof = ProofParts { tokens: tokens.to_vec(), directions }.bytes(SHAPE);
    HostileBatch::new(SHAPE, ops, proof).check();
}

/// All trees with this many leaves and labels in total; leaf i has the key 10 (i + 1).
fn trees(ends: u8, first: u8) -> Vec<Vec<ProofToken>> {
    if ends == 1 {
        let [key, next_key] = [10 * (first + 1), 10 * (first + 2)].map(|key| vec![key]);
        let leaf = ProofToken::Leaf { key, next_key, value: Vec::new() };
        return vec![vec![leaf], vec![ProofToken::Label([first; 32])]];
    }
    (1..ends)
        .flat_map(|split| over(&trees(split, first), &trees(ends - split, first + split)))
        .collect()
}

/// Every tree with one of these on its left, one of those on its right, and any balance.
fn over(lefts: &[Vec<ProofToken>], rights: &[Vec<ProofToken>]) -> Vec<Vec<ProofToken>> {
    let mut all = Vec::new();
    for left in lefts {
        for right in rights {
            for balance in [0x00, 0x01, 0xff, 0x05, 0x80] {
                all.push([&left[..], right, &[ProofToken::Internal(balance)]].concat());
            }
        }
    }
    all
}

/// For each leaf of a tree: operations that keep, set, delete and insert, and the path to it.
fn effects(tokens: &[ProofToken]) -> Vec<(OwnedOperation, Vec<bool>)> {
    // From the root down: the last node first, each with the path to it.
    let mut pending = vec![Vec::new()];
    let mut effects = Vec::new();
    for token in tokens.iter().rev() {
        let path: Vec<bool> = pending.pop().expect("a node for each token");
        match token {
            ProofToken::Label(_) => {}
            ProofToken::Internal(_) => {
                pending.extend([true, false].map(|left| [&path[..], &[left]].concat()));
            }
            ProofToken::Leaf { key, .. } => {
                let key = || key.clone();
                let above = vec![key()[0] + 1];
                let ops = [
                    OwnedOperation::Lookup(key()),
                    OwnedOperation::Update(key(), Vec::new()),
                    OwnedOperation::Remove(key()),
                    OwnedOperation::Insert(above, Vec::new()),
                ];
                effects.extend(ops.map(|op| (op, path.clone())));
            }
        }
    }
    effects
}
