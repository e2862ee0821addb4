//! A damaged store: changed bytes, lost records, and older copies of records put back.
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

mod run;

use std::collections::BTreeMap;

use prooflight_core::chain::LmptConfig;
use prooflight_core::statement::Statement;
use prooflight_core::store::{MemoryStore, StateReader, StateStore, Store, WriteBatch};
use prooflight_core::{Reason, Result};
use prooflight_lmpt::{LmptParams, LmptState};
use prooflight_testkit::damage::{self, DamageReport, Records, deleted, older_copies, records};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

use run::{Model, changes, draw_changes, keys};

const ERAS: LmptConfig = LmptConfig { era_blocks: 4, era_ops: 1000, era_bytes: 1 << 20 };

const PARAMS: LmptParams = LmptParams { part_keys: 2, replays: true, ..LmptParams::new(ERAS) };

/// A chain, some blocks after it, and the records of its store after every write.
struct RecordedChain {
    store: MemoryStore,
    model: Model,
    /// The blocks that are not made yet.
    next: Model,
    oldest: u64,
    kept: Vec<Records>,
}

fn grown(seed: u64) -> RecordedChain {
    let mut rng = StdRng::seed_from_u64(seed);
    let mut model = Model::new(ERAS);
    let mut state = LmptState::open(MemoryStore::default(), PARAMS).unwrap();
    let mut kept = Vec::new();
    let oldest = 6;
    for height in 0..19 {
        let block = model.normalise(draw_changes(&mut rng, 14));
        if state.ends_era(&changes(&block)) {
            state.merge().unwrap();
        }
        state.apply(&changes(&block)).unwrap();
        if height == 13 {
            // A reverted block, and another one instead.
            kept.push(records(state.store_mut()));
            state.roll_back(12).unwrap();
            let block = [(keys()[0].clone(), Some(vec![13]))].into();
            state.apply(&changes(&block)).unwrap();
            model.push(block);
        } else {
            model.push(block);
        }
        if height == 10 {
            state.prune(oldest).unwrap();
        }
        let mut merger = state.merger().unwrap();
        if let Some(part) = merger.next(state.store_mut()).unwrap() {
            state.store_mut().write(part).unwrap();
        }
        let store = state.into_store();
        kept.push(records(&store));
        state = LmptState::open(store, PARAMS).unwrap();
        assert_eq!(state.roots(), *model.roots.last().unwrap());
    }
    let mut next = model.clone();
    for _ in 0..7 {
        next.push(next.normalise(draw_changes(&mut rng, 14)));
    }
    let store = state.into_store();
    assert!(store_kinds(&store).contains(&b'm'), "no merge is under way");
    RecordedChain { store, model, next, oldest, kept }
}

fn store_kinds(store: &MemoryStore) -> Vec<u8> {
    let mut kinds: Vec<_> = records(store).into_iter().map(|(key, _)| key[0]).collect();
    kinds.dedup();
    kinds
}

/// The number of questions to a damaged store.
const QUESTIONS: usize = 4;

type Answers = [Result<Vec<u8>>; QUESTIONS];

/// Opening; proofs of every kept block; further blocks; the same once everything old is forgotten.
fn ask(store: &MemoryStore, grown: &RecordedChain) -> Answers {
    let open = || LmptState::open(store.clone(), PARAMS);
    let asked: Vec<&[u8]> = keys().iter().map(Vec::as_slice).collect();
    let newest = grown.model.height() as u64;
    let proofs = |state: &mut LmptState<MemoryStore>, from: u64| {
        let reader = state.reader()?;
        let mut proofs = Vec::new();
        for height in from..=newest {
            let proved = reader.prove(&Statement::Keys { height, keys: &asked })?;
            proofs.extend(proved.roots.into_iter().flat_map(|(_, root)| root));
            proofs.extend(proved.proof);
        }
        Ok(proofs)
    };
    let further = |state: &mut LmptState<MemoryStore>| {
        let mut roots = Vec::new();
        for block in &grown.next.blocks[grown.model.blocks.len()..] {
            roots.extend(state.apply(&changes(block))?.encode());
        }
        Ok(roots)
    };
    let forgotten = || {
        let mut state = open()?;
        state.merge()?;
        state.prune(newest)?;
        state.collect()?;
        let mut found = proofs(&mut state, newest)?;
        found.extend(further(&mut state)?);
        Ok(found)
    };
    [
        open().map(|state| state.root()),
        open().and_then(|mut state| proofs(&mut state, grown.oldest)),
        open().and_then(|mut state| further(&mut state)),
        forgotten(),
    ]
}

/// Damages each record in turn, as `damages` says; returns the outcome for each kind.
fn damage_each(
    grown: &RecordedChain,
    damages: impl FnMut(&[u8], &[u8]) -> Vec<Option<Vec<u8>>>,
) -> BTreeMap<char, DamageReport> {
    damage_these(grown, &records(&grown.store), damages)
}

fn damage_these(
    grown: &RecordedChain,
    of: &Records,
    damages: impl FnMut(&[u8], &[u8]) -> Vec<Option<Vec<u8>>>,
) -> BTreeMap<char, DamageReport> {
    damage::damage_each(&grown.store, of, |store| ask(store, grown), damages)
}

#[test]
fn the_honest_store_is_as_the_model_says() {
    let grown = grown(1);
    let mut state = LmptState::open(grown.store.clone(), PARAMS).unwrap();
    let asked: Vec<&[u8]> = keys().iter().map(Vec::as_slice).collect();
    let reader = state.reader().unwrap();
    for height in 6..=grown.model.height() {
        let statement = Statement::Keys { height: height as u64, keys: &asked };
        grown.model.check(height, keys(), &reader.prove(&statement).unwrap());
    }
    for (block, roots) in grown.next.blocks.iter().zip(&grown.next.roots).skip(19) {
        assert_eq!(state.apply(&changes(block)).unwrap(), *roots);
    }
}

#[test]
fn a_lost_record_is_found_or_was_not_needed() {
    let kinds = damage_each(&grown(10), |_, _| vec![None]);
    for (kind, DamageReport { found, unneeded }) in &kinds {
        match kind {
            // Its nodes stay in the store.
            'r' => {}
            // Nodes that only forgotten snapshots have.
            'n' => assert!(*found > 0 && unneeded < found, "{kind}: {unneeded} of {found}"),
            _ => assert!(*found > 0 && *unneeded == 0, "{kind}: {unneeded} of {found}"),
        }
    }
    let kinds: String = kinds.keys().collect();
    assert_eq!(kinds, "behmnoprv");
}

#[test]
fn an_older_copy_of_a_record_is_found() {
    let grown = grown(20);
    let kinds = damage_each(&grown, |key, value| older_copies(&grown.kept, key, value));
    for (kind, DamageReport { found, unneeded }) in &kinds {
        assert!(*found > 0 && *unneeded == 0, "{kind}: {unneeded} of {found}");
    }
    let kinds: String = kinds.keys().collect();
    assert_eq!(kinds, "bhmo");
}

#[test]
fn a_record_of_another_time_or_place_is_found_or_makes_no_difference() {
    let grown = grown(30);
    let records = records(&grown.store);
    let mut found = 0;
    let kinds = damage_each(&grown, |key, value| {
        // Those of the same kind.
        let others = records.iter().filter(|(other, _)| other[0] == key[0] && other != key);
        let others = others.filter(|(_, other)| other != value).step_by(5);
        others.map(|(_, other)| Some(other.clone())).collect()
    });
    for (kind, outcome) in &kinds {
        found += outcome.found;
        assert!(matches!(kind, 'b' | 'n' | 'r') || outcome.unneeded == 0, "{kind}: {outcome:?}");
    }
    assert!(found > 100, "{found}");
}

#[test]
fn a_deleted_record_that_is_back_makes_no_difference() {
    let grown = grown(40);
    let gone = deleted(&grown.kept, &grown.store);
    assert!(gone.len() > 20, "{}", gone.len());
    let _ = damage_these(&grown, &gone, |_, value| vec![Some(value.to_vec())]);
}

#[test]
fn a_changed_byte_is_found_or_harmless() {
    let mut rng = StdRng::seed_from_u64(51);
    let kinds = damage_each(&grown(50), |_, value| {
        let middle = rng.random_range(0..value.len());
        let flip = |at: usize, bit: u32| {
            let mut changed = value.to_vec();
            changed[at] ^= 1 << bit;
            Some(changed)
        };
        let bits = [(); 3].map(|()| rng.random_range(0..8));
        vec![flip(0, bits[0]), flip(middle, bits[1]), flip(value.len() - 1, bits[2])]
    });
    for (kind, DamageReport { found, unneeded }) in &kinds {
        // The roots of a block are compared where a replay ends, and a later write hides an entry.
        let may_be = matches!(kind, 'b' | 'n' | 'r');
        assert!(*found > 0 && (may_be || *unneeded == 0), "{kind}: {unneeded} of {found}");
    }
}

#[test]
fn a_store_without_its_parameters_is_not_taken_for_an_empty_one() {
    let mut store = grown(10).store;
    let mut batch = WriteBatch::new();
    batch.delete(*b"p");
    store.write(batch).unwrap();
    assert_eq!(LmptState::open(store, PARAMS).unwrap_err().reason(), Reason::StoreCorrupt);
}
