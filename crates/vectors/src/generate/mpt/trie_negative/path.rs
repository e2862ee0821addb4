//! Nodes that are honest, but not those on the key's path; and values passed off as nodes.

use prooflight_core::Reason;
use sha3::{Digest as _, Sha3_256};

use super::super::state::EMPTY_CODE;
use super::super::trie::{
    Rlp, Trie, branch, compact, forged, input_of, leaf, nodes, string, with_proof,
};
use super::{ABSENT, HOSTILE, PRESENT, some_trie};
use crate::carrier::{Hash32, Hex};
use crate::generate::builder::Builder;
use crate::mpt::MptProof;

pub(super) fn add(file: &mut Builder) {
    truncated(file);
    left_over(file);
    other_proofs(file);
    confused(file);
    shifted(file);
    hashed_otherwise(file);
}

fn truncated(file: &mut Builder) {
    let trie = some_trie();
    for (name, key) in [("present", PRESENT), ("absent", ABSENT)] {
        let honest = trie.input(key);
        for kept in 0..honest.proof.len() {
            let input = with_proof(&honest, nodes(&honest)[..kept].to_vec());
            let comment = format!("the first {kept} nodes of the proof of a {name} key");
            let reason = if kept == 0 { Reason::RootMismatch } else { Reason::NodeMissing };
            file.invalid(&["Truncated"], comment, &input, reason);
        }
    }
    let honest = trie.input(PRESENT);
    for (at, node) in nodes(&honest).iter().enumerate() {
        for kept in 0..node.len() {
            let mut proof = nodes(&honest);
            proof[at].truncate(kept);
            let comment = format!("the first {kept} bytes of node {at}, then the nodes after it");
            let input = with_proof(&honest, proof);
            file.invalid(&["Truncated"], comment, &input, Reason::Truncated);
        }
    }
    for (comment, proof) in [
        ("the node of no keys for a trie that has some", vec![vec![0x80]]),
        ("no nodes for a trie that has some", vec![]),
    ] {
        let input = with_proof(&trie.input(ABSENT), proof);
        file.invalid(&["Absence"], comment, &input, Reason::RootMismatch);
    }
    for (comment, root, proof, reason) in [
        ("no nodes for a root of zeros", [0; 32], vec![], Reason::RootMismatch),
        ("no nodes for the hash of no bytes", EMPTY_CODE, vec![], Reason::RootMismatch),
        ("a node of no bytes for their hash", EMPTY_CODE, vec![vec![]], Reason::Truncated),
        ("the node 80 twice", Trie::default().root(), vec![vec![0x80]; 2], Reason::InvalidNode),
        (
            "a node of no bytes for the trie of no keys",
            Trie::default().root(),
            vec![vec![]],
            Reason::Truncated,
        ),
        (
            "an empty list for the trie of no keys",
            Trie::default().root(),
            vec![vec![0xc0]],
            Reason::InvalidNode,
        ),
    ] {
        file.invalid(&["Absence"], comment, &input_of(root, ABSENT, proof), reason);
    }
    let other = Trie::new([(ABSENT, [7; 40])]).prove(ABSENT).1;
    let input = input_of(Trie::default().root(), ABSENT, other);
    file.invalid(&["Absence"], "a node for the trie of no keys", &input, Reason::RootMismatch);
}

fn left_over(file: &mut Builder) {
    let trie = some_trie();
    for (name, key) in [("present", PRESENT), ("absent", ABSENT)] {
        let honest = trie.input(key);
        let proof = nodes(&honest);
        for node in 0..proof.len() {
            let mut more = proof.clone();
            more.push(proof[node].clone());
            let comment = format!("node {node} of the proof of a {name} key again, after the last");
            file.invalid(&["LeftOver"], comment, &with_proof(&honest, more), Reason::NodeLeftOver);
            let mut twice = proof.clone();
            twice.insert(node, proof[node].clone());
            if node + 1 < proof.len() {
                let comment = format!("node {node} of the proof of a {name} key twice");
                file.invalid(
                    &["LeftOver"],
                    comment,
                    &with_proof(&honest, twice),
                    Reason::NodeMismatch,
                );
            }
            for other in 0..node {
                let mut swapped = proof.clone();
                swapped.swap(node, other);
                let reason = if other == 0 { Reason::RootMismatch } else { Reason::NodeMismatch };
                let comment =
                    format!("nodes {other} and {node} of the proof of a {name} key swapped");
                file.invalid(&["Order"], comment, &with_proof(&honest, swapped), reason);
            }
        }
        for at in 1..proof.len() - 1 {
            let mut fewer = proof.clone();
            fewer.remove(at);
            let comment = format!("the proof of a {name} key without node {at}");
            file.invalid(
                &["Truncated"],
                comment,
                &with_proof(&honest, fewer),
                Reason::NodeMismatch,
            );
        }
        let mut stranger = proof.clone();
        stranger.push(leaf(&[1, 2, 3], [9; 40]).encode());
        let comment = format!("a node of no trie after the proof of a {name} key");
        file.invalid(&["LeftOver"], comment, &with_proof(&honest, stranger), Reason::NodeLeftOver);
        let mut reversed = proof;
        reversed.reverse();
        let comment = format!("the proof of a {name} key from the last node to the first");
        file.invalid(&["Order"], comment, &with_proof(&honest, reversed), Reason::RootMismatch);
    }
}

fn other_proofs(file: &mut Builder) {
    let trie = some_trie();
    let pairs = [
        ("an absent key", PRESENT, &b"\x20\x00\x00"[..], Reason::NodeMissing),
        ("a key that shares the upper nodes", PRESENT, b"\x12\x34\x61", Reason::NodeMismatch),
        ("a key that shares one node", PRESENT, b"\x70\x00\x00", Reason::NodeMissing),
    ];
    for (name, key, other, reason) in pairs {
        let input = with_proof(&trie.input(key), trie.prove(other).1);
        let comment = format!("a present key with the proof of {name}");
        file.invalid(&["Absence", "OtherProof"], comment, &input, reason);
    }
    let input = with_proof(&trie.input(b"\x70\x00\x00"), trie.prove(PRESENT).1);
    file.invalid(
        &["OtherProof"],
        "a key whose leaf is inside the root, with the proof of a longer path",
        &input,
        Reason::NodeLeftOver,
    );
    let changed = Trie::new([(PRESENT, [0xa1; 40]), (ABSENT, [0xb2; 40])]);
    for (name, key) in [("present", PRESENT), ("absent", ABSENT)] {
        let stale = MptProof { root: Hash32(changed.root()), ..trie.input(key) };
        let comment = format!("the proof of a {name} key under the root of another trie");
        file.invalid(&["OtherProof"], comment, &stale, Reason::RootMismatch);
    }
    // The upper nodes of one trie and the lower ones of another.
    let later = Trie::new([
        (&b"\x12\x34\x51"[..], &[0xf1; 40][..]),
        (b"\x12\x34\x61", &[0xf3; 33]),
        (b"\x70\x00\x00", &[0xa5; 4]),
    ]);
    let (new, old) = (trie.prove(PRESENT).1, later.prove(PRESENT).1);
    for kept in 1..new.len() {
        let spliced = [&new[..kept], &old[kept.min(old.len())..]].concat();
        if spliced.len() > kept {
            let comment = format!("the first {kept} nodes, then those of an older state");
            let input = with_proof(&trie.input(PRESENT), spliced);
            file.invalid(&["OtherProof"], comment, &input, Reason::NodeMismatch);
        }
    }
    let mut of_bit = trie.input(PRESENT);
    of_bit.root.0[31] ^= 1;
    file.invalid(&["OtherProof"], "one bit of the root flipped", &of_bit, Reason::RootMismatch);
}

/// Values that are hashes or encodings of nodes.
fn confused(file: &mut Builder) {
    let fake = leaf(&[5, 2], [0xff; 40]);
    let Rlp::String(hash) = fake.reference() else { panic!("the node is long") };
    let at_leaf = Trie::new([(b"\x12\x34", hash.clone()), (b"\x70\x00", vec![1; 40])]);
    let below = b"\x12\x34\x52";
    let mut honest = at_leaf.input(b"\x12\x34");
    honest.key = Hex(below.to_vec());
    let mut proof = nodes(&honest);
    proof.push(fake.encode());
    let input = with_proof(&honest, proof);
    file.invalid(
        &["TypeConfusion"],
        "a leaf's value is the hash of the next node",
        &input,
        Reason::NodeLeftOver,
    );
    let mut input = input;
    input.key = Hex(b"\x12\x34".to_vec());
    file.invalid(
        &["TypeConfusion"],
        "a leaf's value is the hash of the next node, and the key ends at the leaf",
        &input,
        Reason::NodeLeftOver,
    );

    let at_branch =
        Trie::new([(&b"\x12"[..], hash), (b"\x12\x00", vec![1; 40]), (b"\x12\x70", vec![1; 40])]);
    let mut honest = at_branch.input(b"\x12");
    let mut proof = nodes(&honest);
    proof.push(fake.encode());
    honest = with_proof(&honest, proof);
    file.invalid(
        &["TypeConfusion"],
        "a branch's value is the hash of the next node",
        &honest,
        Reason::NodeLeftOver,
    );
    honest.key = Hex(b"\x12\x52".to_vec());
    file.invalid(
        &["TypeConfusion"],
        "a branch's value is the hash of the next node, to which an empty child leads",
        &honest,
        Reason::NodeLeftOver,
    );
    let inside = leaf(&[1], leaf(&[2], [9; 4]).encode());
    file.invalid(
        &["TypeConfusion", HOSTILE],
        "a leaf's value is a list in place of a string",
        &forged(&[0x11], &[Rlp::List(vec![compact(&[1, 1], true), inside.clone()])]),
        Reason::InvalidNode,
    );
    file.invalid(
        &["TypeConfusion", HOSTILE],
        "a branch's value is a list in place of a string",
        &forged(
            &[],
            &[branch(&[(1, inside.clone()), (2, inside.clone())], []).with(16, inside.clone())],
        ),
        Reason::InvalidNode,
    );
    file.invalid(
        &["TypeConfusion", HOSTILE],
        "a path is a list in place of a string",
        &forged(&[0x11], &[Rlp::List(vec![inside, string([9; 40])])]),
        Reason::InvalidNode,
    );
    let string_node = string(leaf(&[1, 1], [9; 40]).encode());
    file.invalid(
        &["TypeConfusion", HOSTILE],
        "a node is a string that holds the node",
        &forged(&[0x11], &[string_node]),
        Reason::InvalidNode,
    );
}

/// The last byte of a leaf's path as the first one of its value, and the reverse.
fn shifted(file: &mut Builder) {
    let value = [&[0x56][..], &[7; 39]].concat();
    let trie = Trie::new([(&b"\x12\x34"[..], &value[..]), (b"\x70\x00", &[1; 40])]);
    let honest = trie.input(b"\x12\x34");
    assert_eq!(honest.proof[1].0, leaf(&[2, 3, 4], &value).encode(), "the branch, then the leaf");
    for (comment, key, forged) in [
        (
            "a byte of a leaf's path as the first one of its value",
            &b"\x12"[..],
            leaf(&[2], [&[0x34], &value[..]].concat()),
        ),
        (
            "the first byte of a leaf's value as the last one of its path",
            b"\x12\x34\x56",
            leaf(&[2, 3, 4, 5, 6], &value[1..]),
        ),
    ] {
        let mut input = with_proof(&honest, vec![honest.proof[0].0.clone(), forged.encode()]);
        input.key = Hex(key.to_vec());
        file.invalid(&["TypeConfusion"], comment, &input, Reason::NodeMismatch);
    }
}

/// SHA3-256 differs from Keccak-256 in its padding alone.
fn hashed_otherwise(file: &mut Builder) {
    let sha3 = |bytes: &[u8]| <[u8; 32]>::from(Sha3_256::digest(bytes));
    let trie = some_trie();
    for (name, key) in [("present", PRESENT), ("absent", ABSENT)] {
        let mut input = trie.input(key);
        input.root = Hash32(sha3(&input.proof[0].0));
        let comment = format!("the root is the SHA3-256 of the first node, of a {name} key");
        file.invalid(&["Hashed", HOSTILE], comment, &input, Reason::RootMismatch);
    }
    let input = input_of(sha3(&[0x80]), ABSENT, vec![]);
    let comment = "the root of the trie of no keys by SHA3-256";
    file.invalid(&["Hashed", HOSTILE], comment, &input, Reason::RootMismatch);
    let lower = leaf(&[2], [9; 40]);
    let child = string(sha3(&lower.encode()));
    let upper = branch(&[(1, child), (2, leaf(&[7, 7], [9; 20]))], []);
    let comment = "a child is the SHA3-256 of the node below";
    let input = forged(&[0x12], &[upper, lower]);
    file.invalid(&["Hashed", HOSTILE], comment, &input, Reason::NodeMismatch);
}
