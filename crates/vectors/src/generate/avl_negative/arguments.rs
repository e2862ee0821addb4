//! Wrong arguments, limits, and inputs that are none.

use prooflight_core::Reason;
use serde_json::{Value, json, to_value};

use crate::avl::{Batch, BatchLimits, Op};
use crate::generate::builder::Builder;
use crate::generate::dictionary::{
    Dictionary, add as add_to, insert, insert_or_update, lookup, remove, remove_if_exists, update,
};
use crate::generate::forge::{compat, eight_keys, with_digest, with_ops};

pub(super) fn add(file: &mut Builder) {
    sentinels(file);
    lengths(file);
    limits(file);
    inputs(file);
}

/// An operation on a key of one byte.
type Make = fn(u8) -> Op;

/// The proofs lead to the sentinel's leaf or to the last one.
fn sentinels(file: &mut Builder) {
    let dictionary = eight_keys();
    let first = dictionary.prove(&[lookup([0x01])]).0;
    let last = dictionary.prove(&[lookup([0xfe])]).0;
    let kinds: [(&str, Make); 7] = [
        ("Lookup", |key| lookup([key])),
        ("Insert", |key| insert([key], [])),
        ("Update", |key| update([key], [])),
        ("InsertOrUpdate", |key| insert_or_update([key], [])),
        ("Remove", |key| remove([key])),
        ("RemoveIfExists", |key| remove_if_exists([key])),
        ("UpdateLongBy", |key| add_to([key], 1)),
    ];
    for (name, make) in kinds {
        for (key, honest) in [(0x00, &first), (0xff, &last)] {
            let batch = with_ops(honest, &[make(key)]);
            let comment = format!("{name} of the sentinel {key:02x}");
            file.invalid(&["Argument"], &comment[..], &batch, Reason::KeyOutOfRange);
            let comment = format!("{comment}, compat");
            let flags = ["Argument", "Compat"];
            file.invalid(&flags, comment, &compat(&batch), Reason::KeyOutOfRange);
        }
    }
}

fn lengths(file: &mut Builder) {
    let mut dictionary = Dictionary::new(8, Some(4));
    dictionary.apply(&[insert([0x20; 8], [1; 4])]);
    let honest = dictionary.prove(&[lookup([0x20; 8])]).0;
    let mut refuse = |comment: &str, batch: &Batch, reason| {
        file.invalid(&["Argument"], comment, batch, reason);
        let comment = format!("{comment}, compat");
        file.invalid(&["Argument", "Compat"], comment, &compat(batch), reason);
    };
    for length in [0, 7, 9, 16] {
        let batch = with_ops(&honest, &[lookup(vec![0x20; length])]);
        let comment = format!("a key of {length} bytes where all have 8");
        refuse(&comment, &batch, Reason::KeyLength);
    }
    for length in [0, 3, 5, 8] {
        let ops = [
            insert([0x30; 8], vec![1; length]),
            update([0x20; 8], vec![1; length]),
            insert_or_update([0x20; 8], vec![1; length]),
        ];
        for op in ops {
            let name = op.borrow().name();
            let comment = format!("{name} of a value of {length} bytes where all have 4");
            refuse(&comment, &with_ops(&honest, &[op]), Reason::ValueLength);
        }
    }
    for key_length in [0, 257, 65_536] {
        let batch = Batch { key_length, ..honest.clone() };
        let comment = format!("a key length of {key_length}");
        refuse(&comment, &batch, Reason::InvalidArgument);
    }
    for key_length in [7, 9] {
        let batch = Batch { key_length, ..honest.clone() };
        let comment = format!("a key length of {key_length} for keys of 8 bytes");
        refuse(&comment, &batch, Reason::KeyLength);
    }
    let digest = &honest.digest.0;
    for (comment, digest) in [
        ("an empty digest", vec![]),
        ("a digest without height", digest[..32].to_vec()),
        ("a digest of 34 bytes", [&digest[..], &[0]].concat()),
        ("two digests", [&digest[..], digest].concat()),
    ] {
        refuse(comment, &with_digest(&honest, digest), Reason::DigestLength);
    }
    let batch = with_ops(&honest, &[lookup([0x20; 8]), lookup([0x20; 7])]);
    refuse("the second of two keys is short", &batch, Reason::KeyLength);
}

fn limits(file: &mut Builder) {
    let dictionary = eight_keys();
    let ops = [remove([0x20]), add_to([0x35], 1), lookup([0x60]), update([0x50], [0; 9])];
    let honest = dictionary.prove(&ops).0;
    let mut refuse = |comment: &str, limits: BatchLimits, reason| {
        let batch = Batch { limits: Some(limits), ..honest.clone() };
        file.invalid(&["Limit"], comment, &batch, reason);
        let comment = format!("{comment}, compat");
        file.invalid(&["Limit", "Compat"], comment, &compat(&batch), reason);
    };
    let none = BatchLimits::default();
    refuse(
        "four operations where the limit is three",
        BatchLimits { max_operations: Some(3), ..none },
        Reason::TooManyOperations,
    );
    refuse(
        "two operations that may delete where the limit is one",
        BatchLimits { max_deletes: Some(1), ..none },
        Reason::TooManyDeletes,
    );
    refuse(
        "a proof one byte larger than the limit",
        BatchLimits { max_proof_bytes: Some(honest.proof.0.len() - 1), ..none },
        Reason::ProofTooLarge,
    );
    refuse(
        "a new value of 9 bytes where the limit is 8",
        BatchLimits { max_value_bytes: Some(8), ..none },
        Reason::ValueLength,
    );
    refuse(
        "any proof where the limit is 0 bytes",
        BatchLimits { max_proof_bytes: Some(0), ..none },
        Reason::ProofTooLarge,
    );
    let too_long = dictionary.prove(&vec![lookup([0x40]); 4097]).0;
    let comment = "4,097 operations, one more than the default limit";
    file.invalid(&["Limit"], comment, &too_long, Reason::TooManyOperations);
    let mut too_large = dictionary.prove(&[lookup([0x40])]).0;
    too_large.ops = vec![update([0x40], vec![0; 65_537])];
    let comment = "a new value of 65,537 bytes, one more than the default limit";
    file.invalid(&["Limit"], comment, &too_large, Reason::ValueLength);
}

fn inputs(file: &mut Builder) {
    let honest = to_value(eight_keys().prove(&[lookup([0x40])]).0).expect("plain data");
    let with = |member: &str, value: Value| {
        let mut input = honest.clone();
        input[member] = value;
        input
    };
    let op = |op: Value| with("ops", json!([op]));
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
        ("ops: an object", with("ops", json!({ "op": "Lookup", "key": "0x40" }))),
        ("ops: null", with("ops", Value::Null)),
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
        ("limits: a string", with("limits", json!("none"))),
        ("limits: null", with("limits", Value::Null)),
        ("limits: a negative limit", with("limits", json!({ "maxOperations": -1 }))),
        ("limits: a limit of null", with("limits", json!({ "maxOperations": null }))),
        ("limits: an unknown limit", with("limits", json!({ "maxNodes": 100 }))),
        ("a misspelt member", with("Limits", json!({ "maxProofBytes": 1 }))),
        ("a Lookup with a value", op(json!({ "op": "Lookup", "key": "0x40", "value": "0x40" }))),
        (
            "an Update with a delta",
            op(json!({ "op": "Update", "key": "0x40", "value": "0x", "delta": "1" })),
        ),
    ];
    for (comment, input) in cases {
        file.invalid(&["Input"], comment, &input, Reason::InvalidArgument);
    }
    for limit in ["maxOperations", "maxDeletes", "maxProofBytes", "maxValueBytes"] {
        let input = with("limits", json!({ limit: 1u64 << 32 }));
        let comment = format!("limits: {limit} is 2^32");
        file.invalid(&["Input"], comment, &input, Reason::InvalidArgument);
    }
    for member in ["keyLength", "valueLength", "digest", "ops", "proof"] {
        let mut input = honest.clone();
        input.as_object_mut().expect("an object").shift_remove(member);
        file.invalid(&["Input"], format!("{member} is missing"), &input, Reason::InvalidArgument);
    }
}
