//! Inputs that are none of an `AvlBatch`.

use prooflight_core::Reason;
use serde_json::{Value, json, to_value};

use crate::generate::builder::Builder;
use crate::generate::dictionary::lookup;
use crate::generate::forge::eight_keys;

pub(super) fn add(file: &mut Builder) {
    members(file);
    operations(file);
    limits(file);
    missing(file);
}

fn refuse(file: &mut Builder, comment: &str, input: &Value) {
    file.invalid(&["Input"], comment, input, Reason::InvalidArgument);
}

fn honest() -> Value {
    to_value(eight_keys().prove(&[lookup([0x40])]).0).expect("plain data")
}

fn with(member: &str, value: Value) -> Value {
    let mut input = honest();
    input[member] = value;
    input
}

fn members(file: &mut Builder) {
    let cases = [
        ("an empty object", json!({})),
        ("proof: odd number of digits", with("proof", json!("0x020"))),
        ("proof: 0X", with("proof", json!("0X0204"))),
        ("proof: no 0x", with("proof", json!("0204"))),
        ("proof: not hexadecimal", with("proof", json!("0xzz"))),
        ("proof: a sign among the digits", with("proof", json!("0x+1"))),
        ("proof: base64", with("proof", json!("AgQ="))),
        ("proof: an array of numbers", with("proof", json!([2, 4]))),
        ("proof: null", with("proof", Value::Null)),
        ("digest: a number", with("digest", json!(0))),
        ("digest: null", with("digest", Value::Null)),
        ("keyLength: a string", with("keyLength", json!("1"))),
        ("keyLength: negative", with("keyLength", json!(-1))),
        ("keyLength: a fraction", with("keyLength", json!(1.5))),
        ("keyLength: null", with("keyLength", Value::Null)),
        ("keyLength: 2^32", with("keyLength", json!(1u64 << 32))),
        (
            "keyLength: 2^32 + 1, which cut to 32 bits is right",
            with("keyLength", json!((1u64 << 32) + 1)),
        ),
        ("valueLength: 2^32, which cut to 32 bits is 0", with("valueLength", json!(1u64 << 32))),
        ("valueLength: negative", with("valueLength", json!(-1))),
        ("valueLength: a string", with("valueLength", json!("variable"))),
        ("mode: unknown", with("mode", json!("lenient"))),
        ("mode: in capitals", with("mode", json!("STRICT"))),
        ("mode: null", with("mode", Value::Null)),
        ("mode: an object", with("mode", json!({ "strict": null }))),
        ("ops: an object", with("ops", json!({ "op": "Lookup", "key": "0x40" }))),
        ("ops: null", with("ops", Value::Null)),
        ("a misspelt member", with("Limits", json!({ "maxProofBytes": 1 }))),
    ];
    for (comment, input) in cases {
        refuse(file, comment, &input);
    }
}

fn operations(file: &mut Builder) {
    let op = |op: Value| with("ops", json!([op]));
    let cases = [
        ("an operation that is null", op(Value::Null)),
        ("an operation as an array", op(json!(["Lookup", "0x40"]))),
        ("an operation by its number", op(json!({ "op": 0, "key": "0x40" }))),
        ("an operation without a name", op(json!({ "key": "0x40" }))),
        ("an operation that does not exist", op(json!({ "op": "Delete", "key": "0x40" }))),
        ("an operation in lower case", op(json!({ "op": "lookup", "key": "0x40" }))),
        ("a Lookup without a key", op(json!({ "op": "Lookup" }))),
        ("a Lookup whose key is no string", op(json!({ "op": "Lookup", "key": 64 }))),
        ("an Insert without a value", op(json!({ "op": "Insert", "key": "0x45" }))),
        (
            "an Update whose value is null",
            op(json!({ "op": "Update", "key": "0x40", "value": null })),
        ),
        ("an UpdateLongBy without a delta", op(json!({ "op": "UpdateLongBy", "key": "0x40" }))),
        ("a delta as a number", op(json!({ "op": "UpdateLongBy", "key": "0x45", "delta": 0 }))),
        (
            "a delta above 2^53 as a number",
            op(json!({ "op": "UpdateLongBy", "key": "0x45", "delta": 9_007_199_254_740_993_u64 })),
        ),
        (
            "a delta in hexadecimal",
            op(json!({ "op": "UpdateLongBy", "key": "0x45", "delta": "0x0" })),
        ),
        (
            "a delta with a plus sign",
            op(json!({ "op": "UpdateLongBy", "key": "0x45", "delta": "+0" })),
        ),
        (
            "a delta with leading zeros",
            op(json!({ "op": "UpdateLongBy", "key": "0x45", "delta": "00" })),
        ),
        (
            "a delta of minus zero",
            op(json!({ "op": "UpdateLongBy", "key": "0x45", "delta": "-0" })),
        ),
        ("an empty delta", op(json!({ "op": "UpdateLongBy", "key": "0x45", "delta": "" }))),
        (
            "a delta of 2^63",
            op(json!({ "op": "UpdateLongBy", "key": "0x45", "delta": "9223372036854775808" })),
        ),
        (
            "a delta of -2^63 - 1",
            op(json!({ "op": "UpdateLongBy", "key": "0x45", "delta": "-9223372036854775809" })),
        ),
        ("a Lookup with a value", op(json!({ "op": "Lookup", "key": "0x40", "value": "0x40" }))),
        (
            "an Update with a delta",
            op(json!({ "op": "Update", "key": "0x40", "value": "0x", "delta": "1" })),
        ),
    ];
    for (comment, input) in cases {
        refuse(file, comment, &input);
    }
}

fn limits(file: &mut Builder) {
    let cases = [
        ("limits: a string", json!("none")),
        ("limits: an array", json!([10, 10, 1000, 1000])),
        ("limits: an empty array", json!([])),
        ("limits: null", Value::Null),
        ("limits: a negative limit", json!({ "maxOperations": -1 })),
        ("limits: a limit of null", json!({ "maxOperations": null })),
        ("limits: an unknown limit", json!({ "maxNodes": 100 })),
    ];
    for (comment, limits) in cases {
        refuse(file, comment, &with("limits", limits));
    }
    for limit in ["maxOperations", "maxDeletes", "maxProofBytes", "maxValueBytes"] {
        let input = with("limits", json!({ limit: 1u64 << 32 }));
        refuse(file, &format!("limits: {limit} is 2^32"), &input);
    }
}

fn missing(file: &mut Builder) {
    for member in ["keyLength", "valueLength", "digest", "ops", "proof"] {
        let mut input = honest();
        input.as_object_mut().expect("an object").shift_remove(member);
        refuse(file, &format!("{member} is missing"), &input);
    }
}
