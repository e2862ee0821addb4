//! Honest proofs of every question about many random chains are accepted, with the true answer.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests fail by panicking"
)]

use arbitrary::Unstructured;
use prooflight_core::Limits;
use prooflight_smt::{PastState, verify};
use prooflight_testkit::smt::draw::chain;
use prooflight_testkit::smt::judge::ChainQuestion;
use prooflight_testkit::smt::plain::PlainTree;
use prooflight_testkit::smt::targets::TARGETS;
use rand::rngs::StdRng;
use rand::{RngCore, SeedableRng};

fn random_bytes(seed: u64) -> Vec<u8> {
    let mut data = vec![0; 2000];
    StdRng::seed_from_u64(seed).fill_bytes(&mut data);
    data
}

fn accept(plain: &PlainTree, question: &ChainQuestion) {
    question.judge(plain, &question.prove(plain)).unwrap();
}

#[test]
fn every_question_about_small_chains() {
    for seed in 0..60 {
        let (plain, blocks) = chain(&mut Unstructured::new(&random_bytes(seed))).unwrap();
        let keys: Vec<Vec<u8>> = (0..=3).map(|number| vec![number]).chain([vec![]]).collect();
        for to in 0..blocks {
            accept(&plain, &ChainQuestion::Keys { height: to, keys: keys.clone() });
            accept(&plain, &ChainQuestion::Diff { from: None, to });
            for from in 0..to {
                accept(&plain, &ChainQuestion::Diff { from: Some(from), to });
            }
            for key in &keys {
                accept(&plain, &ChainQuestion::Keys { height: to, keys: vec![key.clone()] });
                for from in 0..=to {
                    accept(&plain, &ChainQuestion::History { key: key.clone(), from, to });
                }
            }
        }
    }
}

#[test]
fn random_inputs_of_the_fuzz_targets() {
    for (_, target) in TARGETS {
        for seed in 0..2000 {
            // An input that ends too early is skipped.
            let _ = target(&mut Unstructured::new(&random_bytes(seed)));
        }
    }
}

#[test]
fn many_keys_at_once_present_and_absent() {
    let mut plain = PlainTree::default();
    let key = |number: u32| number.to_be_bytes().to_vec();
    for height in 0..4 {
        let numbers = (0..900).filter(|number| number % 4 >= height);
        let op = |number: u32| (key(number), (!number.is_multiple_of(5)).then(|| vec![7; 20]));
        plain.apply(height.into(), numbers.map(op));
    }
    for count in [1, 2, 64, 700, 1800] {
        let keys = (0..count).map(|number| key(number * 7 % 1800)).collect();
        accept(&plain, &ChainQuestion::Keys { height: 3, keys });
    }
}

#[test]
fn answers_are_in_the_order_asked_and_keys_may_repeat() {
    let mut plain = PlainTree::default();
    plain.apply(5, [(b"a".to_vec(), Some(b"1".to_vec())), (b"b".to_vec(), Some(vec![]))]);
    plain.apply(6, [(b"b".to_vec(), None)]);
    let (asked, proof) = ([&b"b"[..], b"c", b"a", b"b"], plain.prove(9, &[b"a", b"b", b"c"]));
    let answers = verify(&plain.root(9), 9, &asked, &proof, &Limits::DEFAULT).unwrap();
    let (a, b) =
        (PastState::Present { value: b"1", since: 5 }, PastState::Deleted { deleted_at: 6 });
    assert_eq!(*answers, [b, PastState::NeverWritten, a, b]);
}
