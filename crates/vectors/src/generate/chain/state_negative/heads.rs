//! Right answers about heads that are not to be believed.

use prooflight_core::Reason;
use prooflight_core::chain::{ChainConfig, Header};

use super::{ledger, with_proof};
use crate::carrier::{Hex, Quantity};
use crate::checkpoint::CheckpointJson;
use crate::generate::builder::Builder;
use crate::generate::chain::ledger::{Ledger, set, set_root, seven_blocks};
use crate::generate::chain::made::{Chain, config, config_of_all_schemes, sign};
use crate::state::StateAnswer;

const KEYS: [&[u8]; 1] = [b"alice"];

pub(super) fn add(file: &mut Builder) {
    signatures(file);
    others(file);
    clocks(file);
    order(file);
}

fn signatures(file: &mut Builder) {
    let ledger = Ledger::new(config(3, 2), seven_blocks());
    let headers = &ledger.chain.headers;
    let mut refuse = |comment: &str, header: &Header, by: &[u16]| {
        for at in [6, 4] {
            let honest = ledger.answer(at, 6, &KEYS);
            let input = StateAnswer { head: Hex(sign(header, by).encode()), ..honest };
            let comment = format!("{comment}; the answer is about block {at}");
            file.invalid(&["Head"], comment, &input, Reason::TooFewSignatures);
        }
    };
    refuse("no authority signed the head", &headers[6], &[]);
    refuse("1 of 2 authorities signed the head", &headers[6], &[2]);
    let mut forged = headers[6].clone();
    set_root(&mut forged, &ledger.blocks[5].after.digest());
    let signed = sign(&headers[6], &[0, 1]);
    let input = StateAnswer {
        head: Hex(prooflight_core::chain::SignedHeader { header: forged, ..signed }.encode()),
        ..with_proof(&ledger.answer(6, 6, &KEYS), ledger.proof(5, &KEYS).0)
    };
    let comment = "the head has the root of the block before, and the signatures of the head";
    file.invalid(&["Head"], comment, &input, Reason::TooFewSignatures);
}

fn others(file: &mut Builder) {
    let ledger = ledger();
    let honest = ledger.answer(6, 6, &KEYS);
    let mut refuse = |comment: &str, input: StateAnswer, reason| {
        file.invalid(&["Head"], comment, &input, reason);
    };
    let ahead = CheckpointJson::from(&ledger.chain.checkpoint(6));
    let behind = StateAnswer {
        checkpoint: ahead,
        inclusion: vec![],
        ..ledger.answer_from(0, 5, &ledger.proof(5, &KEYS), &KEYS)
    };
    refuse("the head is behind the checkpoint", behind, Reason::HeadBehind);
    let mut blocks = seven_blocks();
    blocks[3].insert(3, set("key 05", "of the fork"));
    let fork = Ledger::new(config(1, 1), blocks);
    let checkpoint = CheckpointJson::from(&ledger.chain.checkpoint(6));
    let other = StateAnswer { checkpoint, ..fork.answer_from(6, 6, &fork.proof(6, &KEYS), &KEYS) };
    refuse("another head of the checkpoint's height", other, Reason::Equivocation);
    let checkpoint = CheckpointJson::from(&ledger.chain.checkpoint(4));
    let other = StateAnswer { checkpoint, ..fork.answer_from(4, 6, &fork.proof(6, &KEYS), &KEYS) };
    refuse("the head of a fork from before the checkpoint", other, Reason::NotExtending);
    let no_path = StateAnswer { inclusion: vec![], ..honest.clone() };
    refuse("no path from the checkpoint to the head", no_path, Reason::NotExtending);
    let other =
        Ledger::new(ChainConfig { chain_id: "other".to_owned(), ..config(1, 1) }, seven_blocks());
    let other = StateAnswer { checkpoint: honest.checkpoint.clone(), ..other.answer(6, 6, &KEYS) };
    refuse("the head of another chain", other, Reason::WrongChain);
    let all = Ledger::new(config_of_all_schemes(), seven_blocks());
    let fewer = {
        let mut header = all.chain.headers[6].clone();
        header.roots.remove(0);
        StateAnswer { head: Hex(sign(&header, &[0]).encode()), ..all.answer(6, 6, &KEYS) }
    };
    refuse("the head lacks the root that its chain has", fewer, Reason::WrongSchemes);
    let no_chain = ChainConfig { quorum: 0, ..config(1, 1) };
    let no_chain = Ledger { chain: Chain::new(no_chain, 1), ..ledger.clone() };
    let input = no_chain.answer_from(0, 0, &honest.proof, &KEYS);
    refuse("a configuration that no chain has", input, Reason::InvalidConfig);
    let bytes = honest.head.0.clone();
    let cut = StateAnswer { head: Hex(bytes[..bytes.len() - 1].to_vec()), ..honest.clone() };
    refuse("the head is cut", cut, Reason::InvalidEncoding);
    let longer = StateAnswer { head: Hex([&bytes[..], &[0]].concat()), ..honest.clone() };
    refuse("the head has a byte after it", longer, Reason::TrailingBytes);
    let header = StateAnswer { head: Hex(ledger.chain.headers[6].encode()), ..honest };
    refuse("the head without its signatures", header, Reason::InvalidEncoding);
}

fn clocks(file: &mut Builder) {
    let ledger = ledger();
    let time = ledger.chain.headers[6].timestamp_ms;
    let mut refuse = |comment: &str, now: u64, skew: Option<u64>, age: Option<u64>, reason| {
        for at in [6, 3] {
            let input = StateAnswer {
                now: Quantity(now),
                max_clock_skew: skew.map(Quantity),
                max_head_age: age.map(Quantity),
                ..ledger.answer(at, 6, &KEYS)
            };
            let comment = format!("{comment}; the answer is about block {at}");
            file.invalid(&["Head"], comment, &input, reason);
        }
    };
    refuse("the head is 1 ms too far ahead", time - 501, Some(500), None, Reason::HeadInFuture);
    let comment = "the head is 30,001 ms ahead, and no skew is said";
    refuse(comment, time - 30_001, None, None, Reason::HeadInFuture);
    refuse("the head is 1 ms too old", time + 501, None, Some(500), Reason::HeadTooOld);
}

fn order(file: &mut Builder) {
    let ledger = ledger();
    let honest = ledger.answer(6, 6, &KEYS);
    let mut refuse = |comment: &str, input: StateAnswer, reason| {
        file.invalid(&["Order"], comment, &input, reason);
    };
    let unsigned = sign(&ledger.chain.headers[6], &[]).encode();
    let broken = StateAnswer { head: Hex(unsigned.clone()), proof: Hex(vec![]), ..honest.clone() };
    refuse("a head that nobody signed, and a broken proof", broken, Reason::TooFewSignatures);
    let misplaced = StateAnswer {
        head: Hex(unsigned.clone()),
        header: Some(Hex(vec![])),
        path: Some(vec![]),
        ..honest.clone()
    };
    refuse(
        "a head that nobody signed, and a header that is none",
        misplaced,
        Reason::TooFewSignatures,
    );
    let unknown =
        StateAnswer { scheme: "verkle".to_owned(), head: Hex(unsigned.clone()), ..honest.clone() };
    refuse("an unknown scheme, and a head that nobody signed", unknown, Reason::UnknownStatement);
    let lonely = StateAnswer { head: Hex(unsigned), header: Some(Hex(vec![])), ..honest };
    let comment = "a header without a path, and a head that nobody signed";
    refuse(comment, lonely, Reason::InvalidArgument);
}
