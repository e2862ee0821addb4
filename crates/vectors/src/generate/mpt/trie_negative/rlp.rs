//! Bytes that are not RLP, or have a shorter encoding.

use prooflight_core::Reason;

use super::super::trie::{Rlp, branch, compact, forged, forged_bytes, leaf, string};
use super::HOSTILE;
use crate::generate::builder::Builder;

pub(super) fn add(file: &mut Builder) {
    items(file);
    whole_nodes(file);
    beside_the_path(file);
}

/// A leaf's items in an encoding that is not theirs.
fn items(file: &mut Builder) {
    let raw = |bytes: &[u8]| Rlp::Raw(bytes.to_vec());
    let long_string = |length: u8, bytes: &[u8]| [&[0xb8, length], bytes].concat();
    let at_leaf = leaf(&[1, 2, 3, 4], [0x99; 40]);
    let Rlp::String(path) = compact(&[1, 2, 3, 4], true) else { panic!("paths are strings") };
    let key = b"\x12\x34";
    let cases = [
        (
            "a value of 40 bytes with a length in a byte of its own",
            at_leaf.with(1, raw(&long_string(40, &[0x99; 40]))),
            Reason::InvalidEncoding,
        ),
        (
            "a value of 55 bytes with a length in a byte of its own",
            at_leaf.with(1, raw(&long_string(55, &[0x99; 55]))),
            Reason::InvalidEncoding,
        ),
        (
            "a value whose length has a leading zero",
            at_leaf.with(1, raw(&[&[0xb9, 0, 60], &[0x99; 60][..]].concat())),
            Reason::InvalidEncoding,
        ),
        (
            "a value of the byte 05 with a length",
            at_leaf.with(1, raw(&[0x81, 0x05])),
            Reason::InvalidEncoding,
        ),
        (
            "a value of the byte 7f with a length",
            at_leaf.with(1, raw(&[0x81, 0x7f])),
            Reason::InvalidEncoding,
        ),
        (
            "an empty value with a length of 0 in a byte of its own",
            at_leaf.with(1, raw(&[0xb8, 0])),
            Reason::InvalidEncoding,
        ),
        (
            "a path with a length in a byte of its own",
            at_leaf.with(0, raw(&long_string(3, &path))),
            Reason::InvalidEncoding,
        ),
        (
            "a path of the byte 31 with a length",
            leaf(&[1], [0x99; 40]).with(0, raw(&[0x81, 0x31])),
            Reason::InvalidEncoding,
        ),
        (
            "a value that is longer than its node",
            at_leaf.with(1, raw(&[0xa9, 0x99, 0x99])),
            Reason::Truncated,
        ),
        (
            "a value whose length of 8 bytes is 2^64 - 1",
            at_leaf.with(1, raw(&[&[0xbf][..], &[0xff; 8]].concat())),
            Reason::Truncated,
        ),
        (
            "a value whose length of 5 bytes is 2^32",
            at_leaf.with(1, raw(&[0xbc, 1, 0, 0, 0, 0])),
            Reason::Truncated,
        ),
        ("a value whose length is cut short", at_leaf.with(1, raw(&[0xb9, 1])), Reason::Truncated),
        (
            "a third item after the value",
            Rlp::List(vec![compact(&[1, 2, 3, 4], true), string([0x99; 40]), string([])]),
            Reason::InvalidNode,
        ),
    ];
    for (comment, node, reason) in cases {
        file.invalid(
            &["Rlp", HOSTILE],
            format!("{comment}, in a leaf"),
            &forged(key, &[node]),
            reason,
        );
    }
}

/// A node in an encoding that is not its own.
fn whole_nodes(file: &mut Builder) {
    let bytes = leaf(&[1, 2, 3, 4], [0x99; 40]).encode();
    let payload = &bytes[1..];
    let list = |header: &[u8]| [header, payload].concat();
    let length = u8::try_from(payload.len()).expect("a short leaf");
    for (comment, node, reason) in [
        ("a byte after the node", [&bytes[..], &[0]].concat(), Reason::TrailingBytes),
        ("the node again after the node", [&bytes[..], &bytes].concat(), Reason::TrailingBytes),
        (
            "a list's length in a byte of its own, though it is short",
            list(&[0xf8, length]),
            Reason::InvalidEncoding,
        ),
        ("a list's length with a leading zero", list(&[0xf9, 0, length]), Reason::InvalidEncoding),
        (
            "a list that is a byte longer than the node",
            list(&[0xc0 + length + 1]),
            Reason::Truncated,
        ),
        (
            "a list that is a byte shorter than the node",
            list(&[0xc0 + length - 1]),
            Reason::TrailingBytes,
        ),
        ("a list whose length of 8 bytes is 2^64 - 1", list(&[0xff; 9]), Reason::Truncated),
        ("a list whose length is missing", vec![0xf8], Reason::Truncated),
        ("a string of the node's payload", list(&[0x80 + length]), Reason::InvalidNode),
        ("one byte", vec![0x42], Reason::InvalidNode),
        ("an empty string in a longer form", vec![0xb8, 0], Reason::InvalidEncoding),
        ("no bytes", vec![], Reason::Truncated),
        ("a byte of 05 with a length", vec![0x81, 0x05], Reason::InvalidEncoding),
        (
            "a byte of 05 with a length, then another byte",
            vec![0x81, 5, 0],
            Reason::InvalidEncoding,
        ),
        (
            "a length of 5 in a byte of its own, then too much",
            vec![0xf8, 5],
            Reason::InvalidEncoding,
        ),
        (
            "a length of 56 with a leading zero, then nothing",
            vec![0xb9, 0, 56],
            Reason::InvalidEncoding,
        ),
        (
            "a byte of 80 with a length, then another byte",
            vec![0x81, 0x80, 0],
            Reason::TrailingBytes,
        ),
        ("a list of a byte that is missing, with a length", vec![0xc1, 0x81], Reason::Truncated),
    ] {
        file.invalid(&["Rlp", HOSTILE], comment, &forged_bytes(b"\x12\x34", vec![node]), reason);
    }
}

/// The same in a node that is not on the key's path.
fn beside_the_path(file: &mut Builder) {
    let odd = Rlp::List(vec![compact(&[], true), Rlp::Raw(vec![0x81, 0x05])]);
    let hidden = branch(&[(1, leaf(&[], [7]).reference()), (9, odd)], []);
    file.invalid(
        &["Rlp", HOSTILE],
        "a value of the byte 05 with a length, inside a branch and beside the path",
        &forged(&[0x11], &[branch(&[(1, hidden.reference()), (2, leaf(&[0], [8]))], []), hidden]),
        Reason::InvalidEncoding,
    );
}
