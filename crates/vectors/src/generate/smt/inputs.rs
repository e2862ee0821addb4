//! Inputs that cannot be read: members that are missing, unknown or of another form.

use prooflight_core::Reason;
use serde::Serialize;
use serde_json::{Value, json, to_value};

use super::history::{balance, over};
use super::{ask_diff, ask_history, ask_keys, history_limits, key, limits, sample};
use crate::generate::builder::Builder;
use crate::smt::{SmtDiff, SmtHistory, SmtProof};

/// The note of the flag that these tests have.
pub(super) const FLAG: (&str, &str) =
    ("Input", "the input cannot be read as one of the group's type");

/// Inputs of an `SmtProof`.
pub(super) fn proofs(file: &mut Builder) {
    let caller = Some(limits(Some(1000), Some(10), Some(100)));
    let honest = ask_keys(&sample(), 8, &[key(0), key(4)]);
    let mut refuse = Refuse::new(file, &SmtProof { limits: caller, ..honest });
    refuse.every_member();
    refuse.bytes(&["root", "proof", "keys/0"]);
    refuse.hashes(&["root"]);
    refuse.quantities(&["height"]);
    refuse.limits();
    refuse.with("limits: one of a history", "limits", &json!({ "maxChanges": 1 }));
    refuse.with("keys: one key", "keys", &json!("0x0000"));
    refuse.with("keys: an object", "keys", &json!({ "0": "0x0000" }));
    refuse.with("keys: keys in arrays", "keys", &json!([["0x0000"], ["0x0004"]]));
    refuse.with("keys: a key that is text", "keys/0", &json!("alice"));
    refuse.with("a root beside its block, as in a history", "root", &json!({ "height": "0x8" }));
}

/// Inputs of an `SmtHistory`.
pub(super) fn histories(file: &mut Builder) {
    let caller = Some(history_limits(Some(1000), Some(100), Some(10)));
    let honest = SmtHistory {
        average: Some(over(3, 8, &(0..=10).collect::<Vec<_>>())),
        limits: caller,
        ..ask_history(&balance(), &key(0), 2, 9)
    };
    let mut refuse = Refuse::new(file, &honest);
    refuse.every_member();
    refuse.members("roots/0");
    refuse.members("average");
    refuse.members("average/timestamps/0");
    refuse.bytes(&["key", "proof"]);
    refuse.hashes(&["roots/0/root"]);
    refuse.quantities(&["from", "to", "roots/0/height", "average/to"]);
    refuse.quantities(&["average/timestamps/0/timestampMs"]);
    refuse.limits();
    refuse.with("limits: changes that are text", "limits", &json!({ "maxChanges": "10" }));
    refuse.with("limits: changes of null", "limits", &json!({ "maxChanges": null }));
    refuse.values("roots/0");
    refuse.values("average");
    refuse.values("average/timestamps/0");
    refuse.with("roots: an object by blocks", "roots", &json!({ "0x9": "0x00" }));
    refuse.with("key: two keys", "key", &json!(["0x0000", "0x0001"]));
}

/// Inputs of an `SmtDiff`.
pub(super) fn diffs(file: &mut Builder) {
    let caller = Some(limits(Some(1000), Some(10), Some(100)));
    let honest = SmtDiff { limits: caller, ..ask_diff(&sample(), Some(6), 8) };
    let mut refuse = Refuse::new(file, &honest);
    refuse.every_member();
    refuse.bytes(&["root", "proof"]);
    refuse.hashes(&["root"]);
    refuse.quantities(&["from", "to"]);
    refuse.limits();
    refuse.with("limits: one of a history", "limits", &json!({ "maxChanges": 1 }));
    refuse.with("from: none, as text", "from", &json!("none"));
}

/// Changes one input at a time.
struct Refuse<'a> {
    file: &'a mut Builder,
    honest: Value,
}

impl<'a> Refuse<'a> {
    fn new(file: &'a mut Builder, honest: &impl Serialize) -> Self {
        Self { file, honest: to_value(honest).expect("plain data") }
    }

    fn input(&mut self, comment: &str, input: &Value) {
        self.file.invalid(&[FLAG.0], comment, input, Reason::InvalidArgument);
    }

    /// The honest input with another value at a path.
    fn with(&mut self, comment: &str, path: &str, value: &Value) {
        let mut input = self.honest.clone();
        *input.pointer_mut(&format!("/{path}")).expect("a member") = value.clone();
        self.input(comment, &input);
    }

    fn at(&self, path: &str) -> Value {
        self.honest.pointer(&format!("/{path}")).expect("a member").clone()
    }

    fn every_member(&mut self) {
        self.input("an empty object", &json!({}));
        let members = self.honest.as_object().expect("an object").clone();
        for member in members.keys() {
            // What is optional may be missing, and the first block of a diff may be null.
            if !["limits", "average"].contains(&&member[..]) {
                let mut input = self.honest.clone();
                input.as_object_mut().expect("an object").remove(member);
                self.input(&format!("{member} is missing"), &input);
            }
            let nullable = member == "from" && members.contains_key("root");
            for wrong in [json!(null), json!(7), json!(true)] {
                if !(nullable && wrong.is_null()) {
                    self.with(&format!("{member} is {wrong}"), member, &wrong);
                }
            }
        }
        let mut input = self.honest.clone();
        input["since"] = json!("0x1");
        self.input("an unknown member", &input);
        let mut input = self.honest.clone();
        let proof = input.as_object_mut().expect("an object").remove("proof");
        input["Proof"] = proof.expect("a proof");
        self.input("proof in capitals", &input);
    }

    /// The members of an object within the input: each missing, and one too many.
    fn members(&mut self, path: &str) {
        let honest = self.at(path);
        for member in honest.as_object().expect("an object").keys() {
            let mut less = honest.clone();
            less.as_object_mut().expect("an object").remove(member);
            self.with(&format!("{path}/{member} is missing"), path, &less);
        }
        let mut more = honest;
        more["block"] = json!("0x1");
        self.with(&format!("an unknown member in {path}"), path, &more);
        self.with(&format!("{path} is a string"), path, &json!("0x"));
    }

    fn bytes(&mut self, paths: &[&str]) {
        for path in paths {
            let honest = self.at(path);
            let digits = &honest.as_str().expect("bytes")[2..];
            for (what, value) in [
                ("without 0x", json!(digits)),
                ("with 0X", json!(format!("0X{digits}"))),
                ("an odd number of digits", json!(format!("0x0{digits}"))),
                ("a character that is no digit", json!(format!("0x{}g0", &digits[2..]))),
                ("an array of numbers", json!([0, 1])),
                ("an object", json!({})),
            ] {
                self.with(&format!("{path}: {what}"), path, &value);
            }
        }
    }

    fn hashes(&mut self, paths: &[&str]) {
        for path in paths {
            for bytes in [0, 31, 33, 64] {
                let value = json!(format!("0x{}", "00".repeat(bytes)));
                self.with(&format!("{path}: {bytes} bytes"), path, &value);
            }
        }
    }

    fn quantities(&mut self, paths: &[&str]) {
        for path in paths {
            for value in [
                json!(8),
                json!(9_007_199_254_740_993_u64),
                json!("8"),
                json!("0x"),
                json!("0x08"),
                json!("0X8"),
                json!("-0x8"),
                json!("0x+8"),
                json!("0x8.0"),
                json!(" 0x8"),
                json!("0x1fffffffffffffffff"),
                json!(["0x8"]),
            ] {
                self.with(&format!("{path} is {value}, no quantity"), path, &value);
            }
        }
    }

    fn limits(&mut self) {
        for (what, value) in [
            ("a string", json!("1000")),
            ("an empty array", json!([])),
            ("an array of their values", json!([1000, 10, 100])),
            ("an unknown one", json!({ "maxBlocks": 1 })),
            ("one of AVL+", json!({ "maxOperations": 10 })),
            ("a negative one", json!({ "maxKeys": -1 })),
            ("a fraction", json!({ "maxKeys": 1.5 })),
            ("2^32", json!({ "maxProofBytes": 1_u64 << 32 })),
            ("one of null", json!({ "maxValueBytes": null })),
            ("one that is text", json!({ "maxKeys": "10" })),
        ] {
            self.with(&format!("limits: {what}"), "limits", &value);
        }
    }

    /// The values of an object within the input, in an array.
    fn values(&mut self, path: &str) {
        let honest = self.at(path);
        let values: Value = honest.as_object().expect("an object").values().cloned().collect();
        self.with(&format!("{path} is an array of its values"), path, &values);
    }
}
