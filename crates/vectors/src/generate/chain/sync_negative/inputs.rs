//! Inputs that are none of a `HeaderSync`.

use prooflight_core::Reason;
use serde_json::{Value, json, to_value};

use super::small_chain;
use crate::generate::builder::Builder;

pub(super) fn add(file: &mut Builder) {
    let honest = to_value(small_chain().sync(0, 2)).expect("plain data");
    let hash = &honest["inclusion"][0];
    let digits = hash.as_str().expect("a hash");
    let with = |member: &str, value: Value| {
        let mut input = honest.clone();
        input[member] = value;
        input
    };
    let cases = [
        ("an empty object", json!({})),
        ("head: null", with("head", Value::Null)),
        ("head: no 0x", with("head", json!("00"))),
        ("head: an odd number of digits", with("head", json!("0x0"))),
        ("head: an object", with("head", json!({ "header": {}, "signatures": [] }))),
        ("inclusion: null", with("inclusion", Value::Null)),
        ("inclusion: one hash", with("inclusion", hash.clone())),
        ("inclusion: an object", with("inclusion", json!({ "0": hash }))),
        ("inclusion: a hash of 31 bytes", with("inclusion", json!([digits[..64]]))),
        ("inclusion: a hash of 33 bytes", with("inclusion", json!([format!("{digits}00")]))),
        ("inclusion: an empty hash beside the right ones", with("inclusion", json!([hash, "0x"]))),
        ("inclusion: a null", with("inclusion", json!([null]))),
        ("inclusion: arrays", with("inclusion", json!([[hash]]))),
        ("now: null", with("now", Value::Null)),
        ("now: a number", with("now", json!(1_700_000_002_000u64))),
        ("now: decimal", with("now", json!("1700000002000"))),
        ("now: leading zeros", with("now", json!("0x018bcfe5670d0"))),
        ("now: a date", with("now", json!("2023-11-14T22:13:20Z"))),
        ("now: 65 bits", with("now", json!("0x10000000000000000"))),
        ("maxClockSkew: null", with("maxClockSkew", Value::Null)),
        ("maxClockSkew: a number", with("maxClockSkew", json!(30_000))),
        ("maxClockSkew: negative", with("maxClockSkew", json!("-0x1"))),
        ("maxHeadAge: null", with("maxHeadAge", Value::Null)),
        ("maxHeadAge: a number", with("maxHeadAge", json!(0))),
        ("maxHeadAge: empty", with("maxHeadAge", json!("0x"))),
        ("an unknown member", with("genesis", json!("0x"))),
        ("a misspelt maxHeadAge", with("maxHeadage", json!("0x0"))),
    ];
    for (comment, input) in cases {
        file.invalid(&["Input"], comment, &input, Reason::InvalidArgument);
    }
    for member in ["checkpoint", "head", "inclusion", "now"] {
        let mut input = honest.clone();
        input.as_object_mut().expect("an object").shift_remove(member);
        file.invalid(&["Input"], format!("{member} is missing"), &input, Reason::InvalidArgument);
    }
}
