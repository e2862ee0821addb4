//! The state against a dictionary of all versions: roots, proofs of every kind, walks from page to page.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

mod common;

use std::collections::BTreeMap;

use common::model::{Key, Model, Value, changes, draw_key};
use common::{bytes, operations};
use prooflight_amb::prover::{AmbState, PageSize, StateAssembly, StateProver};
use prooflight_amb::{
    CountQuestion, HistoryQuestion, KeysQuestion, RangeQuestion, TransferQuestion, TrustedRoot,
    UPDATE_LIMITS, UpdatePart, verify, verify_count, verify_history, verify_range, verify_transfer,
    verify_update,
};
use prooflight_core::store::{MemoryStore, RawKeyChange, StateStore as _, Store as _};
use prooflight_core::{Limits, PastState, Reason};
use prooflight_testkit::amb::prove::prove;
use prooflight_testkit::amb::query::Query;
use prooflight_testkit::amb::state::AmbModel;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use serde_json::Value as Json;

type State = AmbState<MemoryStore>;

fn empty() -> State {
    AmbState::open(MemoryStore::default(), ()).unwrap()
}

const LIMITS: Limits = Limits::DEFAULT;

const ROOTS: &str = include_str!("../../../test-vectors/state-roots/amb.json");

#[test]
fn roots_of_the_independent_model() {
    let file: Json = serde_json::from_str(ROOTS).unwrap();
    let tests = file["testGroups"][0]["tests"].as_array().unwrap();
    // Refusals are the chain's; long values would have to be joined first.
    let is_plain = |input: &Json| input.is_object() && !input.to_string().contains("joined");
    let tests: Vec<_> =
        tests.iter().filter(|test| is_plain(&test["input"]) && test["result"] == "valid").collect();
    assert!(tests.len() >= 5, "{}", tests.len());
    for test in tests {
        let mut state = empty();
        let blocks = test["input"]["blocks"].as_array().unwrap();
        let roots = test["expected"]["roots"].as_array().unwrap();
        assert_eq!(blocks.len(), roots.len());
        for (block, (of_block, root)) in (0..).zip(blocks.iter().zip(roots)) {
            // Normalised: the last operation on each key, and no deletion of a key without a value.
            let mut last: BTreeMap<Key, Value> = operations(of_block).into_iter().collect();
            last.retain(|key, value| value.is_some() || state.get(key).unwrap().is_some());
            let last: Vec<_> = last.into_iter().collect();
            let found = state.apply(&changes(&last)).unwrap();
            assert_eq!(found.as_slice(), bytes(root), "{} block {block}", test["comment"]);
        }
    }
}

/// Runs a test on states of several sizes, after each of their blocks.
fn on_states(mut test: impl FnMut(&mut StdRng, &Model, &State, &TrustedRoot)) {
    for seed in 0..12 {
        println!("seed {seed}");
        let mut rng = StdRng::seed_from_u64(seed);
        let (mut model, mut state) = (Model::default(), empty());
        for block in 0..8 {
            let count = if rng.random_bool(0.1) { 0 } else { rng.random_range(0..30) };
            let of_block = model.draw(&mut rng, count);
            model.apply(block, &of_block);
            let hash = state.apply(&changes(&of_block)).unwrap();
            test(&mut rng, &model, &state, &TrustedRoot { hash, height: block });
        }
    }
}

#[test]
fn the_root_depends_on_the_entries_alone() {
    on_states(|_, model, state, root| {
        assert_eq!(root.hash, model.root(), "after block {}", root.height);
        assert_eq!((state.root(), state.height()), (root.hash.to_vec(), Some(root.height)));
        for key in model.0.keys() {
            assert_eq!(state.get(key).unwrap().as_deref(), model.at(key, root.height).value());
        }
    });
}

/// Blocks that change many pages, some of them in one deep subtree.
#[test]
fn large_blocks_have_the_roots_of_the_dictionary() {
    let mut rng = StdRng::seed_from_u64(1);
    let (mut model, mut state) = (Model::default(), empty());
    for (block, count) in (0..).zip([600, 3000, 255, 256, 257, 2000]) {
        let mut of_block: BTreeMap<Key, Value> =
            model.draw(&mut rng, count / 2).into_iter().collect();
        for _ in 0..count / 2 {
            let start: &[u8] = if rng.random_bool(0.3) { &[7; 40] } else { &[] };
            let key = [start, &rng.random::<[u8; 2]>()].concat();
            of_block.insert(key, Some(rng.random::<[u8; 4]>().into()));
        }
        let of_block: Vec<_> = of_block.into_iter().collect();
        model.apply(block, &of_block);
        let root = state.apply(&changes(&of_block)).unwrap();
        assert_eq!(root, model.root(), "after block {block}");
        for key in model.0.keys() {
            assert_eq!(state.get(key).unwrap().as_deref(), model.at(key, block).value());
        }
    }
}

#[test]
fn values_and_histories_are_those_of_the_dictionary() {
    on_states(|rng, model, state, root| {
        let prover = state.prover().unwrap();
        for _ in 0..20 {
            let keys = draw_keys(rng, model);
            let keys: Vec<&[u8]> = keys.iter().map(Vec::as_slice).collect();
            let [mut from, to] = [0; 2].map(|_: u64| rng.random_range(0..=root.height));
            let question = KeysQuestion { keys: &keys, at: to };
            let proof = prover.keys(&question).unwrap();
            let answers = verify(root, &question, &proof, &LIMITS).unwrap();
            let expected: Vec<_> = keys.iter().map(|key| model.at(key, to)).collect();
            assert_eq!(*answers, expected);

            from = from.min(to);
            let question = HistoryQuestion { keys: &keys, from, to };
            let proof = prover.history(&question).unwrap();
            let histories = verify_history(root, &question, &proof, &LIMITS).unwrap();
            for (key, history) in keys.iter().zip(histories.iter()) {
                let (entering, changes) = model.history(key, from, to);
                assert_eq!((history.entering, &history.changes), (Some(entering), &changes));
            }
        }
    });
}

/// A key of many versions may be requested as often as there may be keys: what the verifier returns does not grow.
#[test]
fn a_repeated_key_has_one_history() {
    let mut state = empty();
    for _ in 0..=1000 {
        state.apply(&[RawKeyChange::set(b"a", &[1]), RawKeyChange::set(b"b", &[2])]).unwrap();
    }
    let mut keys = vec![&b"b"[..]; LIMITS.max_keys];
    keys[7] = b"a";
    keys[8] = b"absent";
    let question = HistoryQuestion { keys: &keys, from: 0, to: 1000 };
    let prover = state.prover().unwrap();
    let proof = prover.history(&question).unwrap();
    let histories = verify_history(prover.root(), &question, &proof, &LIMITS).unwrap();
    let changes: Vec<_> = histories.distinct.iter().map(|history| history.changes.len()).collect();
    assert_eq!(changes, [1001, 0, 1001]);
    assert_eq!(histories.indices.len(), keys.len());
    for (key, history) in keys.iter().zip(histories.iter()) {
        let place = [&b"a"[..], b"absent", b"b"].iter().position(|one| one == key).unwrap();
        assert!(std::ptr::eq(history, &raw const histories.distinct[place]));
    }
}

fn draw_keys(rng: &mut StdRng, model: &Model) -> Vec<Key> {
    let draw = |rng: &mut StdRng| {
        if model.0.is_empty() || rng.random_bool(0.3) { draw_key(rng) } else { model.some_key(rng) }
    };
    (0..rng.random_range(1..6)).map(|_| draw(rng)).collect()
}

/// Draws the bounds of a range.
fn draw_bounds(rng: &mut StdRng, model: &Model) -> (Key, Option<Key>) {
    let lo = if rng.random_bool(0.2) { Key::new() } else { draw_keys(rng, model).remove(0) };
    let mut hi = draw_keys(rng, model).remove(0);
    if rng.random_bool(0.3) {
        hi.push(0);
    }
    let hi = (lo < hi && rng.random_bool(0.8)).then_some(hi);
    (lo, hi)
}

#[test]
fn ranges_and_counts_are_those_of_the_dictionary() {
    on_states(|rng, model, state, root| {
        let prover = state.prover().unwrap();
        for _ in 0..20 {
            let (lo, hi) = draw_bounds(rng, model);
            let (lo, hi) = (lo.as_slice(), hi.as_deref());
            let count = CountQuestion { lo, hi };
            let proof = prover.count(&count).unwrap();
            let found = verify_count(root, &count, &proof, &LIMITS).unwrap();
            assert_eq!(*found, model.range(lo, hi, root.height).len() as u64);

            let (at, reverse) = (rng.random_range(0..=root.height), rng.random_bool(0.5));
            let entries = rng.random_range(1..10);
            let question = RangeQuestion { lo, hi, at, reverse };
            let found = walk(&prover, question, entries);
            let mut expected = model.range(lo, hi, at);
            if reverse {
                expected.reverse();
            }
            let expected: Vec<_> =
                expected.into_iter().map(|(key, it)| (key.clone(), it)).collect();
            let found: Vec<_> = found
                .iter()
                .map(|(key, value, since)| {
                    (key.clone(), PastState::Present { value, since: *since })
                })
                .collect();
            assert_eq!(found, expected, "{question:?}");
        }
    });
}

/// Walks from page to page of a range; no page opens more than `entries`.
fn walk(
    prover: &StateProver<'_, MemoryStore>,
    question: RangeQuestion<'_>,
    entries: usize,
) -> Vec<(Key, Vec<u8>, u64)> {
    let size = PageSize { entries, ..PageSize::default() };
    let limits = Limits { max_entries: entries, ..LIMITS };
    let mut found = Vec::new();
    let (mut lo, mut hi) = (question.lo.to_vec(), question.hi.map(<[u8]>::to_vec));
    loop {
        let part = RangeQuestion { lo: &lo, hi: hi.as_deref(), ..question };
        let proof = prover.range(&part, size).unwrap();
        let page = verify_range(prover.root(), &part, &proof, &limits).unwrap().into_inner();
        assert!(page.next.is_none() || page.opened == entries, "{page:?}");
        assert!(page.opened >= page.entries.len());
        found.extend(page.entries.into_iter().map(|it| (it.key, it.value.to_vec(), it.since)));
        match (page.next.map(<[u8]>::to_vec), question.reverse) {
            (None, _) => return found,
            (Some(next), false) => lo = next,
            (Some(next), true) => hi = Some(next),
        }
    }
}

#[test]
fn transfers_have_the_entries_written_since() {
    on_states(|rng, model, state, root| {
        let prover = state.prover().unwrap();
        for _ in 0..10 {
            let (lo, hi) = draw_bounds(rng, model);
            let after = rng.random_bool(0.5).then(|| rng.random_range(0..=root.height));
            let size = PageSize { entries: rng.random_range(1..10), ..PageSize::default() };
            let (first, hi) = (lo.clone(), hi.as_deref());
            let mut lo = lo;
            let is_asked = |key: &Key, newest: u64| {
                let is_inside = *key >= first && hi.is_none_or(|hi| key.as_slice() < hi);
                is_inside && after.is_none_or(|after| newest > after)
            };
            let entries = model.0.iter();
            let entries =
                entries.filter(|(key, versions)| is_asked(key, versions.last().unwrap().0));
            let mut expected = entries.map(|(key, versions)| {
                let (block, value) = versions.last().unwrap();
                (key, versions.len() as u64, *block, value.as_deref())
            });
            loop {
                let question = TransferQuestion { lo: &lo, hi, after };
                let proof = prover.transfer(&question, size).unwrap();
                let page = verify_transfer(root, &question, &proof, &LIMITS).unwrap().into_inner();
                for entry in &page.entries {
                    let found = (&entry.key, entry.versions, entry.block, entry.value);
                    assert_eq!(Some(found), expected.next());
                    assert_eq!(entry.peaks.len(), (entry.versions - 1).count_ones() as usize);
                }
                match page.next {
                    Some(next) => lo = next.to_vec(),
                    None => break,
                }
            }
            assert_eq!(expected.next(), None);
        }
    });
}

#[test]
fn a_block_executed_on_parts_has_the_root_of_the_state() {
    on_states(|rng, model, state, root| {
        let prover = state.prover().unwrap();
        for _ in 0..4 {
            let count = rng.random_range(1..30);
            let of_block = model.draw(rng, count);
            let mut parts: Vec<Vec<&[u8]>> = vec![Vec::new(); rng.random_range(1..4)];
            for (key, _) in &of_block {
                let part = rng.random_range(0..parts.len());
                parts[part].push(key);
            }
            parts.retain(|part| !part.is_empty());
            let proofs: Vec<_> = parts.iter().map(|it| prover.update(it).unwrap()).collect();
            let parts: Vec<UpdatePart<'_>> =
                parts.iter().zip(&proofs).map(|(keys, proof)| UpdatePart { keys, proof }).collect();
            let next = verify_update(root, &changes(&of_block), &parts, &UPDATE_LIMITS).unwrap();
            assert_eq!(next.as_slice(), state.prepare(&changes(&of_block)).unwrap().root);
        }
    });
}

/// The bounds of a page, its entries at block 0, and those that are opened, as for a replica.
type Case = (&'static [u8], Option<&'static [u8]>, usize, usize);

#[test]
fn a_page_counts_the_entries_opened_within_it() {
    let mut state = empty();
    state.apply(&[RawKeyChange::set(b"a", b"1")]).unwrap();
    let later: [&[u8]; 4] = [b"c", b"d", b"e", b"f"];
    state.apply(&later.map(|key| RawKeyChange::set(key, b"2"))).unwrap();
    let prover = state.prover().unwrap();
    let cases: [Case; 4] = [
        (b"", None, 1, 5),
        (b"b", Some(b"f"), 0, 3),
        // Here the proof has to open leaves outside the page.
        (b"d0", Some(b"d1"), 0, 0),
        (b"g", None, 0, 0),
    ];
    for (lo, hi, entries, opened) in cases {
        for reverse in [false, true] {
            let question = RangeQuestion { lo, hi, at: 0, reverse };
            let proof = prover.range(&question, PageSize::default()).unwrap();
            let page = verify_range(prover.root(), &question, &proof, &LIMITS).unwrap();
            assert_eq!((page.entries.len(), page.opened), (entries, opened), "{lo:?}");
        }
        let question = TransferQuestion { lo, hi, after: None };
        let proof = prover.transfer(&question, PageSize::default()).unwrap();
        let page = verify_transfer(prover.root(), &question, &proof, &LIMITS).unwrap();
        assert_eq!((page.entries.len(), page.opened), (opened, opened), "{lo:?}");
    }
}

#[test]
fn a_page_is_cut_after_its_bytes() {
    let mut state = empty();
    let keys: Vec<[u8; 2]> = (0..1000_u16).map(u16::to_be_bytes).collect();
    let block: Vec<_> = keys.iter().map(|key| RawKeyChange::set(key, &[7; 1000])).collect();
    state.apply(&block).unwrap();
    let prover = state.prover().unwrap();
    let size = PageSize { bytes: 100_000, ..PageSize::default() };
    for reverse in [false, true] {
        let question = RangeQuestion { lo: &[], hi: None, at: 0, reverse };
        let proof = prover.range(&question, size).unwrap();
        let page = verify_range(prover.root(), &question, &proof, &LIMITS).unwrap();
        assert!(proof.len() > 98_000 && proof.len() < 102_000, "{} bytes", proof.len());
        assert!(page.next.is_some());
        // A page has at least one entry.
        let proof = prover.range(&question, PageSize { bytes: 0, entries: 5 }).unwrap();
        let page = verify_range(prover.root(), &question, &proof, &LIMITS).unwrap();
        let expected = if reverse { keys.last() } else { keys.first() };
        assert_eq!(page.entries[0].key, expected.unwrap());
        assert_eq!(page.entries.len(), 1);
    }
}

#[test]
fn a_refused_block_changes_nothing() {
    let mut state = empty();
    let before = state.root();
    let reason = |state: &mut State, changes: &[RawKeyChange<'_>]| {
        let refused = state.apply(changes).unwrap_err().reason();
        (refused, state.root(), state.height())
    };
    let delete = [RawKeyChange::set(b"a", b"1"), RawKeyChange::delete(b"b")];
    assert_eq!(reason(&mut state, &delete), (Reason::KeyAbsent, before, None));
    state.apply(&[RawKeyChange::set(b"a", b"1"), RawKeyChange::set(b"b", b"2")]).unwrap();
    let root = state.apply(&[RawKeyChange::delete(b"b")]).unwrap();
    let cases: [(&[RawKeyChange<'_>], Reason); 4] = [
        (&[RawKeyChange::set(b"a", b"2"), RawKeyChange::delete(b"b")], Reason::KeyAbsent),
        (&[RawKeyChange::set(b"b", b"2"), RawKeyChange::set(b"a", b"2")], Reason::InvalidArgument),
        (&[RawKeyChange::set(b"a", b"2"), RawKeyChange::set(b"a", b"3")], Reason::InvalidArgument),
        (&[RawKeyChange::set(&[0; 257], b"")], Reason::KeyLength),
    ];
    for (changes, expected) in cases {
        assert_eq!(reason(&mut state, changes), (expected, root.to_vec(), Some(1)));
    }
    assert_eq!(state.apply(&[]), Ok(root));
}

#[test]
fn there_is_no_block_after_the_last() {
    let last = AmbModel { height: (1 << 52) - 1, ..AmbModel::default() };
    let mut assembly = StateAssembly::new(TrustedRoot { hash: last.root(), height: last.height });
    let query = Query::Transfer { lo: Vec::new(), hi: None, after: None };
    assembly.add_page(&prove(&last, &query, None).encode(), &LIMITS).unwrap();
    let mut store = MemoryStore::default();
    store.write(assembly.finish().unwrap()).unwrap();
    let state = AmbState::open(store, ()).unwrap();
    assert_eq!(state.height(), Some(last.height));
    assert_eq!(state.prepare(&[]).unwrap_err().reason(), Reason::InvalidArgument);
}

#[test]
fn nothing_is_proved_before_the_first_block() {
    assert_eq!(empty().prover().unwrap_err().reason(), Reason::VersionUnavailable);
}
