//! Roots of `test-vectors/state-roots/lmpt.json`, made by an independent model.
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

mod run;

use prooflight_core::chain::LmptConfig;
use prooflight_core::store::{MemoryStore, StateStore};
use prooflight_lmpt::{LmptParams, LmptState};
use serde_json::Value;

use run::{Changes, Model, changes};

const FILE: &str = include_str!("../../../test-vectors/state-roots/lmpt.json");

#[test]
fn roots_are_those_of_the_vectors() {
    let file: Value = serde_json::from_str(FILE).unwrap();
    let groups = file["testGroups"].as_array().unwrap();
    let mut count = 0;
    for test in groups.iter().flat_map(|group| group["tests"].as_array().unwrap()) {
        // A test that is written as edits of another one is left to the node's `state_roots`.
        let Some(input) = test.get("input") else { continue };
        let params = &input["params"];
        let number = |name: &str| params[name].as_u64();
        let eras = LmptConfig {
            era_blocks: u32::try_from(number("eraBlocks").unwrap()).unwrap(),
            era_ops: u32::try_from(number("eraOps").unwrap()).unwrap(),
            era_bytes: number("eraBytes").unwrap_or(u64::MAX),
        };
        if test["result"] == "invalid" {
            let refused = eras.check().unwrap_err();
            assert_eq!(refused.reason().as_str(), test["expectedReason"].as_str().unwrap());
            continue;
        }
        let params = LmptParams { part_keys: 3, ..LmptParams::new(eras) };
        let mut state = LmptState::open(MemoryStore::default(), params).unwrap();
        let mut model = Model::new(eras);
        let blocks = input["blocks"].as_array().unwrap();
        let expected = test["expected"]["roots"].as_array().unwrap();
        assert_eq!(blocks.len(), expected.len());
        for (block, expected) in blocks.iter().zip(expected) {
            let block = model.normalise(operations(block));
            let roots = state.apply(&changes(&block)).unwrap();
            model.push(block);
            let expected = &expected.as_str().unwrap()[2..];
            assert_eq!(hex::encode(roots.encode()), expected, "{}", test["comment"]);
            // The model of the other tests, too.
            assert_eq!(roots, *model.roots.last().unwrap());
        }
        count += 1;
    }
    assert!(count >= 21, "{count}");
}

fn operations(block: &Value) -> Changes {
    let bytes = |value: &Value| hex::decode(&value.as_str().unwrap()[2..]).unwrap();
    let operations = block.as_array().unwrap().iter();
    operations.map(|it| (bytes(&it["key"]), it.get("value").map(bytes))).collect()
}
