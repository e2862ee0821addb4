//! The contract of the store: what it refuses, full disks, and merges on a thread.
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

mod run;

use std::sync::{Arc, Mutex};

use prooflight_core::chain::LmptConfig;
use prooflight_core::statement::Statement;
use prooflight_core::store::{
    MemoryStore, Prepared, RawKeyChange, ReadStore, StateReader, StateStore, Store,
};
use prooflight_core::{Reason, Result};
use prooflight_lmpt::{
    EMPTY_ROOTS, LayerRoots, LmptMerging, LmptParams, LmptState, MergeEvent, MergingParams,
};
use prooflight_testkit::store::SharedStore;
use rand::SeedableRng;
use rand::rngs::StdRng;

use run::{Changes, Model, changes, draw_changes, keys};

const ERAS: LmptConfig = LmptConfig { era_blocks: 3, era_ops: 1000, era_bytes: 1 << 20 };

fn params() -> LmptParams {
    LmptParams { part_keys: 4, replays: true, ..LmptParams::new(ERAS) }
}

/// Normalised blocks, and the roots after each.
fn blocks(seed: u64, count: usize) -> Model {
    let mut rng = StdRng::seed_from_u64(seed);
    let mut model = Model::new(ERAS);
    for _ in 0..count {
        model.push(model.normalise(draw_changes(&mut rng, 30)));
    }
    model
}

fn open() -> LmptState<MemoryStore> {
    LmptState::open(MemoryStore::default(), params()).unwrap()
}

fn filled(model: &Model) -> LmptState<MemoryStore> {
    let mut state = open();
    for block in &model.blocks {
        state.apply(&changes(block)).unwrap();
    }
    state
}

#[test]
fn an_empty_store_has_no_block() {
    let mut state = open();
    assert_eq!((state.height(), state.roots(), state.era()), (None, EMPTY_ROOTS, None));
    assert_eq!(state.get(b"key"), Ok(None));
    let reasons = [
        state.prove(0, &[b"key"]).unwrap_err(),
        state.merger().unwrap_err(),
        state.prune(0).unwrap_err(),
        state.roll_back(0).unwrap_err(),
        state.reader().unwrap().prove(&Statement::Keys { height: 0, keys: &[b"k"] }).unwrap_err(),
    ];
    for error in reasons {
        assert_eq!(error.reason(), Reason::VersionUnavailable, "{error}");
    }
}

#[test]
fn a_block_is_prepared_then_committed() {
    let model = blocks(1, 6);
    let mut state = filled(&model);
    state.merge().unwrap();
    let roots = state.roots();
    let one = state.prepare(&[RawKeyChange::set(b"a", b"1")]).unwrap();
    let other = state.prepare(&[RawKeyChange::set(b"a", b"2")]).unwrap();
    assert_eq!((state.roots(), state.height()), (roots, Some(5)));
    assert_ne!(one.root, other.root);
    let Prepared { root, writes, next, .. } = one;
    state.store_mut().write(writes).unwrap();
    state.commit(next).unwrap();
    assert_eq!((state.root(), state.height()), (root, Some(6)));
    assert_eq!(state.commit(other.next).unwrap_err().reason(), Reason::InvalidArgument);
    assert_eq!(state.get(b"a"), Ok(Some(b"1".to_vec())));
}

#[test]
fn a_block_that_ends_an_era_needs_the_merge() {
    let model = blocks(2, 8);
    let mut state = open();
    let mut refused = 0;
    for block in &model.blocks {
        let block = changes(block);
        let ends = state.ends_era(&block);
        // The eras of blocks 1 to 3 and 4 to 6; the merge is only done where it must be.
        let prepared = state.prepare(&block);
        if ends {
            let error = prepared.unwrap_err();
            assert_eq!(error.reason(), Reason::StoreFailed, "{error}");
            refused += 1;
        } else {
            prepared.unwrap();
        }
        state.apply(&block).unwrap();
    }
    assert_eq!(refused, 2);
    assert_eq!(Some(&state.roots()), model.roots.last());
}

#[test]
fn other_parameters_are_refused() {
    let store = filled(&blocks(3, 5)).into_store();
    let open = |params| LmptState::open(store.clone(), params).map(|_| ());
    open(params()).unwrap();
    // These are the node's own choice.
    open(LmptParams { replays: false, part_keys: 1, ..params() }).unwrap();
    let flat = open(LmptParams { is_flat: true, ..params() }).unwrap_err();
    let eras = LmptConfig { era_blocks: 4, ..ERAS };
    let longer = open(LmptParams { eras, ..params() }).unwrap_err();
    assert_eq!(
        (flat.reason(), longer.reason()),
        (Reason::InvalidArgument, Reason::InvalidArgument)
    );
    let eras = LmptConfig { era_ops: 0, ..ERAS };
    let none = open(LmptParams { eras, ..params() }).unwrap_err();
    assert_eq!(none.reason(), Reason::InvalidConfig);
}

#[test]
fn other_statements_are_refused() {
    let mut state = filled(&blocks(4, 3));
    let reader = state.reader().unwrap();
    for statement in [
        Statement::Account { height: 1, address: &[1; 20], slots: &[] },
        Statement::History { key: b"k", from: 0, to: 1 },
        Statement::Diff { from: None, to: 1 },
    ] {
        assert_eq!(reader.prove(&statement).unwrap_err().reason(), Reason::UnknownStatement);
    }
}

#[test]
fn a_reader_keeps_its_blocks_while_others_are_forgotten() {
    let model = blocks(5, 40);
    let mut state = open();
    let (first, rest) = model.blocks.split_at(20);
    for block in first {
        state.apply(&changes(block)).unwrap();
    }
    let reader = state.reader().unwrap();
    for block in rest {
        state.apply(&changes(block)).unwrap();
    }
    state.prune(39).unwrap();
    state.merge().unwrap();
    state.collect().unwrap();
    let asked: Vec<&[u8]> = keys().iter().map(Vec::as_slice).collect();
    for height in 0..20 {
        let proved = reader.prove(&Statement::Keys { height, keys: &asked }).unwrap();
        model.check(usize::try_from(height).unwrap(), keys(), &proved);
        let newer = state.reader().unwrap();
        let forgotten = newer.prove(&Statement::Keys { height, keys: &asked }).unwrap_err();
        assert_eq!(forgotten.reason(), Reason::VersionUnavailable);
    }
    let after = reader.prove(&Statement::Keys { height: 20, keys: &asked }).unwrap_err();
    assert_eq!(after.reason(), Reason::VersionUnavailable);
}

#[test]
fn a_block_of_more_operations_than_memory_holds_is_still_proved() {
    let eras = LmptConfig { era_blocks: 3, era_ops: 2, era_bytes: 1 << 20 };
    let mut state = LmptState::open(MemoryStore::default(), LmptParams::new(eras)).unwrap();
    let mut model = Model::new(eras);
    let mut rng = StdRng::seed_from_u64(6);
    for _ in 0..6 {
        let block = model.normalise(draw_changes(&mut rng, 30));
        state.apply(&changes(&block)).unwrap();
        model.push(block);
    }
    let asked: Vec<&[u8]> = keys().iter().map(Vec::as_slice).collect();
    model.check(5, keys(), &state.prove(5, &asked).unwrap());
}

/// Makes the blocks on a disk that is full after some writes, then once more with room.
#[test]
fn a_full_disk_loses_nothing() {
    let model = blocks(7, 14);
    let mut failures = 0;
    for writes in 0..200 {
        let store = SharedStore::default();
        store.limit(Some(writes));
        let mut state = LmptState::open(store.clone(), params()).unwrap();
        let mut acknowledged = 0;
        let mut error = None;
        for block in &model.blocks {
            match state.apply(&changes(block)) {
                Ok(roots) => assert_eq!(roots, model.roots[acknowledged]),
                Err(refused) => {
                    error = Some(refused);
                    break;
                }
            }
            acknowledged += 1;
        }
        let Some(error) = error else { break };
        assert_eq!(error.reason(), Reason::StoreFailed, "{error}");
        assert_eq!(state.height(), (acknowledged as u64).checked_sub(1));
        failures += 1;
        store.limit(None);
        // The same store continues, and so does one that is opened again.
        for mut state in
            [LmptState::open(SharedStore::new(store.content()), params()).unwrap(), state]
        {
            assert_eq!(state.height(), (acknowledged as u64).checked_sub(1));
            for (block, roots) in model.blocks.iter().zip(&model.roots).skip(acknowledged) {
                assert_eq!(state.apply(&changes(block)).unwrap(), *roots, "after {writes} writes");
            }
        }
    }
    assert!(failures > 30, "{failures}");
}

/// A block as the node makes it: prepared, written, committed.
fn make(state: &mut LmptMerging<SharedStore>, block: &Changes) -> Result<Vec<u8>> {
    let Prepared { root, writes, next, .. } = state.prepare(&changes(block))?;
    state.state_mut().store_mut().write(writes)?;
    state.commit(next)?;
    Ok(root)
}

#[derive(Debug, Default)]
struct EventCounts {
    parts: usize,
    waits: usize,
    failures: usize,
}

fn watched(seen: &Arc<Mutex<EventCounts>>) -> MergingParams {
    let seen = seen.clone();
    let watch = move |event: &MergeEvent<'_>| {
        let mut seen = seen.lock().unwrap();
        match event {
            MergeEvent::Part { keys, total, .. } => {
                assert!(keys <= total);
                seen.parts += 1;
            }
            MergeEvent::Waited { .. } => seen.waits += 1,
            MergeEvent::Failed(_) => seen.failures += 1,
        }
    };
    MergingParams { store: params(), on_event: Arc::new(watch) }
}

#[test]
fn merges_on_a_thread_lead_to_the_same_roots() {
    for seed in 20..30 {
        let model = blocks(seed, 40);
        let (store, seen) = (SharedStore::default(), Arc::default());
        for part in model.blocks.chunks(13).zip(model.roots.chunks(13)) {
            // Opened again while a merge may be running.
            let mut state = LmptMerging::open(store.clone(), watched(&seen)).unwrap();
            for (block, roots) in part.0.iter().zip(part.1) {
                assert_eq!(make(&mut state, block).unwrap(), roots.encode(), "seed {seed}");
            }
        }
        let seen = seen.lock().unwrap();
        assert!(seen.parts >= 13 && seen.waits == 13 && seen.failures == 0, "{seen:?}");
    }
}

#[test]
fn a_merge_that_fails_is_named_and_tried_again() {
    let model = blocks(40, 12);
    let seen = Arc::default();
    let store = SharedStore::default();
    let mut state = LmptMerging::open(store.clone(), watched(&seen)).unwrap();
    for block in &model.blocks[..4] {
        make(&mut state, block).unwrap();
    }
    state.finish().unwrap();
    // The next era's merge has no space.
    make(&mut state, &model.blocks[4]).unwrap();
    make(&mut state, &model.blocks[5]).unwrap();
    let next = state.prepare(&changes(&model.blocks[6])).unwrap();
    state.state_mut().store_mut().write(next.writes).unwrap();
    store.limit(Some(0));
    state.commit(next.next).unwrap();
    let error = state.finish().unwrap_err();
    assert_eq!(error.reason(), Reason::StoreFailed, "{error}");
    assert!(seen.lock().unwrap().failures >= 2);
    store.limit(None);
    for (block, roots) in model.blocks.iter().zip(&model.roots).skip(7) {
        assert_eq!(make(&mut state, block).unwrap(), roots.encode());
    }
}

#[test]
fn flat_values_are_those_of_the_trie() {
    let model = blocks(50, 20);
    let params = LmptParams { is_flat: true, ..params() };
    let mut state = LmptState::open(MemoryStore::default(), params).unwrap();
    for (height, block) in model.blocks.iter().enumerate() {
        state.apply(&changes(block)).unwrap();
        for key in keys() {
            assert_eq!(state.get(key).unwrap().as_deref(), model.value(height, key), "{height}");
        }
    }
    state.merge().unwrap();
    let flat = state.into_store().range(b"f", b"g").count();
    let [_, intermediate, snapshot] = model.layers(model.height());
    let all: std::collections::BTreeMap<_, _> = snapshot.into_iter().chain(intermediate).collect();
    assert_eq!(flat, all.values().filter(|leaf| leaf[..] != [0]).count());
}

#[test]
fn a_block_with_a_key_twice_counts_the_last_one() {
    let mut state = open();
    state.apply(&[]).unwrap();
    let mut other = open();
    other.apply(&[]).unwrap();
    let roots: LayerRoots =
        state.apply(&[RawKeyChange::set(b"k", b"1"), RawKeyChange::set(b"k", b"2")]).unwrap();
    assert_eq!(roots, other.apply(&[RawKeyChange::set(b"k", b"2")]).unwrap());
}

/// More blocks of one era than are kept in memory: only a replay has the first ones.
#[test]
fn a_reader_from_before_a_roll_back_has_its_own_replays() {
    let eras = LmptConfig { era_blocks: 1000, ..ERAS };
    let params = LmptParams { replays: true, ..LmptParams::new(eras) };
    let mut state = LmptState::open(MemoryStore::default(), params).unwrap();
    let mut model = Model::new(eras);
    let append = |state: &mut LmptState<MemoryStore>, model: &mut Model, blocks: u8, value: u8| {
        for height in 0..blocks {
            let block: Changes = [(keys()[0].clone(), Some(vec![value, height]))].into();
            state.apply(&changes(&block)).unwrap();
            model.push(block);
        }
    };
    append(&mut state, &mut model, 100, 1);
    let before = state.reader().unwrap();
    let statement = Statement::Keys { height: 10, keys: &[&keys()[0]] };
    let old = model.clone();
    state.roll_back(5).unwrap();
    model.roll_back(5);
    append(&mut state, &mut model, 100, 2);
    old.check(10, &keys()[..1], &before.prove(&statement).unwrap());
    model.check(10, &keys()[..1], &state.reader().unwrap().prove(&statement).unwrap());
}
