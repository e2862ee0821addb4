//! Attacks of the other schemes, where they fit, and limits that the design does not list.

use prooflight_core::{Reason, blake2b256, keccak256};
use prooflight_json::Hash32;
use prooflight_testkit::amb::proof::{HistoryPart, ProofNode, VersionContent, integer};
use prooflight_testkit::amb::prove::prove;
use prooflight_testkit::amb::query::Query;
use prooflight_testkit::amb::state::AmbModel;
use prooflight_testkit::amb::tree::value_hash;
use serde_json::{Value, json};

use super::lies::AmbLies;
use super::{
    delete, get, hist, input, long, owned, part, range, set, small, transfer, update, update_input,
};
use crate::generate::builder::FileBuilder;

/// Adds the tests made by code.
pub(super) fn make(file: &mut FileBuilder) {
    sizes(&mut AmbLies::new(file, "Envelope", small()));
    other_roots(&mut AmbLies::new(file, "Roots", small()));
    other_values(&mut AmbLies::new(file, "Values", small()));
    other_leaves(&mut AmbLies::new(file, "Leaves", small()));
    other_nodes(&mut AmbLies::new(file, "Branches", small()));
    other_versions(&mut AmbLies::new(file, "Histories", long(6)));
    other_updates(&mut AmbLies::new(file, "Updates", small()));
}

/// Lengths and numbers that the rest of the proof does not have.
fn sizes(lies: &mut AmbLies<'_>) {
    let query = get(&["aa"], 5);
    let unending = [&[1, 6, 1][..], &[0x80; 8]].concat();
    let comment = "an integer whose eighth byte says that another follows, at the end of the proof";
    lies.bytes(comment, &query, &unending, Reason::InvalidEncoding);
    let comment =
        "an integer whose seventh byte says that another follows, at the end of the proof";
    lies.bytes(comment, &query, &unending[..10], Reason::Truncated);
    let mut value = vec![1];
    integer(&mut value, 65_536);
    let comment = "a value of 65,536 bytes that are not there";
    lies.leaf(comment, &query, "aa", Reason::Truncated, |leaf| {
        leaf.content = VersionContent::Other(value);
    });
    let all = transfer("", None, None);
    let comment = "2^56 - 1 versions, whose peaks are not there";
    lies.leaf(comment, &all, "m", Reason::Truncated, |leaf| {
        leaf.versions = (1 << 56) - 1;
        leaf.past.clear();
    });
    let comment = "2^56 - 1 versions, one of them in force, without the hashes of the others";
    lies.leaf(comment, &get(&["m"], 1), "m", Reason::Truncated, |leaf| {
        leaf.versions = (1 << 56) - 1;
        leaf.past.pop();
    });
}

fn other_roots(lies: &mut AmbLies<'_>) {
    let query = get(&["aa"], 5);
    let mut input = input(&lies.state, &query, &lies.honest(&query).encode());
    let record = lies.state.tree().expect("a tree").record.encode();
    for (comment, root) in [
        ("a proof against the root of the state without entries", AmbModel::default().root()),
        ("a root that is hashed without the byte in front of its record", blake2b256(&[&record])),
        ("a root that is hashed with Keccak-256", keccak256(&[&[0x15], &record])),
    ] {
        input["root"] = json!(Hash32(root));
        lies.invalid(comment, &input, Reason::RootMismatch);
    }
    let later = AmbModel { height: lies.state.height + (1 << 32), ..lies.state.clone() };
    let proof = lies.honest(&query).encode();
    lies.state = later;
    let comment = "the proof of block 5 as one of block 2^32 + 5";
    lies.bytes(comment, &get(&["aa"], 5 + (1 << 32)), &proof, Reason::RootMismatch);
}

fn other_values(lies: &mut AmbLies<'_>) {
    let (query, root) = (get(&["aa", "m"], 5), Reason::RootMismatch);
    lies.leaf("the empty value instead of one byte", &query, "aa", root, |leaf| {
        leaf.content = VersionContent::Value(vec![]);
    });
    lies.leaf("the value hash as the value", &query, "aa", root, |leaf| {
        leaf.content = VersionContent::Value(value_hash(Some(b"1")).to_vec());
    });
    lies.changed("the values of two keys swapped", &query, root, |proof, _| {
        proof.leaf(b"aa").content = VersionContent::Value(b"8".to_vec());
        proof.leaf(b"m").content = VersionContent::Value(b"1".to_vec());
    });
    let comment = "the first byte of the value as the last one of the key";
    lies.leaf(comment, &range("", None, 5), "aa", root, |leaf| {
        leaf.rest = b"a1".to_vec();
        leaf.content = VersionContent::Value(vec![]);
    });
    let comment = "an age of 2^32 more";
    lies.leaf(comment, &query, "aa", Reason::VersionOutOfRange, |leaf| leaf.age += 1 << 32);
}

fn other_leaves(lies: &mut AmbLies<'_>) {
    let query = get(&["aa"], 5);
    let neighbour = lies.honest(&get(&["aac"], 5));
    let comment = "the leaf of a neighbour in the place of the one that is asked for";
    lies.leaf(comment, &query, "aa", Reason::LeafOffPath, |leaf| {
        *leaf = neighbour.clone().leaf(b"aac").clone();
        leaf.number = Some(0);
        leaf.rest = b"b".to_vec();
    });
    let other = lies.honest(&get(&["c"], 5)).encode();
    lies.refused("the proof of another key", &get(&["e"], 5), &other);
    lies.refused("the proof of fewer keys than are asked for", &get(&["c", "e"], 5), &other);
    let both = lies.honest(&get(&["c", "e"], 5)).encode();
    lies.refused("the proof of more keys than are asked for", &get(&["c"], 5), &both);
}

fn other_nodes(lies: &mut AmbLies<'_>) {
    let (query, root) = (get(&["c"], 3), Reason::RootMismatch);
    let old = lies.state.as_of(3);
    let old = prove(&AmbModel { height: 5, ..old }, &query, None);
    lies.changed("an old part below the newest root", &query, root, |proof, _| {
        *proof.on_path(b"c", 1) = old.clone().on_path(b"c", 1).clone();
    });
    lies.changed("twice the same child", &get(&["~"], 5), root, |proof, _| {
        let ProofNode::Branch { children, .. } = &mut proof.root else { panic!("a branch") };
        children[1] = children[0].clone();
    });
    let comment = "a branch as the leaf of another key";
    let absent = get(&["~"], 5);
    lies.changed(comment, &absent, root, |proof, state| {
        let record = state.tree().expect("a tree").record;
        let leaf = lies_leaf(b"z", 5 - record.version, record.hash);
        proof.root = ProofNode::Leaf(leaf);
    });
    let honest = lies.honest(&absent).encode();
    let without = [&honest[..5], &honest[5 + 35..]].concat();
    lies.refused("the closed child of the root is left out", &absent, &without);
    let twice = [&honest[..5 + 35], &honest[5..]].concat();
    lies.refused("the closed child of the root comes twice", &absent, &twice);
}

/// The leaf of a key that nobody asked for, with one version whose value has this hash.
fn lies_leaf(key: &[u8], age: u64, hash: [u8; 32]) -> prooflight_testkit::amb::proof::ProofLeaf {
    prooflight_testkit::amb::proof::ProofLeaf {
        number: Some(0),
        rest: key.to_vec(),
        versions: 1,
        age,
        content: VersionContent::Hash(hash),
        past: vec![],
    }
}

fn other_versions(lies: &mut AmbLies<'_>) {
    let query = hist(&["x"], 0, 1);
    let comment = "an invented change before the first one";
    lies.leaf(comment, &query, "x", Reason::RootMismatch, |leaf| {
        leaf.versions += 1;
        leaf.past[1] = HistoryPart::Integer(4);
        leaf.past.insert(2, HistoryPart::Version(6, VersionContent::Value(b"new".to_vec())));
        // Of seven past versions, the last three have one hash.
        leaf.past.pop();
    });
    let comment = "a deletion in a history as the empty value";
    lies.leaf(comment, &hist(&["x"], 4, 4), "x", Reason::RootMismatch, |leaf| {
        leaf.past[3] = HistoryPart::Version(2, VersionContent::Value(vec![]));
    });
    let comment = "a value in a history as a deletion";
    lies.leaf(comment, &hist(&["x"], 2, 2), "x", Reason::RootMismatch, |leaf| {
        leaf.past[3] = HistoryPart::Version(4, VersionContent::Tombstone);
    });
    let two = AmbModel::after([
        &[("a", Some("1")), ("b", Some("1"))],
        &[("a", Some("2")), ("b", Some("2"))],
    ]);
    lies.state = two;
    let query = hist(&["a", "b"], 0, 1);
    let comment = "more versions than the limit in two histories together";
    lies.limited(comment, &query, &json!({ "maxChanges": 1 }), Reason::TooManyChanges);
}

fn other_updates(lies: &mut AmbLies<'_>) {
    let state = lies.state.clone();
    let with = |ops: &[_]| update(&state, ops, &[&["aa", "c"]]);
    let argument = Reason::InvalidArgument;
    for (comment, ops, reason) in [
        ("operations in descending order", vec![set("c", "n"), set("aa", "n")], argument),
        ("two operations on one key", vec![set("aa", "n"), set("aa", "m")], argument),
        ("an operation on a key of 257 bytes", vec![set(&"k".repeat(257), "")], Reason::KeyLength),
        ("a new value of 65,537 bytes", vec![set("aa", &"v".repeat(65_537))], Reason::ValueLength),
    ] {
        lies.invalid(comment, &with(&ops), reason);
    }
    lies.invalid("no part", &update_input(&state, &[set("aa", "n")], &[]), argument);
    let one = part(&state, &["aa"]);
    let many = vec![one.clone(); 257];
    lies.invalid("257 parts", &update_input(&state, &[set("aa", "n")], &many), argument);
    let last = AmbModel { height: (1 << 52) - 1, ..state.clone() };
    lies.invalid("a block after the last one", &update(&last, &[], &[&["aa"]]), argument);
    let parts = [(owned(&["aa"]), vec![])];
    let beyond = AmbModel { height: 1 << 52, ..state.clone() };
    let comment = "R is 2^52 in an update whose part is empty";
    lies.invalid(comment, &update_input(&beyond, &[], &parts), argument);
    let mut input = with(&[set("aa", "n")]);
    for (comment, limits, reason) in [
        ("more keys of a part than the limit", json!({ "maxKeys": 1 }), Reason::TooManyKeys),
        (
            "a part of more bytes than the limit",
            json!({ "maxProofBytes": 9 }),
            Reason::ProofTooLarge,
        ),
        ("a limit of no entries in an update", json!({ "maxEntries": 0 }), argument),
    ] {
        input["limits"] = limits;
        lies.invalid(comment, &input, reason);
    }
    let mut input = with(&[set("aa", "longer")]);
    input["limits"] = json!({ "maxValueBytes": 5 });
    let comment = "a new value one byte longer than the limit";
    lies.invalid(comment, &input, Reason::ValueLength);
    let parts = [(owned(&["aa"]), one.1), (vec![], part(&state, &["c"]).1)];
    let input: Value = update_input(&state, &[delete("c")], &parts);
    lies.invalid("a part without a key", &input, argument);
    let query = Query::Update { keys: owned(&["b"]) };
    let mut proof = lies.honest(&query);
    proof.leaf(b"b").number = Some(1);
    let input = update_input(&state, &[delete("b")], &[(owned(&["b"]), proof.encode())]);
    lies.rejected("the leaf of a neighbour as that of the key to delete", &input);
}
