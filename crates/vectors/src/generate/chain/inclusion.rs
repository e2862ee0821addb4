//! `chain/header_inclusion.json`: older headers by their place in a head's history.

use prooflight_core::chain::{Blake2bTree, Header};
use prooflight_core::merkle::node_hash;
use prooflight_core::{Hash, Reason};
use serde_json::{Value, json, to_value};

use super::made::{Chain, accepted, config, config_of_all_schemes, inclusion, leaf};
use super::sync_valid::{LARGE, far_apart};
use crate::carrier::{Hash32, Hex};
use crate::generate::builder::Builder;
use crate::generate::padded::{MOST, padded};

const FLAGS: &[(&str, &str)] = &[
    ("Encoding", "the bytes of the head or of the header are not those of one"),
    ("Input", "the input cannot be read as one of a HeaderInclusion"),
    ("Large", "heights that need all of 64 bits; the roots are made up so that the paths fit"),
    ("Mutated", "an honest input with one byte or hash changed; only the code is pinned"),
    ("NotAnAncestor", "the head's history does not have the header at its height"),
    ("Path", "headers in the history of heads of many heights"),
];

/// The file's bytes.
pub(in super::super) fn file() -> String {
    let mut file = Builder::new("chain", FLAGS);
    file.group("HeaderInclusion");
    paths(&mut file);
    large(&mut file);
    not_an_ancestor(&mut file);
    mutated(&mut file);
    encodings(&mut file);
    inputs(&mut file);
    file.finish()
}

fn paths(file: &mut Builder) {
    let chain = Chain::new(config_of_all_schemes(), 130);
    let small = (0..=6).flat_map(|head| (0..=head).map(move |of| (of, head)));
    // In a history of 11 or 21 headers the last one has no neighbour on two levels that are apart.
    let large = [11, 21, 64, 65, 127, 128, 129];
    let large = large.into_iter().flat_map(|head| [0, head / 2, head - 1].map(|of| (of, head)));
    for (of, head) in small.chain(large) {
        let comment = format!("the header at height {of} in the history of height {head}");
        file.valid(&["Path"], comment, &chain.inclusion(of, head), accepted(&chain.headers[of]));
    }
}

fn large(file: &mut Builder) {
    for (of, head) in LARGE {
        let (old, head_header, path) = far_apart(of, head);
        let input = inclusion(&head_header, &old, &path);
        let comment = format!("the header at height {of} in the history of height {head}, made up");
        file.valid(&["Large"], comment, &input, accepted(&old));
    }
}

fn not_an_ancestor(file: &mut Builder) {
    let chain = Chain::new(config(1, 1), 12);
    let head = &chain.headers[11];
    let old = &chain.headers[4];
    let path = chain.path(4, 11);
    let other = |height: usize| Header { ops_root: [0x66; 32], ..chain.headers[height].clone() };
    let above = Header { height: 12, parent: head.hash(), ..head.clone() };
    let moved = |height| Header { height, ..old.clone() };
    let leaves = chain.leaves(11);
    let node = node_hash::<Blake2bTree>(&leaves[4], &leaves[5]);
    let cases: [(&str, Header, Vec<Hash>); 16] = [
        ("another header of that height", other(4), path.clone()),
        ("another header of the head's height, without a path", other(11), vec![]),
        ("the head itself, with a path", head.clone(), chain.path(10, 11)),
        ("the head itself, with its own hash as a path", head.clone(), vec![head.hash()]),
        ("a header above the head, without a path", above.clone(), vec![]),
        ("a header above the head, with a path", above, path.clone()),
        ("no path", old.clone(), vec![]),
        ("the path without its first hash", old.clone(), path[1..].to_vec()),
        ("the path without its last hash", old.clone(), path[..path.len() - 1].to_vec()),
        ("a hash more", old.clone(), [&path[..], &[[0; 32]]].concat()),
        ("the path backwards", old.clone(), path.iter().rev().copied().collect()),
        ("the path of the height before", old.clone(), chain.path(3, 11)),
        ("the path in the history of the head before", old.clone(), chain.path(4, 10)),
        ("the header with the height before it, and that path", moved(3), chain.path(3, 11)),
        ("the header with a height 2^32 larger", moved((1 << 32) + 4), path.clone()),
        ("a path from the node above the header", old.clone(), [&[node], &path[1..]].concat()),
    ];
    for (comment, header, path) in cases {
        let input = inclusion(head, &header, &path);
        file.invalid(&["NotAnAncestor"], comment, &input, Reason::NotAnAncestor);
    }
    // A head of height 3 whose history says that its last header has the head's own height.
    let misplaced = Header { height: 3, ..chain.headers[2].clone() };
    let first_two = node_hash::<Blake2bTree>(&leaves[0], &leaves[1]);
    let history_root = node_hash::<Blake2bTree>(&first_two, &leaf(&misplaced.hash()));
    let made_up = Header { history_root, ..chain.headers[3].clone() };
    for path in [vec![first_two], vec![[0; 32], first_two], vec![first_two, [0; 32]]] {
        let input = inclusion(&made_up, &misplaced, &path);
        let comment = format!(
            "a header of the head's height at the end of a made-up history, a path of {}{}",
            path.len(),
            if path[0] == [0; 32] { ", zeros first" } else { "" }
        );
        file.invalid(&["NotAnAncestor"], comment, &input, Reason::NotAnAncestor);
    }
    let first = &chain.headers[0];
    let comment = "the genesis header has no history, not even itself with a path";
    let input = inclusion(first, first, &[first.hash()]);
    file.invalid(&["NotAnAncestor"], comment, &input, Reason::NotAnAncestor);
    let comment = "the genesis header has no later header in its history";
    let input = inclusion(first, &chain.headers[1], &[]);
    file.invalid(&["NotAnAncestor"], comment, &input, Reason::NotAnAncestor);
}

/// Every byte of the older header changed, and every hash of the path.
fn mutated(file: &mut Builder) {
    let honest = Chain::new(config(1, 1), 8).inclusion(3, 7);
    for at in 0..honest.header.0.len() {
        let mut input = honest.clone();
        let bit = at * 5 % 8;
        input.header.0[at] ^= 1 << bit;
        file.refused(&["Mutated"], format!("bit {bit} of byte {at} of the header flipped"), &input);
    }
    for at in 0..honest.inclusion.len() {
        let mut input = honest.clone();
        input.inclusion[at].0[31] ^= 1;
        file.refused(&["Mutated"], format!("a bit of hash {at} of the path flipped"), &input);
    }
}

fn encodings(file: &mut Builder) {
    let chain = Chain::new(config(1, 1), 8);
    let honest = chain.inclusion(3, 7);
    for (what, head) in [("head", true), ("header", false)] {
        let mut refuse = |comment: &str, bytes: Vec<u8>, reason| {
            let mut input = honest.clone();
            *(if head { &mut input.head } else { &mut input.header }) = Hex(bytes);
            file.invalid(&["Encoding"], format!("the {what} {comment}"), &input, reason);
        };
        let bytes = if head { &honest.head.0 } else { &honest.header.0 };
        let signed = chain.signed(if head { 7 } else { 3 }).encode();
        let with_version = |version| [&[version], &bytes[1..]].concat();
        refuse("is empty", vec![], Reason::InvalidEncoding);
        let cut = bytes[..bytes.len() - 1].to_vec();
        refuse("without its last byte", cut, Reason::InvalidEncoding);
        refuse("with a byte after it", [&bytes[..], &[0]].concat(), Reason::TrailingBytes);
        refuse("with its signatures", signed, Reason::TrailingBytes);
        let longer = |length| padded(&Hex(bytes.clone()), length).0;
        refuse("with zeros, 8 MiB together", longer(MOST), Reason::TrailingBytes);
        refuse("with zeros, over 8 MiB together", longer(MOST + 1), Reason::ProofTooLarge);
        refuse("of version 0", with_version(0), Reason::InvalidHeader);
        refuse("of version 2", with_version(2), Reason::InvalidHeader);
        // After the version and the chain; the parent is not zeros.
        let genesis = [&bytes[..33], &[0; 8], &bytes[41..]].concat();
        refuse("of height 0 with a parent", genesis, Reason::InvalidHeader);
        let orphan = [&bytes[..41], &[0; 32], &bytes[73..]].concat();
        refuse("without a parent", orphan, Reason::InvalidHeader);
        let mut scheme = bytes.clone();
        scheme[149] = 7;
        refuse("of a scheme that does not exist", scheme, Reason::UnknownScheme);
    }
}

fn inputs(file: &mut Builder) {
    let honest = to_value(Chain::new(config(1, 1), 4).inclusion(0, 3)).expect("plain data");
    let mut refuse = |comment: &str, change: &dyn Fn(&mut Value)| {
        let mut input = honest.clone();
        change(&mut input);
        file.invalid(&["Input"], comment, &input, Reason::InvalidArgument);
    };
    for member in ["head", "header", "inclusion"] {
        refuse(&format!("{member} is missing"), &|input| {
            input.as_object_mut().expect("an object").shift_remove(member);
        });
        refuse(&format!("{member} is null"), &|input| input[member] = Value::Null);
        refuse(&format!("{member} is a number"), &|input| input[member] = json!(0));
        refuse(&format!("{member} is an object"), &|input| input[member] = json!({}));
    }
    refuse("head has no 0x", &|input| input["head"] = json!("00"));
    refuse("inclusion has a hash of 31 bytes", &|input| {
        input["inclusion"][0] = json!(Hex(vec![0; 31]));
    });
    refuse("inclusion has a hash of 33 bytes", &|input| {
        input["inclusion"][0] = json!(Hex(vec![0; 33]));
    });
    refuse("inclusion is its hashes, joined", &|input| {
        input["inclusion"] = json!(Hex(vec![0; 64]));
    });
    refuse("an unknown member", &|input| input["now"] = json!("0x0"));
    refuse("a checkpoint, which would be for a HeaderSync", &|input| {
        input["checkpoint"] = json!({ "headerHash": Hash32([0; 32]) });
    });
}
