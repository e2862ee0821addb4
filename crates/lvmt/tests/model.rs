//! The model against the roots of an independent one, and the verifier against the model's honest proofs.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

use prooflight_lvmt::VersionedState;
use prooflight_testkit::lvmt::check;
use prooflight_testkit::lvmt::sample::{name, sample};
use prooflight_testkit::lvmt::state::{LvmtModel, keccak};
use serde_json::Value as Json;

#[test]
fn the_model_has_the_published_roots() {
    let file = include_str!("../../../test-vectors/state-roots/lvmt.json");
    let file: Json = serde_json::from_str(file).unwrap();
    let tests = file["testGroups"][0]["tests"].as_array().unwrap();
    assert_eq!(tests.len(), 4);
    for test in tests {
        let log_n = test["input"]["params"]["logN"].as_u64().unwrap();
        let mut state = LvmtModel::new(u8::try_from(log_n).unwrap(), 1);
        let blocks = test["input"]["blocks"].as_array().unwrap();
        let roots = test["expected"]["roots"].as_array().unwrap();
        for (block, expected) in blocks.iter().zip(roots) {
            let changes: Vec<_> = block.as_array().unwrap().iter().map(change).collect();
            let changes: Vec<_> = changes.iter().map(|(k, v)| (&k[..], v.as_deref())).collect();
            state.commit(&changes);
            let root = state.root();
            assert_eq!([root.aroot, root.hroot].concat(), bytes(expected), "{}", test["comment"]);
        }
    }
}

fn change(change: &Json) -> (Vec<u8>, Option<Vec<u8>>) {
    let value = (change["op"] == "Set").then(|| bytes(&change["value"]));
    (bytes(&change["key"]), value)
}

fn bytes(hex: &Json) -> Vec<u8> {
    let digits = hex.as_str().unwrap().strip_prefix("0x").unwrap();
    let byte = |at: usize| u8::from_str_radix(&digits[at..at + 2], 16).unwrap();
    (0..digits.len()).step_by(2).map(byte).collect()
}

#[test]
fn honest_proofs_of_one_key() {
    for (log_n, log_arity, keys) in [(2, 1, 150), (4, 2, 150), (4, 4, 100), (3, 3, 60), (16, 2, 20)]
    {
        let state = sample(log_n, log_arity, keys);
        let deepest = state.keys.values().map(|record| record.level).max().unwrap();
        assert!(log_n > 2 || deepest >= 2, "{deepest}");
        for n in (0..keys + 20).step_by(3) {
            let key = name(n);
            let answer = check(&state, &[&key], &state.prove(&[&key])).unwrap();
            let record = state.keys.get(&keccak(&key));
            match (&answer[..], record) {
                ([VersionedState::Present { value, since, version }], Some(record)) => {
                    assert_eq!(Some(&value[..]), record.value.as_deref());
                    assert_eq!(*version, record.version);
                    assert_eq!(*since, record.leaves.last().unwrap().0.block);
                }
                ([VersionedState::Deleted { deleted_at, version }], Some(record)) => {
                    assert_eq!((record.value.as_ref(), *version), (None, record.version));
                    assert_eq!(*deleted_at, 4);
                }
                ([VersionedState::NeverWritten], None) => {}
                (other, record) => panic!("{other:?} of {record:?}"),
            }
        }
    }
}

#[test]
fn honest_proofs_of_many_keys() {
    let state = sample(2, 2, 120);
    for (start, step, count) in [(0, 1, 140), (7, 11, 12), (115, 2, 6), (118, 3, 2)] {
        let keys: Vec<_> = (0..count).map(|n| name(start + n * step)).collect();
        let keys: Vec<&[u8]> = keys.iter().map(|key| &key[..]).collect();
        let proof = state.prove(&keys);
        let answers = check(&state, &keys, &proof).unwrap();
        assert_eq!(answers.len(), keys.len());
        for (key, answer) in keys.iter().zip(&answers) {
            let value = state.keys.get(&keccak(key)).and_then(|record| record.value.as_deref());
            assert_eq!(answer.value().map(|value| &value[..]), value);
        }
    }
}

#[test]
fn answers_are_in_the_order_of_the_keys_which_may_repeat() {
    let state = sample(4, 2, 30);
    let [present, absent] = [name(3), name(99)];
    let keys = [&present[..], &absent, &present];
    let proof = state.prove(&keys);
    assert_eq!(proof.claims.len(), 2);
    let answers = check(&state, &keys, &proof).unwrap();
    assert!(matches!(answers[1], VersionedState::NeverWritten));
    let [first, _, last] = &answers[..] else { panic!("{answers:?}") };
    assert!(std::sync::Arc::ptr_eq(first.value().unwrap(), last.value().unwrap()));
    assert_eq!(check(&state, &[], &state.prove(&[])), Ok(vec![]));
}

/// Ownership never changes, so that any leaf of the slot shows it.
#[test]
fn an_owner_is_shown_by_any_leaf_of_its_slot() {
    let state = sample(2, 1, 150);
    let key = name(1000);
    let honest = state.prove(&[&key]);
    assert!(honest.owners.len() > 5, "{}", honest.owners.len());
    let mut tombstones = 0;
    for (at, owner) in honest.owners.iter().enumerate() {
        let record = &state.keys[&owner.key_hash];
        let name = state.entry_name(&owner.key_hash, record.level);
        for version in 0..record.leaves.len() {
            let mut proof = honest.clone();
            proof.owners[at] = state.owner(&name, record.slot, |_| version).unwrap();
            tombstones += u32::from(proof.owners[at].value_hash.is_none());
            state.seal(&mut proof);
            check(&state, &[&key], &proof).unwrap();
        }
    }
    assert!(tombstones > 0);
}
