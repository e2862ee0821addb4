//! The example of the specification: the state has its roots, and makes the proofs of its vectors byte for byte.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

mod common;

use common::bytes;
use prooflight_amb::prover::{AmbState, PageSize};
use prooflight_amb::{CountQuestion, HistoryQuestion, KeysQuestion, RangeQuestion};
use prooflight_core::store::{MemoryStore, RawKeyChange, StateStore as _};
use serde_json::Value as Json;

const VECTORS: &str = include_str!("../../../test-vectors/amb/proof.json");

#[test]
fn roots_and_proofs() {
    let file: Json = serde_json::from_str(VECTORS).unwrap();
    let tests = &file["testGroups"][0]["tests"];
    let [get, hist, range, count, update] = [0_usize, 1, 2, 3, 4].map(|at| &tests[at]["input"]);
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
        (
            &[RawKeyChange::set(b"a", &[3]), RawKeyChange::set(b"bc", &[4])],
            "b5dec939241abb04e4c3c9aeda4a3fa8102a97e14af16cfade596aa6b0b48afe",
        ),
    ];
    for (changes, expected) in blocks {
        assert_eq!(hex::encode(state.apply(changes).unwrap()), expected);
    }
    assert_eq!(state.root(), bytes(&get["root"]));
    let prover = state.prover().unwrap();
    let keys = prover.keys(&KeysQuestion { keys: &[b"a"], at: 1 }).unwrap();
    assert_eq!(keys, bytes(&get["proof"]));
    let history = HistoryQuestion { keys: &[b"a"], from: 0, to: 1 };
    assert_eq!(prover.history(&history).unwrap(), bytes(&hist["proof"]));
    let two = PageSize { entries: 2, ..PageSize::default() };
    let page = RangeQuestion { lo: b"", hi: None, at: 2, reverse: false };
    assert_eq!(prover.range(&page, two).unwrap(), bytes(&range["proof"]));
    let counted = prover.count(&CountQuestion { lo: b"b", hi: Some(b"c") }).unwrap();
    assert_eq!(counted, bytes(&count["proof"]));
    assert_eq!(prover.update(&[b"a", b"bd"]).unwrap(), bytes(&update["parts"][0]["proof"]));
    let next = state.apply(&[RawKeyChange::delete(b"a"), RawKeyChange::set(b"bd", &[5])]).unwrap();
    assert_eq!(next[..], bytes(&tests[4]["expected"]["root"]));
}
