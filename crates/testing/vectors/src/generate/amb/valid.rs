//! `amb/proof.json`: honest proofs of every kind.

use prooflight_core::blake2b256;
use prooflight_json::{Hash32, Quantity};
use prooflight_testkit::amb::proof::ProofNode;
use prooflight_testkit::amb::prove::prove;
use prooflight_testkit::amb::query::Query;
use prooflight_testkit::amb::state::{AmbModel, KeyOp};
use prooflight_testkit::amb::tree::{NodeRecord, bits};
use serde_json::{Value, json};

use super::{
    answer, count, delete, get, hist, input, long, nested, next_root, random, range, reversed, set,
    small, transfer, update,
};
use crate::generate::builder::{FileBuilder, expected};
use crate::generate::rng::Rng;

/// The newest block of a chain that can have a next one.
const LAST_PARENT: u64 = (1 << 52) - 2;

/// Adds the tests made by code.
pub(in crate::generate) fn make(file: &mut FileBuilder) {
    file.group("AmbProof");
    example(file);
    gets(file);
    hists(file);
    ranges(file);
    pages(file);
    counts(file);
    transfers(file);
    updates(file);
    shapes(file);
    bits_of_keys(file);
    at_limits(file);
    most_entries(file);
    random_states(file);
}

/// Adds an honest test.
fn honest(file: &mut FileBuilder, comment: &str, state: &AmbModel, query: &Query) {
    cut(file, comment, state, query, None);
}

/// Adds an honest test of a page.
fn cut(file: &mut FileBuilder, comment: &str, state: &AmbModel, query: &Query, at: Option<&str>) {
    with_limits(file, comment, state, query, at, &Value::Null);
}

fn with_limits(
    file: &mut FileBuilder,
    comment: &str,
    state: &AmbModel,
    query: &Query,
    at: Option<&str>,
    limits: &Value,
) {
    let at = at.map(str::as_bytes);
    let mut flags = vec![match query {
        Query::Get { .. } => "Get",
        Query::Hist { .. } => "Hist",
        Query::Range { .. } => "Range",
        Query::Count { .. } => "Count",
        Query::Transfer { .. } => "Transfer",
        Query::Update { .. } => "Update",
    }];
    if let Query::Range { reverse: true, .. } = query {
        flags.push("Reverse");
    }
    if at.is_some() {
        flags.push("Cut");
    }
    flags.sort_unstable();
    let mut input = input(state, query, &prove(state, query, at).encode());
    if !limits.is_null() {
        input["limits"] = limits.clone();
        flags.push("Limit");
        flags.sort_unstable();
    }
    file.valid(&flags, comment, &input, expected(answer(state, query, at)));
}

fn updated(
    file: &mut FileBuilder,
    comment: &str,
    state: &AmbModel,
    ops: &[KeyOp],
    parts: &[&[&str]],
) {
    let flags: &[&str] = if parts.len() > 1 { &["Parts", "Update"] } else { &["Update"] };
    let root = expected(next_root(state, ops));
    file.valid(flags, comment, &update(state, ops, parts), root);
}

/// The example of `test-vectors/spec/amb.md`, section 9.
fn example(file: &mut FileBuilder) {
    let (one, two, three, four) = ("\u{1}", "\u{2}", "\u{3}", "\u{4}");
    let state = AmbModel::after([
        &[("a", Some(one))],
        &[("b", Some(two))],
        &[("a", Some(three)), ("bc", Some(four))],
    ]);
    honest(file, "the example of amb 9: keys at a block", &state, &get(&["a"], 1));
    honest(file, "the example of amb 9: a history", &state, &hist(&["a"], 0, 1));
    let all = range("", None, 2);
    cut(file, "the example of amb 9: a page", &state, &all, Some("b\0"));
    honest(file, "the example of amb 9: a count", &state, &count("b", Some("c")));
    let ops = [delete("a"), set("bd", "\u{5}")];
    updated(file, "the example of amb 9: an update", &state, &ops, &[&["a", "bd"]]);
}

fn gets(file: &mut FileBuilder) {
    let state = small();
    for key in ["aa", "d", "m", "", "a", "b", "aac", "kaa", "kaa3", "z"] {
        honest(file, &format!("{key:?} at the newest block"), &state, &get(&[key], 5));
    }
    for (key, at) in [("ab", 3), ("c", 0), ("c", 2), ("d", 1), ("d", 2), ("m", 1), ("kaa1", 3)] {
        honest(file, &format!("{key:?} at block {at}"), &state, &get(&[key], at));
    }
    let keys = ["m", "c", "aa", "b", "c", "kaa2", "d"];
    honest(file, "many keys, in no order, one of them twice", &state, &get(&keys, 2));
    let state = long(21);
    for at in [0, 4, 6, 7, 8, 15, 16, 20, 21] {
        honest(file, &format!("one of 22 versions, at block {at}"), &state, &get(&["x"], at));
    }
}

fn hists(file: &mut FileBuilder) {
    let state = small();
    for (key, from, to) in [
        ("c", 0, 5),
        ("c", 1, 2),
        ("c", 2, 2),
        ("c", 4, 5),
        ("d", 0, 1),
        ("d", 3, 3),
        ("m", 0, 0),
        ("m", 1, 5),
        ("aa", 0, 5),
        ("aa", 3, 4),
        ("kaa1", 0, 3),
        ("b", 0, 5),
    ] {
        let comment = format!("{key:?} in the blocks {from} to {to}");
        honest(file, &comment, &state, &hist(&[key], from, to));
    }
    honest(file, "histories of several keys", &state, &hist(&["m", "b", "c", "m"], 1, 2));
    let state = long(21);
    for (from, to) in [(0, 0), (0, 21), (3, 5), (8, 8), (15, 20), (20, 20), (21, 21), (16, 19)] {
        let comment = format!("of 22 versions those in the blocks {from} to {to}");
        honest(file, &comment, &state, &hist(&["x"], from, to));
    }
}

fn ranges(file: &mut FileBuilder) {
    let state = small();
    for at in 0..=5 {
        honest(file, &format!("all keys at block {at}"), &state, &range("", None, at));
    }
    for (lo, hi) in [
        ("aa", "ab"),
        ("ab", "e"),
        ("b", "c\0"),
        ("d", "e"),
        ("f", "k"),
        ("kaa1\0", "kaa2"),
        ("kaa", "kab"),
        ("n", "\u{7f}"),
    ] {
        let comment = format!("the keys from {lo:?} to before {hi:?}");
        honest(file, &comment, &state, &range(lo, Some(hi), 5));
    }
    honest(file, "all keys in descending order", &state, &reversed("", None, 5));
    let query = reversed("ab", Some("m"), 2);
    honest(file, "some keys in descending order, at an older block", &state, &query);
}

fn pages(file: &mut FileBuilder) {
    let state = small();
    for (at, comment) in [
        ("c", "a page that ends before a key"),
        ("c\0", "a page that ends with a key"),
        ("f", "a page that ends between keys"),
        ("\0", "a page before all keys"),
        ("~", "a page behind all keys"),
    ] {
        cut(file, comment, &state, &range("", None, 5), Some(at));
    }
    let comment = "a page without an entry, since all its keys were written later";
    cut(file, comment, &state, &range("f", Some("n"), 3), Some("kaa2"));
    for (at, comment) in [("kaa2", "a last page"), ("c\0", "a last page that begins behind a key")]
    {
        cut(file, comment, &state, &reversed("aa", Some("z"), 5), Some(at));
    }
    cut(file, "a page of a transfer", &state, &transfer("", None, None), Some("d"));
    let query = transfer("", None, Some(2));
    cut(file, "a page of changes", &state, &query, Some("kaa2"));
}

fn counts(file: &mut FileBuilder) {
    let state = small();
    honest(file, "the number of all keys", &state, &count("", None));
    for (lo, hi) in
        [("aa", "ab"), ("ab", "m"), ("ab", "m\0"), ("d", "e"), ("f", "k"), ("a", "b"), ("", "\0")]
    {
        let comment = format!("the number of keys from {lo:?} to before {hi:?}");
        honest(file, &comment, &state, &count(lo, Some(hi)));
    }
    honest(file, "the number of keys from one on", &state, &count("e", None));
}

fn transfers(file: &mut FileBuilder) {
    let state = small();
    honest(file, "all entries", &state, &transfer("", None, None));
    honest(file, "the entries of a range", &state, &transfer("ab", Some("d\0"), None));
    for after in 0..=5 {
        let comment = format!("the entries written after block {after}");
        honest(file, &comment, &state, &transfer("aa", Some("n"), Some(after)));
    }
    honest(file, "an entry with five peaks", &long(31), &transfer("p", None, None));
    honest(file, "an entry with one peak", &long(16), &transfer("p", None, None));
}

fn updates(file: &mut FileBuilder) {
    let state = small();
    for (comment, ops, keys) in [
        ("a key with one version is set", vec![set("aa", "n")], &["aa"][..]),
        ("a key with three versions is set", vec![set("c", "n")], &["c"]),
        ("a key is deleted", vec![delete("c")], &["c"]),
        ("a deleted key is set", vec![set("d", "n")], &["d"]),
        ("a key is set to the value that it has", vec![set("e", "5")], &["e"]),
        ("a new key beside a leaf", vec![set("f", "n")], &["f"]),
        ("a new key that a key begins with", vec![set("kaa", "n")], &["kaa"]),
        ("a new key that begins with a key", vec![set("m1", "n")], &["m1"]),
        ("the empty key is new", vec![set("", "")], &[""]),
        ("a new key behind all others", vec![set("~", "n")], &["~"]),
        ("new keys at one place", vec![set("b1", "1"), set("b2", "2"), set("b3", "3")], &["b"]),
        ("no operation", vec![], &["aa"]),
    ] {
        updated(file, comment, &state, &ops, &[keys]);
    }
    let ops = [delete("aa"), set("b", "n"), set("d", "n"), set("kaa3", ""), delete("m")];
    let keys = ["m", "aa", "b", "d", "kaa3"];
    updated(file, "operations of every kind", &state, &ops, &[&keys]);
    let parts: [&[&str]; 3] = [&["aa", "b"], &["kaa3", "d"], &["m", "b"]];
    updated(file, "operations of every kind, proved in three parts", &state, &ops, &parts);
    let ops = [delete("c"), set("d", "n")];
    let comment = "a leaf that one part shows as another key's, and the next one as its own";
    updated(file, comment, &state, &ops, &[&["b", "d"], &["c"]]);
    for newest in [1, 2, 3, 7, 8] {
        let comment = format!("a key with {newest} past versions gets another one");
        updated(file, &comment, &long(newest), &[set("x", "n")], &[&["x"]]);
    }
}

/// Trees without entries, with one, and with keys that begin with each other.
fn shapes(file: &mut FileBuilder) {
    let empty = AmbModel { height: 7, ..AmbModel::default() };
    let one = AmbModel::after([&[("", Some(""))], &[("", None)]]);
    let nested = nested();
    for (name, state) in
        [("no entry", &empty), ("the empty key alone", &one), ("nested keys", &nested)]
    {
        let at = state.height;
        for (kind, query) in [
            ("get", get(&["k", "", "kb"], at)),
            ("history", hist(&["k", ""], 0, at)),
            ("range", range("", None, at)),
            ("count", count("", None)),
            ("transfer", transfer("", None, None)),
        ] {
            honest(file, &format!("{name}: {kind}"), state, &query);
        }
        honest(file, &format!("{name}: a part is counted"), state, &count("k\0", Some("l")));
        let ops = [set("", "n"), set("ka1", "n")];
        updated(file, &format!("{name}: update"), state, &ops, &[&["", "ka1"]]);
    }
    honest(
        file,
        "nested keys: the longer one is no part of the range",
        &nested,
        &range("", Some("k\0"), 0),
    );
    let dead =
        AmbModel::after([&[("a", Some("1")), ("b", Some("2"))], &[("a", None), ("b", None)]]);
    honest(file, "only deleted keys: range", &dead, &range("", None, 1));
    honest(file, "only deleted keys: range at an older block", &dead, &range("", None, 0));
    honest(file, "only deleted keys: count", &dead, &count("", None));
    honest(file, "only deleted keys: transfer", &dead, &transfer("", None, Some(0)));
    honest(file, "a neighbour for every bit of a key", &surrounded(b"key"), &get(&["key"], 0));
}

/// A key and, for each of its bits, a key that differs in it.
fn surrounded(key: &[u8]) -> AmbModel {
    let mut state = AmbModel::default();
    let mut ops = vec![(key.to_vec(), Some(b"victim".to_vec()))];
    for at in 0..9 * key.len() {
        let (byte, bit) = (at / 9, at % 9);
        let mut neighbour = key[..byte].to_vec();
        if bit > 0 {
            neighbour.push(key[byte] ^ 0x80 >> (bit - 1));
        }
        assert_eq!(bits(&neighbour, at), bits(key, at));
        ops.push((neighbour, Some(vec![])));
    }
    state.apply(0, ops);
    state
}

/// Paths of every number of bits, with bytes that other keys had there before.
fn bits_of_keys(file: &mut FileBuilder) {
    let state = AmbModel::after([&[("0", Some("1")), ("a", Some("2"))]]);
    honest(file, "a branch behind the first bit of a byte", &state, &get(&["a"], 0));

    let (long, longer, other) = ("1234567", "1234567a", "1234567b");
    let high = "1234567\u{e1}";
    let state = AmbModel::after([&[(longer, Some("1")), (other, Some("2")), (high, Some("3"))]]);
    let comment = "keys that differ in the first bit of their eighth byte";
    honest(file, &format!("{comment}: get"), &state, &get(&[other, high], 0));
    let ops = [set(other, "n"), set(high, "n")];
    updated(file, &format!("{comment}: update"), &state, &ops, &[&[other, high]]);
    let state = AmbModel::after([&[(long, Some("1")), (longer, Some("2"))]]);
    let comment = "a key of seven bytes, with which another one begins";
    honest(file, comment, &state, &get(&[long], 0));

    let state = AmbModel::after([&[("k1", Some("1")), ("z", Some("2"))]]);
    let ops = [set("k\u{e1}", "n"), set("k\u{f1}", "n")];
    let comment =
        "a new key below the branch that another new key makes, behind a byte's first bit";
    updated(file, comment, &state, &ops, &[&["k1"]]);

    let mut state = surrounded(b"kdx");
    state.apply(1, [set("aaaa", "1"), set("aaab", "2")]);
    let comment = "a neighbour for every bit of a key, behind keys with other bytes";
    honest(file, comment, &state, &range("", None, 1));
}

fn at_limits(file: &mut FileBuilder) {
    let mut state = AmbModel::default();
    state.apply(0, [(vec![b'q'; 256], Some(vec![7; 300])), set("q", "1")]);
    state.apply(LAST_PARENT, [set("q", "2")]);
    let long = "q".repeat(256);
    let query = get(&[&long, "q"], LAST_PARENT);
    honest(file, "the longest key, and the newest block that can have a next one", &state, &query);
    honest(file, "a history of all blocks", &state, &hist(&["q"], 0, LAST_PARENT));
    let bound = "q".repeat(257);
    let query = range(&long, Some(&bound), 0);
    honest(file, "the longest bound", &state, &query);
    cut(file, "the longest cut", &state, &range("", None, LAST_PARENT), Some(&bound));
    updated(file, "an update to the last block", &state, &[delete("q")], &[&["q"]]);
    let comment = "an update of the longest key";
    updated(file, comment, &state, &[set(&long, "n")], &[&[&long]]);
    let last = AmbModel { height: LAST_PARENT + 1, ..state };
    honest(file, "the last block", &last, &get(&["q"], LAST_PARENT + 1));

    let beside = "q".repeat(255) + "p";
    let deepest = AmbModel::after([&[(&beside, Some("1")), (&long, Some("2"))]]);
    honest(file, "the deepest branch", &deepest, &get(&[&long], 0));
    let one = AmbModel::after([&[("a", Some("1"))]]);
    let parts = [&["a"][..]; 256];
    updated(file, "256 parts", &one, &[set("a", "n")], &parts);

    let state = small();
    let ops = [set("aa", "longer")];
    let mut input = update(&state, &ops, &[&["aa"]]);
    input["limits"] = json!({ "maxValueBytes": 6 });
    let root = expected(next_root(&state, &ops));
    file.valid(&["Limit", "Update"], "a new value at its limit", &input, root);
    let query = get(&["c", "c"], 5);
    let length = prove(&state, &query, None).encode().len();
    let limits = json!({ "maxProofBytes": length, "maxKeys": 2, "maxValueBytes": 3 });
    with_limits(file, "bytes, keys and values at their limits", &state, &query, None, &limits);
    let query = hist(&["c", "m"], 0, 1);
    with_limits(file, "versions at their limit", &state, &query, None, &json!({ "maxChanges": 4 }));
    let query = hist(&["e", "aa"], 0, 5);
    let comment = "newest versions do not count as changes";
    with_limits(file, comment, &state, &query, None, &json!({ "maxChanges": 0 }));
    for (comment, query, most) in [
        ("entries of a page at their limit", range("", None, 5), 7),
        ("entries that were not yet written count", range("", None, 1), 8),
        ("a leaf beside the page does not count", range("b", Some("c"), 5), 1),
        ("entries of a transfer at their limit", transfer("", Some("d"), None), 3),
        ("leaves of a count do not count as entries", count("ab", Some("m")), 1),
        ("a count whose bounds open two leaves", count("bb", Some("e\0")), 1),
    ] {
        let limits = json!({ "maxEntries": most });
        with_limits(file, comment, &state, &query, None, &limits);
    }
}

/// A root that no state has, since nobody can write so many keys.
fn most_entries(file: &mut FileBuilder) {
    let record = NodeRecord { version: 0, live: (1 << 56) - 1, dead: 0, hash: [7; 32] };
    let query = count("", None);
    let empty = AmbModel::default();
    let mut proof = prove(&empty, &query, None);
    proof.root = ProofNode::closed(&record, 0, false);
    let mut input = input(&empty, &query, &proof.encode());
    input["root"] = json!(Hash32(blake2b256(&[&[0x15], &record.encode()])));
    let count = expected(json!({ "count": Quantity(record.live) }));
    file.valid(&["Count"], "2^56 - 1 entries", &input, count);
}

fn random_states(file: &mut FileBuilder) {
    for (blocks, keys) in [(3, 6), (6, 30)] {
        let state = random(&mut Rng::new(blocks), blocks, keys);
        let name = format!("{} random keys", state.entries.len());
        let (newest, old) = (blocks - 1, blocks / 2);
        for (kind, query) in [
            ("keys", get(&["ab", "b", "", "cc", "aca", "d"], old)),
            ("histories", hist(&["ab", "b", ""], 1, newest)),
            ("a range", range("ab", Some("c"), newest)),
            ("an older range", range("", Some("bb"), old)),
            ("a count", count("ab", Some("bc"))),
            ("a transfer", transfer("b", None, Some(old))),
        ] {
            honest(file, &format!("{name}: {kind}"), &state, &query);
        }
        let mut next = state.clone();
        next.apply(blocks, [delete("ab"), set("b", "n"), set("ca", "n"), delete("cc")]);
        let written = next.entries.iter().filter_map(|(key, versions)| {
            let (block, value) = versions.last()?;
            (*block == blocks).then(|| (key.clone(), value.clone()))
        });
        let ops = written.collect::<Vec<_>>();
        let parts: [&[&str]; 2] = [&["ab", "b"], &["ca", "cc"]];
        updated(file, &format!("{name}: an update"), &state, &ops, &parts);
    }
}
