//! Roots of `test-vectors/state-roots/lvmt.json`, made by an independent model, for every shard and arity.
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use std::collections::BTreeSet;
use std::sync::Arc;

use prooflight_amt::{TableParts, Tables};
use prooflight_core::store::{MemoryStore, RawKeyChange};
use prooflight_lvmt::{LvmtStore, ProofShard, StoreParams};
use serde_json::Value;

const FILE: &str = include_str!("../../../test-vectors/state-roots/lvmt.json");

const SHARDS: [ProofShard; 4] = [
    ProofShard::None,
    ProofShard::Class { bits: 0, value: 0 },
    ProofShard::Class { bits: 2, value: 1 },
    ProofShard::Full,
];

#[test]
fn roots_are_those_of_the_model() {
    let file: Value = serde_json::from_str(FILE).unwrap();
    let groups = file["testGroups"].as_array().unwrap();
    let tests = groups.iter().flat_map(|group| group["tests"].as_array().unwrap());
    let mut shapes = BTreeSet::new();
    for (number, test) in tests.enumerate() {
        let log_n = u8::try_from(test["input"]["params"]["logN"].as_u64().unwrap()).unwrap();
        shapes.insert(log_n);
        let parts = |log_arity| TableParts { single: true, tree: Some(log_arity) };
        for log_arity in [1, 2, 4].into_iter().filter(|log_arity| log_n % log_arity == 0) {
            // Tables that compute every row are slow: one shape is enough for the most rows.
            if log_n == 16 && log_arity != 2 {
                continue;
            }
            let tables = Arc::new(Tables::dev(log_n, parts(log_arity)).unwrap());
            for shard in SHARDS {
                let params = StoreParams {
                    tables: tables.clone(),
                    log_arity,
                    shard,
                    defer_proof_nodes: false,
                };
                let mut store = LvmtStore::open(MemoryStore::default(), params).unwrap();
                let blocks = test["input"]["blocks"].as_array().unwrap();
                let expected = test["expected"]["roots"].as_array().unwrap();
                assert_eq!(blocks.len(), expected.len());
                for (block, expected) in blocks.iter().zip(expected) {
                    let operations = operations(block);
                    let changes: Vec<_> = operations.iter().map(RawKeyChange::from).collect();
                    let root = store.apply(&changes).unwrap();
                    assert_eq!(
                        hex::encode(root),
                        expected.as_str().unwrap()[2..],
                        "{number} {shard:?}"
                    );
                }
            }
        }
    }
    assert_eq!(Vec::from_iter(shapes), [2, 4, 16]);
}

type Operation = (Vec<u8>, Option<Vec<u8>>);

fn operations(block: &Value) -> Vec<Operation> {
    let bytes = |value: &Value| hex::decode(&value.as_str().unwrap()[2..]).unwrap();
    let operations = block.as_array().unwrap().iter();
    operations.map(|it| (bytes(&it["key"]), it.get("value").map(bytes))).collect()
}
