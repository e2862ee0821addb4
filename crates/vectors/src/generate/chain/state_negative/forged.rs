//! Proofs that say something else of the state than its root does.

use prooflight_core::Reason;
use prooflight_core::chain::state_key;

use super::{ledger, with_keys, with_proof};
use crate::generate::anatomy::{Node, Proof, Way, directions};
use crate::generate::builder::Builder;
use crate::generate::chain::ledger::{Ledger, set};
use crate::generate::chain::made::config;
use crate::generate::dictionary::lookup;
use crate::state::StateAnswer;

pub(super) fn add(file: &mut Builder) {
    values(file);
    absence(file);
    no_tree(file);
    damaged(file);
}

/// An honest answer about one key at the head, and its proof taken apart.
fn honest(key: &str) -> (StateAnswer, Proof) {
    let answer = ledger().answer(6, 6, &[key.as_bytes()]);
    let proof = Proof::parse(&answer.proof.0, 32, None);
    (answer, proof)
}

/// The same proof with the leaf changed that the directions lead to.
fn with_leaf(
    proof: &Proof,
    change: impl FnOnce(&mut Vec<u8>, &mut Vec<u8>, &mut Vec<u8>),
) -> Proof {
    let mut proof = proof.clone();
    let way = proof.way(0);
    match proof.root.at_mut(&way) {
        Node::Leaf { key, value, next } => change(key, value, next),
        other => unreachable!("{other:?}"),
    }
    proof
}

fn values(file: &mut Builder) {
    let (answer, proof) = honest("alice");
    let mut refuse = |comment: &str, value: &[u8]| {
        let forged = with_leaf(&proof, |_, old, _| *old = value.to_vec());
        let input = with_proof(&answer, forged.bytes());
        file.invalid(&["Forged"], comment, &input, Reason::RootMismatch);
    };
    refuse("another value", b"2");
    refuse("an empty value", b"");
    refuse("the value and a zero byte", b"1\0");
    refuse("a zero byte and the value", b"\x001");
    refuse("the value that the key had at block 0", b"100");
    refuse("the value of another key", b"changed");
    let (answer, proof) = honest("empty");
    let forged = with_leaf(&proof, |_, value, _| value.push(0));
    let comment = "a zero byte as the value of a key whose value is empty";
    let input = with_proof(&answer, forged.bytes());
    file.invalid(&["Forged"], comment, &input, Reason::RootMismatch);
}

/// The whole tree of the head's state, with the sentinel's leaf.
pub(super) fn whole_tree(ledger: &Ledger) -> Node {
    let state = &ledger.blocks[6].after;
    let mut keys = state.keys();
    let mut first = vec![0; 32];
    first[31] = 1;
    keys.insert(0, first);
    let lookups = keys.into_iter().map(lookup).collect::<Vec<_>>();
    Proof::parse(&state.prove(&lookups).0.proof.0, 32, None).root
}

/// A proof that leads to one leaf of a tree.
fn leading(tree: &Node, way: &Way) -> Proof {
    Proof {
        root: tree.pruned(std::slice::from_ref(way)),
        directions: directions(way),
        value_length: None,
    }
}

fn absence(file: &mut Builder) {
    let ledger = ledger();
    let tree = whole_tree(&ledger);
    let state = &ledger.blocks[6].after;
    let hashes = state.keys();
    for (key, present) in [("alice", true), ("bob", false), ("", true), ("key 12", true)] {
        let hash = state_key(key.as_bytes()).to_vec();
        let place = hashes.partition_point(|other| *other < hash);
        let answer = ledger.answer(6, 6, &[key.as_bytes()]);
        let found = if present { "present" } else { "absent" };
        let mut refuse = |leaf: &str, shown: Option<&Vec<u8>>| {
            let Some(shown) = shown else { return };
            let input = with_proof(&answer, leading(&tree, &tree.way_to(shown)).bytes());
            let comment = format!("{key:?}, which is {found}, shown by {leaf}");
            file.invalid(&["Absence"], comment, &input, Reason::KeyNotInLeaf);
        };
        let before = place - usize::from(!present);
        refuse("the leaf before", before.checked_sub(1).and_then(|at| hashes.get(at)));
        refuse("the leaf after", hashes.get(place + usize::from(present)));
        refuse("the sentinel's leaf", Some(&vec![0; 32]).filter(|_| place > 1));
        refuse("the last leaf", hashes.last().filter(|_| place + 1 < hashes.len()));
    }
    let (answer, proof) = honest("alice");
    let forged = with_leaf(&proof, |key, _, _| key.fill(0));
    let comment = "a present key's leaf with the sentinel as its key, which covers the key";
    let input = with_proof(&answer, forged.bytes());
    file.invalid(&["Absence"], comment, &input, Reason::RootMismatch);
    let (answer, proof) = honest("bob");
    let hash = state_key(b"bob");
    let forged = with_leaf(&proof, |key, value, _| {
        *key = hash.to_vec();
        *value = b"50".to_vec();
    });
    let comment = "an absent key as the key of the leaf that covers it";
    let input = with_proof(&answer, forged.bytes());
    file.invalid(&["Absence"], comment, &input, Reason::RootMismatch);
}

fn no_tree(file: &mut Builder) {
    let (answer, proof) = honest("alice");
    let label = Proof { root: proof.root.collapsed(), directions: vec![], ..proof.clone() };
    let comment = "nothing but the root's label";
    let input = with_proof(&answer, label.bytes());
    file.invalid(&["Absence"], comment, &input, Reason::NodeNotExpanded);
    let mut hidden = proof.clone();
    let way = proof.way(0);
    *hidden.root.at_mut(&way) = proof.root.at(&way).collapsed();
    let comment = "the key's leaf is only a label";
    let input = with_proof(&answer, hidden.bytes());
    file.invalid(&["Absence"], comment, &input, Reason::NodeNotExpanded);
    let empty = Ledger::new(config(1, 1), vec![vec![]]).proof(0, &[b"alice"]);
    let comment = "the proof of an empty state";
    file.invalid(&["Absence"], comment, &with_proof(&answer, empty.0), Reason::HeightMismatch);
    let other = Ledger::new(config(1, 1), vec![vec![set("alice", "1")]]).proof(0, &[b"alice"]);
    let comment = "the proof of another state, in which the key has the value";
    file.invalid(&["Forged"], comment, &with_proof(&answer, other.0), Reason::HeightMismatch);
    let nothing = with_proof(&answer, vec![]);
    file.invalid(&["Truncated"], "an empty proof", &nothing, Reason::Truncated);
    let nothing = with_keys(&nothing, &[]);
    let comment = "an empty proof for no keys";
    file.invalid(&["Truncated"], comment, &nothing, Reason::Truncated);
    let comment = "no key, and the root's label of another block";
    let stale = with_keys(&with_proof(&answer, ledger().proof(5, &[]).0), &[]);
    file.invalid(&["OtherBlock"], comment, &stale, Reason::RootMismatch);
}

/// A small state, so that every byte of its proof can be changed.
fn damaged(file: &mut Builder) {
    let blocks = vec![vec![set("a", "1"), set("b", "2"), set("c", "3")]];
    let answer = Ledger::new(config(1, 1), blocks).answer(0, 0, &[b"b"]);
    let proof = &answer.proof.0;
    for n in 1..proof.len() {
        let comment = format!("the first {n} of {} bytes of the proof", proof.len());
        file.refused(&["Truncated"], comment, &with_proof(&answer, proof[..n].to_vec()));
    }
    for at in 0..proof.len() {
        let mut flipped = proof.clone();
        let bit = at * 3 % 8;
        flipped[at] ^= 1 << bit;
        let comment = format!("bit {bit} of byte {at} of the proof flipped");
        file.refused(&["Mutated"], comment, &with_proof(&answer, flipped));
    }
}
