//! Trees that no honest prover has, most of them with a digest that fits.

use prooflight_core::Reason;

use crate::avl::{Batch, BatchMode, Op};
use crate::carrier::Hex;
use crate::generate::anatomy::{Node, Proof, Side, assemble, directions};
use crate::generate::builder::Builder;
use crate::generate::dictionary::{
    Dictionary, add as add_to, insert, lookup, remove, remove_if_exists,
};
use crate::generate::forge::{
    LEFT, RIGHT, compat, eight_keys, hostile_batch, spine, taken_apart, with_digest,
};

pub(super) fn add(file: &mut Builder) {
    balances(file);
    heights(file);
    nothing_to_delete(file);
    rotations(file);
    leaves(file);
    deep(file);
}

fn balances(file: &mut Builder) {
    let dictionary = eight_keys();
    let height = dictionary.digest().0[32];
    let mut all = dictionary.keys().into_iter().map(lookup).collect::<Vec<_>>();
    all.push(lookup([0x05]));
    let honest = taken_apart(&dictionary.prove(&all).0);
    let lowest = honest.way(0).into_iter().take(honest.way(0).len() - 1).collect::<Vec<_>>();
    for (place, way) in [("the root", &[][..]), ("a lowest internal node", &lowest)] {
        let Node::Internal { balance: right, .. } = honest.root.at(way) else {
            panic!("{place} is internal")
        };
        let right = i8::from_be_bytes([*right]);
        let with_balance = |wrong: i8| {
            let mut forged = honest.clone();
            if let Node::Internal { balance, .. } = forged.root.at_mut(way) {
                [*balance] = wrong.to_be_bytes();
            }
            hostile_batch(&forged, 1, height, &all)
        };
        // The bytes 02, 03 and 04 are no balances.
        for wrong in [-2, 5, 6, 127, -128] {
            let comment = format!("the balance of {place} is {wrong}, hostile digest");
            file.invalid(&["Balance"], comment, &with_balance(wrong), Reason::InvalidBalance);
        }
        for wrong in [-1, 0, 1] {
            if wrong != right {
                let forged = with_balance(wrong);
                let comment =
                    format!("the balance of {place} is {wrong}, not {right}, hostile digest");
                file.invalid(&["Balance"], &comment[..], &forged, Reason::HeightMismatch);
                let comment =
                    comment.replace(", hostile digest", ", and the digest is honest, compat");
                let honest = with_digest(&forged, dictionary.digest().0);
                let flags = ["Balance", "Compat"];
                file.invalid(&flags, comment, &compat(&honest), Reason::RootMismatch);
            }
        }
    }
}

fn heights(file: &mut Builder) {
    let dictionary = eight_keys();
    // Nine times, so that the bound of nodes does not stand in the way of the lowest heights.
    let batch = dictionary.prove(&vec![lookup([0x30]); 9]).0;
    let height = batch.digest.0[32];
    for wrong in [height - 1, height + 1, 0, 1, 127, 128, 255] {
        let mut digest = batch.digest.0.clone();
        digest[32] = wrong;
        let comment = format!("the digest says height {wrong}, the tree has {height}");
        let forged = with_digest(&batch, digest);
        file.invalid(&["Height", "HostileDigest"], comment, &forged, Reason::HeightMismatch);
    }
    let empty = Dictionary::new(1, None).prove(&[insert([0x20], [])]).0;
    let mut digest = empty.digest.0.clone();
    digest[32] = 255;
    let high = with_digest(&empty, digest);
    let comment = "an empty dictionary said to have height 255";
    file.invalid(&["Height", "HostileDigest"], comment, &high, Reason::HeightMismatch);
    let comment = "an empty dictionary said to have height 255 grows, compat";
    let flags = ["Height", "HostileDigest", "Compat"];
    file.invalid(&flags, comment, &compat(&high), Reason::HeightOverflow);

    let one = Dictionary::of_bytes([0x20]).prove(&[remove([0x20])]).0;
    let mut digest = one.digest.0.clone();
    digest[32] = 0;
    let comment = "a dictionary of one key said to have height 0 shrinks, compat";
    let low = with_digest(&one, digest);
    file.invalid(&flags, comment, &compat(&low), Reason::HeightOverflow);

    let mut tree = Node::leaf(&[0], &[], &[0xff]);
    for _ in 0..255 {
        tree = Node::internal(0, tree, Node::Label([7; 32]));
    }
    let directions = directions(&[LEFT; 255]);
    let proof = Proof { root: tree, directions, value_length: None };
    let batch = hostile_batch(&proof, 1, 255, &[insert([0x20], [])]);
    let comment = "a tree of height 255, all heights right, grows";
    file.invalid(&["Height", "HostileDigest"], comment, &batch, Reason::HeightOverflow);
    file.invalid(&flags, format!("{comment}, compat"), &compat(&batch), Reason::HeightOverflow);
}

fn nothing_to_delete(file: &mut Builder) {
    let long = 5i64.to_be_bytes();
    let leaf = Node::leaf(&[0x20], &long, &[0xff]);
    let ops = [remove([0x20]), remove_if_exists([0x20]), add_to([0x20], -5)];
    for op in ops {
        let proof = Proof { root: leaf.clone(), directions: vec![], value_length: None };
        let batch = hostile_batch(&proof, 1, 0, &[op]);
        let name = batch.ops[0].borrow().name();
        let comment = format!("{name} of the only leaf, which a digest says is a key");
        refuse_in_both_modes(file, &comment, &batch, Reason::TreeShape);
    }
    let proof = Proof {
        root: Node::internal(
            0,
            Node::leaf(&[0x20], &long, &[0x40]),
            Node::leaf(&[0x40], &[], &[0xff]),
        ),
        directions: directions(&[LEFT]),
        value_length: None,
    };
    let batch = hostile_batch(&proof, 1, 1, &[remove([0x20])]);
    let comment = "Remove of the leftmost leaf, which should be the sentinel's";
    refuse_in_both_modes(file, comment, &batch, Reason::TreeShape);
}

fn rotations(file: &mut Builder) {
    let label = || Node::Label([7; 32]);
    let leaf = |key: u8, next: u8| Node::leaf(&[key], &[], &[next]);
    let pair = |a, b, c| Node::internal(0, leaf(a, b), leaf(b, c)).into();
    let tree = |balance, left: Box<Node>, right: Box<Node>| Node::internal(balance, *left, *right);
    let mut refuse = |comment: &str, root, height, way: &[Side], op: Op, strict, compat_reason| {
        let proof = Proof { root, directions: directions(way), value_length: None };
        let batch = hostile_batch(&proof, 1, height, &[op]);
        file.invalid(&["HostileDigest"], comment, &batch, strict);
        let comment = format!("{comment}, compat");
        file.invalid(&["HostileDigest", "Compat"], comment, &compat(&batch), compat_reason);
    };
    refuse(
        "Remove on the right, and the left sibling that should be higher is a leaf",
        tree(-1, leaf(0, 0x20).into(), pair(0x20, 0x40, 0xff)),
        2,
        &[RIGHT, RIGHT],
        remove([0x40]),
        Reason::HeightMismatch,
        Reason::TreeShape,
    );
    refuse(
        "Remove on the left, and the right sibling that should be higher is a leaf",
        tree(1, pair(0, 0x20, 0x40), leaf(0x40, 0xff).into()),
        2,
        &[LEFT, RIGHT],
        remove([0x20]),
        Reason::HeightMismatch,
        Reason::TreeShape,
    );
    refuse(
        "Remove on the left, and the right sibling that should be higher is a label",
        tree(1, pair(0, 0x20, 0x40), label().into()),
        3,
        &[LEFT, RIGHT],
        remove([0x20]),
        Reason::NodeNotExpanded,
        Reason::NodeNotExpanded,
    );
    refuse(
        "Remove, and the grandchild of a double rotation is a label",
        tree(1, pair(0, 0x20, 0x40), Node::internal(-1, label(), label()).into()),
        3,
        &[LEFT, RIGHT],
        remove([0x20]),
        Reason::NodeNotExpanded,
        Reason::NodeNotExpanded,
    );
    refuse(
        "Remove, and the grandchild of a double rotation is a leaf",
        tree(1, pair(0, 0x20, 0x40), Node::internal(-1, leaf(0x40, 0xff), label()).into()),
        3,
        &[LEFT, RIGHT],
        remove([0x20]),
        Reason::HeightMismatch,
        Reason::TreeShape,
    );
    refuse(
        "Remove, and the grandchild of a double rotation has balance -2",
        tree(
            1,
            pair(0, 0x20, 0x40),
            Node::internal(-1, Node::internal(-2, label(), label()), label()).into(),
        ),
        3,
        &[LEFT, RIGHT],
        remove([0x20]),
        Reason::InvalidBalance,
        Reason::TreeShape,
    );
    refuse(
        "Insert under a node that is higher on the left, where it has a leaf",
        tree(-1, leaf(0, 0x20).into(), label().into()),
        2,
        &[LEFT],
        insert([0x10], []),
        Reason::HeightMismatch,
        Reason::TreeShape,
    );
    refuse(
        "Insert under a node that is higher on the right, where it has a leaf",
        tree(1, label().into(), leaf(0x20, 0xff).into()),
        2,
        &[RIGHT],
        insert([0x30], []),
        Reason::HeightMismatch,
        Reason::TreeShape,
    );
    refuse(
        "Remove where the left subtree, whose last leaf is needed, ends in a label",
        tree(0, Node::internal(0, leaf(0, 0x20), label()).into(), pair(0x40, 0x60, 0xff)),
        2,
        &[RIGHT, LEFT],
        remove([0x40]),
        Reason::NodeNotExpanded,
        Reason::NodeNotExpanded,
    );
}

fn leaves(file: &mut Builder) {
    let cases = [
        ("a next key below the key, and the key asked for is between", 0x40, 0x20, 0x30),
        ("a next key below the key, and the key asked for is above both", 0x40, 0x20, 0x50),
        ("a next key equal to the key, and the key asked for is above", 0x40, 0x40, 0x50),
        ("the sentinel ff as its key", 0xff, 0xff, 0x50),
    ];
    for (comment, key, next, asked) in cases {
        let root = Node::leaf(&[key], &[], &[next]);
        let proof = Proof { root, directions: vec![], value_length: None };
        let batch = hostile_batch(&proof, 1, 0, &[lookup([asked])]);
        let comment = format!("a leaf with {comment}");
        refuse_in_both_modes(file, &comment, &batch, Reason::KeyNotInLeaf);
    }
}

fn refuse_in_both_modes(file: &mut Builder, comment: &str, batch: &Batch, reason: Reason) {
    file.invalid(&["HostileDigest"], comment, batch, reason);
    let comment = format!("{comment}, compat");
    file.invalid(&["HostileDigest", "Compat"], comment, &compat(batch), reason);
}

/// Trees of 17,000 levels in 51 kB, with a digest that fits as far as a byte of height can.
fn deep(file: &mut Builder) {
    const LEVELS: usize = 17_000;
    // Enough operations that the bound of nodes does not stand in the way.
    let ops = vec![lookup([0x40]); 70];
    let batch = |(tokens, root): (Vec<Vec<u8>>, [u8; 32]), side, levels: usize, ops: &[Op]| Batch {
        key_length: 1,
        value_length: Some(0),
        digest: Hex([&root[..], &[255]].concat()),
        ops: ops.to_vec(),
        proof: Hex(assemble(&tokens, &directions(&vec![side; levels]))),
        mode: BatchMode::Strict,
        limits: None,
    };
    let left = batch(spine(LEFT, LEVELS), LEFT, LEVELS, &ops);
    let right = batch(spine(RIGHT, LEVELS), RIGHT, LEVELS, &ops);
    let flags = ["Deep", "HostileDigest"];
    let comment = "17,000 internal nodes, each the left child of the next";
    file.invalid(&flags, comment, &left, Reason::HeightMismatch);
    let comment = "17,000 internal nodes, each the right child of the one before";
    file.invalid(&flags, comment, &right, Reason::HeightMismatch);
    let compat_flags = ["Deep", "HostileDigest", "Compat"];
    let comment = "17,000 internal nodes, each the right child of the one before, compat";
    file.invalid(&compat_flags, comment, &compat(&right), Reason::HeightMismatch);

    let high = batch(spine(LEFT, 256), LEFT, 256, &[lookup([0x40]), lookup([0x40])]);
    let comment = "256 levels, one more than a digest can say";
    file.invalid(&flags, comment, &high, Reason::HeightMismatch);
    file.invalid(
        &compat_flags,
        format!("{comment}, compat"),
        &compat(&high),
        Reason::HeightMismatch,
    );

    let many = batch(spine(RIGHT, 600), RIGHT, 600, &[lookup([0x40])]);
    let comment = "600 levels for one Lookup";
    file.invalid(&["TooManyNodes"], comment, &many, Reason::TooManyNodes);
}
