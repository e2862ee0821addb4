//! Present keys shown as absent, and absent ones as present.

use prooflight_core::Reason;

use crate::avl::{Batch, Op};
use crate::generate::anatomy::{Node, Proof, directions};
use crate::generate::builder::Builder;
use crate::generate::dictionary::{
    Dictionary, add as add_to, insert, insert_or_update, lookup, remove_if_exists, update,
};
use crate::generate::forge::{
    LEFT, compat, eight_keys, hostile_batch, whole_tree, with_ops, with_proof,
};

pub(super) fn add(file: &mut Builder) {
    other_leaves(file);
    no_leaves(file);
    exchanged(file);
}

/// Proofs in order but for one thing: the directions lead to another leaf, which is expanded.
fn other_leaves(file: &mut Builder) {
    let dictionary = eight_keys();
    let tree = whole_tree(&dictionary);
    let cases: [(&str, Op, u8); 14] = [
        ("the leaf before it, whose next key is the key", lookup([0x40]), 0x30),
        ("the leaf after it", lookup([0x40]), 0x50),
        ("the first leaf", lookup([0x40]), 0x01),
        ("the last leaf", lookup([0x40]), 0x80),
        ("the sentinel's leaf, whose next key is the key", lookup([0x10]), 0x01),
        ("the last leaf but one, whose next key is the key", lookup([0x80]), 0x70),
        ("the leaf before it", remove_if_exists([0x40]), 0x30),
        ("the leaf before it: a second leaf for the same key", insert([0x40], []), 0x30),
        ("the leaf before it: a second leaf for the same key", insert_or_update([0x40], []), 0x30),
        ("the leaf before it: a second leaf for the same key", add_to([0x40], 1), 0x30),
        ("the leaf after it, as if it were present", lookup([0x45]), 0x50),
        ("the leaf before the one that covers it", lookup([0x45]), 0x30),
        ("the leaf after it, as if it were present", update([0x45], []), 0x50),
        ("the last leaf, as if it were present", lookup([0x45]), 0x80),
    ];
    for (leaf, op, shown) in cases {
        let way = tree.way_to(&[shown]);
        let proof = Proof {
            root: tree.pruned(std::slice::from_ref(&way)),
            directions: directions(&way),
            value_length: None,
        };
        let batch = hostile_batch(&proof, 1, dictionary.digest().0[32], &[op]);
        assert_eq!(batch.digest, dictionary.digest(), "the digest is honest");
        let op = batch.ops[0].borrow();
        let state =
            if dictionary.keys().iter().any(|key| key == op.key()) { "present" } else { "absent" };
        let comment = format!("{} of a key that is {state}, shown by {leaf}", op.name());
        refuse_in_both_modes(file, &comment, &batch, Reason::KeyNotInLeaf);
    }
}

fn no_leaves(file: &mut Builder) {
    let dictionary = eight_keys();
    let honest = dictionary.prove(&[lookup([0x40])]).0;
    let label = with_ops(&dictionary.prove(&[]).0, &[lookup([0x40])]);
    let comment = "the proof of an empty batch: nothing but the root's label";
    refuse_in_both_modes(file, comment, &label, Reason::NodeNotExpanded);

    let empty = Dictionary::new(1, None).prove(&[lookup([0x40])]).0;
    let batch = with_proof(&honest, empty.proof.0);
    let comment = "the proof of an empty dictionary";
    file.invalid(&["Absence"], comment, &batch, Reason::HeightMismatch);
    let comment = "the proof of an empty dictionary, compat";
    file.invalid(&["Absence", "Compat"], comment, &compat(&batch), Reason::RootMismatch);

    let root = Node::leaf(&[0], &[], &[0xff]);
    let with_label = Node::internal(0, root, Node::Label([7; 32]));
    let proof = Proof { root: with_label, directions: directions(&[LEFT]), value_length: None };
    let batch = with_proof(&honest, proof.bytes());
    let comment = "an empty dictionary's leaf beside a label";
    file.invalid(&["Absence"], comment, &batch, Reason::HeightMismatch);
    let comment = format!("{comment}, compat");
    file.invalid(&["Absence", "Compat"], comment, &compat(&batch), Reason::RootMismatch);
}

/// Every node is needed, and every direction is used: only each key's own leaf is missed.
fn exchanged(file: &mut Builder) {
    let dictionary = eight_keys();
    let tree = whole_tree(&dictionary);
    let (a, b) = (tree.way_to(&[0x20]), tree.way_to(&[0x75]));
    let proof = Proof {
        root: tree.pruned(&[a.clone(), b.clone()]),
        directions: directions(&[b, a].concat()),
        value_length: None,
    };
    let ops = [lookup([0x20]), lookup([0x75])];
    let batch = hostile_batch(&proof, 1, dictionary.digest().0[32], &ops);
    let comment = "two Lookups, the directions of each for the other";
    refuse_in_both_modes(file, comment, &batch, Reason::KeyNotInLeaf);
}

fn refuse_in_both_modes(file: &mut Builder, comment: &str, batch: &Batch, reason: Reason) {
    file.invalid(&["Absence"], comment, batch, reason);
    let comment = format!("{comment}, compat");
    file.invalid(&["Absence", "Compat"], comment, &compat(batch), reason);
}
