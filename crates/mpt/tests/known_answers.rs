//! Roots that other programs computed for the same keys and values, and proofs under them.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests fail by panicking"
)]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use prooflight_core::store::{MemoryStore, RawKeyChange};
use prooflight_core::{Limits, keccak256};
use prooflight_mpt::{Account, PersistentState, PersistentTrie, StateChange, verify_proof};
use prooflight_testkit::mpt::slices;
use serde_json::Value;

/// A file of `tests/data`.
fn data(name: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name);
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

/// The bytes of a string in ethereum/tests: hexadecimal after 0x, otherwise its characters.
fn bytes(value: &Value) -> Option<Vec<u8>> {
    let text = value.as_str()?;
    Some(match text.strip_prefix("0x") {
        Some(digits) => hex::decode(digits).unwrap(),
        None => text.into(),
    })
}

fn hash(value: &Value) -> [u8; 32] {
    bytes(value).unwrap().try_into().unwrap()
}

/// Keys with their values; `None` deletes a key.
fn entries(case: &Value) -> Vec<(Vec<u8>, Option<Vec<u8>>)> {
    match &case["in"] {
        Value::Array(pairs) => {
            pairs.iter().map(|pair| (bytes(&pair[0]).unwrap(), bytes(&pair[1]))).collect()
        }
        Value::Object(members) => members
            .iter()
            .map(|(key, value)| (bytes(&Value::from(key.as_str())).unwrap(), bytes(value)))
            .collect(),
        other => panic!("{other}"),
    }
}

fn apply(trie: &mut PersistentTrie<MemoryStore>, entries: &[(Vec<u8>, Option<Vec<u8>>)]) {
    let changes: Vec<_> = entries.iter().map(RawKeyChange::from).collect();
    trie.apply(&changes).unwrap();
}

#[test]
fn tries_of_ethereum_tests() {
    let mut cases = 0;
    for (file, secure, any_order) in [
        ("trietest.json", false, false),
        ("trietest_secureTrie.json", true, false),
        ("trieanyorder.json", false, true),
        ("trieanyorder_secureTrie.json", true, true),
        ("hex_encoded_securetrie_test.json", true, true),
    ] {
        for (name, case) in data(&format!("trietests/{file}")).as_object().unwrap() {
            let mut entries = entries(case);
            if secure {
                for (key, _) in &mut entries {
                    *key = keccak256(&[key]).to_vec();
                }
            }
            let root = hash(&case["root"]);
            check(&format!("{file} {name}"), &entries, root);
            if any_order {
                entries.reverse();
                check(&format!("{file} {name}, reversed"), &entries, root);
                entries.sort();
                check(&format!("{file} {name}, sorted"), &entries, root);
            }
            cases += 1;
        }
    }
    assert_eq!(cases, 25);
}

fn check(name: &str, entries: &[(Vec<u8>, Option<Vec<u8>>)], root: [u8; 32]) {
    let mut at_once = PersistentTrie::open(MemoryStore::default()).unwrap();
    apply(&mut at_once, entries);
    assert_eq!(at_once.root(), root, "{name}, as one batch");
    let mut one_by_one = PersistentTrie::open(MemoryStore::default()).unwrap();
    for entry in entries {
        apply(&mut one_by_one, core::slice::from_ref(entry));
    }
    assert_eq!(one_by_one.root(), root, "{name}, one by one");

    let known: BTreeMap<_, _> = entries.iter().cloned().collect();
    let absent = (0..40u8).map(|n| (keccak256(&[&[n]]).to_vec(), None));
    for (key, value) in known.into_iter().chain(absent) {
        let proved = one_by_one.prove(&key).unwrap();
        assert_eq!(proved, at_once.prove(&key).unwrap(), "{name}");
        let verified = verify_proof(&root, &key, &slices(&proved.proof), &Limits::DEFAULT).unwrap();
        assert_eq!(*verified, value.as_deref(), "{name}");
    }
}

#[test]
fn states_of_an_independent_model() {
    let file = data("state_roots.json");
    let mut blocks = 0;
    for test in file["testGroups"][0]["tests"].as_array().unwrap() {
        let mut state = PersistentState::open(MemoryStore::default()).unwrap();
        let roots = test["expected"]["roots"].as_array().unwrap();
        for (block, root) in test["input"]["blocks"].as_array().unwrap().iter().zip(roots) {
            // The last operation on a key wins.
            let mut last = BTreeMap::new();
            for operation in block.as_array().unwrap() {
                last.insert(bytes(&operation["key"]).unwrap(), bytes(&operation["value"]));
            }
            let changes: Vec<_> = last
                .iter()
                .map(|(key, value)| StateChange::from_entry(key, value.as_deref()).unwrap())
                .collect();
            assert_eq!(state.apply(&changes).unwrap(), hash(root), "{}", test["comment"]);
            blocks += 1;
        }
    }
    assert_eq!(blocks, 11);
}

#[test]
fn an_account_is_written_as_ethereum_does() {
    let mut state = PersistentState::open(MemoryStore::default()).unwrap();
    let account = Account {
        nonce: 1,
        balance: [0; 32],
        storage_root: prooflight_mpt::EMPTY_ROOT,
        code_hash: prooflight_mpt::EMPTY_CODE_HASH,
    };
    let Account { nonce, balance, code_hash, .. } = account;
    let address = [1; 20];
    state.apply(&[StateChange::SetAccount { address, nonce, balance, code_hash }]).unwrap();
    let proved = state.prove(&address, &[]).unwrap();
    assert_eq!(proved.account, Some(account));
    let [leaf] = &proved.account_proof[..] else { panic!("{proved:?}") };
    let body = "f8440180a056e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421a0\
                c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470";
    let path = hex::encode(keccak256(&[&address]));
    assert_eq!(hex::encode(leaf), format!("f86aa120{path}b846{body}"));
}
