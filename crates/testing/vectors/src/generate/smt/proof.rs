//! `smt/proof.json`: honest proofs of one and of many keys.

use prooflight_smt::hash::MAX_HEIGHT;
use serde_json::{Value, json};

use super::plain::PlainTree;
use super::{ask_keys, delete, key, limits, random, sample, set, skipped, state_json};
use crate::answer::VerifierAnswer;
use crate::generate::builder::{FileBuilder, expected};
use crate::generate::rng::Rng;
use crate::smt::SmtProof;

/// Adds the tests made by code.
pub(in crate::generate) fn make(file: &mut FileBuilder) {
    file.group("SmtProof");
    small_trees(file);
    one_key(file);
    many_keys(file);
    at_limits(file);
    skipped::right(file);
    for (blocks, keys) in [(3, 5), (5, 40), (12, 300)] {
        random_trees(file, blocks, keys);
    }
}

pub(super) fn honest(
    file: &mut FileBuilder,
    flags: &[&str],
    comment: &str,
    plain: &PlainTree,
    input: &SmtProof,
) {
    let height = input.height.0;
    let answers: Vec<Value> =
        input.keys.iter().map(|key| state_json(plain, &key.0, height)).collect();
    let kind = |answer: &Value| match answer {
        answer if answer.get("value").is_some() => "Present",
        answer if answer.get("deletedAt").is_some() => "Deleted",
        _ => "NeverWritten",
    };
    let mut all: Vec<&str> = answers.iter().map(kind).chain(flags.iter().copied()).collect();
    if input.keys.len() > 1 {
        all.push("ManyKeys");
    }
    all.sort_unstable();
    all.dedup();
    file.valid(&all, comment, input, expected(json!({ "answers": answers })));
}

fn small_trees(file: &mut FileBuilder) {
    let mut plain = PlainTree::default();
    plain.apply(3, [set(7, b"alone")]);
    plain.apply(4, [delete(7)]);
    for (height, flag, comment) in [
        (0, "Empty", "no key in block 0"),
        (2, "Empty", "no key yet"),
        (3, "OneLeaf", "one key, set in this block"),
        (4, "OneLeaf", "one key, deleted in this block"),
        (1 << 40, "OneLeaf", "one key, deleted long ago"),
    ] {
        honest(file, &[flag], comment, &plain, &ask_keys(&plain, height, &[key(7)]));
        let comment = format!("{comment}; another key");
        honest(file, &[flag], &comment, &plain, &ask_keys(&plain, height, &[key(8)]));
        let both = ask_keys(&plain, height, &[key(8), key(7), vec![]]);
        honest(file, &[flag], &format!("{comment}, both, and the key of no bytes"), &plain, &both);
    }
}

fn one_key(file: &mut FileBuilder) {
    let plain = sample();
    for height in [1, 2, 3, 5, 6, 7, 8, 9] {
        for number in [0, 1, 3, 4, 12, 16, 99, 100, 101, 102] {
            let comment = format!("key {number} at block {height}");
            honest(file, &[], &comment, &plain, &ask_keys(&plain, height, &[key(number)]));
        }
    }
}

fn many_keys(file: &mut FileBuilder) {
    let plain = sample();
    let mut ask = |comment: &str, keys: &[Vec<u8>]| {
        honest(file, &[], comment, &plain, &ask_keys(&plain, 8, keys));
    };
    let all: Vec<_> = (0..17).map(key).collect();
    ask("every key", &all);
    ask("every key and as many others", &(0..34).map(key).collect::<Vec<_>>());
    ask("a key twice", &[key(5), key(5)]);
    ask("keys in another order, some twice", &[key(9), key(2), key(3), key(9), key(99), key(2)]);
    ask("only keys that were never written", &(100..110).map(key).collect::<Vec<_>>());
}

fn at_limits(file: &mut FileBuilder) {
    let mut plain = PlainTree::default();
    plain.apply(0, [set(0, &[1; 100]), set(1, b"")]);
    plain.apply(MAX_HEIGHT, [set(2, &[2; 128])]);
    for number in 0..4 {
        let comment = format!("key {number} at the last block there can be");
        let input = ask_keys(&plain, MAX_HEIGHT, &[key(number)]);
        honest(file, &["Limit"], &comment, &plain, &input);
    }
    let input = ask_keys(&plain, 1, &[key(0), key(1)]);
    let exact = limits(Some(input.proof.0.len()), Some(2), Some(100));
    let input = SmtProof { limits: Some(exact), ..input };
    honest(file, &["Limit"], "bytes, keys and value at their limits", &plain, &input);

    // The following answers would be long, so they are not pinned.
    let mut plain = PlainTree::default();
    plain.apply(0, [set(0, &vec![0; 65_536])]);
    let input = ask_keys(&plain, 0, &[key(0)]);
    let comment = "a value of 65,536 bytes, as many as allowed by default";
    file.valid(&["Limit", "Present"], comment, &input, VerifierAnswer::new());
    let input = ask_keys(&plain, 0, &vec![vec![]; 4096]);
    let comment = "4,096 keys, as many as allowed by default";
    file.valid(&["Limit", "ManyKeys"], comment, &input, VerifierAnswer::new());
    let (plain, keys) = super::many_leaves(1300);
    let comment = "2,599 nodes, so many that a verifier may hash some before it has read all";
    file.valid(
        &["ManyKeys", "Present"],
        comment,
        &ask_keys(&plain, 2, &keys),
        VerifierAnswer::new(),
    );
}

fn random_trees(file: &mut FileBuilder, blocks: u64, keys: usize) {
    let rng = &mut Rng::new(blocks);
    let plain = random(rng, blocks, keys);
    for (round, count) in [1, 1, 1, 2, 5, 20].into_iter().enumerate() {
        let height = rng.below(usize::try_from(blocks).expect("few")) as u64;
        let asked: Vec<_> = (0..count)
            .map(|_| key(u16::try_from(rng.below(keys + keys / 2)).expect("few keys")))
            .collect();
        let comment = format!("{count} of {keys} keys at block {height}, draw {round}");
        honest(file, &["Random"], &comment, &plain, &ask_keys(&plain, height, &asked));
    }
}
