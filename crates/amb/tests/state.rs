//! Statements about a chain's state: the root of a header proves the states after all blocks up to it.
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use prooflight_amb::prover::{AmbState, PageSize};
use prooflight_amb::state::{verify_count, verify_history, verify_keys, verify_range};
use prooflight_amb::{CountQuestion, HistoryQuestion, KeysQuestion, RangeQuestion};
use prooflight_core::chain::{AcceptedHeaders, ChainLimits, Header};
use prooflight_core::store::{MemoryStore, RawKeyChange, StateStore as _};
use prooflight_core::{PastState, Reason, Scheme};

/// A state of four blocks, and the header of the last one.
fn chain() -> (AmbState<MemoryStore>, Header) {
    let mut state = AmbState::open(MemoryStore::default(), ()).unwrap();
    let blocks: [&[RawKeyChange<'_>]; 4] = [
        &[RawKeyChange::set(b"a", b"1"), RawKeyChange::set(b"b", b"2")],
        &[RawKeyChange::delete(b"a")],
        &[],
        &[RawKeyChange::set(b"a", b"3")],
    ];
    for changes in blocks {
        state.apply(changes).unwrap();
    }
    let header = header(state.root());
    (state, header)
}

fn header(root: Vec<u8>) -> Header {
    Header {
        version: 1,
        chain: [1; 32],
        height: 3,
        parent: [2; 32],
        timestamp_ms: 10,
        ops_root: [3; 32],
        history_root: [4; 32],
        roots: vec![(Scheme::Amb.id(), root)],
    }
}

#[test]
fn one_root_proves_every_block_up_to_it() {
    let ((state, header), limits) = (chain(), ChainLimits::default());
    let prover = state.prover().unwrap();
    let states = [
        PastState::Present { value: b"1", since: 0 },
        PastState::Deleted { deleted_at: 1 },
        PastState::Deleted { deleted_at: 1 },
        PastState::Present { value: b"3", since: 3 },
    ];
    for (at, state) in (0..).zip(states) {
        let question = KeysQuestion { keys: &[b"a", b"c"], at };
        let proof = prover.keys(&question).unwrap();
        let answers = verify_keys(&header, &question, &proof, &limits).unwrap();
        assert_eq!(*answers, [state, PastState::NeverWritten]);
    }
    let proof = prover.history(&HistoryQuestion { keys: &[b"a"], from: 1, to: 3 }).unwrap();
    let history = verify_history(&header, b"a", (1, 3), &proof, &limits).unwrap();
    assert_eq!((history.from, history.to, history.entering), (1, 3, Some(states[0])));
    assert_eq!(history.changes, states[2..]);
    for (at, count) in [(0, 2), (1, 1), (2, 1), (3, 2)] {
        let question = RangeQuestion { lo: b"", hi: None, at, reverse: true };
        let proof = prover.range(&question, PageSize::default()).unwrap();
        let page = verify_range(&header, &question, &proof, &limits).unwrap();
        assert_eq!((page.entries.len(), page.next), (count, None), "block {at}");
        assert_eq!(page.entries[0].key, b"b");
    }
    let question = CountQuestion { lo: b"a", hi: Some(b"b") };
    let proof = prover.count(&question).unwrap();
    assert_eq!(*verify_count(&header, &question, &proof, &limits).unwrap(), 1);
}

#[test]
fn the_header_and_the_chain_have_the_last_word() {
    let ((state, header_of_3), limits) = (chain(), ChainLimits::default());
    let question = KeysQuestion { keys: &[b"a"], at: 3 };
    let proof = state.prover().unwrap().keys(&question).unwrap();
    let reason = |header: &Header, question: &KeysQuestion<'_>, limits: &ChainLimits| {
        verify_keys(header, question, &proof, limits).unwrap_err().reason()
    };
    let without = Header { roots: Vec::new(), ..header_of_3.clone() };
    assert_eq!(reason(&without, &question, &limits), Reason::WrongSchemes);
    assert_eq!(reason(&header(vec![0; 31]), &question, &limits), Reason::InvalidHeader);
    assert_eq!(reason(&header(vec![0; 32]), &question, &limits), Reason::RootMismatch);
    let short = ChainLimits { max_key: 0, ..limits.clone() };
    assert_eq!(reason(&header_of_3, &question, &short), Reason::KeyLength);
    let later = KeysQuestion { at: 4, ..question };
    assert_eq!(reason(&header_of_3, &later, &limits), Reason::InvalidArgument);
    let headers = AcceptedHeaders::one(header_of_3.clone());
    assert_eq!(headers.newest_since(2), Ok(&header_of_3));
    assert_eq!(headers.newest_since(4).unwrap_err().reason(), Reason::InvalidResult);
}
