//! Verifies the example of the specification; `crates/testing/vectors` runs the vectors.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

mod common;

use common::{check, example};
use serde_json::{Value as Json, json};

#[test]
fn the_example() {
    let common = json!({ "root": prefixed(example::ROOT), "block": "0x2" });
    check_example(
        &common,
        json!({ "kind": "get", "keys": ["0x61"], "at": "0x1", "proof": prefixed(&example::get()) }),
        &json!({ "answers": [{ "value": "0x01", "since": "0x0" }] }),
    );
    check_example(
        &common,
        json!({ "kind": "hist", "keys": ["0x61"], "from": "0x0", "to": "0x1", "proof": prefixed(&example::hist()) }),
        &json!({ "histories": [{ "entering": {}, "changes": [{ "value": "0x01", "since": "0x0" }] }] }),
    );
    check_example(
        &common,
        json!({
            "kind": "range", "lo": "0x", "hi": null, "at": "0x2", "reverse": false, "proof": prefixed(&example::range()),
        }),
        &json!({
            "entries": [
                { "key": "0x61", "value": "0x03", "since": "0x2" },
                { "key": "0x62", "value": "0x02", "since": "0x1" },
            ],
            "next": "0x6200",
        }),
    );
    check_example(
        &common,
        json!({ "kind": "count", "lo": "0x62", "hi": "0x63", "proof": prefixed(&example::count()) }),
        &json!({ "count": "0x2" }),
    );
    let operations = json!([
        { "op": "Delete", "key": "0x61" },
        { "op": "Set", "key": "0x6264", "value": "0x05" },
    ]);
    let part = json!({ "keys": ["0x61", "0x6264"], "proof": prefixed(&example::update()) });
    check_example(
        &common,
        json!({ "kind": "update", "operations": operations, "parts": [part] }),
        &json!({ "root": prefixed(example::NEXT) }),
    );
}

fn check_example(common: &Json, mut input: Json, expected: &Json) {
    for (name, value) in common.as_object().unwrap() {
        input[name] = value.clone();
    }
    let comment = input["kind"].clone();
    check(&json!({ "input": input, "comment": comment, "result": "valid", "expected": expected }));
}

fn prefixed(hex: &str) -> String {
    format!("0x{hex}")
}
