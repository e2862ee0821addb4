//! Every small change of an honest proof is refused: a statement has one proof.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests fail by panicking"
)]

use prooflight_testkit::smt::judge::ChainQuestion;
use prooflight_testkit::smt::plain::PlainTree;

/// Keys that are set, set again, deleted, and set after that.
fn plain() -> PlainTree {
    let mut plain = PlainTree::default();
    let key = |number: u8| vec![number; 3];
    for height in 0..6 {
        let set = (0..9).filter(|number| (number + height) % 3 > 0);
        plain.apply(height.into(), set.map(|number| (key(number), Some(vec![height; 2]))));
        plain.apply(height.into(), [(key(height), None)]);
    }
    plain
}

fn questions() -> Vec<ChainQuestion> {
    let key = |number: u8| vec![number; 3];
    vec![
        ChainQuestion::Keys { height: 5, keys: vec![key(1)] },
        ChainQuestion::Keys { height: 5, keys: vec![key(5)] },
        ChainQuestion::Keys { height: 5, keys: vec![key(77)] },
        ChainQuestion::Keys { height: 3, keys: vec![key(0), key(7), key(70), key(71)] },
        ChainQuestion::History { key: key(2), from: 1, to: 5 },
        ChainQuestion::History { key: key(99), from: 0, to: 5 },
        ChainQuestion::Diff { from: Some(3), to: 4 },
        ChainQuestion::Diff { from: None, to: 5 },
    ]
}

fn refused(plain: &PlainTree, question: &ChainQuestion, proof: &[u8]) {
    let judged = question.judge(plain, proof);
    assert!(judged.is_err(), "{} accepted for {question:?}", hex::encode(proof));
}

#[test]
fn bits_flipped() {
    let plain = plain();
    for question in questions() {
        let honest = question.prove(&plain);
        for bit in 0..8 * honest.len() {
            let mut proof = honest.clone();
            proof[bit / 8] ^= 1 << (bit % 8);
            refused(&plain, &question, &proof);
        }
    }
}

#[test]
fn bytes_removed_inserted_swapped_or_cut_off() {
    let plain = plain();
    for question in questions() {
        let honest = question.prove(&plain);
        for at in 0..honest.len() {
            refused(&plain, &question, &honest[..at]);
            for byte in [0, 1, 0x80, 0xff] {
                let proof = [&honest[..at], &[byte], &honest[at..]].concat();
                refused(&plain, &question, &proof);
            }
            let proof = [&honest[..at], &honest[at + 1..]].concat();
            refused(&plain, &question, &proof);
            let mut proof = honest.clone();
            proof.swap(at, (at + 1) % honest.len());
            if proof != honest {
                refused(&plain, &question, &proof);
            }
        }
        refused(&plain, &question, &[&honest[..], &[0]].concat());
    }
}

#[test]
fn proofs_of_other_questions() {
    let plain = plain();
    for question in questions() {
        for other in questions() {
            let proof = other.prove(&plain);
            if proof != question.prove(&plain) {
                refused(&plain, &question, &proof);
            }
        }
    }
}
