//! The state in a store: the roots and proofs of the model, byte for byte, and a content that depends only on the
//! entries.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

mod common;

use common::chain::draw_block;
use common::model::{Key, Model, Value, changes, draw_key};
use prooflight_amb::prover::{AmbState, RECENT_BLOCKS};
use prooflight_amb::{
    HistoryQuestion, KeysQuestion, RangeQuestion, TransferQuestion, TrustedRoot, verify,
    verify_range, verify_transfer,
};
use prooflight_core::statement::Statement;
use prooflight_core::store::{
    MemoryStore, Prepared, RawKeyChange, StateReader as _, StateStore as _, Store as _,
    TransferRequest,
};
use prooflight_core::{Limits, PastState, Reason};
use prooflight_testkit::amb::prove::prove;
use prooflight_testkit::amb::query::Query;
use prooflight_testkit::amb::state::AmbModel;
use prooflight_testkit::damage::records;
use prooflight_testkit::store::SharedStore;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

fn open(store: MemoryStore) -> AmbState<MemoryStore> {
    AmbState::open(store, ()).unwrap()
}

/// Runs a test on states, after each of their blocks.
fn on_states(mut test: impl FnMut(&mut StdRng, &Model, &mut AmbState<MemoryStore>)) {
    for seed in 0..6 {
        println!("seed {seed}");
        let mut rng = StdRng::seed_from_u64(seed);
        let (mut model, mut state) = (Model::default(), open(MemoryStore::default()));
        for block in 0..12 {
            let count = [0, 1, 3, 30, 200][rng.random_range(0..5)];
            let of_block = draw_block(&model, &mut rng, count);
            model.apply(block, &of_block);
            let root = state.apply(&changes(&of_block)).unwrap();
            assert_eq!(root, model.root(), "block {block}");
            test(&mut rng, &model, &mut state);
        }
    }
}

#[test]
fn roots_are_those_of_the_dictionary() {
    on_states(|_, model, state| {
        let reopened = open(state.store_mut().clone());
        assert_eq!((reopened.root(), reopened.height()), (state.root(), state.height()));
        for key in model.0.keys().step_by(7) {
            let expected = model.at(key, u64::MAX).value();
            assert_eq!(reopened.get(key).unwrap().as_deref(), expected);
        }
        assert_eq!(reopened.get(b"never set").unwrap(), None);
    });
}

#[test]
fn proofs_are_those_of_the_model() {
    on_states(|rng, model, state| {
        let height = state.height().unwrap();
        let tree = model.tree(height);
        let root = TrustedRoot { hash: tree.root(), height };
        // A restart changes nothing.
        let mut reopened = open(state.store_mut().clone());
        let reader =
            if rng.random() { state.reader().unwrap() } else { reopened.reader().unwrap() };
        for _ in 0..15 {
            let key = |rng: &mut StdRng| {
                let is_new = model.0.is_empty() || rng.random_ratio(1, 4);
                if is_new { draw_key(rng) } else { model.some_key(rng) }
            };
            let keys: Vec<Key> = (0..rng.random_range(1..20)).map(|_| key(rng)).collect();
            let slices: Vec<&[u8]> = keys.iter().map(Vec::as_slice).collect();
            let [a, b] = [0; 2].map(|_: u64| rng.random_range(0..=height));
            let (from, to) = (a.min(b), a.max(b));
            let entries = [1, 7, 100, 4096][rng.random_range(0..4)];
            let proved = |statement: Statement<'_>| {
                let proved = reader.prove_at(height, &statement, entries).unwrap();
                assert_eq!(proved.roots, [(height, root.hash.to_vec())]);
                proved.proof
            };
            let expected = |query: Query, cut: Option<&[u8]>| prove(&tree, &query, cut).encode();
            let prover = reader.prover(height).unwrap();

            let proof = proved(Statement::Keys { height: to, keys: &slices });
            let question = KeysQuestion { keys: &slices, at: to };
            let answers = verify(&root, &question, &proof, &Limits::DEFAULT).unwrap();
            let states: Vec<_> = keys.iter().map(|key| model.at(key, to)).collect();
            assert_eq!(*answers, states);
            assert_eq!(proof, expected(Query::Get { keys: keys.clone(), at: to }, None));

            let proof = proved(Statement::History { key: &keys[0], from, to });
            let query = Query::Hist { keys: keys[..1].to_vec(), from, to };
            assert_eq!(proof, expected(query, None));
            let question = HistoryQuestion { keys: &slices, from, to };
            let query = Query::Hist { keys: keys.clone(), from, to };
            assert_eq!(prover.history(&question).unwrap(), expected(query, None));

            let (lo, hi) = (keys[0].clone(), keys.last().cloned().filter(|hi| keys[0] < *hi));
            let reverse = rng.random();
            let question = RangeQuestion { lo: &lo, hi: hi.as_deref(), at: to, reverse };
            let proof =
                proved(Statement::Range { height: to, lo: &lo, hi: hi.as_deref(), reverse });
            let page = verify_range(&root, &question, &proof, &Limits::DEFAULT).unwrap();
            assert!(page.next.is_none() || page.opened == entries, "{page:?}");
            let query = Query::Range { lo: lo.clone(), hi: hi.clone(), at: to, reverse };
            assert_eq!(proof, expected(query, page.next));
            let proof = proved(Statement::Count { height, lo: &lo, hi: hi.as_deref() });
            assert_eq!(proof, expected(Query::Count { lo: lo.clone(), hi: hi.clone() }, None));

            let after = rng.random::<bool>().then_some(from);
            let question = TransferQuestion { lo: &lo, hi: hi.as_deref(), after };
            let asked = TransferRequest { lo: &lo, hi: hi.as_deref(), after, limit: entries };
            let proof = reader.transfer(height, &asked).unwrap().proof;
            let page = verify_transfer(&root, &question, &proof, &Limits::DEFAULT).unwrap();
            assert!(page.next.is_none() || page.opened == entries, "{page:?}");
            let query = Query::Transfer { lo: lo.clone(), hi: hi.clone(), after };
            assert_eq!(proof, expected(query, page.next));

            let proof = prover.update(&slices).unwrap();
            assert_eq!(proof, expected(Query::Update { keys: keys.clone() }, None));
        }
    });
}

#[test]
fn the_records_depend_on_the_entries_alone() {
    for seed in 0..6 {
        let mut rng = StdRng::seed_from_u64(100 + seed);
        let (mut model, mut plain) = (Model::default(), open(MemoryStore::default()));
        let mut disturbed = open(MemoryStore::default());
        for block in 0..12 {
            let count = rng.random_range(0..120);
            let of_block = draw_block(&model, &mut rng, count);
            model.apply(block, &of_block);
            plain.apply(&changes(&of_block)).unwrap();
            // Blocks that are abandoned, refused or prepared twice, and restarts.
            let other = draw_block(&model, &mut rng, 20);
            let other: Vec<_> = other.into_iter().filter(|(_, value)| value.is_some()).collect();
            disturbed.prepare(&changes(&other)).unwrap();
            let refused = disturbed.prepare(&[RawKeyChange::delete(b"never set")]).unwrap_err();
            assert_eq!(refused.reason(), Reason::KeyAbsent);
            if rng.random() {
                disturbed = open(disturbed.store_mut().clone());
            }
            disturbed.apply(&changes(&of_block)).unwrap();
        }
        let content = records(plain.store_mut());
        assert_eq!(content, records(disturbed.store_mut()));
        // Every largest subtree of at most 64 entries is a page.
        let keys: Vec<&Key> = model.0.keys().collect();
        let (mut expected, firsts) = (Vec::new(), |kind: u8| {
            let of_kind = content.iter().filter(move |(key, _)| key[0] == kind);
            of_kind.map(|(key, _)| key[1..].to_vec()).collect::<Vec<_>>()
        });
        first_keys(&keys, 0, &mut expected);
        assert!(expected.len() > 4, "{} pages", expected.len());
        assert_eq!((firsts(b'p'), firsts(b's')), (expected.clone(), expected));
    }
}

/// The first keys of the pages over some keys that share this many first bits.
fn first_keys(keys: &[&Key], depth: usize, firsts: &mut Vec<Key>) {
    if keys.len() <= 64 {
        firsts.extend(keys.first().map(|key| (*key).clone()));
        return;
    }
    let bit = |key: &[u8]| match key.get(depth / 9) {
        None => false,
        Some(byte) => depth.is_multiple_of(9) || byte << (depth % 9 - 1) & 0x80 != 0,
    };
    let (left, right) = keys.split_at(keys.partition_point(|key| !bit(key)));
    first_keys(left, depth + 1, firsts);
    first_keys(right, depth + 1, firsts);
}

#[test]
fn one_key_of_many_versions() {
    let (mut state, mut model) = (open(MemoryStore::default()), AmbModel::default());
    for block in 0..150_u64 {
        let value = vec![u8::try_from(block).unwrap(); if block % 7 == 0 { 400 } else { 3 }];
        let change = (b"k".to_vec(), (block % 10 != 9).then_some(value));
        // Not every block writes it.
        let of_block = if block % 4 == 2 { Vec::new() } else { Vec::from([change]) };
        state.apply(&changes(&of_block)).unwrap();
        model.apply(block, of_block);
    }
    let (mut state, height) = (open(state.store_mut().clone()), 149);
    assert_eq!(state.root(), model.root());
    let reader = state.reader().unwrap();
    let proof = |statement| reader.prove(&statement).unwrap().proof;
    let keys: &[Key] = &[b"k".to_vec()];
    for at in 0..=height {
        let expected = prove(&model, &Query::Get { keys: keys.to_vec(), at }, None).encode();
        assert_eq!(proof(Statement::Keys { height: at, keys: &[b"k"] }), expected, "at {at}");
        for to in [at, (at + 13).min(height), height] {
            let query = Query::Hist { keys: keys.to_vec(), from: at, to };
            let expected = prove(&model, &query, None).encode();
            let statement = Statement::History { key: b"k", from: at, to };
            assert_eq!(proof(statement), expected, "{at} to {to}");
        }
    }
}

#[test]
fn a_walk_goes_on_against_its_root_while_blocks_are_made() {
    let mut rng = StdRng::seed_from_u64(3);
    let (mut model, mut state) = (Model::default(), open(MemoryStore::default()));
    let mut block = |state: &mut AmbState<MemoryStore>, model: &mut Model, height| {
        let of_block = draw_block(model, &mut rng, 40);
        model.apply(height, &of_block);
        state.apply(&changes(&of_block)).unwrap()
    };
    let mut then = Model::default();
    for height in 0..5 {
        block(&mut state, &mut model, height);
        state.reader().unwrap();
        then = model.clone();
    }
    let root = TrustedRoot { hash: state.root().try_into().unwrap(), height: 4 };
    let (mut lo, mut found) = (Key::new(), Vec::new());
    let mut height = 5;
    loop {
        block(&mut state, &mut model, height);
        height += 1;
        let statement = Statement::Range { height: 4, lo: &lo, hi: None, reverse: false };
        let proof = state.reader().unwrap().prove_at(4, &statement, 5).unwrap().proof;
        let question = RangeQuestion { lo: &lo, hi: None, at: 4, reverse: false };
        let page = verify_range(&root, &question, &proof, &Limits::DEFAULT).unwrap().into_inner();
        found.extend(page.entries.into_iter().map(|it| (it.key, it.value.to_vec(), it.since)));
        let Some(next) = page.next.map(<[u8]>::to_vec) else { break };
        lo = next;
    }
    let expected: Vec<_> = then.range(b"", None, 4).into_iter().collect();
    let found: Vec<_> = found
        .iter()
        .map(|(key, value, since)| (key, PastState::Present { value, since: *since }))
        .collect();
    assert_eq!(found, expected);
    assert!(height > 10, "{height} blocks");

    while height < 4 + RECENT_BLOCKS as u64 {
        block(&mut state, &mut model, height);
        state.reader().unwrap();
        height += 1;
    }
    let keys: &[&[u8]] = &[b"a"];
    let statement = Statement::Keys { height: 2, keys };
    let reason = |state: &mut AmbState<MemoryStore>, root| {
        let proved = state.reader().unwrap().prove_at(root, &statement, 1);
        proved.map(|_| ()).map_err(|error| error.reason())
    };
    assert_eq!(reason(&mut state, 4), Ok(()));
    block(&mut state, &mut model, height);
    for (root, expected) in [
        (4, Err(Reason::VersionUnavailable)),
        (5, Ok(())),
        (height, Ok(())),
        (height + 1, Err(Reason::VersionUnavailable)),
    ] {
        assert_eq!(reason(&mut state, root), expected, "root {root}");
    }
    // After a restart there is one root.
    let mut state = open(state.store_mut().clone());
    assert_eq!(reason(&mut state, height), Ok(()));
    assert_eq!(reason(&mut state, height - 1), Err(Reason::VersionUnavailable));
}

#[test]
fn what_cannot_be_proved_is_refused() {
    let mut state = open(MemoryStore::default());
    let keys: &[&[u8]] = &[b"a"];
    let reason = |state: &mut AmbState<MemoryStore>, statement| {
        state.reader().unwrap().prove(&statement).unwrap_err().reason()
    };
    let statement = Statement::Keys { height: 0, keys };
    assert_eq!(reason(&mut state, statement), Reason::VersionUnavailable);
    state.apply(&[RawKeyChange::set(b"a", b"1")]).unwrap();
    let wrong = [
        (Statement::Keys { height: 1, keys }, Reason::VersionUnavailable),
        (Statement::Keys { height: 0, keys: &[] }, Reason::InvalidArgument),
        (Statement::Keys { height: 0, keys: &[&[0; 257]] }, Reason::KeyLength),
        (Statement::History { key: b"a", from: 1, to: 0 }, Reason::InvalidArgument),
        (Statement::Count { height: 1, lo: b"", hi: None }, Reason::VersionUnavailable),
        (Statement::Count { height: 0, lo: b"b", hi: Some(b"a") }, Reason::InvalidArgument),
        (Statement::Diff { from: None, to: 0 }, Reason::UnknownStatement),
    ];
    for (statement, expected) in wrong {
        assert_eq!(reason(&mut state, statement), expected, "{statement:?}");
    }
    let long = state.prepare(&[RawKeyChange::set(&[0; 257], b"")]).unwrap_err();
    assert_eq!(long.reason(), Reason::KeyLength);
    let disorder = [RawKeyChange::set(b"b", b""), RawKeyChange::set(b"a", b"")];
    assert_eq!(state.prepare(&disorder).unwrap_err().reason(), Reason::InvalidArgument);
}

#[test]
fn a_history_of_more_bytes_than_a_proof_may_have_is_refused() {
    let mut state = open(MemoryStore::default());
    let value = vec![7; 60_000];
    for _ in 0..150 {
        state.apply(&[RawKeyChange::set(b"a", &value)]).unwrap();
    }
    let reader = state.reader().unwrap();
    let statement = Statement::History { key: b"a", from: 0, to: 149 };
    assert_eq!(reader.prove(&statement).unwrap_err().reason(), Reason::RequestTooLarge);
    let statement = Statement::History { key: b"a", from: 20, to: 149 };
    assert!(reader.prove(&statement).is_ok());
}

#[test]
fn a_block_prepared_for_another_state_is_not_committed() {
    let mut state = open(MemoryStore::default());
    let first = state.prepare(&[RawKeyChange::set(b"a", b"1")]).unwrap();
    let other = state.prepare(&[RawKeyChange::set(b"a", b"2")]).unwrap();
    state.store_mut().write(first.writes).unwrap();
    state.commit(first.next).unwrap();
    let refused = state.commit(other.next).unwrap_err();
    assert_eq!(refused.reason(), Reason::InvalidArgument);
    assert_eq!(state.root(), first.root);
}

#[test]
fn a_full_disk_leaves_the_block_before() {
    let mut rng = StdRng::seed_from_u64(5);
    let store = SharedStore::default();
    let mut state = AmbState::open(store.clone(), ()).unwrap();
    let mut model = Model::default();
    for height in 0..20 {
        let of_block: Vec<(Key, Value)> = draw_block(&model, &mut rng, 60);
        let before = (state.root(), state.height());
        store.limit(Some(0));
        let refused = state.apply(&changes(&of_block)).unwrap_err();
        assert_eq!(refused.reason(), Reason::StoreFailed);
        assert_eq!((state.root(), state.height()), before);
        let reopened = open(store.content());
        assert_eq!((reopened.root(), reopened.height()), before);
        store.limit(None);
        model.apply(height, &of_block);
        assert_eq!(state.apply(&changes(&of_block)).unwrap(), model.root());
    }
}

/// One neighbour for each bit of a key: the deepest possible tree.
#[test]
fn the_deepest_tree() {
    // The model is recursive.
    let thread = std::thread::Builder::new().stack_size(256 << 20);
    thread.spawn(check_the_deepest_tree).unwrap().join().unwrap();
}

fn check_the_deepest_tree() {
    let victim = vec![0x5a_u8; 256];
    let mut keys: Vec<Key> = (0..256)
        .flat_map(|byte| (0..8).map(move |bit| (byte, bit)))
        .map(|(byte, bit)| {
            let mut key = victim[..=byte].to_vec();
            key[byte] ^= 0x80 >> bit;
            key
        })
        .chain((0..=256).map(|length| victim[..length].to_vec()))
        .collect();
    keys.sort();
    keys.dedup();
    assert_eq!(keys.len(), 2305);
    let (mut state, mut model) = (open(MemoryStore::default()), AmbModel::default());
    let block: Vec<_> = keys.into_iter().map(|key| (key, Some(b"1".to_vec()))).collect();
    let Prepared { root, writes, next, .. } = state.prepare(&changes(&block)).unwrap();
    state.store_mut().write(writes).unwrap();
    state.commit(next).unwrap();
    model.apply(0, block);
    assert_eq!(root, model.root());
    let again = [(victim.clone(), Some(b"2".to_vec()))];
    let root = state.apply(&changes(&again)).unwrap();
    model.apply(1, again);
    assert_eq!(root, model.root());
    let mut state = open(state.store_mut().clone());
    let statement = Statement::Keys { height: 0, keys: &[&victim] };
    let proof = state.reader().unwrap().prove(&statement).unwrap().proof;
    assert_eq!(proof, prove(&model, &Query::Get { keys: vec![victim], at: 0 }, None).encode());
}
