//! `smt/proof_negative.json`: proofs of keys that must be refused.

use blake2::{Blake2b512, Blake2s256, Digest as _};
use prooflight_core::{Reason, blake2b256};
use prooflight_smt::hash::{MAX_HEIGHT, hash_key, hash_value};
use prooflight_smt::proof::{DIFF, HISTORY, PROOF, ProofLeaf, Writer};

use super::inputs;
use super::plain::{Node, Plain, encode_proof};
use super::wire::{chain, changed, changed_leaf, message, with_leaf};
use super::{ask_keys, damaged, delete, key, limits, sample, set, skipped, with_proof};
use crate::carrier::{Hash32, Hex, Quantity};
use crate::generate::builder::Builder;
use crate::generate::padded::{MOST, padded};
use crate::smt::SmtProof;

const FLAGS: &[(&str, &str)] = &[
    ("Absence", "a key's value is hidden, by another key's leaf or by its own"),
    ("Argument", "an argument of the caller is wrong"),
    ("Damaged", "an honest proof with one small change"),
    ("Encoding", "bytes that are not the canonical encoding of anything"),
    ("Envelope", "the first three bytes are wrong"),
    inputs::FLAG,
    ("Limit", "more than a limit allows"),
    ("Replay", "an honest proof of something else"),
    ("Hashed", "the root is that of nodes that are hashed in another way"),
    ("Siblings", "the hash of a closed node is missing, there twice, or another one's"),
    ("Spliced", "a part of an older tree in a newer one"),
    ("Structure", "nodes that are no tree's, or another kind of node"),
    ("Value", "another value, or a value instead of a deletion"),
    ("Version", "a node has another version"),
];

/// The file's bytes.
pub(in crate::generate) fn file() -> String {
    let mut file = Builder::new("smt", FLAGS);
    file.group("SmtProof");
    envelopes(&mut file);
    arguments(&mut file);
    at_limits(&mut file);
    encodings(&mut file);
    absences(&mut file);
    hidden_among_others(&mut file);
    skipped::wrong(&mut file);
    values(&mut file);
    heights(&mut file);
    spliced(&mut file);
    replays(&mut file);
    structures(&mut file);
    siblings(&mut file);
    many_nodes(&mut file);
    hashed_otherwise(&mut file);
    damage(&mut file);
    inputs::proofs(&mut file);
    file.finish()
}

/// A proof of one key of the sample at block 8, with other bytes.
fn of(number: u16, proof: Vec<u8>) -> SmtProof {
    with_proof(&sample(), 8, &[key(number)], proof)
}

fn tree() -> Node {
    sample().tree(8).expect("it has keys")
}

fn envelopes(file: &mut Builder) {
    let honest = ask_keys(&sample(), 8, &[key(1)]).proof.0;
    for (at, byte, reason) in [
        (0, 0, Reason::UnknownVersion),
        (0, 2, Reason::UnknownVersion),
        (1, 0, Reason::UnknownScheme),
        (1, 2, Reason::UnknownScheme),
        (1, 7, Reason::UnknownScheme),
        (2, 0, Reason::UnknownKind),
        (2, 4, Reason::UnknownKind),
    ] {
        let mut proof = honest.clone();
        proof[at] = byte;
        let comment = format!("byte {at} of the envelope is {byte}");
        file.invalid(&["Envelope"], comment, &of(1, proof), reason);
    }
    for kind in [HISTORY, DIFF] {
        let proof = message(kind, &[&honest[3..]]);
        let comment = format!("the same as a message of kind {}", kind.kind);
        file.invalid(&["Envelope"], comment, &of(1, proof), Reason::UnknownKind);
    }
    for length in 0..3 {
        let comment = format!("{length} bytes of an envelope");
        let input = of(1, honest[..length].to_vec());
        file.invalid(&["Envelope"], comment, &input, Reason::Truncated);
    }
}

fn arguments(file: &mut Builder) {
    let honest = ask_keys(&sample(), 8, &[key(1)]);
    for height in [MAX_HEIGHT + 1, u64::MAX] {
        let input = SmtProof { height: Quantity(height), ..honest.clone() };
        file.invalid(&["Argument"], format!("block {height}"), &input, Reason::InvalidArgument);
    }
    let input = SmtProof { keys: vec![], ..honest };
    file.invalid(&["Argument"], "no key", &input, Reason::InvalidArgument);
}

fn at_limits(file: &mut Builder) {
    let honest = ask_keys(&sample(), 8, &[key(0), key(4)]);
    let length = honest.proof.0.len();
    for (limits, reason, comment) in [
        (limits(Some(length - 1), None, None), Reason::ProofTooLarge, "one byte too many"),
        (limits(None, Some(1), None), Reason::TooManyKeys, "one key too many"),
        (limits(None, None, Some(4)), Reason::ValueTooLarge, "a value of one byte too many"),
    ] {
        let input = SmtProof { limits: Some(limits), ..honest.clone() };
        file.invalid(&["Limit"], comment, &input, reason);
    }
    let twice = SmtProof {
        keys: vec![Hex(key(0)); 2],
        limits: Some(limits(None, Some(1), None)),
        ..honest
    };
    let comment = "one key too many, though it is there twice";
    file.invalid(&["Limit"], comment, &twice, Reason::TooManyKeys);
    let more = SmtProof { keys: vec![Hex(vec![]); 4097], ..ask_keys(&sample(), 8, &[vec![]]) };
    let comment = "4,097 keys, one more than the default limit";
    file.invalid(&["Limit"], comment, &more, Reason::TooManyKeys);
    let honest = ask_keys(&sample(), 8, &[key(0)]);
    for (length, reason, comment) in [
        (MOST, Reason::TrailingBytes, "zeros after the proof, 8 MiB together"),
        (MOST + 1, Reason::ProofTooLarge, "zeros after the proof, over 8 MiB together"),
    ] {
        let input = SmtProof { proof: padded(&honest.proof, length), ..honest.clone() };
        file.invalid(&["Limit"], comment, &input, reason);
    }
    for (further, comment) in [
        (vec![1; 257], "257 branches above one another"),
        (vec![255, 2], "a branch at depth 256"),
        (vec![2, 255], "a branch at depth 256, below one at depth 1"),
    ] {
        let input = of(1, chain(PROOF, &further));
        file.invalid(&["Limit"], comment, &input, Reason::DepthOutOfRange);
    }
    for (further, comment) in [
        (vec![1; 256], "256 branches, as deep as they may be"),
        (vec![1, 255], "a branch at depth 255"),
    ] {
        let input = of(1, chain(PROOF, &further));
        file.invalid(&["Structure"], comment, &input, Reason::RootMismatch);
    }
}

fn encodings(file: &mut Builder) {
    let of = |body: &[&[u8]]| of(1, message(PROOF, body));
    let leaf = &[0, 1, 0][..];
    for (age, comment) in [
        (&[0x80, 0][..], "an age of 0 in two bytes"),
        (&[0x86, 0x80, 0], "an age of 6 in three bytes"),
        (&[0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 1], "an age in nine bytes"),
        (&[0xff; 10], "an age that does not end in eight bytes"),
    ] {
        file.invalid(&["Encoding"], comment, &of(&[age, leaf]), Reason::InvalidEncoding);
    }
    // Nothing follows: the eighth byte may not say that something does, the seventh may.
    for (length, reason) in [
        (1, Reason::Truncated),
        (7, Reason::Truncated),
        (8, Reason::InvalidEncoding),
        (9, Reason::InvalidEncoding),
    ] {
        let comment = format!("an age whose bytes all say that another follows, {length} of them");
        file.invalid(&["Encoding"], comment, &of(&[&[0x80; 9][..length]]), reason);
    }
    let comment = "a tilt in eight bytes, the last of which says that another follows";
    let input = of(&[&[0], &[1], &[0xff; 8]]);
    file.invalid(&["Encoding"], comment, &input, Reason::InvalidEncoding);
    let input = of(&[&[0], &[1, 0x82, 0], &[7; 32], leaf]);
    file.invalid(&["Encoding"], "a tilt of 1 in two bytes", &input, Reason::InvalidEncoding);
    let input = of(&[&[0], &[0, 0, 0x80, 0], &[0]]);
    file.invalid(&["Encoding"], "an index of 0 in two bytes", &input, Reason::InvalidEncoding);
    let input = of(&[&[0], &[0, 0, 0, 0x81, 0], &[9]]);
    file.invalid(&["Encoding"], "a length of 1 in two bytes", &input, Reason::InvalidEncoding);
    for form in [4, 0x80, 0xff] {
        let comment = format!("a leaf of the form {form}");
        file.invalid(&["Encoding"], comment, &of(&[&[0, 0, form, 0]]), Reason::InvalidEncoding);
    }
    let input = of(&[&[0], &[0, 0, 0, 0xff, 0xff, 3]]);
    let comment = "a value of 65,535 bytes, of which none is there";
    file.invalid(&["Encoding"], comment, &input, Reason::Truncated);
    let input = of(&[&[0], &[0, 0, 0, 0x80, 0x80, 4]]);
    let comment = "a value of 65,536 bytes, of which none is there";
    file.invalid(&["Encoding"], comment, &input, Reason::Truncated);
    let input = of(&[&[0], &[0, 0, 0, 0x81, 0x80, 4]]);
    file.invalid(&["Limit"], "a value of 65,537 bytes", &input, Reason::ValueTooLarge);
    // The largest integer that eight bytes hold.
    let most = &[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f][..];
    for (body, reason, comment) in [
        (&[&[0, 0, 0, 0], most][..], Reason::ValueTooLarge, "a value of 2^56 - 1 bytes"),
        (&[&[0, 0, 0], most, &[0]], Reason::LeafIndex, "an index of 2^56 - 1"),
        (&[most, leaf], Reason::VersionOutOfRange, "an age of 2^56 - 1"),
        (&[&[0, 1], most, &[7; 32], leaf], Reason::VersionOutOfRange, "a tilt of 2^56 - 1"),
    ] {
        file.invalid(&["Limit"], comment, &of(body), reason);
    }
    let honest = ask_keys(&sample(), 8, &[key(1)]).proof.0;
    for more in [&[0][..], &[0; 32], &honest[3..]] {
        let comment = format!("{} bytes too many", more.len());
        let input = self::of(1, [&honest, more].concat());
        file.invalid(&["Encoding"], comment, &input, Reason::TrailingBytes);
    }
}

/// The leaf of a key, as that of another one.
fn absences(file: &mut Builder) {
    let (plain, tree) = (sample(), tree());
    for number in [0, 2, 3, 4, 16] {
        let value = plain.last_change(&key(number), 8).and_then(|(_, value)| value);
        let (own, value_hash) = (hash_key(&key(number)), hash_value(value.unwrap_or_default()));
        let leaf = match value {
            Some(_) => ProofLeaf::OtherLive { key_hash: &own, value_hash: &value_hash },
            None => ProofLeaf::OtherDeleted { key_hash: &own },
        };
        let forged = with_leaf(Writer::new(PROOF), &tree, 8, &own, leaf);
        let comment = format!("key {number}: its own leaf as another key's");
        file.invalid(&["Absence"], comment, &of(number, forged), Reason::LeafOfKey);
        let none = message(PROOF, &[]);
        let comment = format!("key {number}: nothing, as if the tree were empty");
        file.invalid(&["Absence"], comment, &of(number, none), Reason::RootMismatch);
    }
    // Key 0 is present. Leaves of other keys, on their own ways and at the end of its way.
    let asked = hash_key(&key(0));
    for number in [1, 2, 3, 5, 8, 16] {
        let value = plain.last_change(&key(number), 8).and_then(|(_, value)| value);
        let (other, value_hash) = (hash_key(&key(number)), hash_value(value.unwrap_or_default()));
        let leaf = match value {
            Some(_) => ProofLeaf::OtherLive { key_hash: &other, value_hash: &value_hash },
            None => ProofLeaf::OtherDeleted { key_hash: &other },
        };
        let forged = with_leaf(Writer::new(PROOF), &tree, 8, &other, leaf);
        let comment = format!("key 0: the inclusion of key {number} as its exclusion");
        file.refused(&["Absence"], comment, &of(0, forged));
        let forged = with_leaf(Writer::new(PROOF), &tree, 8, &asked, leaf);
        let comment = format!("key 0: the leaf of key {number} in its place");
        file.refused(&["Absence"], comment, &of(0, forged));
    }
    // Another key that agrees with key 0 on the whole way: only the hash is not that of the tree.
    for last in [1, 0x80] {
        let mut other = asked;
        other[31] ^= last;
        let leaf = ProofLeaf::OtherDeleted { key_hash: &other };
        let forged = with_leaf(Writer::new(PROOF), &tree, 8, &asked, leaf);
        let comment =
            format!("key 0: a leaf that would lie there, whose hash ends with {:02x}", other[31]);
        file.invalid(&["Absence"], comment, &of(0, forged), Reason::RootMismatch);
    }
    let mut elsewhere = asked;
    elsewhere[0] ^= 0x80;
    let leaf = ProofLeaf::OtherDeleted { key_hash: &elsewhere };
    let forged = with_leaf(Writer::new(PROOF), &tree, 8, &asked, leaf);
    let comment = "key 0: a leaf that lies on the other side of the root";
    file.invalid(&["Absence"], comment, &of(0, forged), Reason::LeafOffPath);
    let alone = Node::leaf(8, &key(3), None);
    let proof = encode_proof(8, Some(&alone), &[key(0)]);
    let comment = "key 0: a leaf that is in the tree, as if it were the whole tree";
    file.invalid(&["Absence"], comment, &of(0, proof), Reason::RootMismatch);
}

/// Several keys end at one leaf, which is that of one of them, as if it were none's.
fn hidden_among_others(file: &mut Builder) {
    // The keys come in the order of their hashes: the hidden one is the first, in the middle, or the last.
    let mut numbers = [0, 1, 2, 3, 4];
    numbers.sort_unstable_by_key(|&number| hash_key(&key(number)));
    let (below, hidden, above) = (&numbers[..2], numbers[2], &numbers[3..]);
    let mut plain = Plain::default();
    plain.apply(0, [set(hidden, b"value")]);
    plain.apply(1, [delete(hidden)]);
    let (own, value_hash) = (hash_key(&key(hidden)), hash_value(b"value"));
    for (others, place) in [
        (above, "first"),
        (&[below[0], above[0]], "second"),
        (below, "last"),
        (&above[..1], "first of two"),
        (&below[..1], "last of two"),
    ] {
        let keys: Vec<_> = others.iter().copied().chain([hidden]).map(key).collect();
        for (height, what, leaf) in [
            (0, "value", ProofLeaf::OtherLive { key_hash: &own, value_hash: &value_hash }),
            (1, "deletion", ProofLeaf::OtherDeleted { key_hash: &own }),
        ] {
            let tree = plain.tree(height).expect("it has a key");
            let forged = with_leaf(Writer::new(PROOF), &tree, height, &own, leaf);
            let comment =
                format!("{} keys: the {what} of the {place}, as another key's", keys.len());
            let input = with_proof(&plain, height, &keys, forged);
            file.invalid(&["Absence"], comment, &input, Reason::LeafOfKey);
        }
    }
}

/// More nodes than a verifier has to keep before it hashes some.
fn many_nodes(file: &mut Builder) {
    let (plain, keys) = super::many_leaves(600);
    let honest = ask_keys(&plain, 2, &keys);
    for (leaf, comment) in [(0, "the first"), (599, "the last")] {
        let mut hashes: Vec<_> = keys.iter().map(|key| (hash_key(key), key)).collect();
        hashes.sort_unstable();
        let mut tree = plain.tree(2).expect("it has keys");
        tree.path_mut(hashes[leaf].1, &mut |node| {
            if let Node::Leaf { value, .. } = node {
                *value = Some(b"1".to_vec());
            }
        });
        let proof = encode_proof(2, Some(&tree), &keys);
        let comment = format!("1,199 nodes, another value in {comment} leaf");
        let input = SmtProof { proof: Hex(proof), ..honest.clone() };
        file.invalid(&["Value"], comment, &input, Reason::RootMismatch);
    }
}

fn values(file: &mut Builder) {
    let tree = tree();
    let mut ask = |number: u16, leaf: ProofLeaf<'_>, comment: &str, reason: Reason| {
        let forged = with_leaf(Writer::new(PROOF), &tree, 8, &hash_key(&key(number)), leaf);
        file.invalid(&["Value"], format!("key {number}: {comment}"), &of(number, forged), reason);
    };
    for value in [&b"fiv"[..], b"five\0", b"", b"Five", &hash_value(b"five")] {
        let leaf = ProofLeaf::Live { index: 0, value };
        let comment = format!("another value, {}", Hex(value.to_vec()));
        ask(0, leaf, &comment, Reason::RootMismatch);
    }
    ask(0, ProofLeaf::Deleted { index: 0 }, "deleted, but it has a value", Reason::RootMismatch);
    for value in [&b""[..], &[0; 32], b"five"] {
        let leaf = ProofLeaf::Live { index: 0, value };
        let comment = format!("a value, {}, but it is deleted", Hex(value.to_vec()));
        ask(3, leaf, &comment, Reason::RootMismatch);
    }
    for index in [1, 2, MAX_HEIGHT] {
        let leaf = ProofLeaf::Live { index, value: b"five" };
        ask(0, leaf, &format!("its value, with the index {index}"), Reason::LeafIndex);
        let leaf = ProofLeaf::Deleted { index };
        ask(3, leaf, &format!("deleted, with the index {index}"), Reason::LeafIndex);
    }
    // Two keys that end at one leaf, which is that of one of them.
    let mut plain = Plain::default();
    plain.apply(0, [set(0, b"zero"), delete(1)]);
    let honest = ask_keys(&plain, 0, &[key(0), key(1)]);
    for index in [0, 1] {
        let forged = message(PROOF, &[&[0], &[0, 0, index, 4], b"zero"]);
        if forged != honest.proof.0 {
            let input = SmtProof { proof: Hex(forged), ..honest.clone() };
            let comment = "one leaf for two keys: it is that of the other one";
            file.invalid(&["Value"], comment, &input, Reason::RootMismatch);
        }
    }
}

fn heights(file: &mut Builder) {
    let (plain, tree) = (sample(), tree());
    // Asked at block 9, so that a height of 9 is not too high.
    let mut ask = |forged: Option<Node>, comment: String| {
        let Some(forged) = forged else { return };
        let proof = encode_proof(9, Some(&forged), &[key(0)]);
        let input = with_proof(&plain, 9, &[key(0)], proof);
        file.invalid(&["Version"], comment, &input, Reason::RootMismatch);
    };
    for level in 0..6 {
        for change in [-1, 1] {
            let other = |height: u64| height.saturating_add_signed(change);
            let forged = changed(&tree, &key(0), level, |node| match node {
                Node::Branch { depth, left, right } => {
                    let sides = [left, right];
                    let sibling = usize::from(super::plain::bit(&hash_key(&key(0)), *depth) == 0);
                    let [one, two] = sides;
                    let sibling = if sibling == 0 { one } else { two };
                    **sibling =
                        Node::Closed { height: other(sibling.height()), hash: sibling.hash() };
                }
                Node::Leaf { height, .. } | Node::Closed { height, .. } => {
                    *height = other(*height);
                }
            });
            ask(
                forged,
                format!("level {level}: the version of the sibling, or of the leaf, {change:+}"),
            );
        }
    }
    for height in [0, 9] {
        let forged = changed_leaf(&tree, 0, |node| {
            if let Node::Leaf { height: old, .. } = node {
                *old = height;
            }
        });
        ask(forged, format!("the version of the leaf is {height}"));
    }
    let honest = ask_keys(&plain, 8, &[key(0)]);
    for height in [6, 7, 9, (1 << 32) + 8, 1 << 40, MAX_HEIGHT] {
        let input = SmtProof { height: Quantity(height), ..honest.clone() };
        let comment = format!("the root and the proof of block 8 as those of block {height}");
        file.invalid(&["Version"], comment, &input, Reason::RootMismatch);
    }
    let older = with_proof(&plain, 5, &[key(0)], plain.prove(100, &[key(0)]));
    let comment = "a root that is older than block 0";
    file.invalid(&["Version"], comment, &older, Reason::VersionOutOfRange);
    let input = of(0, message(PROOF, &[&[0], &[1, 17], &[7; 32], &[0, 1, 0]]));
    let comment = "a child that is older than block 0";
    file.invalid(&["Version"], comment, &input, Reason::VersionOutOfRange);
    children(file);
}

/// The older child of a branch: the left or the right one, opened or closed, as old as can be or older.
fn children(file: &mut Builder) {
    let out_of_range = Reason::VersionOutOfRange;
    let side = |number: u16| super::plain::bit(&hash_key(&key(number)), 0);
    for (opened, side_bit) in [("left", 0), ("right", 1)] {
        let number = (0..16).find(|&number| side(number) == side_bit).expect("one of 16 keys");
        for (tilt, older, reason) in [
            (15, "left child is of block 0", Reason::RootMismatch),
            (16, "right child is of block 0", Reason::RootMismatch),
            (17, "left child is older than block 0", out_of_range),
            (18, "right child is older than block 0", out_of_range),
            (127, "left child is 64 blocks older than a branch of block 8", out_of_range),
            (126, "right child is 63 blocks older than a branch of block 8", out_of_range),
        ] {
            let input = of(number, message(PROOF, &[&[0], &[1, tilt], &[7; 32], &[0, 1, 0]]));
            let comment = format!("the {opened} child is opened, the {older}");
            file.invalid(&["Version"], comment, &input, reason);
        }
        // The opened child is of block 6: its own children are counted from there.
        let newer = if side_bit == 0 { 3 } else { 4 };
        for (tilt, reason) in [
            (11, Reason::RootMismatch),
            (12, Reason::RootMismatch),
            (13, out_of_range),
            (14, out_of_range),
        ] {
            let branches = [&[1, newer][..], &[7; 32], &[1, tilt], &[7; 32]].concat();
            let input = of(number, message(PROOF, &[&[0], &branches, &[0, 1, 0]]));
            let comment = format!("below the {opened} child of block 6, a tilt of {tilt}");
            file.invalid(&["Version"], comment, &input, reason);
        }
    }
}

fn spliced(file: &mut Builder) {
    let (plain, fresh) = (sample(), tree());
    for (number, height) in [(1, 6), (1, 5), (4, 6), (0, 2)] {
        let old = plain.tree(height).expect("it has keys");
        for level in 0..6 {
            let mut subtree = None;
            let _ = changed(&old, &key(number), level, |node| subtree = Some(node.clone()));
            let Some(subtree) = subtree else { continue };
            let forged = changed(&fresh, &key(number), level, |node| *node = subtree);
            let Some(forged) = forged.filter(|forged| *forged != fresh) else { continue };
            let proof = encode_proof(8, Some(&forged), &[key(number)]);
            let comment = format!("key {number}: from level {level} on the tree of block {height}");
            file.invalid(&["Spliced"], comment, &of(number, proof), Reason::RootMismatch);
        }
    }
}

fn replays(file: &mut Builder) {
    let plain = sample();
    for height in [1, 2, 5, 6] {
        let input = of(1, plain.prove(height, &[key(1)]));
        let comment = format!("the proof of block {height}");
        file.refused(&["Replay"], comment, &input);
    }
    let comment = "the proof of another key";
    file.refused(&["Replay"], comment, &of(0, plain.prove(8, &[key(1)])));
    let both = plain.prove(8, &[key(0), key(1)]);
    file.refused(&["Replay"], "the proof of this key and another one", &of(0, both));
    let keys = [key(0), key(1)];
    let input = with_proof(&plain, 8, &keys, plain.prove(8, &[key(0)]));
    file.refused(&["Replay"], "the proof of one of the keys", &input);
    let mut zero = ask_keys(&plain, 8, &[key(0)]);
    zero.root = Hash32([0; 32]);
    let comment = "a proof under the root of the empty tree";
    file.invalid(&["Replay"], comment, &zero, Reason::RootMismatch);
}

fn structures(file: &mut Builder) {
    let tree = tree();
    if let Node::Branch { left, right, .. } = &tree {
        let (left, right) = (left.hash(), right.hash());
        let leaf = ProofLeaf::OtherLive { key_hash: &left, value_hash: &right };
        let mut writer = Writer::new(PROOF);
        writer.root(8, tree.height());
        writer.proof_leaf(leaf);
        let comment = "the root, a branch, as the leaf of another key";
        let input = of(0, writer.finish());
        file.invalid(&["Structure"], comment, &input, Reason::RootMismatch);
    }
    for level in 0..6 {
        let deeper = changed(&tree, &key(0), level, |node| {
            if let Node::Branch { depth, .. } = node {
                *depth += 1;
            }
        });
        let swapped = changed(&tree, &key(0), level, |node| {
            if let Node::Branch { left, right, .. } = node {
                core::mem::swap(left, right);
            }
        });
        let same = changed(&tree, &key(0), level, |node| {
            if let Node::Branch { depth, left, right } = node {
                let on_left = super::plain::bit(&hash_key(&key(0)), *depth) == 0;
                if on_left { right.clone_from(left) } else { left.clone_from(right) }
            }
        });
        for (forged, comment) in [
            (deeper, "one bit deeper"),
            (swapped, "its children swapped"),
            (same, "twice the same child"),
        ] {
            let Some(forged) = forged.filter(|forged| *forged != tree) else { continue };
            let comment = format!("the branch at level {level}: {comment}");
            let proof = encode_proof(8, Some(&forged), &[key(0)]);
            file.refused(&["Structure"], comment, &of(0, proof));
        }
    }
}

/// The hashes of closed nodes in other places, or of other nodes.
fn siblings(file: &mut Builder) {
    let (tree, way) = (tree(), hash_key(&key(0)));
    let honest = ask_keys(&sample(), 8, &[key(0)]).proof.0;
    let (mut node, mut places) = (&tree, Vec::new());
    while let Node::Branch { depth, left, right } = node {
        let on_left = super::plain::bit(&way, *depth) == 0;
        let (child, sibling) = if on_left { (left, right) } else { (right, left) };
        let hash = sibling.hash();
        let at = honest.windows(32).position(|window| *window == hash).expect("it is closed");
        places.push((at..at + 32, child.hash()));
        node = child;
    }
    for (level, (place, beside)) in places.iter().enumerate() {
        let comment = format!("the sibling at level {level} is the hash of the node beside it");
        let mut same = honest.clone();
        same[place.clone()].copy_from_slice(beside);
        file.invalid(&["Siblings"], comment, &of(0, same), Reason::RootMismatch);
        let mut fewer = honest.clone();
        fewer.drain(place.clone());
        let comment = format!("the sibling at level {level} is missing");
        file.refused(&["Siblings"], comment, &of(0, fewer));
        let mut twice = honest.clone();
        twice.splice(place.start..place.start, honest[place.clone()].to_vec());
        file.refused(&["Siblings"], format!("the sibling at level {level} twice"), &of(0, twice));
        for (other, (elsewhere, _)) in places.iter().enumerate().skip(level + 1) {
            let mut swapped = honest.clone();
            swapped[place.clone()].copy_from_slice(&honest[elsewhere.clone()]);
            swapped[elsewhere.clone()].copy_from_slice(&honest[place.clone()]);
            let comment = format!("the siblings at levels {level} and {other} swapped");
            file.invalid(&["Siblings"], comment, &of(0, swapped), Reason::RootMismatch);
        }
    }
}

/// Honest proofs under the roots of trees that are hashed in another way.
fn hashed_otherwise(file: &mut Builder) {
    let ways: [(&str, HashNode); 5] = [
        ("without salt and personalisation", |_, message| plain_hash(&[message])),
        ("with a byte for the kind of node in their place", |kind, message| {
            plain_hash(&[&[kind], message])
        }),
        ("with the versions before the message", |_, message| {
            plain_hash(&[&8_u64.to_le_bytes(), message])
        }),
        ("with BLAKE2b-256", |_, message| blake2b256(&[message])),
        ("with BLAKE2b-512, cut to 32 bytes", |_, message| {
            let mut hash = [0; 32];
            hash.copy_from_slice(&Blake2b512::digest(message)[..32]);
            hash
        }),
    ];
    for (comment, hash) in ways {
        let mut input = ask_keys(&sample(), 8, &[key(0)]);
        input.root = Hash32(root_by(&tree(), hash));
        let comment = format!("a tree whose nodes are hashed {comment}");
        file.invalid(&["Hashed"], comment, &input, Reason::RootMismatch);
    }
    // A value as long as what a node hashes: the hashes of its children.
    let Node::Branch { left, right, .. } = tree() else { panic!("a branch") };
    let (left, right) = (left.hash(), right.hash());
    let mut plain = sample();
    plain.apply(9, [set(0, &[left, right].concat())]);
    let tree = plain.tree(9).expect("it has keys");
    let forged = changed_leaf(&tree, 0, |node| {
        let child = |hash| Box::new(Node::Closed { height: 9, hash });
        *node = Node::Branch { depth: 200, left: child(left), right: child(right) };
    });
    let honest = ask_keys(&plain, 9, &[key(0)]);
    let forged = forged.expect("a leaf");
    let mut input = SmtProof { root: Hash32(forged.hash()), ..honest.clone() };
    let comment = "a leaf whose value is two hashes, under the root with a branch over them";
    file.invalid(&["Hashed"], comment, &input, Reason::RootMismatch);
    input.root = Hash32(root_by(&tree, |_, message| plain_hash(&[message])));
    let comment =
        "a leaf whose value is two hashes, under the root of nodes without personalisation";
    file.invalid(&["Hashed"], comment, &input, Reason::RootMismatch);
}

/// The hash of a node by its kind and its message of 64 bytes.
type HashNode = fn(u8, &[u8]) -> [u8; 32];

fn root_by(node: &Node, hash: HashNode) -> [u8; 32] {
    match node {
        Node::Leaf { key, value, .. } => {
            let value_hash = value.as_deref().map_or([0; 32], hash_value);
            hash(u8::from(value.is_none()), &[hash_key(key), value_hash].concat())
        }
        Node::Branch { left, right, .. } => {
            hash(2, &[root_by(left, hash), root_by(right, hash)].concat())
        }
        Node::Closed { hash, .. } => *hash,
    }
}

/// BLAKE2s-256 as it is.
fn plain_hash(parts: &[&[u8]]) -> [u8; 32] {
    Blake2s256::digest(parts.concat()).into()
}

fn damage(file: &mut Builder) {
    let mut plain = Plain::default();
    plain.apply(0, [set(0, b"v0"), set(1, b"v1")]);
    plain.apply(1, [set(2, b"v2"), delete(1)]);
    for keys in [vec![key(0)], vec![key(1), key(2), key(7)]] {
        let honest = ask_keys(&plain, 1, &keys);
        for (comment, proof) in damaged(&honest.proof.0) {
            let input = SmtProof { proof: Hex(proof), ..honest.clone() };
            file.refused(&["Damaged"], format!("{} keys: {comment}", keys.len()), &input);
        }
    }
}
