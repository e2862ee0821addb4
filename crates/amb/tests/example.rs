//! The example of the specification: the state has its roots and its proofs, byte for byte.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

mod common;

use common::example;
use prooflight_amb::prover::{AmbState, PageSize};
use prooflight_amb::{CountQuestion, HistoryQuestion, KeysQuestion, RangeQuestion};
use prooflight_core::store::{MemoryStore, RawKeyChange, StateStore as _};

fn assert_proof(proof: &[u8], expected: &str) {
    assert_eq!(hex::encode(proof), expected);
}

#[test]
fn roots_and_proofs() {
    let mut state = AmbState::open(MemoryStore::default(), ()).unwrap();
    let empty = "558abeacecdd613e730fb0ef06dcdaf36258bdc51ba0c2bc370327f81a7816f2";
    assert_eq!(hex::encode(state.root()), empty);
    let blocks: [(&[RawKeyChange<'_>], &str); 3] = [
        (
            &[RawKeyChange::set(b"a", &[1])],
            "1c22e00f6ca7ae7b3e76a291651230957d73fe746e2e301a6ddfed2221574a01",
        ),
        (
            &[RawKeyChange::set(b"b", &[2])],
            "2928a411cdf70f973ea11ba75bca569d731e4f4358f04d45fdc1f9625d0ca5d3",
        ),
        (&[RawKeyChange::set(b"a", &[3]), RawKeyChange::set(b"bc", &[4])], example::ROOT),
    ];
    for (changes, expected) in blocks {
        assert_eq!(hex::encode(state.apply(changes).unwrap()), expected);
    }
    let prover = state.prover().unwrap();
    assert_proof(&prover.keys(&KeysQuestion { keys: &[b"a"], at: 1 }).unwrap(), &example::get());
    assert_proof(
        &prover.history(&HistoryQuestion { keys: &[b"a"], from: 0, to: 1 }).unwrap(),
        &example::hist(),
    );
    let two = PageSize { entries: 2, ..PageSize::default() };
    assert_proof(
        &prover.range(&RangeQuestion { lo: b"", hi: None, at: 2, reverse: false }, two).unwrap(),
        &example::range(),
    );
    assert_proof(
        &prover.count(&CountQuestion { lo: b"b", hi: Some(b"c") }).unwrap(),
        &example::count(),
    );
    assert_proof(&prover.update(&[b"a", b"bd"]).unwrap(), &example::update());
    let next = state.apply(&[RawKeyChange::delete(b"a"), RawKeyChange::set(b"bd", &[5])]).unwrap();
    assert_eq!(hex::encode(next), example::NEXT);
}
