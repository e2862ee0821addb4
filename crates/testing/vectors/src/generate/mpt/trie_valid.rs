//! `mpt/trie.json`: honest proofs of values and absences in tries of every shape.

use prooflight_json::HexBytes;
use serde_json::json;

use super::trie::EthTrie;
use crate::generate::builder::{FileBuilder, expected};
use crate::generate::rng::Rng;
use crate::mpt::MptProof;

/// Adds the tests made by code.
pub(in crate::generate) fn make(file: &mut FileBuilder) {
    file.group("MptProof");
    empty(file);
    absences(file);
    branch_values(file);
    inline(file);
    deep(file);
    random(file);
}

fn add(
    file: &mut FileBuilder,
    flags: &[&str],
    comment: &str,
    input: &MptProof,
    value: Option<&[u8]>,
) {
    let mut all = flags.to_vec();
    if value.is_none() {
        all.insert(0, "Absent");
    }
    let value = value.map(|value| HexBytes(value.to_vec()));
    file.valid(&all, comment, input, expected(json!({ "value": value })));
}

/// Adds the honest proof of a key in a trie, with the answer from the trie.
fn honest(file: &mut FileBuilder, flags: &[&str], comment: &str, trie: &EthTrie, key: &[u8]) {
    add(file, flags, comment, &trie.input(key), trie.value(key));
}

fn empty(file: &mut FileBuilder) {
    let trie = EthTrie::new::<&[u8], &[u8]>([]);
    for (name, key) in [("a key of 32 bytes", &[7; 32][..]), ("the key of no bytes", &[])] {
        let none = trie.input(key);
        add(file, &["Empty"], &format!("{name}, no nodes"), &none, None);
        let one = MptProof { proof: vec![HexBytes(vec![0x80])], ..none };
        add(file, &["Empty"], &format!("{name}, the node 80"), &one, None);
    }
}

/// Every form of a proof that a key is absent.
fn absences(file: &mut FileBuilder) {
    let long = [0x55; 40];
    let trie = EthTrie::new([
        (&b"\x12\x34\x51"[..], &long[..]),
        (b"\x12\x34\x52", &long),
        (b"\x12\x34\x61\x00", &long),
        (b"\x70", &long),
    ]);
    for (comment, key) in [
        ("an empty child of the root", &b"\x20"[..]),
        ("an empty child of a lower branch", b"\x12\x34\x53"),
        ("an extension that goes elsewhere", b"\x12\x44\x51"),
        ("an extension that goes further than the key", b"\x12"),
        ("an extension, of which the key takes a part and then another nibble", b"\x12\x35\x51"),
        ("a leaf that goes elsewhere", b"\x71"),
        ("a leaf that goes further than the key", b"\x12\x34\x61"),
        ("a leaf that ends before the key", b"\x70\x00"),
        ("a branch where the key ends, without a value", b"\x12\x34"),
        ("the root, where the key of no bytes ends", b""),
    ] {
        honest(file, &[], comment, &trie, key);
    }
    let alone = EthTrie::new([(b"\x12\x34", &long)]);
    honest(file, &[], "the only key of a trie", &alone, b"\x12\x34");
    honest(file, &[], "not the only key of a trie", &alone, b"\x12\x35");
    honest(file, &[], "the key of no bytes, beside the only key of a trie", &alone, b"");
}

fn branch_values(file: &mut FileBuilder) {
    for (name, length) in [("short", 1), ("long", 50)] {
        let value = |seed: u8| vec![seed; length];
        let trie = EthTrie::new([
            (&b""[..], value(0xa0)),
            (b"a", value(0xa1)),
            (b"ab", value(0xa2)),
            (b"abc", value(0xa3)),
            (b"abd", value(0xa4)),
            (b"b", value(0xa5)),
        ]);
        for key in ["", "a", "ab", "abc", "abd", "b", "abcd", "ac", "c"] {
            let comment = format!("keys that begin one another, {name} values: {key:?}");
            honest(file, &["BranchValue"], &comment, &trie, key.as_bytes());
        }
    }
    let only = EthTrie::new([(&b""[..], &b"only"[..])]);
    honest(file, &["BranchValue"], "the key of no bytes is the only one", &only, b"");
    honest(file, &["BranchValue"], "another key is absent beside that of no bytes", &only, b"x");
}

fn inline(file: &mut FileBuilder) {
    // A leaf with an empty path takes three bytes in addition to its value.
    for (length, place) in [(28, "inside the branch"), (29, "outside the branch")] {
        let trie = EthTrie::new([([0x10], vec![0xcc; length]), ([0x11], vec![0xdd; length])]);
        let comment = format!("a leaf with a value of {length} bytes is {place}");
        honest(file, &["Inline"], &comment, &trie, &[0x11]);
        honest(file, &["Inline"], &format!("{comment}; absent"), &trie, &[0x12]);
    }
    let levels = EthTrie::new([(b"\x10\x00", [1]), (b"\x10\x01", [2]), (b"\x20\x00", [3])]);
    for key in [b"\x10\x00", b"\x10\x01", b"\x20\x00", b"\x10\x02", b"\x20\x01"] {
        let comment =
            format!("an extension, a branch and leaves inside the root: {}", HexBytes(key.into()));
        honest(file, &["Inline"], &comment, &levels, key);
    }
}

fn deep(file: &mut FileBuilder) {
    let long = |seed: u8| vec![seed; 33];
    // A key that differs in each of its nibbles from one of the others.
    let neighbours = |length: usize| {
        (0..2 * length).map(move |at| {
            let mut key = vec![0; length];
            key[at / 2] = if at % 2 == 0 { 0x10 } else { 0x01 };
            (key, vec![0xee; 33])
        })
    };
    let trie = |length| EthTrie::new(neighbours(length).chain([(vec![0; length], long(0xaa))]));
    for (length, nodes) in [(32, 65), (256, 513)] {
        let (trie, key) = (trie(length), vec![0; length]);
        assert_eq!(trie.input(&key).proof.len(), nodes);
        let comment = format!("a branch for each nibble of a key of {length} bytes, then a leaf");
        honest(file, &["Deep"], &comment, &trie, &key);
    }
    let absent = EthTrie::new(neighbours(32));
    honest(file, &["Deep"], "a branch for almost each nibble of an absent key", &absent, &[0; 32]);
}

fn random(file: &mut FileBuilder) {
    let mut rng = Rng::new(11);
    for (name, length, count) in
        [("hashed keys", 32, 60), ("keys of two bytes", 2, 40), ("keys of any length", 0, 40)]
    {
        let draw = |rng: &mut Rng| {
            // Few different nibbles, so that keys share long prefixes.
            let bytes = if length == 0 { rng.below(5) } else { length };
            if bytes == 32 {
                return rng.bytes(32);
            }
            (0..bytes).map(|_| [0x00, 0x01, 0x10, 0x11, 0xf0][rng.below(5)]).collect()
        };
        let entries: std::collections::BTreeMap<_, _> = (0..count)
            .map(|_| {
                let length = 1 + rng.below(60);
                (draw(&mut rng), rng.bytes(length))
            })
            .collect();
        let trie = EthTrie::new(&entries);
        let present = entries.keys().step_by(entries.len() / 6).cloned();
        let any: Vec<_> = (0..10).map(|_| draw(&mut rng)).collect();
        let mut keys: Vec<Vec<u8>> = present.chain(any).collect();
        keys.sort();
        keys.dedup();
        for key in keys {
            let comment = format!("{name}: {}", HexBytes(key.clone()));
            honest(file, &["Random"], &comment, &trie, &key);
        }
    }
}
