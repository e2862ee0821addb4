//! Proofs that an independent model made, and the example of the specification.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

mod common;

use common::check;
use serde_json::{Value as Json, json};

#[test]
fn proofs_of_the_independent_model() {
    let file: Json = serde_json::from_str(include_str!("data/proofs.json")).unwrap();
    let tests = file["testGroups"][0]["tests"].as_array().unwrap();
    assert_eq!(tests.len(), 18);
    tests.iter().for_each(check);
}

/// The root after block 2 of the example.
const ROOT: &str = "0xb5dec939241abb04e4c3c9aeda4a3fa8102a97e14af16cfade596aa6b0b48afe";
const V3: &str = "8b068ac872713a6fffc282d3acf268154a8b84622af4793b7f8d365426c4ddab";
const V4: &str = "3d4003d5feb6bb9648acc247db7ba00ac26beb5d855874230fe21bfa56ff6ff9";
const P61: &str = "06015a88bf6c04bd7e086b2fbc12490bb0fd85bd989079f23b2857d875a72663";
const E61: &str = "211f25dfaf1922e9a0b663e26734c9b41f6988c053837f2811bbafc2229d60b3";
const E62: &str = "917c0158b9026a46b0d257f1b7178350a72d3659c445e99a0117d0108a89ec4e";
const E63: &str = "4c7de75ce0b58a11909c3a84dcdbf02af5376087b37750aed21c6f78f0de6192";
const N9: &str = "6afe4344332a682264ec57b5f7191745b53cc60f4628417af7df948ab642e5a9";

#[test]
fn the_example() {
    let common = json!({ "root": ROOT, "block": "0x2" });
    let get = format!("0x010601 0960 010102 0001{V3} 01 02010101 020000{N9}");
    check_example(
        &common,
        json!({ "kind": "get", "keys": ["0x61"], "at": "0x1", "proof": get }),
        &json!({ "answers": [{ "value": "0x01", "since": "0x0" }] }),
    );
    let hist = format!("0x010602 0960 010102 0001{V3} 0001 02010101 020000{N9}");
    check_example(
        &common,
        json!({ "kind": "hist", "keys": ["0x61"], "from": "0x0", "to": "0x1", "proof": hist }),
        &json!({ "histories": [{ "entering": {}, "changes": [{ "value": "0x01", "since": "0x0" }] }] }),
    );
    let range =
        format!("0x010603 01026200 0960 01016102 00010103{P61} 0362 010001 01010102 010000{E63}");
    check_example(
        &common,
        json!({
            "kind": "range", "lo": "0x", "hi": null, "at": "0x2", "reverse": false, "proof": range,
        }),
        &json!({
            "entries": [
                { "key": "0x61", "value": "0x03", "since": "0x2" },
                { "key": "0x62", "value": "0x02", "since": "0x1" },
            ],
            "next": "0x6200",
        }),
    );
    let count = format!("0x010604 0960 010000{E61} 0362 010001{E62} 010000{E63}");
    check_example(
        &common,
        json!({ "kind": "count", "lo": "0x62", "hi": "0x63", "proof": count }),
        &json!({ "count": "0x2" }),
    );
    let update = format!("0x010606 0960 010102 0001{V3}{P61} 0362 010001{E62} 010001630100 01{V4}");
    let operations = json!([
        { "op": "Delete", "key": "0x61" },
        { "op": "Set", "key": "0x6264", "value": "0x05" },
    ]);
    let part = json!({ "keys": ["0x61", "0x6264"], "proof": spaceless(&json!(update)) });
    check_example(
        &common,
        json!({ "kind": "update", "operations": operations, "parts": [part] }),
        &json!({ "root": "0xf59275bb26687db74815a94c23ad24570fce24d1c957fa28e804a9942e03de32" }),
    );
}

fn check_example(common: &Json, mut input: Json, expected: &Json) {
    for (name, value) in common.as_object().unwrap() {
        input[name] = value.clone();
    }
    if input["proof"].is_string() {
        input["proof"] = spaceless(&input["proof"]);
    }
    let comment = input["kind"].clone();
    check(&json!({ "input": input, "comment": comment, "result": "valid", "expected": expected }));
}

fn spaceless(text: &Json) -> Json {
    json!(text.as_str().unwrap().replace(' ', ""))
}
