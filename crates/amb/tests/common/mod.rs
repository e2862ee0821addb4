//! Runs `AmbProof` tests; a model of the state.
#![allow(dead_code, reason = "each test uses only some of it")]

pub(crate) mod chain;
pub(crate) mod example;
pub(crate) mod model;

use prooflight_amb::{
    CountQuestion, HistoryQuestion, KeysQuestion, RangeQuestion, TransferQuestion, TrustedRoot,
    UPDATE_LIMITS, UpdatePart, verify, verify_count, verify_history, verify_range, verify_transfer,
    verify_update,
};
use prooflight_core::store::RawKeyChange;
use prooflight_core::{Error, Limits, PastState, Result};
use serde_json::{Value as Json, json};

pub(crate) fn bytes(hex: &Json) -> Vec<u8> {
    hex::decode(hex.as_str().unwrap().strip_prefix("0x").unwrap()).unwrap()
}

pub(crate) fn hex(bytes: impl AsRef<[u8]>) -> String {
    format!("0x{}", hex::encode(bytes))
}

pub(crate) fn number(quantity: &Json) -> u64 {
    u64::from_str_radix(quantity.as_str().unwrap().strip_prefix("0x").unwrap(), 16).unwrap()
}

fn quantity(number: u64) -> String {
    format!("{number:#x}")
}

/// Checks the result of a test.
pub(crate) fn check(test: &Json) {
    let name = format!("test {}, {}", test["tcId"], test["comment"]);
    match (run(&test["input"]), test["result"].as_str().unwrap()) {
        (Ok(found), "valid") => assert_eq!(found, test["expected"], "{name}"),
        (Err(error), "invalid") => check_error(&error, test, &name),
        (Ok(found), _) => panic!("{name} was accepted: {found}"),
        (Err(error), _) => panic!("{name} was refused: {error}"),
    }
}

fn check_error(error: &Error, test: &Json, name: &str) {
    if let Some(reason) = test["expectedReason"].as_str() {
        assert_eq!(error.reason().as_str(), reason, "{name}: {error}");
        assert_eq!(error.code().as_str(), test["expectedError"], "{name}");
    }
}

/// Verifies a test's input; returns the answers in their JSON form.
fn run(input: &Json) -> Result<Json> {
    let root = TrustedRoot {
        hash: bytes(&input["root"]).try_into().unwrap(),
        height: number(&input["block"]),
    };
    let list = |list: &Json| list.as_array().unwrap().iter().map(bytes).collect::<Vec<_>>();
    let keys = if input["keys"].is_array() { list(&input["keys"]) } else { Vec::new() };
    let keys: Vec<&[u8]> = keys.iter().map(Vec::as_slice).collect();
    let proof = if input["proof"].is_string() { bytes(&input["proof"]) } else { Vec::new() };
    let bound = |bound: &Json| (!bound.is_null()).then(|| bytes(bound));
    let (lo, hi) = (bound(&input["lo"]).unwrap_or_default(), bound(&input["hi"]));
    let (lo, hi) = (lo.as_slice(), hi.as_deref());
    let limits = Limits::DEFAULT;
    Ok(match input["kind"].as_str().unwrap() {
        "get" => {
            let question = KeysQuestion { keys: &keys, at: number(&input["at"]) };
            let answers = verify(&root, &question, &proof, &limits)?;
            json!({ "answers": answers.iter().map(answer).collect::<Vec<_>>() })
        }
        "hist" => {
            let (from, to) = (number(&input["from"]), number(&input["to"]));
            let question = HistoryQuestion { keys: &keys, from, to };
            let histories = verify_history(&root, &question, &proof, &limits)?;
            let history = |history: &prooflight_core::KeyHistory<'_>| {
                let changes: Vec<_> = history.changes.iter().map(answer).collect();
                json!({ "entering": answer(&history.entering.unwrap()), "changes": changes })
            };
            json!({ "histories": histories.iter().map(history).collect::<Vec<_>>() })
        }
        "range" => {
            let reverse = input["reverse"].as_bool().unwrap();
            let question = RangeQuestion { lo, hi, at: number(&input["at"]), reverse };
            let page = verify_range(&root, &question, &proof, &limits)?;
            let entry = |entry: &prooflight_amb::RangeEntry<'_>| {
                let (key, value) = (hex(&entry.key), hex(entry.value));
                json!({ "key": key, "value": value, "since": quantity(entry.since) })
            };
            let entries: Vec<_> = page.entries.iter().map(entry).collect();
            json!({ "entries": entries, "next": page.next.map(hex) })
        }
        "count" => {
            let count = verify_count(&root, &CountQuestion { lo, hi }, &proof, &limits)?;
            json!({ "count": quantity(*count) })
        }
        "transfer" => {
            let after = (!input["after"].is_null()).then(|| number(&input["after"]));
            let page =
                verify_transfer(&root, &TransferQuestion { lo, hi, after }, &proof, &limits)?;
            let entry = |entry: &prooflight_amb::ReplicaEntry<'_>| {
                json!({
                    "key": hex(&entry.key),
                    "versions": quantity(entry.versions),
                    "block": quantity(entry.block),
                    "value": entry.value.map(hex),
                    "peaks": entry.peaks.iter().map(hex).collect::<Vec<_>>(),
                })
            };
            let entries: Vec<_> = page.entries.iter().map(entry).collect();
            json!({ "entries": entries, "next": page.next.map(hex) })
        }
        "update" => {
            let operations = operations(&input["operations"]);
            let operations: Vec<RawKeyChange<'_>> =
                operations.iter().map(RawKeyChange::from).collect();
            let parts = input["parts"].as_array().unwrap();
            let parts: Vec<_> =
                parts.iter().map(|part| (list(&part["keys"]), bytes(&part["proof"]))).collect();
            let keys: Vec<Vec<&[u8]>> =
                parts.iter().map(|(keys, _)| keys.iter().map(Vec::as_slice).collect()).collect();
            let parts: Vec<UpdatePart<'_>> = keys
                .iter()
                .zip(&parts)
                .map(|(keys, (_, proof))| UpdatePart { keys, proof })
                .collect();
            let next = verify_update(&root, &operations, &parts, &UPDATE_LIMITS)?;
            json!({ "root": hex(*next) })
        }
        other => panic!("{other}"),
    })
}

fn answer(answer: &PastState<'_>) -> Json {
    match *answer {
        PastState::Present { value, since } => {
            json!({ "value": hex(value), "since": quantity(since) })
        }
        PastState::Deleted { deleted_at } => json!({ "deletedAt": quantity(deleted_at) }),
        PastState::NeverWritten => json!({}),
    }
}

/// The operations of a block: keys with their values, `None` for a deletion.
pub(crate) fn operations(operations: &Json) -> Vec<(Vec<u8>, Option<Vec<u8>>)> {
    let operation = |operation: &Json| {
        let value = (operation["op"] == "Set").then(|| bytes(&operation["value"]));
        (bytes(&operation["key"]), value)
    };
    operations.as_array().unwrap().iter().map(operation).collect()
}
