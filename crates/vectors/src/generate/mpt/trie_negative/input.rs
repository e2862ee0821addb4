//! Limits, inputs that cannot be read, and changes of every byte.

use prooflight_core::Reason;
use serde_json::{Value, json, to_value};

use super::super::trie::{Trie, forged, leaf, nodes, with_proof};
use super::{HOSTILE, PRESENT, some_trie};
use crate::carrier::Hex;
use crate::generate::builder::Builder;
use crate::limits::CallerLimits;
use crate::mpt::MptProof;

pub(super) fn add(file: &mut Builder) {
    limits(file);
    inputs(file);
    mutated(file);
}

fn limits(file: &mut Builder) {
    let honest = some_trie().input(PRESENT);
    let size = nodes(&honest).iter().map(Vec::len).sum::<usize>();
    let with = |limits| MptProof { limits: Some(limits), ..honest.clone() };
    let proof = with(CallerLimits { max_proof_bytes: Some(size - 1), ..CallerLimits::default() });
    file.invalid(
        &["Limit"],
        "nodes that have a byte more than the limit",
        &proof,
        Reason::ProofTooLarge,
    );
    let value = with(CallerLimits { max_value_bytes: Some(39), ..CallerLimits::default() });
    file.invalid(
        &["Limit"],
        "a leaf's value that has a byte more than the limit",
        &value,
        Reason::ValueTooLarge,
    );
    let long = leaf(&[1, 2], vec![0x99; 65_537]);
    file.invalid(
        &["Limit", HOSTILE],
        "a value that has a byte more than the default limit",
        &forged(&[0x12], &[long]),
        Reason::ValueTooLarge,
    );
    let beside = Trie::new([(&b"k"[..], vec![9; 40]), (b"kk", vec![9]), (b"kl", vec![9])]);
    let input = MptProof {
        limits: Some(CallerLimits { max_value_bytes: Some(39), ..CallerLimits::default() }),
        ..beside.input(b"kk")
    };
    file.invalid(
        &["Limit"],
        "a branch's value that has a byte more than the limit",
        &input,
        Reason::ValueTooLarge,
    );
    for (key, most) in [(&[][..], 1), (&[0x12], 3), (&[0x12; 32], 65)] {
        let node = leaf(&[1], [9; 40]);
        let comment = format!("{} nodes for a key of {} bytes", most + 1, key.len());
        let input = forged(key, &vec![node; most + 1]);
        file.invalid(&["Limit"], comment, &input, Reason::TooManyNodes);
    }
    let long_key = MptProof { key: Hex(vec![0x12; 257]), ..honest };
    file.invalid(&["Argument"], "a key of 257 bytes", &long_key, Reason::KeyLength);
}

fn inputs(file: &mut Builder) {
    let honest = to_value(some_trie().input(PRESENT)).expect("inputs are plain data");
    let changed = |member: &str, value: Value| {
        let mut input = honest.clone();
        input[member] = value;
        input
    };
    let root = honest["root"].as_str().expect("a string");
    let node = honest["proof"][0].as_str().expect("a string");
    let cases = [
        ("a root of 31 bytes", changed("root", json!(root[..64]))),
        ("a root of 33 bytes", changed("root", json!(format!("{root}00")))),
        ("a root without 0x", changed("root", json!(root[2..]))),
        ("a root of null", changed("root", json!(null))),
        ("a key as a number", changed("key", json!(12))),
        ("a proof as a string", changed("proof", json!(node))),
        ("a proof of null", changed("proof", json!(null))),
        ("a node that is a number", changed("proof", json!([1]))),
        ("a node with an odd number of digits", changed("proof", json!([node[..node.len() - 1]]))),
        ("a node without 0x", changed("proof", json!([node[2..]]))),
        (
            "a node with a digit that is none",
            changed("proof", json!([format!("{}g", &node[..node.len() - 1])])),
        ),
        ("limits of null", changed("limits", json!(null))),
        ("a limit of null", changed("limits", json!({ "maxProofBytes": null }))),
        ("a limit that is misspelt", changed("limits", json!({ "maxProofbytes": 1 }))),
        ("a member that is not specified", changed("stateRoot", json!(root))),
    ];
    for (comment, input) in cases {
        file.invalid(&["Input"], comment, &input, Reason::InvalidArgument);
    }
    for member in ["root", "key", "proof"] {
        let mut input = honest.clone();
        input.as_object_mut().expect("an object").remove(member);
        file.invalid(&["Input"], format!("no {member}"), &input, Reason::InvalidArgument);
    }
}

/// One change at every byte of the nodes of an honest proof.
fn mutated(file: &mut Builder) {
    let honest = some_trie().input(PRESENT);
    let proof = nodes(&honest);
    for (at, node) in proof.iter().enumerate() {
        for byte in 0..node.len() {
            let mut add = |comment: String, changed: Vec<u8>| {
                if changed != *node {
                    let mut proof = proof.clone();
                    proof[at] = changed;
                    file.refused(&["Mutated"], comment, &with_proof(&honest, proof));
                }
            };
            let mut flipped = node.clone();
            flipped[byte] ^= 1 << (byte % 8);
            add(format!("node {at}: a bit of byte {byte} flipped"), flipped);
            if byte % 3 == 0 {
                let mut deleted = node.clone();
                deleted.remove(byte);
                add(format!("node {at}: byte {byte} deleted"), deleted);
                let mut inserted = node.clone();
                inserted.insert(byte, [0x00, 0x80, 0xa0, 0xc0][byte / 3 % 4]);
                add(format!("node {at}: a byte inserted before byte {byte}"), inserted);
                let mut swapped = node.clone();
                swapped.swap(byte, (byte + 1) % node.len());
                add(format!("node {at}: byte {byte} swapped with the next"), swapped);
            }
        }
    }
}
