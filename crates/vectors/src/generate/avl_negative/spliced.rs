//! Parts of one tree in another, and values that are the labels of nodes.

use prooflight_core::Reason;

use crate::avl::Batch;
use crate::generate::anatomy::Node;
use crate::generate::builder::Builder;
use crate::generate::dictionary::{Dictionary, lookup, update};
use crate::generate::forge::{
    LEFT, RIGHT, compat, eight_keys, taken_apart, whole_tree, with_digest, with_proof,
};

pub(super) fn add(file: &mut Builder) {
    older_parts(file);
    same_children(file);
    empty_digest(file);
    labels_as_values(file);
}

fn in_both_modes(file: &mut Builder, flag: &str, comment: &str, batch: &Batch, reason: Reason) {
    file.invalid(&[flag], comment, batch, reason);
    file.invalid(&[flag, "Compat"], format!("{comment}, compat"), &compat(batch), reason);
}

/// The newest upper nodes over older ones, from every level on.
fn older_parts(file: &mut Builder) {
    let mut dictionary = eight_keys();
    let older = taken_apart(&dictionary.prove(&[lookup([0x40])]).0);
    dictionary.apply(&[update([0x40], [0x41])]);
    let batch = dictionary.prove(&[lookup([0x40])]).0;
    let newer = taken_apart(&batch);
    let way = newer.way(0);
    for level in 1..=way.len() {
        let mut spliced = newer.clone();
        *spliced.root.at_mut(&way[..level]) = older.root.at(&way[..level]).clone();
        let forged = with_proof(&batch, spliced.bytes());
        let comment = format!("from level {level} on the tree from before the key changed");
        in_both_modes(file, "Spliced", &comment, &forged, Reason::RootMismatch);
    }
}

/// The label beside a node on the way is the node's own.
fn same_children(file: &mut Builder) {
    let batch = eight_keys().prove(&[lookup([0x40])]).0;
    let proof = taken_apart(&batch);
    let way = proof.way(0);
    for level in 1..=way.len() {
        let mut same = proof.clone();
        let (parent, side) = (&way[..level - 1], way[level - 1]);
        let other = if side == LEFT { RIGHT } else { LEFT };
        let label = proof.root.at(&way[..level]).collapsed();
        *same.root.at_mut(&[parent, &[other]].concat()) = label;
        let forged = with_proof(&batch, same.bytes());
        let comment = format!("the label at level {level} is that of the node beside it");
        in_both_modes(file, "Spliced", &comment, &forged, Reason::RootMismatch);
    }
}

/// Honest proofs of a dictionary with keys, under the digest of the one without.
fn empty_digest(file: &mut Builder) {
    let empty = Dictionary::new(1, None).digest().0;
    for (what, key) in [("a present", 0x40), ("an absent", 0x45)] {
        let batch = eight_keys().prove(&[lookup([key])]).0;
        let forged = with_digest(&batch, empty.clone());
        let comment = format!("the proof of {what} key under the digest of the empty dictionary");
        file.refused(&["Digest"], &comment[..], &forged);
        file.refused(&["Digest", "Compat"], format!("{comment}, compat"), &compat(&forged));
    }
}

/// A key's value is one label or two, and its leaf is passed off as a node over them, or as what they stand for.
fn labels_as_values(file: &mut Builder) {
    let Node::Internal { left, right, .. } = whole_tree(&eight_keys()) else { panic!("internal") };
    let two = [left.label(), right.label()].concat();
    let node = Node::internal(0, left.collapsed(), right.collapsed());
    for (what, value, shown) in [
        ("two labels, as the node over them", &two[..], node),
        ("a label, as what has the label", &two[..32], left.collapsed()),
    ] {
        let mut dictionary = eight_keys();
        dictionary.apply(&[update([0x40], value)]);
        let batch = dictionary.prove(&[lookup([0x40])]).0;
        let mut proof = taken_apart(&batch);
        let way = proof.way(0);
        *proof.root.at_mut(&way) = shown;
        let forged = with_proof(&batch, proof.bytes());
        let comment = format!("a leaf whose value is {what}");
        file.refused(&["TypeConfusion"], &comment[..], &forged);
        file.refused(&["TypeConfusion", "Compat"], format!("{comment}, compat"), &compat(&forged));
    }
}
