//! Branches, their labels, tags and counts.

use prooflight_core::Reason;
use prooflight_testkit::amb::proof::ProofNode;
use prooflight_testkit::amb::state::AmbModel;
use prooflight_testkit::amb::tree::NodeRecord;

use super::record;
use crate::generate::amb::lies::{AmbLies, COUNT_LIMIT, node};
use crate::generate::amb::{get, nested};

pub(super) fn branches(lies: &mut AmbLies<'_>) {
    let query = get(&["aa"], 5);
    let comment = "the child that the key leads to is closed";
    lies.changed(comment, &query, Reason::NodeNotExpanded, |proof, state| {
        *proof.on_path(b"aa", 2) = ProofNode::closed(&record(state, b"aa", 2), 5, true);
    });
    let all = lies.honest(&get(&["aa", "ab", "c", "e", "m"], 5)).root;
    lies.misread("a child opened that no key leads to", &query, |proof, _| {
        let ProofNode::Branch { children, .. } = &all else { panic!("a branch") };
        children_of(&mut proof.root)[1] = children[1].clone();
    });
    let comment = "a branch at depth 2,304";
    lies.changed(comment, &query, Reason::DepthOutOfRange, |proof, _| {
        *tag_of(&mut proof.root) = 2306;
    });
    let comment = "the unused bits of a label's last byte are not zero";
    lies.changed(comment, &query, Reason::InvalidEncoding, |proof, _| {
        *label_of(&mut proof.root).last_mut().expect("a label") |= 1;
    });
    let comment = "a label whose bits differ from the way to it";
    lies.changed(comment, &query, Reason::LabelOffPath, |proof, _| {
        label_of(proof.on_path(b"aa", 3))[0] ^= 0x40;
    });
    let comment = "a label with other bits, so that the key would be absent";
    lies.changed(comment, &query, Reason::RootMismatch, |proof, state| {
        label_of(&mut proof.root)[0] ^= 0x10;
        close_children(&mut proof.root, state);
    });
    let comment = "a branch one bit deeper, so that the key turns off before it";
    let right = get(&["kaa1"], 5);
    lies.changed(comment, &right, Reason::RootMismatch, |proof, state| {
        *tag_of(&mut proof.root) += 1;
        close_children(&mut proof.root, state);
    });
    lies.misread("the two children exchanged", &query, |proof, _| {
        children_of(&mut proof.root).reverse();
    });
    lies.state = nested();
    let comment = "a branch where the way says that the key has ended";
    let query = get(&["k"], 0);
    lies.changed(comment, &query, Reason::LabelOffPath, |proof, _| {
        let leaf = proof.on_path(b"k", 2).clone();
        let children = Box::new([
            leaf,
            ProofNode::closed(&NodeRecord { live: 1, ..NodeRecord::EMPTY }, 0, false),
        ]);
        *proof.on_path(b"k", 2) = ProofNode::Branch { tag: 2, label: vec![], children };
    });
}

pub(super) fn counts(lies: &mut AmbLies<'_>) {
    let query = get(&["aa"], 5);
    // The right child of the root: three live entries, the newest of block 4.
    for (comment, reason, change) in [
        (
            "a closed child without entries",
            Reason::InvalidEncoding,
            &|live: &mut u64, _: &mut u64, _: &mut u64| *live = 0,
        ),
        ("a closed child with one live entry more", Reason::RootMismatch, &|live, _, _| *live += 1),
        (
            "a closed child whose live entry is called dead",
            Reason::RootMismatch,
            &|live, dead, _| {
                *live -= 1;
                *dead += 1;
            },
        ),
        ("a closed child with a lower version", Reason::RootMismatch, &|_, _, age| *age += 1),
        ("a closed child with 2^56 entries", Reason::CountOutOfRange, &|live, dead, _| {
            *live = COUNT_LIMIT - 1;
            *dead = 1;
        }),
        (
            "a branch whose children add up to 2^56 entries",
            Reason::CountOutOfRange,
            &|live, _, _| *live = COUNT_LIMIT - 1,
        ),
        ("an age of a closed child above R", Reason::VersionOutOfRange, &|_, _, age| *age = 6),
    ]
        as [(&str, Reason, &dyn Fn(&mut u64, &mut u64, &mut u64)); 7]
    {
        lies.changed(comment, &query, reason, |proof, _| {
            let ProofNode::Closed { live, dead, age, .. } = &mut children_of(&mut proof.root)[1]
            else {
                panic!("closed")
            };
            change(live, dead, age);
        });
    }
    lies.state = AmbModel::after([&[("", Some("1")), ("a", Some("2"))]]);
    let comment = "a closed child without entries, one bit below the root";
    lies.changed(comment, &get(&[""], 0), Reason::InvalidEncoding, |proof, _| {
        children_of(&mut proof.root)[1] = ProofNode::closed(&NodeRecord::EMPTY, 0, false);
    });
}

fn children_of(part: &mut ProofNode) -> &mut [ProofNode; 2] {
    match part {
        ProofNode::Branch { children, .. } => children,
        other => panic!("{other:?}"),
    }
}

fn tag_of(part: &mut ProofNode) -> &mut u64 {
    match part {
        ProofNode::Branch { tag, .. } => tag,
        other => panic!("{other:?}"),
    }
}

fn label_of(part: &mut ProofNode) -> &mut Vec<u8> {
    match part {
        ProofNode::Branch { label, .. } => label,
        other => panic!("{other:?}"),
    }
}

/// Closes both children of the root, as nodes to which no key leads.
fn close_children(root: &mut ProofNode, state: &AmbModel) {
    let tree = state.tree().expect("a tree");
    for (child, key) in children_of(root).iter_mut().zip([&b"aa"[..], b"m"]) {
        *child = ProofNode::closed(&node(&tree, key, 1).record, state.height, false);
    }
}
