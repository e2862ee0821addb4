//! Inputs written as edits of another test's input. `test-vectors/spec/vectors.md`, section 2.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use prooflight_json::HexBytes;
use prooflight_json::strict::objects;

/// One change of an input.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged, deny_unknown_fields)]
pub(crate) enum InputEdit {
    /// Replaces a value by another, or adds a member to an object.
    Set { at: Vec<PathStep>, set: Value },
    /// Removes a member of an object.
    Remove { at: Vec<PathStep>, remove: TrueLiteral },
    /// Replaces `cut` bytes or items from index `from` on by others.
    Splice { at: Vec<PathStep>, from: u32, cut: u32, put: Value },
}

/// A step down to a value: to a member of an object, or an item of an array.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum PathStep {
    Name(String),
    Index(u32),
}

/// The JSON literal `true`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(into = "bool")]
pub(crate) struct TrueLiteral;

impl From<TrueLiteral> for bool {
    fn from(_: TrueLiteral) -> Self {
        true
    }
}

impl<'de> Deserialize<'de> for TrueLiteral {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let holds = bool::deserialize(deserializer)?;
        holds.then_some(Self).ok_or_else(|| D::Error::custom("expected true"))
    }
}

/// The edits of a test.
#[derive(Clone, Debug, Deserialize)]
#[serde(transparent)]
pub(crate) struct InputEdits(#[serde(deserialize_with = "objects")] pub(crate) Vec<InputEdit>);

impl InputEdits {
    /// Applies the edits to an input; the error names the edit that does not fit.
    pub(crate) fn apply(&self, mut input: Value) -> Result<Value, String> {
        for edit in &self.0 {
            edit.apply(&mut input).ok_or_else(|| format!("an edit that does not fit: {edit:?}"))?;
        }
        Ok(input)
    }
}

impl InputEdit {
    fn apply(&self, input: &mut Value) -> Option<()> {
        match self {
            Self::Set { at, set } => {
                let (last, above) = at.split_last()?;
                match (last, find(input, above)?) {
                    (PathStep::Name(name), Value::Object(members)) => {
                        members.insert(name.clone(), set.clone());
                    }
                    (PathStep::Index(index), Value::Array(items)) => {
                        *items.get_mut(*index as usize)? = set.clone();
                    }
                    _ => return None,
                }
            }
            Self::Remove { at, remove: TrueLiteral } => {
                let (PathStep::Name(name), above) = at.split_last()? else { return None };
                find(input, above)?.as_object_mut()?.shift_remove(name)?;
            }
            Self::Splice { at, from, cut, put } => {
                let range = *from as usize..(*from as usize).checked_add(*cut as usize)?;
                match (find(input, at)?, put) {
                    (Value::String(text), Value::String(put)) => {
                        text.parse::<HexBytes>().ok()?;
                        put.parse::<HexBytes>().ok()?;
                        let digits = 2 + 2 * range.start..2 + range.end.checked_mul(2)?;
                        text.get(digits.clone())?;
                        text.replace_range(digits, &put[2..]);
                    }
                    (Value::Array(items), Value::Array(put)) => {
                        items.get(range.clone())?;
                        items.splice(range, put.iter().cloned());
                    }
                    _ => return None,
                }
            }
        }
        Some(())
    }
}

fn find<'a>(input: &'a mut Value, at: &[PathStep]) -> Option<&'a mut Value> {
    at.iter().try_fold(input, |value, step| match step {
        PathStep::Name(name) => value.as_object_mut()?.get_mut(name),
        PathStep::Index(index) => value.as_array_mut()?.get_mut(*index as usize),
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;
    use serde_json::{from_value, json};

    fn apply(edit: &Value) -> Option<Value> {
        let edits: InputEdits = from_value(json!([edit])).ok()?;
        edits.apply(json!({ "a": "0x0001Fe", "b": [1, { "c": null }], "d": "é" })).ok()
    }

    #[test]
    fn edits_change_what_they_say() {
        for (edit, expected) in [
            (
                json!({ "at": ["a"], "set": 2 }),
                json!({ "a": 2, "b": [1, { "c": null }], "d": "é" }),
            ),
            (
                json!({ "at": ["b", 1, "x"], "set": [] }),
                json!({ "a": "0x0001Fe", "b": [1, { "c": null, "x": [] }], "d": "é" }),
            ),
            (
                json!({ "at": ["b", 0], "set": null }),
                json!({ "a": "0x0001Fe", "b": [null, { "c": null }], "d": "é" }),
            ),
            (
                json!({ "at": ["b", 1, "c"], "remove": true }),
                json!({ "a": "0x0001Fe", "b": [1, {}], "d": "é" }),
            ),
            (
                json!({ "at": ["a"], "from": 1, "cut": 1, "put": "0x5a5B" }),
                json!({ "a": "0x005a5BFe", "b": [1, { "c": null }], "d": "é" }),
            ),
            (
                json!({ "at": ["a"], "from": 3, "cut": 0, "put": "0x00" }),
                json!({ "a": "0x0001Fe00", "b": [1, { "c": null }], "d": "é" }),
            ),
            (
                json!({ "at": ["b"], "from": 0, "cut": 2, "put": [7] }),
                json!({ "a": "0x0001Fe", "b": [7], "d": "é" }),
            ),
        ] {
            assert_eq!(apply(&edit), Some(expected), "{edit}");
        }
    }

    #[test]
    fn edits_that_do_not_fit_are_refused() {
        for edit in [
            json!({ "at": [], "set": {} }),
            json!({ "at": ["b", 2], "set": 0 }),
            json!({ "at": ["b", "0"], "set": 0 }),
            json!({ "at": [0], "set": 0 }),
            json!({ "at": ["a", "x"], "set": 0 }),
            json!({ "at": ["x", "x"], "set": 0 }),
            json!({ "at": ["a"], "set": 0, "remove": true }),
            json!({ "at": ["x"], "remove": true }),
            json!({ "at": ["a"], "remove": false }),
            json!({ "at": ["b", 0], "remove": true }),
            json!({ "at": [], "remove": true }),
            json!({ "at": ["a"], "from": 4, "cut": 0, "put": "0x" }),
            json!({ "at": ["a"], "from": 2, "cut": 2, "put": "0x" }),
            json!({ "at": ["a"], "from": 0, "cut": 1, "put": "0x0" }),
            json!({ "at": ["a"], "from": 0, "cut": 1, "put": [] }),
            json!({ "at": ["a"], "from": -1, "cut": 1, "put": "0x" }),
            json!({ "at": ["a"], "from": 0, "put": "0x" }),
            json!({ "at": ["b"], "from": 1, "cut": 2, "put": [] }),
            json!({ "at": ["d"], "from": 0, "cut": 1, "put": "0x" }),
            json!({ "at": ["a"] }),
            json!([["a"], 0]),
        ] {
            assert_eq!(apply(&edit), None, "{edit}");
        }
    }
}
