//! Proofs that are not the block's, and states that do not follow.

use prooflight_core::Reason;

use super::{followed, ledger, with_header, with_ops, with_proof};
use crate::carrier::Hex;
use crate::generate::anatomy::{Node, Proof};
use crate::generate::builder::Builder;
use crate::generate::chain::ledger::{Ledger, delete, set, set_root};
use crate::generate::chain::made::config;
use crate::state::BlockTransition;

pub(super) fn add(file: &mut Builder) {
    digests(file);
    others(file);
    strict(file);
    damaged(file);
    states(file);
    order(file);
}

fn digests(file: &mut Builder) {
    let ledger = ledger();
    let honest = ledger.transition(3);
    let mut refuse = |comment: &str, digest: &[u8], reason| {
        let input = BlockTransition { digest: Hex(digest.to_vec()), ..honest.clone() };
        file.invalid(&["Digest"], comment, &input, reason);
    };
    let digest = &honest.digest.0;
    refuse("no digest", &[], Reason::DigestLength);
    refuse("a digest without its height", &digest[..32], Reason::DigestLength);
    refuse("a digest of 34 bytes", &[&digest[..], &[0]].concat(), Reason::DigestLength);
    let root = Reason::RootMismatch;
    refuse("the digest after the block", &ledger.blocks[3].after.digest().0, root);
    refuse("the digest of a later block", &ledger.blocks[6].after.digest().0, root);
    let mut flipped = digest.clone();
    flipped[31] ^= 1;
    refuse("a digest with a bit flipped", &flipped, root);
    let mut higher = digest.clone();
    higher[32] += 1;
    refuse("a digest with a height 1 higher", &higher, Reason::HeightMismatch);
    let mut lower = digest.clone();
    lower[32] -= 1;
    refuse("a digest with a height 1 lower", &lower, Reason::HeightMismatch);
}

fn others(file: &mut Builder) {
    let ledger = ledger();
    let honest = ledger.transition(3);
    for of in [4, 5, 6] {
        let input = with_proof(&honest, ledger.blocks[of].proof.0.clone());
        let comment = format!("the proof of block {of} for block 3");
        file.refused(&["OtherProof"], comment, &input);
    }
    let input = with_proof(&honest, ledger.blocks[2].proof.0.clone());
    let comment = "the proof of the empty block before, which is the root's label";
    file.invalid(&["OtherProof"], comment, &input, Reason::NodeNotExpanded);
    let comment = "the proof of an answer about the block's keys";
    let keys: [&[u8]; 4] = [b"alice", b"bob", b"key 03", b"key 11"];
    file.refused(&["OtherProof"], comment, &with_proof(&honest, ledger.proof(2, &keys).0));
    let comment = "the proof of the same operations on the state after them";
    let mut later = ledger.blocks[3].after.clone();
    let again = later.apply(&super::batch_of(&honest.ops)).0.proof;
    file.invalid(&["OtherProof"], comment, &with_proof(&honest, again.0), Reason::RootMismatch);
    let empty = ledger.transition(2);
    let comment = "no operation, and the root's label of another state";
    let mut label = vec![3];
    label.extend(&ledger.blocks[3].after.digest().0[..32]);
    label.push(4);
    file.invalid(&["OtherProof"], comment, &with_proof(&empty, label), Reason::RootMismatch);
    let comment = "no operation, and the proof of some";
    let some = with_proof(&empty, honest.proof.0);
    file.refused(&["OtherProof"], comment, &some);
}

/// What compat mode tolerates.
fn strict(file: &mut Builder) {
    let ledger = ledger();
    let honest = ledger.transition(3);
    let mut refuse = |comment: &str, bytes: Vec<u8>, reason| {
        file.invalid(&["OtherProof"], comment, &with_proof(&honest, bytes), reason);
    };
    let longer = [&honest.proof.0[..], &[0]].concat();
    refuse("a byte after the proof", longer, Reason::DirectionsLeftOver);
    let mut padded = honest.proof.0.clone();
    *padded.last_mut().expect("directions") ^= 0x80;
    let proof = Proof::parse(&honest.proof.0, 32, None);
    refuse("an unused bit of the directions is set", padded, Reason::DirectionsPadding);
    let mut larger = ledger.blocks[3].ops.clone();
    larger.push(set("z", "1"));
    let more = ledger.blocks[2].after.prove(&super::batch_of(&larger)).0;
    let mut more = Proof::parse(&more.proof.0, 32, None);
    more.directions.clone_from(&proof.directions);
    refuse("the nodes of one more operation, too", more.bytes(), Reason::NodeNotVisited);
    let leaf = proof
        .root
        .expanded()
        .into_iter()
        .find(|way| matches!(proof.root.at(way), Node::Leaf { value, .. } if value == b"100"));
    let mut forged = proof.clone();
    match forged.root.at_mut(&leaf.expect("alice has 100")) {
        Node::Leaf { value, .. } => *value = b"1".to_vec(),
        other => unreachable!("{other:?}"),
    }
    refuse("another old value", forged.bytes(), Reason::RootMismatch);
}

/// A small state, so that every byte of its proof can be changed.
fn damaged(file: &mut Builder) {
    let blocks = vec![
        vec![set("a", "1"), set("b", "2"), set("c", "3")],
        vec![delete("a"), set("b", "4"), set("d", "5")],
    ];
    let honest = Ledger::new(config(1, 1), blocks).transition(1);
    let proof = &honest.proof.0;
    file.invalid(&["Truncated"], "an empty proof", &with_proof(&honest, vec![]), Reason::Truncated);
    for n in 1..proof.len() {
        let comment = format!("the first {n} of {} bytes of the proof", proof.len());
        file.refused(&["Truncated"], comment, &with_proof(&honest, proof[..n].to_vec()));
    }
    for at in 0..proof.len() {
        let mut flipped = proof.clone();
        let bit = at * 3 % 8;
        flipped[at] ^= 1 << bit;
        let comment = format!("bit {bit} of byte {at} of the proof flipped");
        file.refused(&["Mutated"], comment, &with_proof(&honest, flipped));
    }
}

/// Everything is right but the state that the header has.
fn states(file: &mut Builder) {
    let ledger = ledger();
    let honest = ledger.transition(3);
    let mut refuse = |comment: &str, root: &[u8]| {
        let input = with_header(&honest, |header| set_root(header, &Hex(root.to_vec())));
        file.invalid(&["State"], comment, &input, Reason::StateRootMismatch);
    };
    let root = ledger.blocks[3].after.digest().0;
    refuse("the state before the block", &honest.digest.0);
    refuse("the state of the next block", &ledger.blocks[4].after.digest().0);
    refuse("a state of zeros", &[0; 33]);
    for (what, at) in [("first byte", 0), ("last byte", 31), ("height", 32)] {
        let mut flipped = root.clone();
        flipped[at] ^= 1;
        refuse(&format!("the state with a bit of its {what} flipped"), &flipped);
    }
    let mut skipped = ledger.blocks[2].after.clone();
    skipped.apply(&super::batch_of(&[set("alice", "70"), set("bob", "80"), delete("key 03")]));
    refuse("the state without the last operation", &skipped.digest().0);
    let empty = ledger.transition(2);
    let input = with_header(&empty, |header| set_root(header, &Hex(root)));
    let comment = "a block without operations has another state";
    file.invalid(&["State"], comment, &input, Reason::StateRootMismatch);
    // The same keys and values in a tree that grew in another order.
    let before = &ledger.blocks[2].after;
    let keys = (0..20u8).map(|n| set([n], [n])).collect::<Vec<_>>();
    let input = followed(&honest, before, &keys);
    let mut other = before.clone();
    let mut batch = super::batch_of(&keys);
    batch.reverse();
    other.apply(&batch);
    let input = with_header(&input, |header| {
        assert_ne!(header.roots[0].1, other.digest().0, "the order matters");
        set_root(header, &other.digest());
    });
    let comment = "the state after the same operations in another order";
    file.invalid(&["State"], comment, &input, Reason::StateRootMismatch);
}

fn order(file: &mut Builder) {
    let ledger = ledger();
    let honest = ledger.transition(3);
    let mut refuse = |comment: &str, input: &BlockTransition, reason| {
        file.invalid(&["Order"], comment, input, reason);
    };
    let broken = with_proof(&honest, vec![0xff; 3]);
    let other = with_ops(&broken, &[set("alice", "1")]);
    refuse("other operations, and a broken proof", &other, Reason::OperationsMismatch);
    let unordered = with_ops(&broken, &[set("bob", "1"), set("alice", "1")]);
    let comment = "other operations in the wrong order, and a broken proof";
    refuse(comment, &unordered, Reason::InvalidBlock);
    let rootless = with_header(&broken, |header| header.roots.clear());
    refuse("a broken proof, and a header without a root", &rootless, Reason::MissingChild);
    let wrong = with_header(&broken, |header| set_root(header, &Hex(vec![0; 33])));
    refuse("a broken proof, and another state", &wrong, Reason::MissingChild);
    let none = BlockTransition { digest: Hex(vec![]), header: Hex(vec![]), ..honest.clone() };
    refuse("a digest that is none, and a header that is none", &none, Reason::DigestLength);
    let none = BlockTransition { header: Hex(vec![]), ..unordered };
    let comment = "a header that is none, and operations in the wrong order";
    refuse(comment, &none, Reason::InvalidEncoding);
}
