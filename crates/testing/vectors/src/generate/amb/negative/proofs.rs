//! What every proof has: its envelope, its root, and what the root is of.

use prooflight_core::Reason;
use prooflight_testkit::amb::proof::{ProofLeaf, ProofNode, VersionContent};
use prooflight_testkit::amb::prove::{content, other_leaf, prove};
use prooflight_testkit::amb::state::AmbModel;
use prooflight_testkit::amb::tree::NodeRecord;
use serde_json::json;

use crate::generate::amb::lies::AmbLies;
use crate::generate::amb::{get, nested, range};

pub(super) fn envelopes(lies: &mut AmbLies<'_>) {
    let query = get(&["aa"], 5);
    let honest = lies.honest(&query).encode();
    let with = |from: usize, cut: usize, put: &[u8]| {
        let mut bytes = honest.clone();
        bytes.splice(from..from + cut, put.iter().copied());
        bytes
    };
    let length = honest.len();
    for (comment, bytes, reason) in [
        ("an empty message", vec![], Reason::Truncated),
        ("the envelope alone", honest[..3].to_vec(), Reason::Truncated),
        ("the last byte is missing", with(length - 1, 1, &[]), Reason::Truncated),
        ("a byte after the end", with(length, 0, &[0]), Reason::TrailingBytes),
        ("version 2 of the envelope", with(0, 1, &[2]), Reason::UnknownVersion),
        ("the scheme id of smt", with(1, 1, &[3]), Reason::UnknownScheme),
        ("the kind of a range where a get was asked", with(2, 1, &[3]), Reason::UnknownKind),
        ("kind 0", with(2, 1, &[0]), Reason::UnknownKind),
    ] {
        lies.bytes(comment, &query, &bytes, reason);
    }
    let comment = "a proof one byte longer than the limit";
    lies.limited(comment, &query, &json!({ "maxProofBytes": length - 1 }), Reason::ProofTooLarge);
    let tag = honest[3] | 0x80;
    let bytes = with(3, 1, &[tag, 0]);
    lies.bytes("an integer with a needless last byte", &query, &bytes, Reason::InvalidEncoding);
    let nine = [tag, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0];
    lies.bytes("an integer of nine bytes", &query, &with(3, 1, &nine), Reason::InvalidEncoding);
}

pub(super) fn roots(lies: &mut AmbLies<'_>) {
    let newest = lies.state.clone();
    // No age of its proof is above 3, and no newest version is above block 3.
    let query = get(&["e"], 3);
    let old = prove(&newest, &query, None).encode();
    lies.state = newest.as_of(3);
    lies.bytes("a proof against the root of two blocks before", &query, &old, Reason::RootMismatch);
    lies.state = newest.clone();

    let query = get(&["aa"], 4);
    let before = prove(&newest.as_of(4), &query, None).encode();
    let comment = "a proof made for the block before, whose root is the same (block 5 is empty)";
    lies.bytes(comment, &query, &before, Reason::RootMismatch);

    let record = newest.tree().expect("a tree").record;
    let dead = NodeRecord { version: 5, live: 0, dead: 1, hash: record.hash };
    for (comment, record, reason) in [
        ("the empty tree", NodeRecord::EMPTY, Reason::RootMismatch),
        ("a hash alone, instead of the tree", record, Reason::NodeNotExpanded),
        ("the empty tree with a dead entry", dead, Reason::NodeNotExpanded),
    ] {
        lies.changed(comment, &query, reason, |proof, _| {
            proof.root = ProofNode::closed(&record, 5, true);
        });
    }

    let query = get(&["a"], 0);
    let one = AmbModel::after([&[("a", Some("1"))]]);
    let bytes = prove(&one, &query, None).encode();
    lies.state = AmbModel::default();
    lies.bytes("a leaf where there is no entry", &query, &bytes, Reason::RootMismatch);
}

pub(super) fn values(lies: &mut AmbLies<'_>) {
    let live = get(&["aa"], 5);
    let deleted = get(&["d"], 5);
    let root = Reason::RootMismatch;
    lies.leaf("another value of the same length", &live, "aa", root, |leaf| {
        leaf.content = VersionContent::Value(b"9".to_vec());
    });
    lies.leaf("a live entry shown as deleted", &live, "aa", root, |leaf| {
        leaf.content = VersionContent::Tombstone;
    });
    lies.leaf("a deleted entry shown as live", &deleted, "d", root, |leaf| {
        leaf.content = VersionContent::Value(b"4".to_vec());
    });
    lies.leaf("a state byte of 2", &live, "aa", Reason::InvalidEncoding, |leaf| {
        leaf.content = VersionContent::Other(vec![2]);
    });
    let comment = "a value one byte longer than the limit";
    lies.limited(comment, &live, &json!({ "maxValueBytes": 0 }), Reason::ValueTooLarge);
    lies.leaf("a value of 65,537 bytes", &live, "aa", Reason::ValueTooLarge, |leaf| {
        leaf.content = VersionContent::Value(vec![b'1'; 65_537]);
    });
    let comment = "an age above R: a version before block 0";
    lies.leaf(comment, &live, "aa", Reason::VersionOutOfRange, |leaf| leaf.age = 6);
    lies.leaf("another age", &live, "aa", root, |leaf| leaf.age = 4);
    let comment = "a number of versions of 0";
    lies.leaf(comment, &live, "aa", Reason::InvalidEncoding, |leaf| leaf.versions = 0);
}

pub(super) fn leaves(lies: &mut AmbLies<'_>) {
    let query = get(&["aa"], 5);
    let comment = "the leaf of an asked key shown as another key's, to make it absent";
    lies.leaf(comment, &query, "aa", Reason::LeafOfKey, |leaf| {
        leaf.number = Some(0);
        leaf.rest = b"a".to_vec();
        leaf.content = content(Some(b"1"), false);
    });
    let comment = "an asked key's number that does not exist";
    lies.leaf(comment, &query, "aa", Reason::LeafIndex, |leaf| leaf.number = Some(2));
    let comment =
        "an asked key's number counted over all keys, not over those that begin with the way";
    let two = get(&["aa", "m"], 5);
    lies.leaf(comment, &two, "m", Reason::LeafIndex, |leaf| leaf.number = Some(2));

    // "b" leads to the leaf of "c".
    let absent = get(&["b"], 5);
    let comment = "another key's leaf whose bits differ from the way to it";
    let entry = lies.state.entries[&b"e"[..]].clone();
    lies.leaf(comment, &absent, "b", Reason::LeafOffPath, |leaf| {
        let other = other_leaf(5, 0, b"e", &entry);
        *leaf = ProofLeaf { number: Some(0), ..other };
    });
    let comment = "another key's leaf, its last bit changed";
    lies.leaf(comment, &absent, "b", Reason::LeafOffPath, |leaf| leaf.rest = b"a".to_vec());
    let comment = "a key of 257 bytes";
    lies.leaf(comment, &absent, "b", Reason::InvalidEncoding, |leaf| leaf.rest = vec![b'c'; 257]);

    let comment = "a key of 257 bytes, of which the way has three";
    let absent = get(&["kaa3"], 5);
    lies.leaf(comment, &absent, "kaa3", Reason::InvalidEncoding, |leaf| {
        leaf.rest.resize(254, b'x');
    });

    let small = lies.state.clone();
    lies.state = nested();
    let comment = "a longer key where the way says that the key has ended";
    let all = range("", None, 0);
    lies.leaf(comment, &all, "k", Reason::LeafOffPath, |leaf| leaf.rest = b"x".to_vec());
    lies.state = small;

    let all = range("", None, 5);
    let comment = "two entries in each other's place";
    lies.changed(comment, &all, Reason::LeafOffPath, |proof, _| {
        let first = proof.leaf(b"aa").clone();
        let second = std::mem::replace(proof.leaf(b"ab"), first);
        *proof.leaf(b"aa") = second;
    });
    let comment =
        "one true leaf instead of the whole tree, so that every other key would be absent";
    let query = get(&["aa", "c"], 5);
    lies.changed(comment, &query, Reason::RootMismatch, |proof, _| {
        proof.root = ProofNode::Leaf(proof.leaf(b"aa").clone());
    });
}
