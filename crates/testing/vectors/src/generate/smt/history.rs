//! `smt/history.json`: honest histories.

use prooflight_json::Quantity;
use prooflight_smt::hash::MAX_HEIGHT;
use serde_json::{Value, json};

use super::plain::PlainTree;
use super::{ask_history, delete, history_limits, key, random, sample, set, state_json};
use crate::answer::VerifierAnswer;
use crate::generate::builder::{FileBuilder, expected};
use crate::generate::rng::Rng;
use crate::smt::SmtHistory;

/// Adds the tests made by code.
pub(in crate::generate) fn make(file: &mut FileBuilder) {
    file.group("SmtHistory");
    ranges(file);
    recurring(file);
    empty(file);
    at_limits(file);
    long(file);
    random_histories(file);
}

/// The expected history of a key, from the list of its changes.
fn expected_history(plain: &PlainTree, key: &[u8], from: u64, to: u64) -> VerifierAnswer {
    let blocks = plain.history_blocks(key, from, to);
    // Every block of a history except the first is the one before a change.
    let mut changed: Vec<u64> = blocks.iter().skip(1).map(|height| height + 1).collect();
    let last = plain.last_change(key, blocks[blocks.len() - 1]).map(|(height, _)| height);
    changed.extend(last.filter(|&height| height == from));
    let hidden = changed.last() == Some(&from);
    let entering =
        if hidden { Value::Null } else { state_json(plain, key, blocks[blocks.len() - 1]) };
    let changes: Vec<Value> =
        changed.iter().rev().map(|&height| state_json(plain, key, height)).collect();
    let blocks: Vec<Quantity> = blocks.into_iter().map(Quantity).collect();
    expected(json!({ "blocks": blocks, "entering": entering, "changes": changes }))
}

fn honest(
    file: &mut FileBuilder,
    flags: &[&str],
    comment: &str,
    plain: &PlainTree,
    input: &SmtHistory,
) {
    let told = expected_history(plain, &input.key.0, input.from.0, input.to.0);
    let mut all = flags.to_vec();
    if told["entering"].is_null() {
        all.push("Hidden");
    } else if told["changes"].as_array().is_some_and(Vec::is_empty) {
        all.push("NoChange");
    }
    all.sort_unstable();
    file.valid(&all, comment, input, told);
}

fn ranges(file: &mut FileBuilder) {
    let plain = sample();
    for number in [0, 1, 3, 4, 12, 16, 99] {
        for (from, to) in [(0, 9), (0, 0), (2, 2), (2, 8), (3, 7), (5, 6), (6, 6), (9, 9)] {
            let comment = format!("key {number} in the blocks {from} to {to}");
            honest(file, &[], &comment, &plain, &ask_history(&plain, &key(number), from, to));
        }
    }
}

fn recurring(file: &mut FileBuilder) {
    let mut plain = PlainTree::default();
    plain.apply(0, [set(0, b"A"), set(1, b"other")]);
    plain.apply(1, [set(0, b"B")]);
    plain.apply(2, [set(0, b"A")]);
    plain.apply(3, [delete(0)]);
    plain.apply(4, [set(0, b"A")]);
    plain.apply(5, [set(0, b"A")]);
    for (from, to) in [(0, 5), (1, 4), (0, 7), (2, 2)] {
        let comment = format!("A, B, A, deleted, A, A: the blocks {from} to {to}");
        let input = ask_history(&plain, &key(0), from, to);
        honest(file, &["Recurring"], &comment, &plain, &input);
    }
}

fn empty(file: &mut FileBuilder) {
    let mut plain = PlainTree::default();
    let none = ask_history(&plain, &key(0), 0, 4);
    honest(file, &["Empty"], "no key in any block", &plain, &none);
    plain.apply(5, [set(0, b"first")]);
    for (from, to) in [(0, 5), (0, 9), (5, 9), (6, 9)] {
        let comment = format!("the first key there is: the blocks {from} to {to}");
        let input = ask_history(&plain, &key(0), from, to);
        honest(file, &["Empty"], &comment, &plain, &input);
    }
}

fn at_limits(file: &mut FileBuilder) {
    let mut plain = PlainTree::default();
    plain.apply(0, [set(0, b"first"), set(1, b"")]);
    plain.apply(MAX_HEIGHT, [set(0, b"last")]);
    let input = ask_history(&plain, &key(0), 0, MAX_HEIGHT);
    honest(file, &["Limit"], "all blocks there can be", &plain, &input);
    let exact = history_limits(Some(input.proof.0.len()), Some(5), Some(2));
    let input = SmtHistory { limits: Some(exact), ..input };
    honest(file, &["Limit"], "bytes, values and changes at their limits", &plain, &input);
    for (from, most) in [(1, 0), (0, 1)] {
        let limits = Some(history_limits(None, None, Some(most)));
        let input = SmtHistory { limits, ..ask_history(&plain, &key(0), from, 9) };
        let comment = format!("{most} changes where as many are allowed");
        honest(file, &["Limit"], &comment, &plain, &input);
    }
}

/// One key that changes in every block, alone in its tree.
fn long(file: &mut FileBuilder) {
    let mut plain = PlainTree::default();
    for height in 1..=300 {
        plain.apply(height, [set(0, b"")]);
    }
    let input = ask_history(&plain, &key(0), 0, 300);
    honest(file, &["Long"], "300 changes", &plain, &input);
}

fn random_histories(file: &mut FileBuilder) {
    for (blocks, keys) in [(8, 3), (30, 20)] {
        let rng = &mut Rng::new(blocks);
        let plain = random(rng, blocks, keys);
        for number in 0..4 {
            let to = blocks - 1 - number;
            let comment = format!("key {number} of {keys} in the blocks {number} to {to}");
            let input =
                ask_history(&plain, &key(u16::try_from(number).expect("small")), number, to);
            honest(file, &["Random"], &comment, &plain, &input);
        }
    }
}
