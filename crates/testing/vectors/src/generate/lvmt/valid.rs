//! `lvmt/proof.json`: honest proofs of every kind of answer.

use prooflight_json::{HexBytes, Quantity};
use serde_json::{Value, json};

use super::input;
use super::sample::{find, name, sample};
use super::state::{LvmtModel, keccak};
use crate::generate::builder::{FileBuilder, expected};

/// Adds the tests made by code.
pub(in crate::generate) fn make(file: &mut FileBuilder) {
    file.group("LvmtProof");
    one_key(file);
    shapes(file);
    many_keys(file);
}

/// Adds the honest proof about keys of a state, with the answer from the state.
fn honest(
    file: &mut FileBuilder,
    flags: &[&str],
    comment: &str,
    state: &LvmtModel,
    keys: &[&[u8]],
) {
    let results: Value = keys.iter().map(|key| result(state, key)).collect();
    let input = input(state, state.root(), keys, &state.prove(keys));
    file.valid(flags, comment, &input, expected(json!({ "results": results })));
}

/// The state's answer about a key.
fn result(state: &LvmtModel, key: &[u8]) -> Value {
    let Some(record) = state.keys.get(&keccak(key)) else { return json!({}) };
    let (place, _) = record.leaves.last().expect("it was written");
    let (block, version) = (Quantity(place.block), Quantity(record.version));
    match record.value.clone().map(HexBytes) {
        Some(value) => json!({ "value": value, "since": block, "version": version }),
        None => json!({ "deletedAt": block, "version": version }),
    }
}

/// An absent key whose walk ends at this level.
fn unknown(state: &LvmtModel, level: u8) -> Vec<u8> {
    let ends = |key: &Vec<u8>| {
        let mut levels = (0..).map(|level| state.entry_at(&keccak(key), level));
        levels.position(|versions| versions.contains(&0)) == Some(usize::from(level))
    };
    (1000..9000).map(name).find(ends).expect("a key that ends there")
}

fn one_key(file: &mut FileBuilder) {
    let state = sample(2, 1, 150);
    for level in 0..3 {
        let deep: &[&str] = if level > 1 { &["Deep"] } else { &[] };
        let flags = |flag| [&[flag], deep].concat();
        let comment = |what: &str| format!("{what} at level {level}");
        let key = find(&state, |r| r.level == level && r.value.is_some());
        honest(file, &flags("Present"), &comment("a value"), &state, &[&key]);
        let key = find(&state, |r| r.level == level && r.value.is_none());
        honest(file, &flags("Deleted"), &comment("a deleted key"), &state, &[&key]);
    }
    let deep = unknown(&state, 2);
    honest(file, &["Absent", "Deep"], "an absent key below two full entries", &state, &[&deep]);
    let sparse = sample(4, 2, 24);
    let key = find(&sparse, |r| r.value.is_some() && r.version == 1);
    honest(file, &["Present"], "a value of version 1", &sparse, &[&key]);
    let key = unknown(&sparse, 0);
    honest(file, &["Absent"], "an absent key whose entry has a free slot", &sparse, &[&key]);
    let full = full_entry();
    let key = full_entry_key(&full);
    honest(file, &["Absent"], "an absent key whose entry is full, without a child", &full, &[&key]);
}

/// A state with an entry of five occupied slots and no child.
fn full_entry() -> LvmtModel {
    let mut state = LvmtModel::new(4, 2);
    let first = keccak(&name(0))[0] >> 4;
    let of_entry: Vec<_> =
        (0..1000).map(name).filter(|key| keccak(key)[0] >> 4 == first).take(5).collect();
    let changes: Vec<_> = of_entry.iter().map(|key| (&key[..], Some(&b"v"[..]))).collect();
    state.commit(&changes);
    state
}

/// An absent key of that entry.
fn full_entry_key(state: &LvmtModel) -> Vec<u8> {
    let entry = *state.entries.keys().next().expect("one entry");
    let there = |key: &Vec<u8>| {
        state.entry_name(&keccak(key), 0) == entry && !state.keys.contains_key(&keccak(key))
    };
    (0..1000).map(name).find(there).expect("a sixth key of that entry")
}

fn shapes(file: &mut FileBuilder) {
    for (log_n, log_arity, keys) in
        [(1, 1, 40), (2, 2, 60), (3, 1, 60), (3, 3, 60), (4, 1, 100), (4, 4, 100), (8, 2, 60)]
    {
        let state = sample(log_n, log_arity, keys);
        let deepest = state.keys.values().map(|record| record.level).max().expect("keys");
        let comment = |what: &str| format!("log_n {log_n}, log_arity {log_arity}, {what}");
        let key = find(&state, |r| r.level == deepest);
        honest(file, &["Shape"], &comment("a key at the deepest level"), &state, &[&key]);
        honest(file, &["Shape", "Absent"], &comment("an absent key"), &state, &[&name(1000)]);
    }
    for log_arity in [1, 2, 4] {
        let state = sample(16, log_arity, 12);
        let comment = format!("log_n 16, arity {}", 1 << log_arity);
        honest(file, &["Shape", "Many"], &comment, &state, &[&name(1), &name(0), &name(50)]);
    }
    let state = level_one();
    for (level, key) in [name(0), b"below".to_vec()].iter().enumerate() {
        let comment = format!("log_n 16, level {level}");
        honest(file, &["Shape", "Present"], &comment, &state, &[key]);
    }
}

/// A state with AMTs of 2^16 entries and a key at level 1, since its entry in the root AMT is full.
fn level_one() -> LvmtModel {
    // Hashes with the same first 16 bits are rare: the entry is filled by hand.
    let mut state = LvmtModel::new(16, 2);
    let key = keccak(b"below");
    state.entries.insert(state.entry_name(&key, 0), [0, 3, 1, 4, 1, 5]);
    let others: Vec<_> = (0..60).map(name).collect();
    let mut changes: Vec<_> = others.iter().map(|key| (&key[..], Some(&b"other"[..]))).collect();
    state.commit(&changes);
    changes.truncate(3);
    changes.push((b"below", Some(b"at level 1")));
    state.commit(&changes);
    state
}

fn many_keys(file: &mut FileBuilder) {
    let state = sample(2, 1, 120);
    let names = |numbers: &mut dyn Iterator<Item = u32>| numbers.map(name).collect::<Vec<_>>();
    for (comment, keys) in [
        ("two keys", names(&mut [3, 5].into_iter())),
        (
            "every kind of answer, not in the order of the hashes",
            names(&mut (0..12).chain(300..306)),
        ),
        ("deleted keys", names(&mut (0..10).map(|n| 7 * n))),
        ("absent keys", names(&mut (500..520))),
        ("a key three times", names(&mut [9, 400, 9, 9].into_iter())),
        ("keys one after the other in the tree", names(&mut (40..70))),
    ] {
        let keys: Vec<&[u8]> = keys.iter().map(|key| &key[..]).collect();
        honest(file, &["Many"], comment, &state, &keys);
    }
}
