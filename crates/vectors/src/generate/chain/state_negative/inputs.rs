//! Inputs that are none of a `StateAnswer`, and schemes that are not known.

use prooflight_core::{Reason, Scheme};
use serde_json::{Value, json, to_value};

use super::ledger;
use crate::generate::builder::Builder;

pub(super) fn add(file: &mut Builder) {
    schemes(file);
    members(file);
    pairs(file);
}

fn honest() -> Value {
    to_value(ledger().answer(3, 6, &[b"alice"])).expect("plain data")
}

fn with(member: &str, value: Value) -> Value {
    let mut input = honest();
    input[member] = value;
    input
}

fn without(member: &str) -> Value {
    let mut input = honest();
    input.as_object_mut().expect("an object").shift_remove(member);
    input
}

fn schemes(file: &mut Builder) {
    let known = Scheme::ALL.map(Scheme::as_str);
    let kept = ["avl", "lvmt", "smt"];
    let others = known.into_iter().filter(|name| !kept.contains(name));
    for name in others.chain(["", "AVL", "avl ", "verkle", "1"]) {
        let comment = format!("the scheme {name:?}");
        file.invalid(&["Input"], comment, &with("scheme", json!(name)), Reason::UnknownStatement);
    }
}

fn members(file: &mut Builder) {
    let hash = json!(format!("0x{}", "11".repeat(32)));
    let short = json!(format!("0x{}", "11".repeat(31)));
    let mut refuse = |comment: &str, input: Value| {
        file.invalid(&["Input"], comment, &input, Reason::InvalidArgument);
    };
    refuse("an empty object", json!({}));
    for member in ["scheme", "checkpoint", "head", "inclusion", "now", "keys", "proof"] {
        refuse(&format!("{member} is missing"), without(member));
        refuse(&format!("{member} is null"), with(member, Value::Null));
        refuse(&format!("{member} is a number"), with(member, json!(1)));
    }
    refuse("scheme: bytes in an array", with("scheme", json!(["avl"])));
    refuse("keys: one key", with("keys", json!("0x61")));
    refuse("keys: an object", with("keys", json!({ "0": "0x61" })));
    refuse("keys: a key that is text", with("keys", json!(["alice"])));
    refuse("keys: a key with an odd number of digits", with("keys", json!(["0x616"])));
    refuse("keys: a key of 0X", with("keys", json!(["0X61"])));
    refuse("keys: a null", with("keys", json!(["0x61", null])));
    refuse("keys: keys in arrays", with("keys", json!([["0x61"]])));
    refuse("proof: an object", with("proof", json!({ "avl": "0x" })));
    refuse("proof: in an array", with("proof", json!([honest()["proof"]])));
    refuse("proof: without 0x", with("proof", json!("04")));
    refuse("head: an object", with("head", json!({ "signedHeader": "0x" })));
    refuse("now: a number", with("now", json!(1_700_000_007_000u64)));
    refuse("maxClockSkew: null", with("maxClockSkew", Value::Null));
    refuse("maxClockSkew: a number", with("maxClockSkew", json!(30_000)));
    refuse("maxHeadAge: null", with("maxHeadAge", Value::Null));
    refuse("maxHeadAge: decimal", with("maxHeadAge", json!("1000")));
    refuse("inclusion: a hash of 31 bytes", with("inclusion", json!([short])));
    refuse("path: a hash of 31 bytes", with("path", json!([short])));
    refuse("path: one hash", with("path", hash.clone()));
    refuse("path: a number", with("path", json!(0)));
    refuse("header: an object", with("header", json!({ "encoded": "0x" })));
    refuse("header: without 0x", with("header", json!("00")));
    refuse("an unknown member", with("height", json!("0x3")));
    refuse("a misspelt maxHeadAge", with("maxheadage", json!("0x0")));
    refuse("a value that the server says", with("values", json!(["0x31"])));
    let mut input = honest();
    input["checkpoint"]["config"]["limits"]["maxKeys"] = json!(1);
    refuse("an unknown limit in the checkpoint", input);
}

/// `header` and `path` are both there or neither is.
fn pairs(file: &mut Builder) {
    let mut refuse = |comment: &str, input: Value| {
        file.invalid(&["Input"], comment, &input, Reason::InvalidArgument);
    };
    refuse("a header without a path", without("path"));
    refuse("a path without a header", without("header"));
    refuse("a header, and a path of null", with("path", Value::Null));
    refuse("a path, and a header of null", with("header", Value::Null));
    let head = to_value(ledger().answer(6, 6, &[b"alice"])).expect("plain data");
    let mut input = head.clone();
    input["path"] = json!([]);
    refuse("an empty path without a header", input);
    let mut input = head;
    input["header"] = Value::Null;
    refuse("an answer about the head, and a header of null", input);
}
