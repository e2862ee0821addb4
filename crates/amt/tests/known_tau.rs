//! Compares commitments and openings with those that another library computes from the definitions and tau.

#![allow(clippy::unwrap_used, reason = "tests")]

use prooflight_amt::{
    EntryChange, IndexClass, Opening, OpeningKind, Point, ProverSetup, Scalar, TableParts, Tables,
    TreeState, VerifyingKey, verify_openings,
};
use serde_json::Value;

/// Made by `data/known_tau.py` with `py_ecc`.
fn fixture() -> Value {
    serde_json::from_str(include_str!("data/known_tau.json")).unwrap()
}

fn bytes(value: &Value) -> [u8; 32] {
    hex::decode(value.as_str().unwrap()).unwrap().try_into().unwrap()
}

fn number(value: &Value) -> u32 {
    u32::try_from(value.as_u64().unwrap()).unwrap()
}

#[test]
fn the_development_setup_has_the_id_that_python_computes() {
    for (log_n, id) in fixture()["paramsId"].as_object().unwrap() {
        let key = VerifyingKey::dev(log_n.parse().unwrap()).unwrap();
        assert_eq!(key.params_id(), bytes(id), "{log_n}");
    }
}

#[test]
fn commitments_and_openings_are_those_of_the_definitions() {
    for case in fixture()["cases"].as_array().unwrap() {
        let [log_n, log_arity] =
            ["logN", "logArity"].map(|name| u8::try_from(number(&case[name])).unwrap());
        let parts = TableParts { single: true, tree: Some(log_arity) };
        let setup = ProverSetup::dev(log_n).unwrap();
        for tables in
            [Tables::dev(log_n, parts).unwrap(), Tables::build(&setup, parts, &|_, _| ()).unwrap()]
        {
            check(case, log_n, log_arity, &tables);
        }
    }
}

fn check(case: &Value, log_n: u8, log_arity: u8, tables: &Tables) {
    let mut changes = Vec::new();
    let mut entries = Vec::new();
    for (index, list) in case["versions"].as_object().unwrap() {
        let index = index.parse().unwrap();
        let mut versions = [0; 6];
        for ((slot, version), value) in (0..).zip(&mut versions).zip(list.as_array().unwrap()) {
            *version = value.as_u64().unwrap();
            changes.push(EntryChange::version(index, slot, i64::try_from(*version).unwrap()));
        }
        entries.push((index, Scalar::from_versions(&versions).unwrap()));
    }
    let mut state = TreeState::new(log_n, log_arity, IndexClass::ALL).unwrap();
    state.update(tables, &changes).unwrap();
    let mut sums = [Point::ZERO];
    let numbered: Vec<_> = changes.iter().map(|change| (0, *change)).collect();
    tables.update(&mut sums, &numbered).unwrap();

    let commitment = bytes(&case["commitment"]);
    assert_eq!(sums[0].to_bytes(), commitment);
    assert_eq!(Point::from_bytes(&commitment), Ok(sums[0]));
    assert_eq!(tables.commit(&entries).unwrap(), sums[0]);
    let index = number(&case["index"]);
    let tree: Vec<_> = case["tree"].as_array().unwrap().iter().map(bytes).collect();
    assert_eq!(state.open(index).unwrap(), tree);
    let single = [bytes(&case["single"])];
    assert_eq!(tables.open_single(&entries, index).unwrap(), single[0]);

    let entry = entries.iter().find(|entry| entry.0 == index);
    let value = entry.map_or(Scalar::ZERO, |entry| entry.1);
    let opening = |kind, points| Opening { commitment, index, value, kind, points };
    let openings = [
        opening(OpeningKind::Tree { log_arity }, &tree[..]),
        opening(OpeningKind::Single, &single),
    ];
    assert_eq!(verify_openings(&openings, tables.verifying_key()), Ok(()));
}
