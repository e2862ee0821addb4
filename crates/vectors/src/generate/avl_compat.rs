//! `avl/avl_compat.json`: what compat mode accepts and strict mode refuses.
//!
//! Each input comes twice. Where the tree is not one that an honest prover has, the answer of
//! compat mode is worked out by hand here, from the specification.

use prooflight_core::Reason;
use serde_json::{Value, json};

use super::anatomy::{Node, Proof, Side, assemble, directions};
use super::builder::{Builder, expected};
use super::dictionary::{Dictionary, insert, lookup, remove, remove_if_exists};
use super::forge::{
    LEFT, RIGHT, compat, eight_keys, hostile_batch, mixed_batch, spine, taken_apart, whole_tree,
    with_digest, with_ops, with_proof,
};
use crate::answer::Answer;
use crate::avl::{Batch, BatchMode, Op};
use crate::carrier::Hex;

const FLAGS: &[(&str, &str)] = &[
    ("Balance", "balances that are not those of the tree, with a digest that has them too"),
    ("Directions", "bytes or bits of directions that nothing reads"),
    ("Height", "the digest's height is not that of the tree; compat mode only adds to it"),
    ("NotVisited", "nodes expanded that no operation needs"),
    ("Shape", "a tree that is not balanced, with a digest that fits"),
];

/// The file's bytes.
pub(super) fn file() -> String {
    let mut file = Builder::new("avl", FLAGS);
    file.group("AvlBatch");
    unread_directions(&mut file);
    unvisited_nodes(&mut file);
    as_many_nodes_as_the_bound(&mut file);
    heights(&mut file);
    balances(&mut file);
    shapes(&mut file);
    file.finish()
}

fn both(
    file: &mut Builder,
    flag: &str,
    comment: &str,
    batch: &Batch,
    strict: Reason,
    answer: Answer,
) {
    file.invalid(&[flag], format!("{comment}, strict"), batch, strict);
    file.valid(&[flag], format!("{comment}, compat"), &compat(batch), answer);
}

fn unread_directions(file: &mut Builder) {
    let batch = mixed_batch();
    let answer = honest_answer();
    let proof = &batch.proof.0;
    let tails: [(&str, &[u8]); 4] = [
        ("a zero byte after the directions", &[0]),
        ("eight bytes ff after the directions", &[0xff; 8]),
        ("an end mark after the directions", &[4]),
        ("the whole proof twice", proof),
    ];
    for (comment, tail) in tails {
        let longer = with_proof(&batch, [proof, tail].concat());
        both(file, "Directions", comment, &longer, Reason::DirectionsLeftOver, answer.clone());
    }
    let (batch, answer) = eight_keys().prove(&[lookup([0x30])]);
    let honest = taken_apart(&batch);
    for bit in honest.way(0).len()..8 {
        let directions = [honest.directions[0] | 1 << bit];
        let padded = with_proof(&batch, assemble(&honest.tokens(), &directions));
        let comment = format!("padding bit {bit} is set");
        both(file, "Directions", &comment, &padded, Reason::DirectionsPadding, answer.clone());
    }
    let (batch, answer) = eight_keys().prove(&[]);
    let longer = with_proof(&batch, [&batch.proof.0[..], &[0]].concat());
    let comment = "a byte of directions for no operation";
    both(file, "Directions", comment, &longer, Reason::DirectionsLeftOver, answer);
}

/// The answer to `mixed_batch`.
fn honest_answer() -> Answer {
    let batch = mixed_batch();
    Dictionary::of_bytes([0x10, 0x20, 0x30, 0x40, 0x50]).prove(&batch.ops).1
}

fn unvisited_nodes(file: &mut Builder) {
    let dictionary = eight_keys();
    let tree = whole_tree(&dictionary);
    let height = dictionary.digest().0[32];
    let op = [remove_if_exists([0x05])];
    let answer = dictionary.prove(&op).1;
    let way = tree.way_to(&[0x05]);
    let cases = [
        ("the whole tree is expanded", tree.clone()),
        ("a second path is expanded", tree.pruned(&[way.clone(), tree.way_to(&[0x80])])),
        ("a neighbouring leaf is expanded", tree.pruned(&[way.clone(), tree.way_to(&[0x10])])),
    ];
    for (comment, root) in cases {
        let proof = Proof { root, directions: directions(&way), value_length: None };
        let batch = hostile_batch(&proof, 1, height, &op);
        assert_eq!(batch.digest, dictionary.digest(), "the digest is honest");
        let comment = format!("{comment} for a RemoveIfExists of an absent key");
        both(file, "NotVisited", &comment, &batch, Reason::NodeNotVisited, answer.clone());
    }
    let removal = dictionary.prove(&[remove([0x40])]).0;
    let reads = [lookup([0x40]), remove_if_exists([0x45])];
    let ways = [tree.way_to(&[0x40]), tree.way_to(&[0x45])].concat();
    let tokens = taken_apart(&removal).tokens();
    let batch = with_ops(&with_proof(&removal, assemble(&tokens, &directions(&ways))), &reads);
    let comment = "the nodes of a Remove for a Lookup";
    both(file, "NotVisited", comment, &batch, Reason::NodeNotVisited, dictionary.prove(&reads).1);

    // The tree of avl 13.
    let mut example = Dictionary::new(1, None);
    example.apply(&[insert([0x10], [0xaa]), insert([0x20], [0xbb, 0xbb])]);
    let (honest, answer) = example.prove(&[lookup([0x05])]);
    let tree = whole_tree(&example);
    let mut proof = taken_apart(&honest);
    let Node::Internal { balance, left, right } = tree.at(&[RIGHT]) else {
        panic!("two leaves have a parent")
    };
    let (left, right) = (left.collapsed().into(), right.collapsed().into());
    *proof.root.at_mut(&[RIGHT]) = Node::Internal { balance: *balance, left, right };
    let batch = with_proof(&honest, proof.bytes());
    let comment = "an internal node over two labels beside the way of a Lookup";
    both(file, "NotVisited", comment, &batch, Reason::NodeNotVisited, answer);

    let (empty, answer) = Dictionary::new(1, None).prove(&[]);
    let leaf =
        Proof { root: Node::leaf(&[0], &[], &[0xff]), directions: vec![], value_length: None };
    let batch = with_proof(&empty, leaf.bytes());
    let comment = "the only leaf is expanded for no operation";
    both(file, "NotVisited", comment, &batch, Reason::NodeNotVisited, answer);
}

/// For one operation under height 2, the bound of compat mode is 15 nodes: 2 × 5 + 3 + 1 + 1.
fn as_many_nodes_as_the_bound(file: &mut Builder) {
    let with_keys = |n: u8| {
        let dictionary = Dictionary::of_bytes((1..=n).map(|key| key << 4));
        let (mut batch, mut answer) = dictionary.prove(&[lookup([0x05])]);
        let tree = whole_tree(&dictionary);
        batch.proof = Hex(Proof { root: tree.clone(), ..taken_apart(&batch) }.bytes());
        batch.digest = Hex(tree.digest(2));
        answer["digest"] = Value::String(batch.digest.to_string());
        (batch, answer)
    };
    let (batch, answer) = with_keys(7);
    let comment = "15 nodes for a Lookup under height 2, as many as compat mode reads";
    both(file, "NotVisited", comment, &batch, Reason::TooManyNodes, answer);
    let (batch, _) = with_keys(8);
    let comment =
        "17 nodes for a Lookup under height 2, compat: a tree has no even number of nodes";
    file.invalid(&["NotVisited"], comment, &compat(&batch), Reason::TooManyNodes);
}

fn heights(file: &mut Builder) {
    let dictionary = eight_keys();
    let (batch, answer) = dictionary.prove(&[lookup([0x30])]);
    let height = batch.digest.0[32];
    for wrong in [height - 1, height + 1, 127, 128, 255] {
        let comment = format!("a Lookup, height {wrong} instead of {height}");
        with_height(file, &comment, &batch, answer.clone(), wrong, wrong);
    }
    let (batch, answer) = Dictionary::new(8, None).prove(&[insert([5; 8], [])]);
    for wrong in [1, 127, 254] {
        let comment = format!("the first key, height {wrong} instead of 0");
        with_height(file, &comment, &batch, answer.clone(), wrong, wrong + 1);
    }
    let (batch, answer) = Dictionary::of_bytes([0x20]).prove(&[remove([0x20])]);
    for wrong in [2, 255] {
        let comment = format!("the last key is removed, height {wrong} instead of 1");
        with_height(file, &comment, &batch, answer.clone(), wrong, wrong - 1);
    }
    let there_and_back = [remove([0x20]), insert([0x30], [])];
    let (batch, answer) = Dictionary::of_bytes([0x20]).prove(&there_and_back);
    let comment = "one key for another, height 0 instead of 1: it is -1 in between";
    with_height(file, comment, &batch, answer, 0, 0);
}

/// An honest batch whose digest has another height, before and after.
fn with_height(
    file: &mut Builder,
    comment: &str,
    batch: &Batch,
    mut answer: Answer,
    before: u8,
    after: u8,
) {
    let mut digest = batch.digest.0.clone();
    digest[32] = before;
    let digest_after = answer["digest"].as_str().expect("a digest")[..66].to_owned();
    answer["digest"] = Value::String(format!("{digest_after}{after:02x}"));
    let batch = with_digest(batch, digest);
    both(file, "Height", comment, &batch, Reason::HeightMismatch, answer);
}

fn balances(file: &mut Builder) {
    let leaf = |key: u8, next: u8| Node::leaf(&[key], &[], &[next]);
    let node = Node::internal;
    let pair = |a, b, c| node(0, leaf(a, b), leaf(b, c));
    let mut case =
        |comment: &str, tree: Node, way: &[Side], op: Op, after: Node, height: [u8; 2], strict| {
            let proof = Proof { root: tree, directions: directions(way), value_length: None };
            let batch = hostile_batch(&proof, 1, height[0], &[op]);
            let answer = json!({ "digest": Hex(after.digest(height[1])) });
            both(file, "Balance", comment, &batch, strict, expected(answer));
        };
    for balance in [5, -2, 127, -128] {
        let tree = node(balance, leaf(0, 0x20), Node::Label([7; 32]));
        let comment = format!("a Lookup under balance {balance}");
        case(&comment, tree.clone(), &[LEFT], lookup([0x10]), tree, [1, 1], Reason::InvalidBalance);
    }
    let tree = node(1, leaf(0, 0x20), leaf(0x20, 0xff));
    let op = [lookup([0x10])];
    case(
        "a Lookup under balance 1 where both sides are leaves",
        tree.pruned(&[vec![LEFT]]),
        &[LEFT],
        op[0].clone(),
        tree,
        [1, 1],
        Reason::HeightMismatch,
    );
    let tree = node(1, Node::Label([7; 32]), leaf(0x20, 0xff));
    case(
        "a Lookup under balance 1 at height 1: the label on the left would be at height -1",
        tree.clone(),
        &[RIGHT],
        lookup([0x30]),
        tree,
        [1, 1],
        Reason::HeightMismatch,
    );
    case(
        "an Insert on the left under balance 5, which becomes 4",
        node(5, leaf(0, 0x20), Node::Label([7; 32])),
        &[LEFT],
        insert([0x10], []),
        node(4, pair(0, 0x10, 0x20), Node::Label([7; 32])),
        [1, 1],
        Reason::InvalidBalance,
    );
    case(
        "an Insert on the right under balance -2, which becomes -1",
        node(-2, Node::Label([7; 32]), leaf(0x20, 0xff)),
        &[RIGHT],
        insert([0x30], []),
        node(-1, Node::Label([7; 32]), pair(0x20, 0x30, 0xff)),
        [2, 2],
        Reason::InvalidBalance,
    );
    case(
        "a Remove under balance -2, whose node goes with the leaf",
        node(-2, pair(0, 0x20, 0x40), leaf(0x40, 0xff)),
        &[RIGHT],
        remove([0x40]),
        pair(0, 0x20, 0xff),
        [2, 1],
        Reason::InvalidBalance,
    );
    case(
        "a Remove with a single rotation over balance 5",
        node(5, pair(0, 0x20, 0x40), node(5, leaf(0x40, 0x60), Node::Label([7; 32]))),
        &[LEFT, RIGHT],
        remove([0x20]),
        node(4, node(-4, leaf(0, 0x40), leaf(0x40, 0x60)), Node::Label([7; 32])),
        [3, 3],
        Reason::InvalidBalance,
    );
    case(
        "a Remove with a single rotation over balance -128",
        node(-2, node(-128, Node::Label([7; 32]), leaf(0x10, 0x20)), pair(0x20, 0x40, 0xff)),
        &[RIGHT, RIGHT],
        remove([0x40]),
        node(-127, Node::Label([7; 32]), node(127, leaf(0x10, 0x20), leaf(0x20, 0xff))),
        [3, 3],
        Reason::InvalidBalance,
    );
}

fn shapes(file: &mut Builder) {
    let directions_to_first = |levels| directions(&vec![LEFT; levels]);
    for (levels, height) in [(10, 10), (255, 255)] {
        let (tokens, root) = spine(LEFT, levels);
        let batch = Batch {
            key_length: 1,
            value_length: Some(0),
            digest: Hex([&root[..], &[height]].concat()),
            ops: vec![lookup([0x40])],
            proof: Hex(assemble(&tokens, &directions_to_first(levels))),
            mode: BatchMode::Strict,
            limits: None,
        };
        let answer = json!({
            "digest": batch.digest,
            "results": [null],
            "neighbours": [{ "previous": null, "next": "0x80" }],
        });
        let comment = format!("{levels} levels that all lean to the left, under height {height}");
        both(file, "Shape", &comment, &batch, Reason::HeightMismatch, expected(answer));
    }
}
