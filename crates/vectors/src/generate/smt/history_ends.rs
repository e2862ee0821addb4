//! Histories that hide a change where the range begins or ends, two changes that undo each other, or
//! show one that never was.

use prooflight_core::Reason;

use super::plain::{Node, Plain, encode_history};
use super::wire::changed_leaf;
use super::{ask_history, delete, key, roots, set};
use crate::carrier::{Hex, Quantity};
use crate::generate::builder::Builder;
use crate::smt::SmtHistory;

/// The notes of the flags that these tests have.
pub(super) const FLAGS: [(&str, &str); 2] = [
    ("Added", "a change is there that never was"),
    ("Ends", "a change in the first block of the range, or in the only one, is hidden or altered"),
];

/// Key 0 is A in block 0, B in 2, deleted in 4, B again in 5 and C in 7; key 2 first is there in block 3.
fn plain() -> Plain {
    let mut plain = Plain::default();
    plain.apply(0, [set(0, b"A"), set(1, b"other")]);
    plain.apply(2, [set(0, b"B")]);
    plain.apply(3, [set(2, b"late")]);
    plain.apply(4, [delete(0)]);
    plain.apply(5, [set(0, b"B")]);
    plain.apply(7, [set(0, b"C")]);
    plain
}

pub(super) fn add(file: &mut Builder) {
    one_block(file);
    first_block(file);
    undone(file);
    added(file);
}

/// A tree that the proof shows for a block.
type Shown = (u64, Option<Node>);

/// Shows these trees under the roots of these blocks, instead of those of the honest history.
fn refuse(
    file: &mut Builder,
    (flag, comment): (&str, &str),
    honest: &SmtHistory,
    trees: &[Shown],
    given: &[u64],
    reason: Reason,
) {
    let proof = Hex(encode_history(&honest.key.0, trees));
    let input = SmtHistory { proof, roots: roots(&plain(), given), ..honest.clone() };
    file.invalid(&[flag], comment, &input, reason);
}

/// The tree of a block with the height and value of the leaf of key 0 changed.
fn altered(height: u64, change: impl FnOnce(&mut u64, &mut Option<Vec<u8>>)) -> Option<Node> {
    let tree = plain().tree(height).expect("it has keys");
    changed_leaf(&tree, 0, |node| {
        if let Node::Leaf { height, value, .. } = node {
            change(height, value);
        }
    })
}

fn said_of(height: u64, other: u64) -> Option<Node> {
    altered(height, |old, _| *old = other)
}

fn with_value(height: u64, value: Option<&[u8]>) -> Option<Node> {
    altered(height, |_, old| *old = value.map(<[u8]>::to_vec))
}

/// The tree without key 0.
fn without(height: u64) -> Option<Node> {
    let mut plain = Plain::default();
    plain.apply(0, [set(1, b"other")]);
    plain.tree(height)
}

/// Ranges of a single block.
fn one_block(file: &mut Builder) {
    let plain = plain();
    let mismatch = Reason::RootMismatch;
    for height in [0, 2, 4, 5, 7] {
        let honest = ask_history(&plain, &key(0), height, height);
        let mut refuse = |comment: &str, tree: Option<Node>| {
            let comment = format!("from = to = {height}: {comment}");
            let shown = [(height, tree)];
            refuse(file, ("Ends", &comment), &honest, &shown, &[height], mismatch);
        };
        refuse("no tree", None);
        refuse("the tree without the key", without(height));
        if height > 0 {
            refuse("the tree of the block before", plain.tree(height - 1));
            refuse("the change is of the block before", said_of(height, height - 1));
        }
        refuse("another value", with_value(height, Some(b"Z")));
        let other = if height == 4 { Some(&b""[..]) } else { None };
        refuse("deleted instead of set, or set instead of deleted", with_value(height, other));
        let mut flipped = honest.clone();
        flipped.roots[0].root.0[0] ^= 0x80;
        let comment = format!("from = to = {height}: a bit of the root flipped");
        file.invalid(&["Ends"], comment, &flipped, mismatch);
        let longer = SmtHistory {
            proof: Hex([&honest.proof.0[..], &honest.proof.0[3..]].concat()),
            ..honest
        };
        let comment = format!("from = to = {height}: the same tree twice");
        file.invalid(&["Ends"], comment, &longer, Reason::TrailingBytes);
    }
    for height in [1, 3, 6, 9] {
        let honest = ask_history(&plain, &key(0), height, height);
        let comment = format!("from = to = {height}: the last change is said to be of this block");
        let shown = [(height, said_of(height, height))];
        refuse(file, ("Added", &comment), &honest, &shown, &[height], mismatch);
    }
}

/// The first block of a longer range changed the key.
fn first_block(file: &mut Builder) {
    let plain = plain();
    let mismatch = Reason::RootMismatch;
    for (from, last) in [(0, 1), (2, 3), (4, 4), (5, 6), (7, 9)] {
        let honest = ask_history(&plain, &key(0), from, 9);
        let blocks: Vec<u64> = honest.roots.iter().map(|given| given.height.0).collect();
        assert_eq!(blocks.last(), Some(&last), "the tree that shows the first block's change");
        let newer = &blocks[..blocks.len() - 1];
        let mut refuse = |comment: &str, tree: Option<Node>| {
            let comment = format!("the blocks {from} to 9: {comment}");
            let mut shown: Vec<Shown> =
                newer.iter().map(|&height| (height, plain.tree(height))).collect();
            shown.push((last, tree));
            refuse(file, ("Ends", &comment), &honest, &shown, &blocks, mismatch);
        };
        refuse("the oldest tree is empty", None);
        refuse("the oldest tree is without the key", without(last));
        refuse("the first block's change has another value", with_value(last, Some(b"Z")));
        if from > 0 {
            refuse("the oldest tree is of the block before the range", plain.tree(from - 1));
            let older = said_of(last, from - 1);
            refuse("the first block's change is said to be older", older);
        }
        let mut flipped = honest.clone();
        let end = flipped.roots.len() - 1;
        flipped.roots[end].root.0[31] ^= 1;
        let comment = format!("the blocks {from} to 9: a bit of the oldest root flipped");
        file.invalid(&["Ends"], comment, &flipped, mismatch);
    }
}

/// The deletion in block 4 and the same value again in block 5 are hidden together.
fn undone(file: &mut Builder) {
    let plain = plain();
    let honest = ask_history(&plain, &key(0), 0, 6);
    let as_of_2 = said_of(6, 2);
    for (what, tree) in [("that of block 3", plain.tree(3)), ("with the older version", as_of_2)] {
        for given in [&[6, 1][..], &[6, 4, 3, 1], &[6, 3, 1]] {
            let comment = format!(
                "deleted and set again to the same value, both hidden: the tree is {what}, roots of {given:?}"
            );
            let trees = [(6, tree.clone()), (1, plain.tree(1))];
            refuse(file, ("Hidden", &comment), &honest, &trees, given, Reason::RootMismatch);
        }
    }
}

fn added(file: &mut Builder) {
    let plain = plain();
    let tree = |height| (height, plain.tree(height));
    let mismatch = Reason::RootMismatch;
    let whole = ask_history(&plain, &key(0), 0, 9);
    let shown = [(9, said_of(9, 8)), tree(7), tree(6), tree(4), tree(3), tree(1)];
    let comment = "a change of block 8, to the value there was";
    refuse(file, ("Added", comment), &whole, &shown, &[9, 7, 6, 4, 3, 1], mismatch);
    let shown = [
        tree(9),
        (6, altered(6, |height, value| (*height, *value) = (6, Some(b"X".to_vec())))),
        tree(5),
        tree(4),
        tree(3),
        tree(1),
    ];
    let comment = "a change of block 6, to another value";
    refuse(file, ("Added", comment), &whole, &shown, &[9, 6, 5, 4, 3, 1], mismatch);
    let part = ask_history(&plain, &key(0), 3, 9);
    let shown = [tree(9), tree(6), tree(4), (3, said_of(3, 3))];
    let comment = "a change of the range's first block";
    refuse(file, ("Added", comment), &part, &shown, &[9, 6, 4, 3], mismatch);
    for given in [&[9, 9, 6, 4, 3, 1][..], &[9, 6, 6, 4, 3, 1]] {
        let shown = [tree(9), tree(9), tree(6), tree(4), tree(3), tree(1)];
        let comment = format!("the newest change twice, roots of {given:?}");
        let reason = if given[1] == 9 { Reason::WrongRoots } else { mismatch };
        refuse(file, ("Added", &comment), &whole, &shown, given, reason);
    }
    // Key 2 was never written before block 3.
    let late = ask_history(&plain, &key(2), 0, 9);
    let mut earlier = Plain::default();
    earlier.apply(0, [set(0, b"A"), set(1, b"other")]);
    earlier.apply(1, [set(2, b"early")]);
    earlier.apply(2, [set(0, b"B")]);
    let shown = [tree(9), (2, earlier.tree(2)), tree(0)];
    let comment = "a value before the first one";
    refuse(file, ("Added", comment), &late, &shown, &[9, 2, 0], mismatch);
    let input = SmtHistory { from: Quantity(1), ..late };
    refuse(
        file,
        ("Added", "a value before the first one, in the first block"),
        &input,
        &shown[..2],
        &[9, 2],
        mismatch,
    );
}
