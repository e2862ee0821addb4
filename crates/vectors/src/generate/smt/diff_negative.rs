//! `smt/diff_negative.json`: diffs that must be refused.

use prooflight_core::Reason;
use prooflight_smt::hash::{MAX_HEIGHT, hash_key, hash_value};
use prooflight_smt::proof::{DIFF, DiffLeaf, HISTORY, PROOF, Writer};

use super::diff::range;
use super::inputs;
use super::plain::{Node, Plain, bit, encode_diff};
use super::wire::{changed, changed_leaf, message};
use super::{ask_diff, damaged, delete, far, key, limits, sample, set};
use crate::carrier::{Hash32, Hex, Quantity};
use crate::generate::builder::Builder;
use crate::generate::padded::{MOST, padded};
use crate::smt::SmtDiff;

const FLAGS: &[(&str, &str)] = &[
    ("Argument", "an argument of the caller is wrong"),
    ("Closed", "a node that must be opened is closed"),
    ("Damaged", "an honest diff with one small change"),
    ("Encoding", "bytes that are not the canonical encoding of anything"),
    ("Envelope", "the first three bytes are wrong"),
    inputs::FLAG,
    ("Leaf", "a leaf has another key, value or version"),
    ("Limit", "more than a limit allows"),
    ("Purged", "a deleted key is gone, as if it had never been"),
    ("Replay", "an honest diff of something else"),
];

/// The file's bytes.
pub(in crate::generate) fn file() -> String {
    let mut file = Builder::new("smt", FLAGS);
    file.group("SmtDiff");
    messages(&mut file);
    closed(&mut file);
    leaves(&mut file);
    purged(&mut file);
    undone(&mut file);
    far_away(&mut file);
    replays(&mut file);
    damage(&mut file);
    inputs::diffs(&mut file);
    file.finish()
}

/// A diff of the sample after block 6 and up to block 8, with other bytes.
fn of(proof: Vec<u8>) -> SmtDiff {
    SmtDiff { proof: Hex(proof), ..ask_diff(&sample(), Some(6), 8) }
}

fn tree() -> Node {
    sample().tree(8).expect("it has keys")
}

fn messages(file: &mut Builder) {
    let honest = ask_diff(&sample(), Some(6), 8);
    for kind in [PROOF, HISTORY] {
        let comment = format!("the same as a message of kind {}", kind.kind);
        let input = of(message(kind, &[&honest.proof.0[3..]]));
        file.invalid(&["Envelope"], comment, &input, Reason::UnknownKind);
    }
    for (from, to, comment) in [
        (8, 8, "after a block up to the same one"),
        (9, 8, "the range ends before it begins"),
        (6, MAX_HEIGHT + 1, "a block of 2^52"),
        (u64::MAX, 8, "after block 2^64 - 1"),
    ] {
        let (from, to) = (Some(Quantity(from)), Quantity(to));
        let input = SmtDiff { from, to, ..honest.clone() };
        file.invalid(&["Argument"], comment, &input, Reason::InvalidArgument);
    }
    let length = honest.proof.0.len();
    for (limits, reason, comment) in [
        (limits(Some(length - 1), None, None), Reason::ProofTooLarge, "a byte above the limit"),
        (limits(None, None, Some(3)), Reason::ValueTooLarge, "a value of one byte too many"),
    ] {
        let input = SmtDiff { limits: Some(limits), ..honest.clone() };
        file.invalid(&["Limit"], comment, &input, reason);
    }
    let deep: Vec<u8> = [[1, 0]; 257].concat();
    let input = SmtDiff { from: None, ..of(message(DIFF, &[&[0], &deep])) };
    let comment = "257 branches above one another";
    file.invalid(&["Limit"], comment, &input, Reason::DepthOutOfRange);
    for (body, reason, comment) in [
        (&[0, 0, 2, 0][..], Reason::InvalidEncoding, "a leaf of the form 2"),
        (&[0, 0, 1, 0x80, 0], Reason::InvalidEncoding, "a length of 0 in two bytes"),
        (&[0, 0, 1, 0xff, 0xff, 0xff, 0x7f], Reason::Truncated, "a key of 2^28 - 1 bytes"),
        (&[0, 0, 1, 0x80, 0x80, 0x80, 0x80, 0x10], Reason::Truncated, "a key of 2^32 bytes"),
        (&[0, 0, 0, 0, 0x81, 0x80, 4], Reason::ValueTooLarge, "a value of 65,537 bytes"),
        (&[9, 0, 1, 0], Reason::VersionOutOfRange, "a root that is older than block 0"),
        (&[0, 1, 17], Reason::VersionOutOfRange, "a child that is older than block 0"),
        (&[0, 1, 18], Reason::VersionOutOfRange, "a right child that is older than block 0"),
        (&[1, 1, 16], Reason::VersionOutOfRange, "a right child a block older than block 0"),
    ] {
        file.invalid(&["Encoding"], comment, &of(message(DIFF, &[body])), reason);
    }
    for (length, reason, comment) in [
        (MOST, Reason::TrailingBytes, "zeros after the proof, 8 MiB together"),
        (MOST + 1, Reason::ProofTooLarge, "zeros after the proof, over 8 MiB together"),
    ] {
        let input = SmtDiff { proof: padded(&honest.proof, length), ..honest.clone() };
        file.invalid(&["Limit"], comment, &input, reason);
    }
    let trailing = [&honest.proof.0[..], &[0]].concat();
    file.invalid(&["Encoding"], "one byte too many", &of(trailing), Reason::TrailingBytes);
}

fn closed(file: &mut Builder) {
    let (plain, tree) = (sample(), tree());
    let mismatch = Reason::RootMismatch;
    // A node on the way to a changed key is said to be old.
    for number in [1, 4] {
        for level in 1..6 {
            for height in [2, 6] {
                let forged = changed(&tree, &key(number), level, |node| {
                    *node = Node::Closed { height, hash: node.hash() };
                });
                let Some(forged) = forged else { continue };
                let comment = format!(
                    "the node at level {level} above key {number} is closed, as if of block {height}"
                );
                let input = of(encode_diff(Some(6), 8, Some(&forged)));
                file.invalid(&["Closed"], comment, &input, mismatch);
            }
        }
    }
    // The root: not there, its hash alone, or as old as it is not.
    file.invalid(&["Closed"], "nothing at all", &of(message(DIFF, &[])), mismatch);
    let root = plain.root(8);
    for age in [0, 2, 6] {
        let comment = format!("the root is closed: an age of {age} and its hash");
        file.refused(&["Closed"], comment, &of(message(DIFF, &[&[age], &root])));
    }
    if let Node::Branch { depth, left, right } = &tree {
        for height in [2, 6] {
            let close = |node: &Node| Node::Closed { height, hash: node.hash() };
            let (left, right) = (Box::new(close(left)), Box::new(close(right)));
            let forged = Node::Branch { depth: *depth, left, right };
            let comment = format!("both children of the root are unchanged since block {height}");
            let input = of(encode_diff(Some(6), 8, Some(&forged)));
            file.invalid(&["Closed"], comment, &input, mismatch);
        }
    }
    // One leaf is the tree; as if it were a branch over its own hashes.
    let mut alone = Plain::default();
    alone.apply(3, [set(7, b"alone")]);
    let honest = ask_diff(&alone, Some(2), 3);
    let (key_hash, value_hash) = (hash_key(&key(7)), hash_value(b"alone"));
    for depth in [0, 254] {
        let body = [&[1, depth + 1, 0], &key_hash[..], &value_hash].concat();
        let input = SmtDiff { proof: Hex(message(DIFF, &[&body])), ..honest.clone() };
        let comment = format!("a leaf as a branch at depth {depth}, whose children are unchanged");
        file.invalid(&["Closed"], comment, &input, mismatch);
    }
}

fn leaves(file: &mut Builder) {
    let tree = tree();
    let mut ask = |number: u16, comment: &str, forge: &dyn Fn(&mut Node)| {
        let forged = changed_leaf(&tree, number, forge);
        let proof = encode_diff(Some(6), 8, forged.as_ref());
        file.refused(&["Leaf"], format!("key {number}: {comment}"), &of(proof));
    };
    for number in [1, 4] {
        ask(number, "another value", &|node| {
            if let Node::Leaf { value, .. } = node {
                *value = Some(b"other".to_vec());
            }
        });
        ask(number, "deleted", &|node| {
            if let Node::Leaf { value, .. } = node {
                *value = None;
            }
        });
        ask(number, "an older change", &|node| {
            if let Node::Leaf { height, .. } = node {
                *height = 7;
            }
        });
        for other in [0, 1, 4, 99, 100] {
            if other != number {
                ask(number, &format!("as key {other}"), &|node| {
                    if let Node::Leaf { key: own, .. } = node {
                        *own = key(other);
                    }
                });
            }
        }
    }
    // A key on the other side of the root.
    let other =
        (17..99).find(|&other| bit(&hash_key(&key(other)), 0) != bit(&hash_key(&key(1)), 0));
    let forged = changed_leaf(&tree, 1, |node| {
        if let (Node::Leaf { key: own, .. }, Some(other)) = (node, other) {
            *own = key(other);
        }
    });
    let input = of(encode_diff(Some(6), 8, forged.as_ref()));
    let comment = "key 1: as a key that leads elsewhere";
    file.invalid(&["Leaf"], comment, &input, Reason::LeafOffPath);
    // What is wrong with the value comes before where its key leads.
    if let (Node::Branch { depth, left, right }, Some(other)) = (&tree, other) {
        let own = bit(&hash_key(&key(1)), *depth);
        let [changed, closed] = if own == 0 { [left, right] } else { [right, left] };
        for (length, reason, comment) in [
            (&[0x81, 0x80, 4][..], Reason::ValueTooLarge, "with a value of 65,537 bytes"),
            (&[0x80, 0], Reason::InvalidEncoding, "with a length of 0 in two bytes"),
            (&[5], Reason::Truncated, "with a value of 5 bytes, of which none is there"),
        ] {
            let mut writer = Writer::new(DIFF);
            writer.root(8, changed.height());
            let heights = if own == 0 { [changed.height(), 6] } else { [6, changed.height()] };
            writer.branch(None, *depth, heights[0], heights[1]);
            writer.closed(&closed.hash());
            let leaf = [&[0, 0, 2][..], &key(other), length].concat();
            let input = of([writer.finish(), leaf].concat());
            let comment = format!("key 1: as a key that leads elsewhere, {comment}");
            file.invalid(&["Leaf"], comment, &input, reason);
        }
    }
    // The border between key and value is elsewhere.
    let mut alone = Plain::default();
    alone.apply(3, [(b"key".to_vec(), Some(b"value".to_vec()))]);
    let honest = ask_diff(&alone, Some(2), 3);
    for (key, value) in [(&b"keyv"[..], &b"alue"[..]), (b"ke", b"yvalue"), (b"", b"keyvalue")] {
        let mut writer = Writer::new(DIFF);
        writer.root(3, 3);
        writer.diff_leaf(DiffLeaf::Live { key, value });
        let input = SmtDiff { proof: Hex(writer.finish()), ..honest.clone() };
        let comment = format!("a key of {} bytes, a value of {}", key.len(), value.len());
        file.invalid(&["Leaf"], comment, &input, Reason::RootMismatch);
    }
}

fn purged(file: &mut Builder) {
    let mut plain = Plain::default();
    plain.apply(1, [set(0, b"stays")]);
    plain.apply(4, [set(1, b"goes")]);
    plain.apply(7, [delete(1)]);
    for (from, to) in [(Some(4), 7), (Some(6), 9), (None, 7)] {
        let proof = Hex(encode_diff(from, to, plain.tree(1).as_ref()));
        let input = SmtDiff { proof, ..ask_diff(&plain, from, to) };
        let comment = format!("the tree without the deleted key, {}", range(from, to));
        file.invalid(&["Purged"], comment, &input, Reason::RootMismatch);
    }
}

/// Deleted and set again to the same value: as if nothing had changed, or with one change of the two.
fn undone(file: &mut Builder) {
    let mut plain = Plain::default();
    plain.apply(0, [set(0, b"A"), set(1, b"other")]);
    plain.apply(3, [delete(0)]);
    plain.apply(5, [set(0, b"A")]);
    for (from, to) in [(Some(0), 5), (Some(2), 6), (Some(4), 5)] {
        let honest = ask_diff(&plain, from, to);
        for (height, comment) in [(0, "as if nothing had changed"), (3, "as deleted")] {
            let proof = Hex(encode_diff(from, to, plain.tree(height).as_ref()));
            let input = SmtDiff { proof, ..honest.clone() };
            let comment = format!("deleted and set again, {comment}, {}", range(from, to));
            file.invalid(&["Closed"], comment, &input, Reason::RootMismatch);
        }
    }
}

/// A change is closed, as if it were 2^32 blocks older than it is.
fn far_away(file: &mut Builder) {
    let (plain, bit) = (far(), 1u64 << 32);
    for (from, to) in [(bit, bit + 5), (2 * bit, 2 * bit + 5), (5, bit)] {
        let tree = plain.tree(to).expect("it has keys");
        let forged = changed(&tree, &key(0), 1, |node| {
            *node = Node::Closed { height: node.height() - bit, hash: node.hash() };
        });
        let proof = Hex(encode_diff(Some(from), to, forged.as_ref()));
        let input = SmtDiff { proof, ..ask_diff(&plain, Some(from), to) };
        let comment = format!("a change closed as if 2^32 blocks older, {}", range(Some(from), to));
        file.invalid(&["Closed"], comment, &input, Reason::RootMismatch);
    }
}

fn replays(file: &mut Builder) {
    let plain = sample();
    for from in [None, Some(1), Some(2), Some(5)] {
        let comment = match from {
            Some(from) => format!("the diff after block {from}"),
            None => "the diff of all blocks".to_owned(),
        };
        file.refused(&["Replay"], comment, &of(plain.prove_diff(from, 8)));
    }
    for to in [7, 9] {
        let comment = format!("the diff up to block {to}");
        file.refused(&["Replay"], comment, &of(plain.prove_diff(Some(6), to)));
    }
    let honest = ask_diff(&plain, Some(6), 8);
    for from in [None, Some(2), Some(5)] {
        let input = SmtDiff { from: from.map(Quantity), ..honest.clone() };
        let comment = format!("the diff after block 6 as one that begins earlier ({from:?})");
        file.refused(&["Replay"], comment, &input);
    }
    let input = SmtDiff { root: Hash32(plain.root(6)), ..honest.clone() };
    file.invalid(&["Replay"], "under the root of block 6", &input, Reason::RootMismatch);
    let input = SmtDiff { root: Hash32([0; 32]), ..honest };
    let comment = "under the root of the empty tree";
    file.invalid(&["Replay"], comment, &input, Reason::RootMismatch);
}

fn damage(file: &mut Builder) {
    let mut plain = Plain::default();
    plain.apply(0, [set(0, b"v0"), set(1, b"v1"), set(3, b"v3")]);
    plain.apply(1, [set(2, b"v2"), delete(1)]);
    let honest = ask_diff(&plain, Some(0), 1);
    for (comment, proof) in damaged(&honest.proof.0) {
        let input = SmtDiff { proof: Hex(proof), ..honest.clone() };
        file.refused(&["Damaged"], comment, &input);
    }
}
