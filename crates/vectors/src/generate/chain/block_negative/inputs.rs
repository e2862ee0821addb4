//! Inputs that are none of a `BlockTransition`.

use prooflight_core::Reason;
use serde_json::{Value, json, to_value};

use super::ledger;
use crate::generate::builder::Builder;

pub(super) fn add(file: &mut Builder) {
    members(file);
    operations(file);
    limits(file);
}

fn honest() -> Value {
    to_value(ledger().transition(0)).expect("plain data")
}

fn with(member: &str, value: Value) -> Value {
    let mut input = honest();
    input[member] = value;
    input
}

fn refuse(file: &mut Builder, comment: &str, input: &Value) {
    file.invalid(&["Input"], comment, input, Reason::InvalidArgument);
}

fn members(file: &mut Builder) {
    refuse(file, "an empty object", &json!({}));
    for member in ["digest", "header", "limits", "ops", "proof"] {
        let mut input = honest();
        input.as_object_mut().expect("an object").shift_remove(member);
        refuse(file, &format!("{member} is missing"), &input);
        refuse(file, &format!("{member} is null"), &with(member, Value::Null));
        refuse(file, &format!("{member} is a number"), &with(member, json!(0)));
        refuse(file, &format!("{member} is true"), &with(member, json!(true)));
    }
    for member in ["digest", "header", "proof"] {
        refuse(file, &format!("{member}: without 0x"), &with(member, json!("00")));
        refuse(file, &format!("{member}: an odd number of digits"), &with(member, json!("0x0")));
        refuse(file, &format!("{member}: an object"), &with(member, json!({})));
    }
    refuse(file, "an unknown member", &with("scheme", json!("avl")));
    refuse(file, "a misspelt proof", &with("Proof", honest()["proof"].clone()));
}

fn operations(file: &mut Builder) {
    let cases = [
        ("an operation that is null", json!(null)),
        ("an operation as an array", json!(["Set", "0x61", "0x31"])),
        ("an operation by its number", json!({ "op": 0, "key": "0x61", "value": "0x31" })),
        ("an operation without a name", json!({ "key": "0x61", "value": "0x31" })),
        ("an operation in lower case", json!({ "op": "set", "key": "0x61", "value": "0x31" })),
        ("an operation of a batch", json!({ "op": "Insert", "key": "0x61", "value": "0x31" })),
        ("a Set without a value", json!({ "op": "Set", "key": "0x61" })),
        ("a Set without a key", json!({ "op": "Set", "value": "0x31" })),
        ("a Set of null", json!({ "op": "Set", "key": "0x61", "value": null })),
        ("a Set of text", json!({ "op": "Set", "key": "0x61", "value": "100" })),
        ("a Delete with a value", json!({ "op": "Delete", "key": "0x61", "value": "0x31" })),
        ("a Delete with a value of null", json!({ "op": "Delete", "key": "0x61", "value": null })),
        ("a Delete without a key", json!({ "op": "Delete" })),
        ("a Delete of text", json!({ "op": "Delete", "key": "alice" })),
        ("a misspelt member", json!({ "op": "Delete", "key": "0x61", "Key": "0x61" })),
    ];
    for (comment, op) in cases {
        refuse(file, comment, &with("ops", json!([op])));
    }
    refuse(file, "ops: an object", &with("ops", honest()["ops"][0].clone()));
    refuse(file, "ops: operations in arrays", &with("ops", json!([honest()["ops"]])));
}

fn limits(file: &mut Builder) {
    for (member, too_large) in [("maxKey", 1u64 << 16), ("maxValue", 1 << 32), ("maxOps", 1 << 32)]
    {
        let mut input = honest();
        let limits = input["limits"].as_object_mut().expect("an object");
        limits.shift_remove(member);
        refuse(file, &format!("limits without {member}"), &input);
        for value in [json!(too_large), json!(-1), json!(1.5), json!("0x1"), Value::Null] {
            let mut input = honest();
            input["limits"][member] = value.clone();
            refuse(file, &format!("{member} is {value}"), &input);
        }
    }
    refuse(file, "limits: an array", &with("limits", json!([256, 65_536, 200_000])));
    refuse(file, "limits: empty", &with("limits", json!({})));
    let mut input = honest();
    input["limits"]["maxOperations"] = json!(1);
    refuse(file, "limits: an unknown one", &input);
}
