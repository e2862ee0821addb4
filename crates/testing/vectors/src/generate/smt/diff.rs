//! `smt/diff.json`: honest diffs.

use prooflight_json::HexBytes;
use prooflight_smt::hash::{MAX_HEIGHT, hash_key};
use serde_json::{Map, Value, json};

use super::plain::PlainTree;
use super::{ask_diff, delete, limits, random, sample, set, state_json};
use crate::generate::builder::{FileBuilder, expected};
use crate::generate::rng::Rng;
use crate::smt::SmtDiff;

/// Adds the tests made by code.
pub(in crate::generate) fn make(file: &mut FileBuilder) {
    file.group("SmtDiff");
    let plain = sample();
    for to in [1, 2, 5, 6, 8, 9] {
        for from in (0..to).map(Some).chain([None]) {
            honest(file, &[], &range(from, to), &plain, &ask_diff(&plain, from, to));
        }
    }
    small_trees(file);
    recurring(file);
    at_limits(file);
    random_diffs(file);
}

fn honest(
    file: &mut FileBuilder,
    flags: &[&str],
    comment: &str,
    plain: &PlainTree,
    input: &SmtDiff,
) {
    let from = input.from.map(|from| from.0);
    let mut keys = plain.keys();
    keys.sort_by_key(|key| hash_key(key));
    let change = |key: Vec<u8>| {
        let (height, _) = plain.last_change(&key, input.to.0)?;
        let Value::Object(answer) = state_json(plain, &key, input.to.0) else { return None };
        let mut change = Map::from_iter([("key".to_owned(), json!(HexBytes(key)))]);
        change.extend(answer);
        from.is_none_or(|from| height > from).then_some(Value::Object(change))
    };
    let changes: Vec<Value> = keys.into_iter().filter_map(change).collect();
    let mut all = flags.to_vec();
    if changes.is_empty() && !flags.contains(&"Empty") {
        all.push("NoChange");
    }
    if from.is_none() {
        all.push("All");
    }
    all.sort_unstable();
    file.valid(&all, comment, input, expected(json!({ "changes": changes })));
}

pub(super) fn range(from: Option<u64>, to: u64) -> String {
    match from {
        Some(from) => format!("after block {from}, up to block {to}"),
        None => format!("up to block {to}"),
    }
}

fn small_trees(file: &mut FileBuilder) {
    let mut plain = PlainTree::default();
    plain.apply(3, [set(7, b"alone")]);
    plain.apply(4, [delete(7)]);
    honest(file, &["Empty"], "genesis", &plain, &ask_diff(&plain, None, 0));
    honest(file, &["Empty"], "no key yet", &plain, &ask_diff(&plain, Some(0), 2));
    for (from, to) in [(Some(2), 3), (Some(3), 4), (Some(2), 4), (Some(4), 5), (None, 3)] {
        let comment = format!("one key, {}", range(from, to));
        honest(file, &["OneLeaf"], &comment, &plain, &ask_diff(&plain, from, to));
    }
}

fn recurring(file: &mut FileBuilder) {
    let mut plain = PlainTree::default();
    plain.apply(0, [set(0, b"A"), set(1, b"other"), set(2, b"third")]);
    plain.apply(1, [delete(0), set(3, b"short-lived")]);
    plain.apply(2, [set(0, b"A"), delete(3)]);
    for (from, to) in [(Some(0), 1), (Some(0), 2), (Some(1), 2)] {
        let comment = format!("deleted and set again, set and deleted again: {}", range(from, to));
        honest(file, &["Recurring"], &comment, &plain, &ask_diff(&plain, from, to));
    }
}

fn at_limits(file: &mut FileBuilder) {
    let mut plain = PlainTree::default();
    plain.apply(0, [set(0, b"first"), (vec![], Some(vec![])), (vec![9; 256], Some(vec![8; 300]))]);
    plain.apply(MAX_HEIGHT, [set(0, b"last")]);
    for from in [None, Some(0), Some(MAX_HEIGHT - 1)] {
        let input = ask_diff(&plain, from, MAX_HEIGHT);
        honest(file, &["Limit"], &range(from, MAX_HEIGHT), &plain, &input);
    }
    let input = ask_diff(&plain, None, 1);
    let exact = limits(Some(input.proof.0.len()), None, Some(300));
    let input = SmtDiff { limits: Some(exact), ..input };
    honest(file, &["Limit"], "bytes and values at their limits", &plain, &input);
}

fn random_diffs(file: &mut FileBuilder) {
    for (blocks, keys) in [(6, 10), (12, 120)] {
        let plain = random(&mut Rng::new(blocks), blocks, keys);
        for from in [0, blocks / 2, blocks - 2] {
            let to = blocks - 1;
            let comment = format!("{keys} keys, after block {from}, up to block {to}");
            honest(file, &["Random"], &comment, &plain, &ask_diff(&plain, Some(from), to));
        }
    }
}
