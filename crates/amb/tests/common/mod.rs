//! A model of the state, and vectors' JSON.
#![allow(dead_code, reason = "each test uses only some of it")]

pub(crate) mod chain;
pub(crate) mod model;

use serde_json::Value as Json;

pub(crate) fn bytes(hex: &Json) -> Vec<u8> {
    hex::decode(hex.as_str().unwrap().strip_prefix("0x").unwrap()).unwrap()
}

/// The operations of a block: keys with their values, `None` for a deletion.
pub(crate) fn operations(operations: &Json) -> Vec<(Vec<u8>, Option<Vec<u8>>)> {
    let operation = |operation: &Json| {
        let value = (operation["op"] == "Set").then(|| bytes(&operation["value"]));
        (bytes(&operation["key"]), value)
    };
    operations.as_array().unwrap().iter().map(operation).collect()
}
