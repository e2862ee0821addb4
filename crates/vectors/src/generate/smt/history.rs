//! `smt/history.json`: honest histories, and averages over them.

use prooflight_smt::hash::MAX_HEIGHT;
use serde_json::{Value, json};

use super::plain::Plain;
use super::{FAR, ask_history, delete, far, had, history_limits, key, random, sample, set};
use crate::answer::Answer;
use crate::carrier::{Hex, Quantity};
use crate::generate::builder::{Builder, UPPER_CASE, expected, upper_case};
use crate::generate::rng::Rng;
use crate::smt::{AverageOver, BlockTime, SmtHistory};

const FLAGS: &[(&str, &str)] = &[
    ("Average", "a time-weighted average over the history"),
    ("Empty", "the tree without keys"),
    (
        "Hidden",
        "the first block of the range changed the key, so that what it had before is not shown",
    ),
    ("Far", "versions of 2^32 and more"),
    ("Limit", "as large as a limit allows"),
    ("Long", "more changes than one byte can count"),
    ("NoChange", "no block of the range changed the key"),
    ("Random", "random keys and values in random blocks"),
    ("Recurring", "a value comes again"),
    UPPER_CASE,
];

/// The file's bytes.
pub(in crate::generate) fn file() -> String {
    let mut file = Builder::new("smt", FLAGS);
    file.group("SmtHistory");
    ranges(&mut file);
    recurring(&mut file);
    empty(&mut file);
    at_limits(&mut file);
    far_apart(&mut file);
    long(&mut file);
    random_histories(&mut file);
    averages(&mut file);
    file.finish()
}

/// A key's history from the list of its changes.
fn told(plain: &Plain, key: &[u8], from: u64, to: u64) -> Answer {
    let blocks = plain.history_blocks(key, from, to);
    // Every block of a history but the first is the one before a change.
    let mut changed: Vec<u64> = blocks.iter().skip(1).map(|height| height + 1).collect();
    let last = plain.last_change(key, blocks[blocks.len() - 1]).map(|(height, _)| height);
    changed.extend(last.filter(|&height| height == from));
    let hidden = changed.last() == Some(&from);
    let entering = if hidden { Value::Null } else { had(plain, key, blocks[blocks.len() - 1]) };
    let changes: Vec<Value> = changed.iter().rev().map(|&height| had(plain, key, height)).collect();
    let blocks: Vec<Quantity> = blocks.into_iter().map(Quantity).collect();
    expected(json!({ "blocks": blocks, "entering": entering, "changes": changes }))
}

fn honest(file: &mut Builder, flags: &[&str], comment: &str, plain: &Plain, input: &SmtHistory) {
    let told = told(plain, &input.key.0, input.from.0, input.to.0);
    let mut all = flags.to_vec();
    if told["entering"].is_null() {
        all.push("Hidden");
    } else if told["changes"].as_array().is_some_and(Vec::is_empty) {
        all.push("NoChange");
    }
    all.sort_unstable();
    file.valid(&all, comment, input, told);
}

fn ranges(file: &mut Builder) {
    let plain = sample();
    for number in [0, 1, 3, 4, 12, 16, 99] {
        for (from, to) in [(0, 9), (0, 0), (2, 2), (2, 8), (3, 7), (5, 6), (6, 6), (9, 9)] {
            let comment = format!("key {number} in the blocks {from} to {to}");
            honest(file, &[], &comment, &plain, &ask_history(&plain, &key(number), from, to));
        }
    }
}

fn recurring(file: &mut Builder) {
    let mut plain = Plain::default();
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

fn empty(file: &mut Builder) {
    let mut plain = Plain::default();
    let none = ask_history(&plain, &key(0), 0, 4);
    honest(file, &["Empty"], "no key in any block", &plain, &none);
    plain.apply(5, [set(0, b"first")]);
    for (from, to) in [(0, 5), (0, 9), (5, 9), (6, 9)] {
        let comment = format!("the first key there is: the blocks {from} to {to}");
        let input = ask_history(&plain, &key(0), from, to);
        honest(file, &["Empty"], &comment, &plain, &input);
    }
}

fn at_limits(file: &mut Builder) {
    let mut plain = Plain::default();
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

fn far_apart(file: &mut Builder) {
    let plain = far();
    let bit = 1u64 << 32;
    let ranges = [
        (0, MAX_HEIGHT),
        (6, bit - 2),
        (5, bit + 4),
        (bit, bit + 5),
        (bit + 1, 2 * bit + 5),
        (bit + 6, 2 * bit + 4),
        (2 * bit + 5, 1 << 40),
        (MAX_HEIGHT - 1, MAX_HEIGHT),
    ];
    for (from, to) in ranges.into_iter().chain(FAR.map(|height| (height, height))) {
        let comment = format!("the blocks {from} to {to}");
        honest(file, &["Far"], &comment, &plain, &ask_history(&plain, &key(0), from, to));
    }
    let comment = format!("a key that has not changed for 2^52 blocks, from {bit} on");
    let input = ask_history(&plain, &key(1), bit, MAX_HEIGHT);
    honest(file, &["Far"], &comment, &plain, &input);
}

/// One key that changes in every block, alone in its tree.
fn long(file: &mut Builder) {
    let mut plain = Plain::default();
    for height in 1..=300 {
        plain.apply(height, [set(0, b"")]);
    }
    let input = ask_history(&plain, &key(0), 0, 300);
    honest(file, &["Long"], "300 changes", &plain, &input);
}

fn random_histories(file: &mut Builder) {
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

/// Block h has the timestamp 1,000,000 + 1000 h + h^2.
fn timestamp(height: u64) -> u64 {
    1_000_000 + 1000 * height + height * height
}

pub(super) fn over(from: u64, to: u64, blocks: &[u64]) -> AverageOver {
    let time = |&height: &u64| BlockTime {
        height: Quantity(height),
        timestamp_ms: Quantity(timestamp(height)),
    };
    let timestamps = blocks.iter().map(time).collect();
    AverageOver { from: Quantity(from), to: Quantity(to), timestamps }
}

/// A balance: nothing, 5, 255 in three bytes, deleted, the largest there is, and in the last block 7.
pub(super) fn balance() -> Plain {
    let mut plain = Plain::default();
    plain.apply(0, [set(1, b"another key")]);
    plain.apply(2, [set(0, &[5])]);
    plain.apply(3, [set(0, &[0, 0, 255])]);
    plain.apply(6, [delete(0)]);
    plain.apply(7, [set(0, &[0xff; 32])]);
    plain.apply(9, [set(0, &[7])]);
    plain
}

/// The bytes f0 to d1, which all differ, as do the limbs of any length.
const DIFFERENT_BYTES: [u8; 32] = {
    let mut bytes = [0xf0; 32];
    let mut at = 1;
    while at < 32 {
        bytes[at] = bytes[at - 1] - 1;
        at += 1;
    }
    bytes
};

/// A key with that value from block 0 on, and block 1 as long after it as there can be.
fn different_limbs() -> (Plain, AverageOver) {
    let mut plain = Plain::default();
    plain.apply(0, [set(0, &DIFFERENT_BYTES)]);
    let mut times = over(0, 1, &[0, 1]);
    times.timestamps[0].timestamp_ms = Quantity(1);
    times.timestamps[1].timestamp_ms = Quantity(u64::MAX);
    (plain, times)
}

/// A big-endian integer times another one, byte by byte.
fn product_of_bytes(value: &[u8; 32], factor: u64) -> Vec<u8> {
    let mut product = vec![0; 40];
    let mut carry = 0;
    for at in (0_usize..40).rev() {
        let byte = at.checked_sub(8).map_or(0, |at| value[at]);
        let sum = u128::from(byte) * u128::from(factor) + carry;
        product[at] = sum.to_le_bytes()[0];
        carry = sum >> 8;
    }
    product
}

fn averages(file: &mut Builder) {
    let plain = balance();
    let all: Vec<u64> = (0..=10).collect();
    let mut average = |comment: &str, (from, to): (u64, u64), over: AverageOver, expected| {
        let input = ask_history(&plain, &key(0), from, to);
        let mut told = told(&plain, &key(0), from, to);
        told.insert("average".to_owned(), expected);
        let input = SmtHistory { average: Some(over), ..input };
        file.valid(&["Average"], comment, &input, told);
    };
    // The time from block a to block b, in milliseconds.
    let time = |a, b| timestamp(b) - timestamp(a);
    let answer = |sum: &[u128], covered: u64, gaps: &[(u64, u64)]| {
        let sum: u128 = sum.iter().sum();
        let gap = |&(a, b): &(u64, u64)| json!({ "fromMs": Quantity(timestamp(a)), "toMs": Quantity(timestamp(b)) });
        json!({
            "sum": Hex([&[0; 24][..], &sum.to_be_bytes()].concat()),
            "coveredMs": Quantity(covered),
            "gaps": gaps.iter().map(gap).collect::<Vec<_>>(),
        })
    };
    let product = |value: u128, a, b| value * u128::from(time(a, b));

    let sum = [product(5, 2, 3), product(255, 3, 6)];
    let whole = answer(&sum, time(2, 6), &[(0, 2), (6, 7)]);
    average("with gaps at both ends", (0, 7), over(0, 7, &all), whole.clone());
    average("a part of the history", (0, 10), over(0, 7, &all), whole);
    let part = answer(&[product(255, 4, 5)], time(4, 5), &[]);
    average("between two changes", (0, 10), over(4, 5, &[4, 5]), part.clone());
    average("what the key had before the range", (4, 5), over(4, 5, &all), part);
    let from_change = answer(&[product(5, 2, 3)], time(2, 3), &[]);
    average("from a change to the next", (2, 3), over(2, 3, &[2, 3]), from_change);
    average("no time at all", (0, 10), over(3, 3, &[3]), answer(&[], 0, &[]));
    average("no time at all, in a gap", (0, 10), over(1, 1, &[1]), answer(&[], 0, &[]));
    let to_deletion = answer(&[product(255, 5, 6)], time(5, 6), &[]);
    average("up to the block that deletes", (0, 10), over(5, 6, &[5, 6]), to_deletion);
    average("only a gap", (0, 10), over(0, 1, &[0, 1]), answer(&[], 0, &[(0, 1)]));
    // (2^256 - 1) t = 2^256 t - t.
    let (high, low) = (u128::from(time(7, 9)) - 1, u128::from(time(7, 9)).wrapping_neg());
    let sum = [&high.to_be_bytes()[8..], &[0xff; 16], &low.to_be_bytes()[..]].concat();
    let largest = json!({ "sum": Hex(sum), "coveredMs": Quantity(time(7, 9)), "gaps": [] });
    average("the largest value there is", (7, 9), over(7, 9, &[7, 9]), largest);

    let (plain_product, times) = different_limbs();
    let input = SmtHistory { average: Some(times), ..ask_history(&plain_product, &key(0), 0, 1) };
    let mut told_product = told(&plain_product, &key(0), 0, 1);
    let whole = u64::MAX - 1;
    let sum = Hex(product_of_bytes(&DIFFERENT_BYTES, whole));
    let product_average = json!({ "sum": sum, "coveredMs": Quantity(whole), "gaps": [] });
    told_product.insert("average".to_owned(), product_average);
    let comment = "a value of 32 different bytes, for almost 2^64 milliseconds";
    file.valid(&["Average"], comment, &input, told_product);

    let input = ask_history(&plain, &key(0), 0, 10);
    let input = SmtHistory { average: Some(over(0, 10, &all)), ..input };
    let mut told_upper = told(&plain, &key(0), 0, 10);
    let (high, low) = (u128::from(time(7, 9)) - 1, u128::from(time(7, 9)).wrapping_neg());
    let rest = product(5, 2, 3) + product(255, 3, 6) + product(7, 9, 10);
    let (low, carry) = low.overflowing_add(rest);
    assert!(carry, "the rest is more than what is missing to 2^128");
    let sum = [&(high + 1).to_be_bytes()[8..], &[0; 16], &low.to_be_bytes()[..]].concat();
    let gaps = answer(&[], 0, &[(0, 2), (6, 7)])["gaps"].take();
    let covered = time(2, 6) + time(7, 10);
    let average = json!({ "sum": Hex(sum), "coveredMs": Quantity(covered), "gaps": gaps });
    told_upper.insert("average".to_owned(), average);
    let comment = "hexadecimal digits in upper case";
    file.valid(&["Average", UPPER_CASE.0], comment, &upper_case(&input), told_upper);

    // Each time without a value is a gap of its own, though the next one follows at once.
    let mut gone = Plain::default();
    gone.apply(0, [set(1, b"another key")]);
    gone.delete_again(2, &key(0));
    gone.delete_again(3, &key(0));
    gone.apply(5, [set(0, &[1])]);
    gone.apply(6, [delete(0)]);
    gone.delete_again(8, &key(0));
    let input = ask_history(&gone, &key(0), 0, 10);
    let mut told_gone = told(&gone, &key(0), 0, 10);
    let gaps = [(0, 2), (2, 3), (3, 5), (6, 8), (8, 10)];
    told_gone.insert("average".to_owned(), answer(&[product(1, 5, 6)], time(5, 6), &gaps));
    let input = SmtHistory { average: Some(over(0, 10, &all)), ..input };
    file.valid(&["Average"], "gaps beside one another, not merged", &input, told_gone);

    // A value of no time is not looked at.
    let mut plain = balance();
    plain.apply(10, [set(0, b"")]);
    for (comment, over, sum, covered) in [
        ("up to a value that is no number", over(9, 10, &[9, 10]), product(7, 9, 10), time(9, 10)),
        ("no time at all, at a value that is no number", over(10, 10, &[10]), 0, 0),
    ] {
        let input = SmtHistory { average: Some(over), ..ask_history(&plain, &key(0), 9, 10) };
        let mut told = told(&plain, &key(0), 9, 10);
        told.insert("average".to_owned(), answer(&[sum], covered, &[]));
        file.valid(&["Average"], comment, &input, told);
    }
}
