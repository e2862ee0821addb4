//! `smt/history_negative.json`: histories that must be refused.

use prooflight_core::Reason;
use prooflight_smt::hash::MAX_HEIGHT;
use prooflight_smt::proof::{DIFF, HISTORY, PROOF};

use super::history::{balance, over};
use super::plain::{Node, Plain, encode_history};
use super::wire::{changed_leaf, message};
use super::{ask_history, damaged, far, history_limits, key, roots, sample, set};
use super::{history_ends, inputs};
use crate::carrier::{Hex, Quantity};
use crate::generate::builder::Builder;
use crate::generate::padded::{MOST, padded};
use crate::smt::{AverageOver, SmtHistory};

const FLAGS: &[(&str, &str)] = &[
    history_ends::FLAGS[0],
    ("Argument", "an argument of the caller is wrong"),
    ("Average", "what is asked for cannot be averaged"),
    ("Damaged", "an honest history with one small change"),
    ("Envelope", "the first three bytes are wrong"),
    history_ends::FLAGS[1],
    ("Far", "versions of 2^32 and more, or as if"),
    ("Hidden", "a change is left out"),
    inputs::FLAG,
    ("Limit", "more than a limit allows"),
    ("Replay", "an honest history of something else"),
    ("Roots", "the roots are not those of the blocks that the history needs"),
];

/// The file's bytes.
pub(in crate::generate) fn file() -> String {
    let mut file = Builder::new("smt", FLAGS);
    file.group("SmtHistory");
    messages(&mut file);
    hidden(&mut file);
    history_ends::add(&mut file);
    far_away(&mut file);
    limits(&mut file);
    older_than_block_0(&mut file);
    wrong_roots(&mut file);
    replays(&mut file);
    averages(&mut file);
    damage(&mut file);
    inputs::histories(&mut file);
    file.finish()
}

fn messages(file: &mut Builder) {
    let honest = ask_history(&sample(), &key(1), 0, 9);
    for kind in [PROOF, DIFF] {
        let proof = Hex(message(kind, &[&honest.proof.0[3..]]));
        let comment = format!("the same as a message of kind {}", kind.kind);
        let input = SmtHistory { proof, ..honest.clone() };
        file.invalid(&["Envelope"], comment, &input, Reason::UnknownKind);
    }
    for (from, to, comment) in [
        (10, 9, "the range ends before it begins"),
        (0, MAX_HEIGHT + 1, "a block of 2^52"),
        (u64::MAX, u64::MAX, "a block of 2^64 - 1"),
    ] {
        let input = SmtHistory { from: Quantity(from), to: Quantity(to), ..honest.clone() };
        file.invalid(&["Argument"], comment, &input, Reason::InvalidArgument);
    }
    let trailing = [&honest.proof.0[..], &[0]].concat();
    let input = SmtHistory { proof: Hex(trailing), ..honest };
    file.invalid(&["Damaged"], "one byte too many", &input, Reason::TrailingBytes);
}

fn limits(file: &mut Builder) {
    let honest = ask_history(&sample(), &key(1), 0, 9);
    let length = honest.proof.0.len();
    let with = |bytes, value, changes| SmtHistory {
        limits: Some(history_limits(bytes, value, changes)),
        ..honest.clone()
    };
    let padded = |length| SmtHistory { proof: padded(&honest.proof, length), ..honest.clone() };
    let too_many = Reason::TooManyChanges;
    let mut wrong_root = with(None, None, Some(3));
    wrong_root.roots[3].root.0[0] ^= 1;
    let mut later = with(None, None, Some(3));
    later.roots[4].root.0[0] ^= 1;
    let first = SmtHistory { from: Quantity(8), ..ask_history(&sample(), &key(1), 8, 9) };
    let none = SmtHistory { limits: Some(history_limits(None, None, Some(0))), ..first };
    for (comment, input, reason) in [
        ("a byte above the limit", with(Some(length - 1), None, None), Reason::ProofTooLarge),
        ("a value of one byte too many", with(None, Some(3), None), Reason::ValueTooLarge),
        ("4 changes where 3 are allowed", with(None, None, Some(3)), too_many),
        ("4 changes where none is allowed", with(None, None, Some(0)), too_many),
        ("1 change where none is allowed, in the first block", none, too_many),
        ("a change too many, in a tree with another root", wrong_root, Reason::RootMismatch),
        ("a change too many, before a tree with another root", later, too_many),
        ("zeros after the proof, 8 MiB together", padded(MOST), Reason::TrailingBytes),
        ("zeros after the proof, over 8 MiB together", padded(MOST + 1), Reason::ProofTooLarge),
    ] {
        file.invalid(&["Limit"], comment, &input, reason);
    }
}

/// Heights that are the same in their low 32 bits.
fn far_away(file: &mut Builder) {
    let mismatch = Reason::RootMismatch;
    let bit = 1u64 << 32;
    let honest = ask_history(&sample(), &key(1), 0, 9);
    let mut moved = honest.clone();
    moved.to.0 += bit;
    moved.roots[0].height.0 += bit;
    let comment = "the history up to block 9 as one up to block 2^32 + 9";
    file.invalid(&["Far"], comment, &moved, mismatch);
    let plain = far();
    let up_to = |to| ask_history(&plain, &key(0), bit + 1, to);
    // The sibling's leaf is so much older that there is no such block any more.
    let before_block_0 = Reason::VersionOutOfRange;
    for (comment, to, other, reason) in [
        ("the newest block is 2^32 less", 2 * bit + 9, bit + 9, before_block_0),
        ("the newest block is 2^32 more", bit + 9, 2 * bit + 9, mismatch),
    ] {
        let mut input = up_to(to);
        input.to = Quantity(other);
        input.roots[0].height = Quantity(other);
        file.invalid(&["Far"], comment, &input, reason);
    }
    for at in [0, 2, 4] {
        let mut moved = honest.clone();
        moved.roots[at].height.0 += bit;
        let comment = format!("root {at} is said to be of a block 2^32 later");
        file.invalid(&["Far"], comment, &moved, Reason::WrongRoots);
    }
    // A leaf is said to be 2^32 blocks older or newer than it is.
    for (to, height, given) in [
        (2 * bit + 9, bit + 5, &[2 * bit + 9, bit + 4][..]),
        (bit + 9, 5, &[bit + 9]),
        (2 * bit + 4, 2 * bit + 4, &[2 * bit + 4, 2 * bit + 3, bit + 4]),
    ] {
        let mut trees: Vec<_> = given.iter().map(|&height| (height, plain.tree(height))).collect();
        trees[0].1 = trees[0].1.take().and_then(|tree| {
            changed_leaf(&tree, 0, |node| {
                if let Node::Leaf { height: old, .. } = node {
                    *old = height;
                }
            })
        });
        let proof = Hex(encode_history(&key(0), &trees));
        let input = SmtHistory { proof, roots: roots(&plain, given), ..up_to(to) };
        let comment = format!("at block {to} the change is said to be of block {height}");
        file.invalid(&["Far"], comment, &input, mismatch);
    }
    // The range begins where a change does, but for bits that are cut off.
    let input = SmtHistory { from: Quantity(5), ..up_to(bit + 9) };
    let comment = "a history from block 2^32 + 1 on as one from block 5 on";
    file.invalid(&["Far"], comment, &input, Reason::WrongRoots);
    let input = SmtHistory { from: Quantity(bit + 5), ..ask_history(&plain, &key(0), 5, bit + 9) };
    let comment = "a history from block 5 on as one from block 2^32 + 5 on";
    file.invalid(&["Far"], comment, &input, Reason::TrailingBytes);
}

/// The heights of children, and of roots that are not the newest one.
fn older_than_block_0(file: &mut Builder) {
    let honest = ask_history(&sample(), &key(1), 0, 9);
    for (comment, body) in [
        ("a root", &[10, 0, 0, 0, 0][..]),
        ("the left child", &[1, 1, 17]),
        ("the right child", &[1, 1, 18]),
    ] {
        let proof = Hex(message(HISTORY, &[body]));
        let input = SmtHistory { proof, ..honest.clone() };
        let comment = format!("{comment} is older than block 0");
        file.invalid(&["Damaged"], comment, &input, Reason::VersionOutOfRange);
    }
}

/// Histories of key 1, which changes in the blocks 2, 5, 6 and 8: they need 9, 7, 5, 4 and 1.
fn hidden(file: &mut Builder) {
    let plain = sample();
    let honest = ask_history(&plain, &key(1), 0, 9);
    let mut ask = |blocks: &[u64], trees: &[u64], given: &[u64], comment: &str, reason| {
        let trees: Vec<_> =
            blocks.iter().zip(trees).map(|(&height, &tree)| (height, plain.tree(tree))).collect();
        let proof = Hex(encode_history(&key(1), &trees));
        let input = SmtHistory { proof, roots: roots(&plain, given), ..honest.clone() };
        file.invalid(&["Hidden"], comment, &input, reason);
    };
    let all = &[9, 7, 5, 4, 1];
    let mismatch = Reason::RootMismatch;
    ask(&[9, 5, 4, 1], &[9, 5, 4, 1], all, "the change of block 6 is left out", mismatch);
    ask(&[9, 7, 4, 1], &[9, 7, 4, 1], all, "the change of block 5 is left out", mismatch);
    ask(&[9, 7, 5, 4], &[9, 7, 5, 4], all, "the oldest tree is left out", mismatch);
    ask(&[9, 7, 5], &[9, 7, 5], all, "the two oldest trees are left out", mismatch);
    ask(&[9], &[9], all, "all trees but the newest are left out", mismatch);
    ask(&[], &[], all, "every tree is left out", mismatch);
    ask(&[9, 7, 5, 4, 1], &[6, 5, 5, 4, 1], all, "the newest change is left out", mismatch);
    ask(&[9], &[1], &[9], "an older tree, in which the key is not yet", mismatch);
    ask(&[9, 1], &[2, 1], &[9, 1], "an older tree, with its first value", mismatch);
    // A height is raised or lowered, so that the next tree is another one.
    for (height, given) in [(7, &[9, 6, 5, 4, 1][..]), (9, &[9, 8, 7, 5, 4, 1])] {
        let mut trees: Vec<_> = given.iter().map(|&height| (height, plain.tree(height))).collect();
        let newest = plain.tree(9).and_then(|tree| {
            changed_leaf(&tree, 1, |node| {
                if let Node::Leaf { height: old, .. } = node {
                    *old = height;
                }
            })
        });
        trees[0].1 = newest;
        let proof = Hex(encode_history(&key(1), &trees));
        let input = SmtHistory { proof, roots: roots(&plain, given), ..honest.clone() };
        let comment = format!("the newest change is said to be of block {height}");
        file.invalid(&["Hidden"], comment, &input, mismatch);
    }
    // The range begins later than the proof does, and the reverse.
    let input = SmtHistory { from: Quantity(5), ..honest.clone() };
    let comment = "a history from block 0 on as one from block 5 on";
    file.invalid(&["Hidden"], comment, &input, Reason::TrailingBytes);
    let short = ask_history(&plain, &key(1), 5, 9);
    let input = SmtHistory { from: Quantity(4), ..short };
    let comment = "a history from block 5 on as one from block 4 on";
    file.invalid(&["Hidden"], comment, &input, Reason::WrongRoots);
}

fn wrong_roots(file: &mut Builder) {
    let plain = sample();
    let honest = ask_history(&plain, &key(1), 0, 9);
    for (blocks, comment) in [
        (&[][..], "none"),
        (&[9, 7, 5, 4], "the last one is missing"),
        (&[7, 5, 4, 1], "the first one is missing"),
        (&[9, 7, 5, 4, 1, 0], "one too many"),
        (&[9, 9, 7, 5, 4, 1], "one twice"),
        (&[9, 7, 4, 5, 1], "two swapped"),
        (&[9, 6, 5, 4, 1], "one of another block, which has the same root"),
    ] {
        let input = SmtHistory { roots: roots(&plain, blocks), ..honest.clone() };
        file.invalid(&["Roots"], comment, &input, Reason::WrongRoots);
    }
    for at in 0..honest.roots.len() {
        let mut input = honest.clone();
        input.roots[at].root.0[31] ^= 1;
        let comment = format!("root {at} has one bit flipped");
        file.invalid(&["Roots"], comment, &input, Reason::RootMismatch);
    }
}

fn replays(file: &mut Builder) {
    let plain = sample();
    let honest = ask_history(&plain, &key(1), 0, 9);
    for number in [0, 3, 4, 12, 99] {
        let proof = Hex(plain.prove_history(&key(number), 0, 9));
        let input = SmtHistory { proof, ..honest.clone() };
        file.refused(&["Replay"], format!("the history of key {number}"), &input);
    }
    for to in [5, 7, 8] {
        let proof = Hex(plain.prove_history(&key(1), 0, to));
        let input = SmtHistory { proof, ..honest.clone() };
        file.refused(&["Replay"], format!("the history up to block {to}"), &input);
    }
    let doubled = [&honest.proof.0[..], &honest.proof.0[3..]].concat();
    let input = SmtHistory { proof: Hex(doubled), ..honest };
    file.invalid(&["Replay"], "the same twice", &input, Reason::TrailingBytes);
}

fn averages(file: &mut Builder) {
    let plain = balance();
    let all: Vec<u64> = (0..=10).collect();
    let mut ask = |plain: &Plain, over: AverageOver, comment: &str, reason| {
        let input = SmtHistory { average: Some(over), ..ask_history(plain, &key(0), 2, 9) };
        file.invalid(&["Average"], comment, &input, reason);
    };
    let argument = Reason::InvalidArgument;
    ask(&plain, over(1, 9, &all), "from before the history", argument);
    ask(&plain, over(2, 10, &all), "to after the history", argument);
    ask(&plain, over(5, 4, &all), "the wrong way round", argument);
    ask(&plain, over(2, 9, &all[3..]), "without the first block's timestamp", argument);
    ask(&plain, over(2, 9, &all[..9]), "without the last block's timestamp", argument);
    ask(&plain, over(2, 9, &[2, 3, 7, 9]), "without the timestamp of a change", argument);
    ask(&plain, over(2, 9, &[2, 3, 7, 6, 9]), "blocks that do not ascend", argument);
    ask(&plain, over(2, 9, &[2, 3, 3, 6, 7, 9]), "a block twice", argument);
    let mut same = over(2, 9, &all);
    same.timestamps[5].timestamp_ms = same.timestamps[4].timestamp_ms;
    ask(&plain, same, "two blocks with one timestamp", argument);
    let mut twice = over(2, 9, &all);
    twice.timestamps[5].height = twice.timestamps[4].height;
    ask(&plain, twice, "a block twice, with two timestamps", argument);
    let mut end = over(2, 9, &[2, 3, 6, 7, 9, 10]);
    end.timestamps[5].timestamp_ms = end.timestamps[4].timestamp_ms;
    ask(&plain, end, "the last two blocks with one timestamp", argument);
    for value in [&[][..], &[0; 33], b"five hundred and twenty tokens, all told"] {
        let mut plain = plain.clone();
        plain.apply(10, [set(0, value)]);
        let input = SmtHistory {
            average: Some(over(9, 11, &[9, 10, 11])),
            ..ask_history(&plain, &key(0), 9, 11)
        };
        let comment = format!("a value of {} bytes", value.len());
        file.invalid(&["Average"], comment, &input, Reason::ValueNotNumber);
    }
}

fn damage(file: &mut Builder) {
    let mut plain = Plain::default();
    plain.apply(1, [set(0, b"v0"), set(1, b"v1")]);
    plain.apply(2, [set(0, b"w0")]);
    let honest = ask_history(&plain, &key(0), 0, 3);
    for (comment, proof) in damaged(&honest.proof.0) {
        let input = SmtHistory { proof: Hex(proof), ..honest.clone() };
        file.refused(&["Damaged"], comment, &input);
    }
}
