//! The runner's verdict on a refusal, for every pinned code and reason.
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use prooflight_vectors::run;
use serde_json::{Value, json};

/// An empty dictionary of keys of one byte, and the proof that 01 is absent.
fn input(member: &str, value: Value) -> Value {
    let mut input = json!({
        "keyLength": 1, "valueLength": null,
        "digest": "0x931febe9170def63e50b66e4f923a9af40ac80ee43342ebf4fde9f0d5d1fc45900",
        "ops": [{ "op": "Lookup", "key": "0x01" }], "proof": "0x0200ff0000000004",
    });
    input[member] = value;
    input
}

#[test]
fn an_invalid_test_passes_if_it_is_refused_with_the_code_and_the_reason_that_it_pins() {
    let outcomes = [
        (input("mode", json!("lax")), Some(("invalid_input", "invalid_argument"))),
        (input("proof", json!("0x")), Some(("malformed", "truncated"))),
        (input("mode", json!("strict")), None),
    ];
    let codes = [None, Some("malformed"), Some("mismatch"), Some("invalid_input"), Some("x")];
    let reasons =
        [None, Some("truncated"), Some("root_mismatch"), Some("invalid_argument"), Some("x")];
    for (input, refusal) in outcomes {
        for (code, reason) in codes.iter().flat_map(|code| reasons.map(|reason| (*code, reason))) {
            let mut test = json!({
                "tcId": 1, "comment": "", "flags": [], "input": &input, "result": "invalid",
            });
            if let Some(code) = code {
                test["expectedError"] = json!(code);
            }
            if let Some(reason) = reason {
                test["expectedReason"] = json!(reason);
            }
            let file = json!({
                "schema": "schema/vectors_v1.json", "scheme": "avl", "origin": "a test",
                "license": "MIT OR Apache-2.0", "numberOfTests": 1, "notes": {},
                "testGroups": [{ "type": "AvlBatch", "tests": [test] }],
            });
            let passes = refusal.is_some_and(|(its_code, its_reason)| {
                code.is_none_or(|code| code == its_code)
                    && reason.is_none_or(|reason| reason == its_reason)
            });
            // A failed test and a refused file are not distinguished here.
            let passed = run(&file.to_string()).is_ok_and(|report| report.failed() == 0);
            // A reason may only be pinned together with its code.
            if code.is_some() || reason.is_none() || !passes {
                assert_eq!(passed, passes, "{refusal:?} {code:?} {reason:?}");
            }
        }
    }
}
