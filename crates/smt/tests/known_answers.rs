//! Roots that an independent model of the design computed for the same operations.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests fail by panicking"
)]

use std::fs;
use std::path::Path;

use prooflight_testkit::smt::plain::{BlockOp, PlainTree};
use serde_json::Value;

fn bytes(value: &Value) -> Vec<u8> {
    hex::decode(value.as_str().unwrap().strip_prefix("0x").unwrap()).unwrap()
}

fn op(op: &Value) -> BlockOp {
    let value = match op["op"].as_str().unwrap() {
        "Set" => Some(bytes(&op["value"])),
        "Delete" => None,
        other => panic!("{other}"),
    };
    (bytes(&op["key"]), value)
}

#[test]
fn roots_of_the_independent_model() {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../test-vectors/state-roots/smt.json");
    let file: Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    let tests = file["testGroups"][0]["tests"].as_array().unwrap();
    assert_eq!(tests.len(), 4);
    for test in tests {
        let mut plain = PlainTree::default();
        let blocks = test["input"]["blocks"].as_array().unwrap();
        let roots = test["expected"]["roots"].as_array().unwrap();
        assert_eq!(blocks.len(), roots.len());
        for (height, (ops, root)) in (0..).zip(blocks.iter().zip(roots)) {
            plain.apply(height, ops.as_array().unwrap().iter().map(op));
            assert_eq!(plain.root(height)[..], bytes(root), "{}, block {height}", test["comment"]);
        }
    }
}
