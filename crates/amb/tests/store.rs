//! The state in a store: the same roots and proofs as in memory, and a content that depends only on the
//! entries.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

mod common;

use common::chain::{draw_block, records};
use common::model::{Key, Model, Value, changes, draw_key};
use prooflight_amb::prover::{AmbState, MemoryTree, PageSize, RECENT_BLOCKS};
use prooflight_amb::{
    CountQuestion, HistoryQuestion, KeysQuestion, RangeQuestion, TransferQuestion, TrustedRoot,
    verify, verify_range,
};
use prooflight_core::statement::Statement;
use prooflight_core::store::{
    MemoryStore, Prepared, RawKeyChange, StateReader as _, StateStore as _, Store as _,
    TransferRequest,
};
use prooflight_core::{Limits, PastState, Reason};
use prooflight_testkit::store::SharedStore;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

fn open(store: MemoryStore) -> AmbState<MemoryStore> {
    AmbState::open(store, ()).unwrap()
}

/// Runs a test on states in a store and in memory, after each of their blocks.
fn on_states(mut test: impl FnMut(&mut StdRng, &Model, &MemoryTree, &mut AmbState<MemoryStore>)) {
    for seed in 0..6 {
        println!("seed {seed}");
        let mut rng = StdRng::seed_from_u64(seed);
        let (mut model, mut tree) = (Model::default(), MemoryTree::new());
        let mut state = open(MemoryStore::default());
        for block in 0..12 {
            let count = [0, 1, 3, 30, 200][rng.random_range(0..5)];
            let of_block = draw_block(&model, &mut rng, count);
            model.apply(block, &of_block);
            let of_block = changes(&of_block);
            let root = state.apply(&of_block).unwrap();
            assert_eq!(root, tree.update(block, &of_block).unwrap(), "block {block}");
            test(&mut rng, &model, &tree, &mut state);
        }
    }
}

#[test]
fn roots_are_those_of_the_dictionary() {
    on_states(|_, model, _, state| {
        assert_eq!(state.root(), model.root());
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
fn proofs_are_those_of_the_tree_in_memory() {
    on_states(|rng, model, tree, state| {
        let height = state.height().unwrap();
        // A restart changes nothing.
        let mut reopened = open(state.store_mut().clone());
        let reader =
            if rng.random() { state.reader().unwrap() } else { reopened.reader().unwrap() };
        let root = TrustedRoot { hash: tree.root(), height };
        for _ in 0..15 {
            let key = |rng: &mut StdRng| {
                let is_new = model.0.is_empty() || rng.random_ratio(1, 4);
                if is_new { draw_key(rng) } else { model.some_key(rng) }
            };
            let keys: Vec<Key> = (0..rng.random_range(1..20)).map(|_| key(rng)).collect();
            let keys: Vec<&[u8]> = keys.iter().map(Vec::as_slice).collect();
            let [a, b] = [0; 2].map(|_: u64| rng.random_range(0..=height));
            let (from, to) = (a.min(b), a.max(b));
            let entries = [1, 7, 100, 4096][rng.random_range(0..4)];
            let size = PageSize { entries, ..PageSize::default() };
            let prove = |statement: Statement<'_>| {
                let proved = reader.prove_at(height, &statement, entries).unwrap();
                assert_eq!(proved.roots, [(height, root.hash.to_vec())]);
                proved.proof
            };

            let proof = prove(Statement::Keys { height: to, keys: &keys });
            let question = KeysQuestion { keys: &keys, at: to };
            assert_eq!(proof, tree.prove(&question).unwrap());
            let answers = verify(&root, &question, &proof, &Limits::DEFAULT).unwrap();
            let expected: Vec<_> = keys.iter().map(|key| model.at(key, to)).collect();
            assert_eq!(*answers, expected);

            let question = HistoryQuestion { keys: &keys[..1], from, to };
            let proof = prove(Statement::History { key: keys[0], from, to });
            assert_eq!(proof, tree.prove_history(&question).unwrap());

            let (lo, hi) = (keys[0], keys.last().copied().filter(|hi| keys[0] < *hi));
            let reverse = rng.random();
            let proof = prove(Statement::Range { height: to, lo, hi, reverse });
            assert_eq!(
                proof,
                tree.prove_range(&RangeQuestion { lo, hi, at: to, reverse }, size).unwrap()
            );
            let proof = prove(Statement::Count { height, lo, hi });
            assert_eq!(proof, tree.prove_count(&CountQuestion { lo, hi }).unwrap());

            let after = rng.random::<bool>().then_some(from);
            let asked = TransferRequest { lo, hi, after, limit: entries };
            let question = TransferQuestion { lo, hi, after };
            let proof = reader.transfer(height, &asked).unwrap().proof;
            assert_eq!(proof, tree.prove_transfer(&question, size).unwrap());
            let proof = reader.prove_update(height, &keys).unwrap().proof;
            assert_eq!(proof, tree.prove_update(&keys).unwrap());
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
    let (mut state, mut tree) = (open(MemoryStore::default()), MemoryTree::new());
    for block in 0..150_u64 {
        let value = vec![u8::try_from(block).unwrap(); if block % 7 == 0 { 400 } else { 3 }];
        let change = if block % 10 == 9 {
            RawKeyChange::delete(b"k")
        } else {
            RawKeyChange::set(b"k", &value)
        };
        // Not every block writes it.
        let of_block: &[RawKeyChange<'_>] = if block % 4 == 2 { &[] } else { &[change] };
        assert_eq!(state.apply(of_block).unwrap(), tree.update(block, of_block).unwrap());
    }
    let (mut state, height) = (open(state.store_mut().clone()), 149);
    let reader = state.reader().unwrap();
    let proof = |statement| reader.prove(&statement).unwrap().proof;
    for at in 0..=height {
        let keys: &[&[u8]] = &[b"k"];
        let expected = tree.prove(&KeysQuestion { keys, at }).unwrap();
        assert_eq!(proof(Statement::Keys { height: at, keys }), expected, "at {at}");
        for to in [at, (at + 13).min(height), height] {
            let question = HistoryQuestion { keys, from: at, to };
            let expected = tree.prove_history(&question).unwrap();
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
    let block: Vec<_> = keys.iter().map(|key| RawKeyChange::set(key, b"1")).collect();
    let (mut state, mut tree) = (open(MemoryStore::default()), MemoryTree::new());
    let Prepared { root, writes, next, .. } = state.prepare(&block).unwrap();
    state.store_mut().write(writes).unwrap();
    state.commit(next).unwrap();
    assert_eq!(root, tree.update(0, &block).unwrap());
    let again = [RawKeyChange::set(&victim, b"2")];
    assert_eq!(state.apply(&again).unwrap(), tree.update(1, &again).unwrap());
    let mut state = open(state.store_mut().clone());
    let keys: &[&[u8]] = &[&victim];
    let proved = state.reader().unwrap().prove(&Statement::Keys { height: 0, keys }).unwrap();
    assert_eq!(proved.proof, tree.prove(&KeysQuestion { keys, at: 0 }).unwrap());
}
