//! Proofs that show the right values, but are not what an honest prover makes.

use prooflight_core::Reason;
use prooflight_core::chain::Header;

use super::forged::whole_tree;
use super::{ledger, with_proof};
use crate::carrier::Hex;
use crate::generate::anatomy::{Node, Proof, Side};
use crate::generate::builder::Builder;
use crate::generate::chain::ledger::{Ledger, set_root};
use crate::generate::chain::made::{Chain, config, sign, sync};
use crate::generate::padded::{MOST, padded};
use crate::state::StateAnswer;

pub(super) fn add(file: &mut Builder) {
    bytes(file);
    too_long(file);
    other_digests(file);
}

fn bytes(file: &mut Builder) {
    let ledger = ledger();
    let answer = ledger.answer(6, 6, &[b"alice"]);
    let proof = Proof::parse(&answer.proof.0, 32, None);
    let mut refuse = |comment: &str, bytes: Vec<u8>, reason| {
        file.invalid(&["Strict"], comment, &with_proof(&answer, bytes), reason);
    };
    let longer = [&answer.proof.0[..], &[0]].concat();
    refuse("a byte after the proof", longer, Reason::DirectionsLeftOver);
    let mut padded = answer.proof.0.clone();
    *padded.last_mut().expect("directions") |= 0x80;
    assert_ne!(padded, answer.proof.0, "the last bit of the directions is not used");
    refuse("an unused bit of the directions is set", padded, Reason::DirectionsPadding);
    let mut balanced = proof.clone();
    match &mut balanced.root {
        Node::Internal { balance, .. } => *balance = 5,
        other => unreachable!("{other:?}"),
    }
    refuse("a balance of 5", balanced.bytes(), Reason::InvalidBalance);
    let (answer, expanded) = with_sibling(&ledger);
    let comment = "the leaf beside the key's, too, which no more nodes are needed for";
    let input = with_proof(&answer, expanded.bytes());
    file.invalid(&["Strict"], comment, &input, Reason::NodeNotVisited);
}

/// Sizes are looked at before anything else is.
fn too_long(file: &mut Builder) {
    let honest = ledger().answer(3, 6, &[b"alice"]);
    let mut refuse = |comment: &str, input: StateAnswer, reason| {
        file.invalid(&["Limit"], format!("{comment} with zeros after it"), &input, reason);
    };
    let proof = |length| StateAnswer { proof: padded(&honest.proof, length), ..honest.clone() };
    refuse("a proof of 8 MiB", proof(MOST), Reason::DirectionsLeftOver);
    refuse("a proof of more than 8 MiB", proof(MOST + 1), Reason::ProofTooLarge);
    let head = padded(&honest.head, MOST + 1);
    let input = StateAnswer { head, ..honest.clone() };
    refuse("a head of more than 8 MiB", input, Reason::ProofTooLarge);
    let header = honest.header.as_ref().expect("an older block");
    let of = |length| StateAnswer { header: Some(padded(header, length)), ..honest.clone() };
    refuse("a header of 8 MiB", of(MOST), Reason::TrailingBytes);
    refuse("a header of more than 8 MiB", of(MOST + 1), Reason::ProofTooLarge);
}

/// An answer about a key beside whose leaf there is another one, which the proof then expands.
fn with_sibling(ledger: &Ledger) -> (StateAnswer, Proof) {
    let tree = whole_tree(ledger);
    let keys = (0..20).map(|n| format!("key {n:02}")).find_map(|key| {
        let answer = ledger.answer(6, 6, &[key.as_bytes()]);
        let mut proof = Proof::parse(&answer.proof.0, 32, None);
        let mut way = proof.way(0);
        let last = way.pop().expect("a tree of more than one leaf");
        way.push(if last == Side::Left { Side::Right } else { Side::Left });
        let sibling = tree.at(&way);
        let is_leaf = matches!(sibling, Node::Leaf { .. });
        proof.root.at_mut(&way).clone_from(sibling);
        is_leaf.then_some((answer, proof))
    });
    keys.expect("most leaves have a leaf beside them")
}

/// Roots that the authorities signed, but that no honest dictionary has.
fn other_digests(file: &mut Builder) {
    let ledger = ledger();
    let honest = ledger.answer(6, 6, &[b"alice"]);
    let mut refuse = |comment: &str, change: &dyn Fn(&mut Vec<u8>), reason| {
        let mut digest = ledger.blocks[6].after.digest().0;
        change(&mut digest);
        let input = about(&ledger.chain, 6, &honest, |header| set_root(header, &Hex(digest)));
        file.invalid(&["Strict"], comment, &input, reason);
    };
    let height = Reason::HeightMismatch;
    refuse("a root with a height 1 higher", &|digest| digest[32] += 1, height);
    let nodes = Reason::TooManyNodes;
    refuse("a root with a height 1 lower", &|digest| digest[32] -= 1, nodes);
    refuse("a root with the height 255", &|digest| digest[32] = 255, height);
    refuse("a root with another label", &|digest| digest[0] ^= 1, Reason::RootMismatch);
    refuse("a root of zeros", &|digest| digest.fill(0), nodes);
    let mut digest = ledger.blocks[6].after.digest().0;
    digest.rotate_right(1);
    let input = about(&ledger.chain, 6, &honest, |header| set_root(header, &Hex(digest)));
    file.refused(&["Strict"], "a root with its height first", &input);
}

/// The same answer about a head that is changed and signed.
fn about(
    chain: &Chain,
    at: usize,
    honest: &StateAnswer,
    change: impl FnOnce(&mut Header),
) -> StateAnswer {
    assert_eq!(chain.config, config(1, 1), "one authority");
    let mut header = chain.headers[at].clone();
    change(&mut header);
    let sync = sync(&chain.checkpoint(0), &sign(&header, &[0]), &chain.path(0, at));
    StateAnswer { head: sync.head, ..honest.clone() }
}
