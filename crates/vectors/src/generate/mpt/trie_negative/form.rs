//! Nodes of a form that no trie has.

use prooflight_core::Reason;

use super::super::trie::{Rlp, branch, extension, forged, forged_bytes, leaf, string};
use super::{HOSTILE, PRESENT, some_trie};
use crate::carrier::Hex;
use crate::generate::builder::Builder;

pub(super) fn add(file: &mut Builder) {
    paths(file);
    shapes(file);
    children(file);
}

fn paths(file: &mut Builder) {
    let at_leaf = leaf(&[1, 2], [0x99; 40]);
    let child = branch(&[(1, leaf(&[], [7; 20])), (2, leaf(&[], [8; 20]))], []);
    let at_extension = extension(&[1], child.reference());
    for flag in 4..16 {
        for (name, node) in [("leaf", &at_leaf), ("extension", &at_extension)] {
            let path = if name == "leaf" { vec![flag << 4, 0x12] } else { vec![flag << 4 | 1] };
            let comment = format!("the flag {flag:x} in the path of what would be a {name}");
            let input = forged(&[0x12], &[node.with(0, string(path)), child.clone()]);
            file.invalid(&["Path", HOSTILE], comment, &input, Reason::InvalidPath);
        }
    }
    for pad in [1, 2, 8, 15] {
        let leaf_path = at_leaf.with(0, string([0x20 | pad, 0x12]));
        let comment = format!("the pad {pad:x} in the path of a leaf");
        file.invalid(
            &["Path", HOSTILE],
            comment,
            &forged(&[0x12], &[leaf_path]),
            Reason::InvalidPath,
        );
        let path = at_extension.with(0, string([pad, 0x12]));
        let comment = format!("the pad {pad:x} in the path of an extension");
        let input = forged(&[0x12, 0x10], &[path, child.clone()]);
        file.invalid(&["Path", HOSTILE], comment, &input, Reason::InvalidPath);
    }
    for (comment, node) in [
        ("a path of no bytes before a value", at_leaf.with(0, string([]))),
        ("a path of no bytes before a hash", at_extension.with(0, string([]))),
        ("an extension of no nibbles", at_extension.with(0, string([0]))),
        (
            "an extension of no nibbles to a branch that is inside",
            extension(&[], branch(&[(1, leaf(&[], [7])), (2, leaf(&[], [8]))], [])),
        ),
    ] {
        file.invalid(
            &["Path", HOSTILE],
            comment,
            &forged(&[0x11], &[node, child.clone()]),
            Reason::InvalidPath,
        );
    }
}

fn shapes(file: &mut Builder) {
    for count in [0, 1, 3, 16, 18] {
        let comment = format!("a node of {count} items");
        let input = forged(&[0x12], &[Rlp::List(vec![string([0x20]); count])]);
        file.invalid(&["Shape", HOSTILE], comment, &input, Reason::InvalidNode);
    }
    let mut nested = Rlp::List(vec![]);
    for _ in 0..31 {
        nested = Rlp::List(vec![nested]);
    }
    let sibling = leaf(&[], [7]);
    for (comment, node, reason) in [
        (
            "lists in lists, 32 deep, as a child",
            branch(&[(1, sibling.clone()), (2, nested.clone())], []),
            Reason::InvalidChild,
        ),
        (
            "lists in lists, 31 deep, as a child",
            branch(
                &[
                    (1, sibling.clone()),
                    (
                        2,
                        match nested {
                            Rlp::List(mut inner) => inner.remove(0),
                            _ => panic!("a list"),
                        },
                    ),
                ],
                [],
            ),
            Reason::InvalidNode,
        ),
        ("a branch of no entries", branch(&[], []), Reason::BranchEntries),
        (
            "a branch of a child alone",
            branch(&[(1, leaf(&[2], [9; 40]).reference())], []),
            Reason::BranchEntries,
        ),
        (
            "a branch of a child inside it alone",
            branch(&[(1, leaf(&[2], [9]))], []),
            Reason::BranchEntries,
        ),
        ("a branch of a value alone", branch(&[], [9; 40]), Reason::BranchEntries),
        ("a leaf with an empty value", leaf(&[1, 2], []), Reason::EmptyValue),
        (
            "a leaf with an empty value inside a branch",
            branch(&[(1, leaf(&[2], [])), (2, sibling.clone())], []),
            Reason::EmptyValue,
        ),
    ] {
        file.invalid(&["Shape", HOSTILE], comment, &forged(&[0x12], &[node]), reason);
    }
    let lower =
        branch(&[(2, leaf(&[], [7; 40]).reference()), (3, leaf(&[], [8; 40]).reference())], []);
    for (name, short) in
        [("leaf", leaf(&[2], [7; 40])), ("extension", extension(&[2], lower.reference()))]
    {
        let comment = format!("an extension that leads to a {name}");
        let input = forged(&[0x12], &[extension(&[1], short.reference()), short, lower.clone()]);
        file.invalid(&["Shape", HOSTILE], comment, &input, Reason::ExtensionChild);
    }
    let inline_branch = branch(&[(2, leaf(&[], [7])), (3, leaf(&[], [8]))], []);
    for (name, short) in [("leaf", leaf(&[2], [7])), ("extension", extension(&[2], inline_branch))]
    {
        for key in [&[0x12][..], &[0x92]] {
            let comment =
                format!("an extension that leads to a {name} inside it, key {}", Hex(key.into()));
            let input = forged(key, &[extension(&[1], short.clone())]);
            file.invalid(&["Shape", HOSTILE], comment, &input, Reason::ExtensionChild);
        }
    }
}

fn children(file: &mut Builder) {
    let sibling = leaf(&[7, 7], [9; 20]);
    for length in [1, 2, 31, 33, 55, 56, 64] {
        let child = string(vec![0xab; length]);
        for key in [&[0x12][..], &[0x92]] {
            let comment = format!("a child of {length} bytes in a branch, key {}", Hex(key.into()));
            let input = forged(key, &[branch(&[(1, child.clone()), (2, sibling.clone())], [])]);
            file.invalid(&["Child", HOSTILE], comment, &input, Reason::InvalidChild);
        }
        let comment = format!("a child of {length} bytes in an extension");
        let input = forged(&[0x12], &[extension(&[1], child)]);
        file.invalid(&["Child", HOSTILE], comment, &input, Reason::InvalidChild);
    }
    let empty = extension(&[1], string([]));
    file.invalid(
        &["Child", HOSTILE],
        "an extension to nothing",
        &forged(&[0x12], &[empty]),
        Reason::InvalidChild,
    );
    // With its path of one byte, a leaf has 3 bytes more than its value.
    for length in [29, 30, 40, 53, 60] {
        let long = leaf(&[2], vec![0xcd; length]);
        let size = long.encode().len();
        for key in [&[0x12][..], &[0x92]] {
            let comment =
                format!("a leaf of {size} bytes inside a branch, key {}", Hex(key.into()));
            let input = forged(key, &[branch(&[(1, long.clone()), (2, sibling.clone())], [])]);
            file.invalid(&["Child", HOSTILE], comment, &input, Reason::InvalidChild);
        }
    }
    let long = branch(&[(1, leaf(&[], [7; 9])), (2, leaf(&[], [8; 9]))], []);
    let comment = format!("a branch of {} bytes inside an extension", long.encode().len());
    let input = forged(&[0x11], &[extension(&[1], long)]);
    file.invalid(&["Child", HOSTILE], comment, &input, Reason::InvalidChild);
    for length in [1, 20, 27, 28] {
        let short = leaf(&[2], vec![0xcd; length]).encode();
        let hash = string(prooflight_core::keccak256(&[&short]));
        let comment = format!("a leaf of {} bytes, of which the branch has the hash", short.len());
        let node = branch(&[(1, hash), (2, sibling.clone())], []).encode();
        file.invalid(
            &["Child", HOSTILE],
            comment,
            &forged_bytes(&[0x12], vec![node, short]),
            Reason::ShortNode,
        );
    }
    let mut wrong = some_trie().input(PRESENT);
    let last = wrong.proof.len() - 1;
    wrong.proof[last].0[10] ^= 0x10;
    file.invalid(
        &["Child"],
        "one bit of the last node's value flipped",
        &wrong,
        Reason::NodeMismatch,
    );
}
