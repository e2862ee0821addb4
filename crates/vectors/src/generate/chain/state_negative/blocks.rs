//! Right proofs of other blocks, and headers that are not in the head's history.

use prooflight_core::chain::{Blake2bTree, Header, SchemeConfig};
use prooflight_core::merkle;
use prooflight_core::{Hash, Reason, Scheme};

use super::{ledger, with_keys, with_proof};
use crate::carrier::Hex;
use crate::generate::builder::Builder;
use crate::generate::chain::ledger::{Ledger, set, set_root, seven_blocks, with_header};
use crate::generate::chain::made::{Chain, config, config_of_all_schemes};
use crate::state::StateAnswer;

pub(super) fn add(file: &mut Builder) {
    other_blocks(file);
    placed(file);
    forks(file);
    encodings(file);
    no_root(file);
    order(file);
}

const KEYS: [&[u8]; 2] = [b"alice", b"bob"];

fn other_blocks(file: &mut Builder) {
    let ledger = ledger();
    for (at, of) in [(6, 5), (6, 4), (6, 3), (5, 6), (3, 4), (3, 2), (4, 3), (1, 3)] {
        let input = with_proof(&ledger.answer(at, 6, &KEYS), ledger.proof(of, &KEYS).0);
        let comment = format!("the proof of block {of} for block {at}");
        file.invalid(&["OtherBlock"], comment, &input, Reason::RootMismatch);
    }
    let input = with_proof(&ledger.answer(0, 6, &KEYS), ledger.proof(6, &KEYS).0);
    let comment = "the proof of block 6 for block 0, whose tree is lower";
    file.refused(&["OtherBlock"], comment, &input);
    let input = with_proof(&ledger.answer(6, 6, &KEYS), ledger.proof(0, &KEYS).0);
    let comment = "the proof of block 0 for block 6, whose tree is higher";
    file.refused(&["OtherBlock"], comment, &input);
    let input = with_proof(&ledger.answer(5, 6, &KEYS), ledger.blocks[5].proof.0.clone());
    file.refused(&["OtherBlock"], "the block's transition as the proof of an answer", &input);
    let other = Ledger::new(config(1, 1), seven_blocks()[..5].to_vec());
    let input = with_proof(&ledger.answer(6, 6, &KEYS), other.proof(4, &KEYS).0);
    let comment = "the proof of the newest block of a server that is behind";
    file.invalid(&["OtherBlock"], comment, &input, Reason::RootMismatch);
}

/// Headers at places in the history where they are not.
fn placed(file: &mut Builder) {
    let ledger = ledger();
    let Ledger { chain, .. } = &ledger;
    let old = |at: usize| chain.headers[at].clone();
    let stale = ledger.answer_from(0, 6, &ledger.proof(3, &KEYS), &KEYS);
    let fresh = ledger.answer_from(0, 6, &ledger.proof(6, &KEYS), &KEYS);
    let root_of = |mut header: Header, of: usize| {
        set_root(&mut header, &ledger.blocks[of].after.digest());
        header
    };
    let at_height = |height: u64, header: Header| Header { height, ..header };
    let path = || chain.path(3, 6);
    let cases: [(&str, &StateAnswer, Header, Vec<Hash>); 17] = [
        ("an older block in the head's place: no path", &stale, old(3), vec![]),
        ("an older block with the head's height", &stale, at_height(6, old(3)), vec![]),
        (
            "an older block with the head's height, and its path",
            &stale,
            at_height(6, old(3)),
            path(),
        ),
        ("the head's header with an older root", &stale, root_of(old(6), 3), vec![]),
        ("an older header with the root of a newer block", &fresh, root_of(old(3), 6), path()),
        (
            "an older header with another timestamp",
            &stale,
            Header { timestamp_ms: 1, ..old(3) },
            path(),
        ),
        (
            "an older header with other operations",
            &stale,
            Header { ops_root: [6; 32], ..old(3) },
            path(),
        ),
        ("the path of the block before", &stale, old(3), chain.path(2, 6)),
        ("the path of the block after", &stale, old(3), chain.path(4, 6)),
        ("the path in the history of the head before", &stale, old(3), chain.path(3, 5)),
        ("the path backwards", &stale, old(3), path().into_iter().rev().collect()),
        ("a path with a hash more", &stale, old(3), [&path()[..], &[[0; 32]]].concat()),
        ("a path with a hash less", &stale, old(3), path()[1..].to_vec()),
        ("a path of zeros", &stale, old(3), vec![[0; 32]; path().len()]),
        ("an older header at the next height", &stale, at_height(4, old(3)), chain.path(4, 6)),
        ("an older header 2^32 higher", &stale, at_height((1 << 32) + 3, old(3)), path()),
        ("the head with a path", &fresh, old(6), chain.path(5, 6)),
    ];
    for (comment, answer, header, path) in cases {
        let input = with_header(answer.clone(), &header, &path);
        file.invalid(&["Header"], comment, &input, Reason::NotAnAncestor);
    }
    // The honest newer block of a server, for a head that is behind it.
    let answer = ledger.answer_from(0, 4, &ledger.proof(6, &KEYS), &KEYS);
    for (comment, path) in [
        ("a block above the head, without a path", vec![]),
        ("a block above the head, with the path of the head in its history", chain.path(4, 6)),
    ] {
        let input = with_header(answer.clone(), &old(6), &path);
        file.invalid(&["Header"], comment, &input, Reason::NotAnAncestor);
    }
}

/// A chain whose blocks are others from a height on, by the same authorities.
fn forks(file: &mut Builder) {
    let ledger = ledger();
    let mut blocks = seven_blocks();
    blocks[3].insert(3, set("key 05", "of the fork"));
    let fork = Ledger::new(config(1, 1), blocks);
    assert_eq!(fork.chain.headers[2], ledger.chain.headers[2], "the fork begins after block 2");
    let answer = ledger.answer_from(0, 6, &fork.proof(3, &KEYS), &KEYS);
    let header = &fork.chain.headers[3];
    for (whose, path) in
        [("the fork's", fork.chain.path(3, 6)), ("the chain's", ledger.chain.path(3, 6))]
    {
        let comment = format!("a block of a fork, {whose} path");
        let input = with_header(answer.clone(), header, &path);
        file.invalid(&["Header"], comment, &input, Reason::NotAnAncestor);
    }
    let comment = "the head of a fork at the head's height";
    let answer = ledger.answer_from(0, 6, &fork.proof(6, &KEYS), &KEYS);
    let input = with_header(answer.clone(), &fork.chain.headers[6], &[]);
    file.invalid(&["Header"], comment, &input, Reason::NotAnAncestor);
    let comment = "the proof of a fork's head for the chain's";
    file.invalid(&["OtherBlock"], comment, &answer, Reason::RootMismatch);
    let other = Ledger::new(config_of_all_schemes(), seven_blocks());
    let comment = "the same block of another chain";
    let input =
        with_header(ledger.answer(3, 6, &KEYS), &other.chain.headers[3], &other.chain.path(3, 6));
    file.invalid(&["Header"], comment, &input, Reason::NotAnAncestor);
}

fn encodings(file: &mut Builder) {
    let ledger = ledger();
    let honest = ledger.answer(3, 6, &KEYS);
    let bytes = ledger.chain.headers[3].encode();
    let mut scheme = bytes.clone();
    scheme[149] = 7;
    let cases = [
        ("is empty", vec![], Reason::InvalidEncoding),
        ("is cut", bytes[..bytes.len() - 1].to_vec(), Reason::InvalidEncoding),
        ("has a byte after it", [&bytes[..], &[0]].concat(), Reason::TrailingBytes),
        ("has its signatures", ledger.chain.signed(3).encode(), Reason::TrailingBytes),
        ("is its hash", ledger.chain.headers[3].hash().to_vec(), Reason::InvalidEncoding),
        ("is of version 2", [&[2], &bytes[1..]].concat(), Reason::InvalidHeader),
        ("is of a scheme that does not exist", scheme, Reason::UnknownScheme),
    ];
    for (what, header, reason) in cases {
        let input = StateAnswer { header: Some(Hex(header)), ..honest.clone() };
        file.invalid(&["Header"], format!("the header {what}"), &input, reason);
    }
    for at in 0..bytes.len() {
        let mut flipped = bytes.clone();
        let bit = at * 5 % 8;
        flipped[at] ^= 1 << bit;
        let input = StateAnswer { header: Some(Hex(flipped)), ..honest.clone() };
        let comment = format!("bit {bit} of byte {at} of the header flipped");
        file.refused(&["Mutated"], comment, &input);
    }
}

fn no_root(file: &mut Builder) {
    let proof = ledger().proof(3, &KEYS);
    for schemes in [&[][..], &[Scheme::Smt], &[Scheme::Smt, Scheme::Amb]] {
        let mut config = config(1, 1);
        config.schemes = schemes.iter().copied().map(SchemeConfig::plain).collect();
        let schemes: Vec<u8> = schemes.iter().map(|scheme| scheme.id()).collect();
        let ledger = Ledger { chain: Chain::new(config, 2), blocks: Vec::new() };
        let what = format!("a chain of the schemes {schemes:?}, without avl");
        let input = ledger.answer_from(0, 1, &proof, &KEYS);
        file.invalid(&["NoRoot"], &what[..], &input, Reason::WrongSchemes);
        let comment = format!("{what}, and no key");
        file.invalid(&["NoRoot"], comment, &with_keys(&input, &[]), Reason::WrongSchemes);
        let comment = format!("{what}, and a key too long");
        let input = with_keys(&input, &[&[7; 300]]);
        file.invalid(&["Order"], comment, &input, Reason::WrongSchemes);
    }
    // The authorities signed a history in which a header lacks the root.
    let rootless = Chain::with(config(1, 1), 3, |header| {
        if header.height == 1 {
            header.roots.clear();
        }
    });
    let path = rootless.path(1, 2);
    let header = rootless.headers[1].clone();
    let ledger = Ledger { chain: rootless, blocks: Vec::new() };
    let input = with_header(ledger.answer_from(0, 2, &proof, &KEYS), &header, &path);
    let comment = "an older block of the chain has no root";
    file.invalid(&["NoRoot"], comment, &input, Reason::WrongSchemes);
}

fn order(file: &mut Builder) {
    let ledger = ledger();
    let header = &ledger.chain.headers[3];
    let mut refuse = |comment: &str, input: StateAnswer, reason| {
        file.invalid(&["Order"], comment, &input, reason);
    };
    let long = [7; 300];
    let comment = "a header that is not in the history, and a key too long";
    let misplaced = with_header(ledger.answer_from(0, 6, &Hex(vec![]), &[&long]), header, &[]);
    refuse(comment, misplaced, Reason::NotAnAncestor);
    let comment = "a header that is none, and a broken proof";
    let none = StateAnswer {
        header: Some(Hex(vec![1])),
        path: Some(vec![]),
        ..ledger.answer_from(0, 6, &Hex(vec![]), &KEYS)
    };
    refuse(comment, none.clone(), Reason::InvalidEncoding);
    let comment = "a header that is none, and a head in the future";
    let early = StateAnswer { now: crate::carrier::Quantity(0), ..none };
    refuse(comment, early, Reason::HeadInFuture);
    let mut leaves = ledger.chain.leaves(6);
    leaves.truncate(3);
    let short = vec![merkle::root::<Blake2bTree>(&leaves)];
    let comment = "a path that is too short, and a proof of another block";
    let input =
        with_header(ledger.answer_from(0, 6, &ledger.proof(4, &KEYS), &KEYS), header, &short);
    refuse(comment, input, Reason::NotAnAncestor);
}
