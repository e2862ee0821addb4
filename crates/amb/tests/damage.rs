//! A damaged store: changed bytes, lost records, older copies of records, and deleted ones put back.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

mod common;

use std::collections::BTreeMap;

use common::chain::draw_block;
use common::model::{Key, Model, Value, changes};
use prooflight_amb::prover::AmbState;
use prooflight_core::Result;
use prooflight_core::statement::Statement;
use prooflight_core::store::{MemoryStore, StateReader as _, StateStore as _, TransferRequest};
use prooflight_testkit::damage::{self, DamageReport, Records, deleted, older_copies, records};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

/// A chain, the blocks after it, and the records of its store after every block.
struct RecordedChain {
    store: MemoryStore,
    model: Model,
    further: Vec<Vec<(Key, Value)>>,
    kept: Vec<Records>,
}

/// The newest block.
const NEWEST: u64 = 11;

fn grown(seed: u64) -> RecordedChain {
    let mut rng = StdRng::seed_from_u64(seed);
    let mut model = Model::default();
    let mut state = AmbState::open(MemoryStore::default(), ()).unwrap();
    let mut kept = Vec::new();
    for height in 0..=NEWEST {
        // The last blocks change a part of the pages.
        let count = if height < 6 { 60 } else { 3 };
        let of_block = draw_block(&model, &mut rng, count);
        state.apply(&changes(&of_block)).unwrap();
        model.apply(height, &of_block);
        kept.push(records(state.store_mut()));
    }
    assert_eq!(state.root(), model.root());
    let store = state.store_mut().clone();
    let (mut further, mut after) = (Vec::new(), model.clone());
    for height in 1..4 {
        let of_block = draw_block(&after, &mut rng, 200);
        after.apply(NEWEST + height, &of_block);
        further.push(of_block);
    }
    RecordedChain { store, model, further, kept }
}

/// Opening; values of every key in every block, and some histories; ranges, counts and transfers; further blocks.
fn ask(store: &MemoryStore, grown: &RecordedChain) -> [Result<Vec<u8>>; 4] {
    let open = || AmbState::open(store.clone(), ());
    let keys: Vec<&[u8]> = grown.model.0.keys().map(Vec::as_slice).collect();
    let prove = |statements: &mut dyn Iterator<Item = Statement<'_>>| {
        let reader = open()?.reader()?;
        let mut proofs = Vec::new();
        for statement in statements {
            let proved = reader.prove(&statement)?;
            assert_eq!(proved.roots, [(NEWEST, grown.model.root().to_vec())]);
            proofs.extend(proved.proof);
        }
        Ok(proofs)
    };
    let values = (0..=NEWEST).map(|height| Statement::Keys { height, keys: &keys });
    let histories =
        keys.iter().step_by(5).map(|key| Statement::History { key, from: 2, to: NEWEST });
    let ranges = || {
        let (lo, hi): (&[u8], _) = (&[], None);
        let range = Statement::Range { height: 4, lo, hi, reverse: true };
        let mut found =
            prove(&mut [range, Statement::Count { height: NEWEST, lo: &[1], hi }].into_iter())?;
        let entries = TransferRequest { lo, hi, after: None, limit: 4096 };
        found.extend(open()?.reader()?.transfer(NEWEST, &entries)?.proof);
        Ok(found)
    };
    let further = || {
        let (mut state, mut roots) = (open()?, Vec::new());
        for block in &grown.further {
            roots.extend(state.apply(&changes(block))?);
        }
        Ok(roots)
    };
    [open().map(|state| state.root()), prove(&mut values.chain(histories)), ranges(), further()]
}

fn damage_each(
    grown: &RecordedChain,
    of: &Records,
    damages: impl FnMut(&[u8], &[u8]) -> Vec<Option<Vec<u8>>>,
) -> BTreeMap<char, DamageReport> {
    damage::damage_each(&grown.store, of, |store| ask(store, grown), damages)
}

/// Every third record of a kind with many; all of the others.
fn some_records(grown: &RecordedChain) -> Records {
    let is_taken = |at: usize, key: &[u8]| !matches!(key[0], b'v') || at.is_multiple_of(3);
    let all = records(&grown.store).into_iter().enumerate();
    all.filter(|(at, (key, _))| is_taken(*at, key)).map(|(_, record)| record).collect()
}

fn check(kinds: &BTreeMap<char, DamageReport>, expected: &str) {
    for (kind, DamageReport { found, unneeded }) in kinds {
        assert!(*found > 0 && *unneeded == 0, "{kind}: {unneeded} of {found}");
    }
    assert_eq!(kinds.keys().collect::<String>(), expected);
}

#[test]
fn a_lost_record_is_found() {
    let grown = grown(1);
    check(&damage_each(&grown, &some_records(&grown), |_, _| vec![None]), "hpsvw");
}

#[test]
fn an_older_copy_of_a_record_is_found() {
    let grown = grown(2);
    let older = |key: &[u8], value: &[u8]| older_copies(&grown.kept, key, value);
    // No other record is ever written twice under one key.
    check(&damage_each(&grown, &records(&grown.store), older), "ps");
}

#[test]
fn a_changed_byte_is_found() {
    let (grown, mut rng) = (grown(3), StdRng::seed_from_u64(30));
    let kinds = damage_each(&grown, &some_records(&grown), |_, value| {
        let at = rng.random_range(0..value.len());
        let mut changed = value.to_vec();
        changed[at] ^= 1 << rng.random_range(0..8);
        vec![Some(changed), Some(value[..at].to_vec())]
    });
    check(&kinds, "hpsvw");
}

#[test]
fn a_record_of_another_place_is_found() {
    let grown = grown(4);
    let all = records(&grown.store);
    let kinds = damage_each(&grown, &some_records(&grown), |key, value| {
        let others = all.iter().filter(|(other, _)| other[0] == key[0] && other != key);
        let mut others = others.map(|(_, other)| other).filter(|other| *other != value);
        others.next().into_iter().map(|other| Some(other.clone())).collect()
    });
    check(&kinds, "psvw");
}

#[test]
fn a_deleted_record_that_is_back_is_found_or_makes_no_difference() {
    let grown = grown(5);
    let gone = deleted(&grown.kept, &grown.store);
    let kinds = damage_each(&grown, &gone, |_, value| vec![Some(value.to_vec())]);
    for (kind, DamageReport { found, unneeded }) in &kinds {
        // A page that no record names is never read.
        assert!((*kind == 'p' && *found == 0) || *unneeded == 0, "{kind}: {unneeded} of {found}");
    }
    assert_eq!(kinds.keys().collect::<String>(), "hps");
}
