//! `mpt/trie_negative.json`: what a verifier of one trie must refuse.

mod form;
mod input;
mod path;
mod rlp;

use super::trie::Trie;
use crate::generate::builder::Builder;

const FLAGS: &[(&str, &str)] = &[
    ("Absence", "a present key is passed off as absent, or an absent one as present"),
    ("Argument", "an argument of the caller is wrong"),
    ("Child", "what a node has of the node below it is of another form"),
    ("Hashed", "nodes that are hashed with another function"),
    (
        "HostileRoot",
        "the root itself is the adversary's, so that it matches the proof: the form of a node is what stands against it",
    ),
    ("Input", "the input cannot be read as one of an MptProof"),
    ("LeftOver", "nodes that the key's path does not go to"),
    ("Limit", "more than a limit allows"),
    (
        "Mutated",
        "an honest proof with a byte flipped, inserted, deleted or swapped; only the code is pinned",
    ),
    ("Order", "the nodes of an honest proof in another order"),
    ("OtherProof", "the honest proof of another statement"),
    ("Path", "a path that is not in hex-prefix form, or that its node cannot have"),
    ("Rlp", "bytes that are not RLP, or have a shorter encoding"),
    ("Shape", "a node that is no leaf, extension or branch, or that no trie has"),
    ("Truncated", "the last nodes, or the last bytes of a node, are missing"),
    ("TypeConfusion", "a value is passed off as a node, or as a part of a path"),
];

/// Makes a forged proof's root match its first node.
const HOSTILE: &str = "HostileRoot";

/// The file's bytes.
pub(in crate::generate) fn file() -> String {
    let mut file = Builder::new("mpt", FLAGS);
    file.group("MptProof");
    path::add(&mut file);
    rlp::add(&mut file);
    form::add(&mut file);
    input::add(&mut file);
    file.finish()
}

/// Keys of three bytes whose paths have every kind of node, some of them inline.
fn some_trie() -> Trie {
    Trie::new([
        (&b"\x12\x34\x51"[..], &[0xa1; 40][..]),
        (b"\x12\x34\x52", &[0xa2; 2]),
        (b"\x12\x34\x61", &[0xa3; 33]),
        (b"\x12\x34\x62", &[0xa4; 3]),
        (b"\x70\x00\x00", &[0xa5; 4]),
    ])
}

const PRESENT: &[u8] = b"\x12\x34\x51";
const ABSENT: &[u8] = b"\x12\x34\x53";
