//! Inputs of the wrong form: each part of an honest input, changed to violate the schema.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use prooflight_core::Reason;
use serde_json::{Map, Value, from_str, json};

use super::builder::FileBuilder;

static SCHEMA: LazyLock<Value> = LazyLock::new(|| {
    from_str(include_str!("../../../../../test-vectors/schema/vectors_v1.json")).expect("JSON")
});

/// Adds inputs that are refused as `invalid_argument` because they do not have the form of the group's type.
///
/// Every part of `honest` is changed, and limits are added if it has none. The parts at the paths of `but`, which
/// follow other rules, stay as they are. `of` begins the comments.
pub(crate) fn malformed(file: &mut FileBuilder, of: &str, honest: &Value, but: &[&str]) {
    let mut honest = honest.clone();
    let group_type = file.group_type().to_owned();
    let (first, rest) = group_type.split_at(1);
    let test = &SCHEMA["$defs"][format!("{}{rest}Test", first.to_lowercase())];
    let (_, input) = form(&test["then"]["properties"]["input"], &honest);
    let limits = form(&input["properties"]["limits"], &json!({})).1["properties"].as_object();
    if let Some(limits) = limits.filter(|_| honest["limits"].is_null()) {
        honest["limits"] = limits.keys().map(|limit| (limit.clone(), json!(1 << 20))).collect();
    }
    assert!(file.answer(&honest).is_ok(), "{honest}");
    let mut breaks = FormBreaker { file, of, honest: &honest, but };
    breaks.with("", "an empty object", json!({}));
    breaks.part("", input, &honest);
}

struct FormBreaker<'a> {
    file: &'a mut FileBuilder,
    of: &'a str,
    honest: &'a Value,
    but: &'a [&'a str],
}

impl FormBreaker<'_> {
    /// Adds a test with another value at a path; `what` describes the value.
    fn with(&mut self, path: &str, what: &str, value: Value) {
        let mut input = self.honest.clone();
        *input.pointer_mut(path).expect("a path in the input") = value;
        let place = if path.is_empty() { "input" } else { &path[1..] };
        let comment = format!("{}{place}: {what}", self.of);
        let reason = self.file.answer(&input).map_err(|error| error.reason());
        assert_eq!(reason.err(), Some(Reason::InvalidArgument), "{comment}");
        self.file.invalid(&["Input"], comment, &input, Reason::InvalidArgument);
    }

    fn part(&mut self, path: &str, schema: &Value, honest: &Value) {
        if self.but.contains(&path.trim_start_matches('/')) {
            return;
        }
        let (name, form) = form(schema, honest);
        if !path.is_empty() {
            let any_text = form["type"] == "string" && form["pattern"].is_null();
            for (wrong, allowed) in [
                (json!(null), schema["oneOf"][1]["type"] == "null"),
                (json!(true), honest.is_boolean()),
                (json!(7), honest.is_number()),
                (json!("text"), any_text),
                (json!({}), honest.is_object() && form["required"].is_null()),
            ] {
                if !allowed {
                    self.with(path, &wrong.to_string(), wrong);
                }
            }
        }
        match honest {
            Value::Object(members) => self.object(path, form, members),
            Value::Array(items) => self.array(path, form, items),
            Value::Number(number) => self.number(path, form, number.as_u64().unwrap_or_default()),
            Value::String(text) if form["enum"].is_array() || form["const"].is_string() => {
                self.with(path, "the name after a space", json!(format!(" {text}")));
                self.with(path, "an object of the name", json!({ text: null }));
                for other in [text.to_uppercase(), text.to_lowercase()] {
                    if other != *text {
                        self.with(path, &format!("{other:?}"), json!(other));
                    }
                }
            }
            Value::String(_) if name == "signedDecimal" => {
                let (most, least) = ("9223372036854775808", "-9223372036854775809");
                for wrong in ["", "0x0", "+0", "00", "-0", "1.0", most, least] {
                    self.with(path, &format!("{wrong:?}"), json!(wrong));
                }
                self.with(path, "a number above 2^53", json!(9_007_199_254_740_993_u64));
            }
            Value::String(text) if text.starts_with("0x") => self.digits(path, name, text),
            _ => (),
        }
    }

    fn object(&mut self, path: &str, form: &Value, members: &Map<String, Value>) {
        let kind = kind(form, members);
        let needed = |name: &str| {
            [form, kind].iter().any(|form| {
                form["required"].as_array().is_some_and(|names| names.contains(&json!(name)))
            })
        };
        for (name, value) in members {
            let mut less = members.clone();
            less.shift_remove(name);
            // The schema requires the mode; a verifier has a default.
            if needed(name) && name != "mode" {
                self.with(path, &format!("{name} is missing"), json!(less));
            }
            less.insert(name.to_uppercase(), value.clone());
            if value.is_string() && value.to_string().len() < 100 {
                self.with(path, &format!("{name} in capitals"), json!(less));
            }
            let own = &form["properties"][name];
            let below = if own.is_object() { own } else { &kind["properties"][name] };
            self.part(&format!("{path}/{name}"), below, value);
        }
        let mut more = members.clone();
        more.insert("unknown".to_owned(), json!("0x00"));
        self.with(path, "an unknown member", json!(more));
        if !path.is_empty() {
            self.with(path, "an array of its values", members.values().cloned().collect());
            self.with(path, "its JSON in a string", json!(json!(members).to_string()));
            self.with(path, "in an array", json!([members]));
        }
    }

    fn array(&mut self, path: &str, form: &Value, items: &[Value]) {
        if let Some(first) = items.first() {
            self.with(path, "its first item alone", first.clone());
            self.with(path, "its items by their indices", json!({ "0": first }));
        }
        self.with(path, "a null after its items", json!([items, &[Value::Null]].concat()));
        self.with(path, "in an array", json!([items]));
        // All items have the form of the first, except operations.
        let mut seen = BTreeSet::new();
        for (at, item) in items.iter().enumerate() {
            if seen.insert(item["op"].as_str()) {
                self.part(&format!("{path}/{at}"), &form["items"], item);
            }
        }
    }

    fn number(&mut self, path: &str, form: &Value, honest: u64) {
        for wrong in [json!(-1), json!(1.5), json!("1"), json!("0x1")] {
            self.with(path, &wrong.to_string(), wrong);
        }
        // Would be valid if truncated to fewer bits.
        let limit = form["maximum"].as_u64().unwrap_or(255);
        for bits in [8, 16, 32, 53].into_iter().filter(|bits| 1 << bits > limit) {
            self.with(path, &format!("2^{bits} more"), json!((1_u64 << bits) + honest));
        }
    }

    /// Bytes, quantities and integers with wrong digits.
    fn digits(&mut self, path: &str, name: &str, text: &str) {
        let digits = &text[2..];
        let mut with = |what: &str, wrong: String| self.with(path, what, json!(wrong));
        with("without 0x", digits.to_owned());
        with("with 0X", format!("0X{digits}"));
        with("a space before it", format!(" {text}"));
        with("a sign", format!("0x+{digits}"));
        with("a letter after f", format!("{text}0g"));
        match name {
            "quantity" => {
                with("no digit", "0x".to_owned());
                with("a point", format!("{text}.0"));
                with("a leading zero", format!("0x0{digits}"));
                with("2^64 more", format!("0x1{digits:0>16}"));
                self.with(path, "a number above 2^53", json!(9_007_199_254_740_993_u64));
            }
            "integer256" => with("65 digits", format!("0x{digits:0>65}")),
            // The length of a digest is checked later.
            "bytes" | "bytes33" | "bytes96" => with("half a byte more", format!("{text}0")),
            _ => {
                with("half a byte more", format!("{text}0"));
                with("no bytes", "0x".to_owned());
                with("a byte less", text[..text.len() - 2].to_owned());
                with("a byte more", format!("{text}00"));
            }
        }
    }
}

/// The name and definition in the schema that a value follows.
fn form<'a>(schema: &'a Value, value: &Value) -> (&'a str, &'a Value) {
    let reference =
        [&schema["$ref"], &schema["allOf"][0]["$ref"]].into_iter().find_map(Value::as_str);
    if let Some(name) = reference.and_then(|name| name.strip_prefix("#/$defs/")) {
        let (below, form) = form(&SCHEMA["$defs"][name], value);
        return (if below.is_empty() { name } else { below }, form);
    }
    let alternatives = schema["oneOf"].as_array().filter(|_| schema["type"].is_null());
    let mut forms = alternatives.into_iter().flatten().map(|schema| form(schema, value));
    let is = |(_, form): &(&str, &Value)| match value {
        Value::String(_) if form["enum"].is_array() => {
            form["enum"].as_array().is_some_and(|names| names.contains(value))
        }
        Value::String(_) => form["type"] == "string",
        Value::Array(_) => form["type"] == "array",
        Value::Number(_) => form["type"] == "integer",
        _ => form["type"] == "object",
    };
    forms.find(is).unwrap_or(("", schema))
}

/// The schema of this kind of operation or query, if the object is one.
fn kind<'a>(form: &'a Value, members: &Map<String, Value>) -> &'a Value {
    let mut kinds = form["oneOf"].as_array().into_iter().flatten();
    let is_of = |kind: &&Value| {
        ["op", "kind"].into_iter().any(|name| {
            let own = &kind["properties"][name];
            let one = std::slice::from_ref(&own["const"]);
            let names = own["enum"].as_array().map_or(one, Vec::as_slice);
            members.get(name).is_some_and(|name| names.contains(name))
        })
    };
    kinds.find(is_of).unwrap_or(&Value::Null)
}
