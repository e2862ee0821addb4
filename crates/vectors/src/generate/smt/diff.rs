//! `smt/diff.json`: honest diffs.

use std::collections::BTreeSet;

use prooflight_smt::hash::{MAX_HEIGHT, hash_key};
use serde_json::{Map, Value, json};

use super::plain::Plain;
use super::{FAR, ask_diff, delete, far, had, limits, random, sample, set};
use crate::carrier::Hex;
use crate::generate::builder::{Builder, UPPER_CASE, expected, upper_case};
use crate::generate::rng::Rng;
use crate::smt::SmtDiff;

const FLAGS: &[(&str, &str)] = &[
    ("All", "every key that was ever written"),
    ("Empty", "the tree without keys"),
    ("Far", "versions of 2^32 and more"),
    ("Limit", "as large as a limit allows"),
    ("NoChange", "nothing changed"),
    ("OneLeaf", "the tree is one leaf"),
    ("Random", "random keys and values in random blocks"),
    ("Recurring", "a key is deleted and set again: only the last change is there"),
    UPPER_CASE,
];

/// The file's bytes.
pub(in crate::generate) fn file() -> String {
    let mut file = Builder::new("smt", FLAGS);
    file.group("SmtDiff");
    let plain = sample();
    for to in [1, 2, 5, 6, 8, 9] {
        for from in (0..to).map(Some).chain([None]) {
            honest(&mut file, &[], &range(from, to), &plain, &ask_diff(&plain, from, to));
        }
    }
    small_trees(&mut file);
    upper(&mut file);
    recurring(&mut file);
    at_limits(&mut file);
    far_apart(&mut file);
    random_diffs(&mut file);
    file.finish()
}

fn honest(file: &mut Builder, flags: &[&str], comment: &str, plain: &Plain, input: &SmtDiff) {
    let from = input.from.map(|from| from.0);
    let mut keys = plain.keys();
    keys.sort_by_key(|key| hash_key(key));
    let change = |key: Vec<u8>| {
        let (height, _) = plain.last_change(&key, input.to.0)?;
        let Value::Object(answer) = had(plain, &key, input.to.0) else { return None };
        let mut change = Map::from_iter([("key".to_owned(), json!(Hex(key)))]);
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

fn upper(file: &mut Builder) {
    let mut plain = Plain::default();
    plain.apply(10, [set(0xcafe, b"\xff")]);
    let input = ask_diff(&plain, Some(9), 0xab);
    let changes = json!([{ "key": "0xcafe", "value": "0xff", "since": "0xa" }]);
    let expected = expected(json!({ "changes": changes }));
    let comment = "hexadecimal digits in upper case";
    file.valid(&[UPPER_CASE.0], comment, &upper_case(&input), expected);
}

fn small_trees(file: &mut Builder) {
    let mut plain = Plain::default();
    plain.apply(3, [set(7, b"alone")]);
    plain.apply(4, [delete(7)]);
    honest(file, &["Empty"], "genesis", &plain, &ask_diff(&plain, None, 0));
    honest(file, &["Empty"], "no key yet", &plain, &ask_diff(&plain, Some(0), 2));
    for (from, to) in [(Some(2), 3), (Some(3), 4), (Some(2), 4), (Some(4), 5), (None, 3)] {
        let comment = format!("one key, {}", range(from, to));
        honest(file, &["OneLeaf"], &comment, &plain, &ask_diff(&plain, from, to));
    }
}

fn recurring(file: &mut Builder) {
    let mut plain = Plain::default();
    plain.apply(0, [set(0, b"A"), set(1, b"other"), set(2, b"third")]);
    plain.apply(1, [delete(0), set(3, b"short-lived")]);
    plain.apply(2, [set(0, b"A"), delete(3)]);
    for (from, to) in [(Some(0), 1), (Some(0), 2), (Some(1), 2)] {
        let comment = format!("deleted and set again, set and deleted again: {}", range(from, to));
        honest(file, &["Recurring"], &comment, &plain, &ask_diff(&plain, from, to));
    }
}

fn at_limits(file: &mut Builder) {
    let mut plain = Plain::default();
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

fn far_apart(file: &mut Builder) {
    let plain = far();
    for pair in FAR.windows(2) {
        // Of two neighbours, the block before the second one is the first.
        for from in BTreeSet::from([pair[0] - 1, pair[0], pair[1] - 1]) {
            let comment = range(Some(from), pair[1]);
            honest(file, &["Far"], &comment, &plain, &ask_diff(&plain, Some(from), pair[1]));
        }
    }
}

fn random_diffs(file: &mut Builder) {
    for (blocks, keys) in [(6, 10), (12, 120)] {
        let plain = random(&mut Rng::new(blocks), blocks, keys);
        for from in [0, blocks / 2, blocks - 2] {
            let to = blocks - 1;
            let comment = format!("{keys} keys, after block {from}, up to block {to}");
            honest(file, &["Random"], &comment, &plain, &ask_diff(&plain, Some(from), to));
        }
    }
}
