//! The JSON of vector files, as `test-vectors/schema/vectors_v1.json` describes it.

use core::fmt;
use std::collections::{BTreeMap, BTreeSet};

use prooflight_core::{Error, Reason, Result};
use prooflight_json::strict::{name, not_null, object, objects};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

use crate::edits::InputEdits;
use crate::input::{TestInput, join_parts};

/// One file of test vectors.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct VectorFile {
    /// The schema that the file follows, from the folder `test-vectors`.
    pub schema: String,
    /// The scheme of all tests.
    pub scheme: String,
    /// The origin of the data.
    pub origin: String,
    /// The licence of the data.
    pub license: String,
    /// The number of tests in all groups.
    pub number_of_tests: usize,
    /// The meaning of each flag.
    pub notes: Map<String, Value>,
    /// The tests.
    #[serde(deserialize_with = "objects")]
    pub test_groups: Vec<TestGroup>,
}

/// Tests whose inputs have the same form.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TestGroup {
    /// The form of the inputs, for example `AvlBatch`.
    #[serde(rename = "type")]
    pub group_type: String,
    /// The tests.
    #[serde(deserialize_with = "read_tests")]
    pub tests: Vec<VectorTest>,
}

/// One test: an input, and the required verdict of a verifier.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct VectorTest {
    /// The number of the test, unique in its file.
    pub tc_id: u32,
    /// A human-readable description of the test.
    pub comment: String,
    /// The kinds of the test; the file's notes explain each flag.
    pub flags: Vec<String>,
    /// The verifier's input; in an invalid test it may be malformed in any way.
    pub input: TestInput,
    /// Whether the verifier must accept.
    pub result: TestVerdict,
    /// The answer that the verifier must give, if the test pins it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected: Option<Map<String, Value>>,
    /// The code that the verifier must refuse with, if the test pins it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected_error: Option<String>,
    /// The reason that the verifier must refuse with, if the test pins it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected_reason: Option<String>,
}

/// A test as stored in a file: with an input, or with edits of another test's input.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct StoredTest {
    tc_id: u32,
    comment: String,
    flags: Vec<String>,
    #[serde(default, deserialize_with = "not_null")]
    input: Option<TestInput>,
    #[serde(default, deserialize_with = "not_null")]
    base: Option<u32>,
    #[serde(default, deserialize_with = "not_null")]
    edits: Option<InputEdits>,
    #[serde(deserialize_with = "name")]
    result: TestVerdict,
    #[serde(default, deserialize_with = "not_null")]
    expected: Option<Map<String, Value>>,
    #[serde(default, deserialize_with = "not_null")]
    expected_error: Option<String>,
    #[serde(default, deserialize_with = "not_null")]
    expected_reason: Option<String>,
}

/// Reads the tests of a group, each with its input.
fn read_tests<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<VectorTest>, D::Error> {
    let mut inputs = BTreeMap::new();
    let tests = objects::<_, StoredTest>(deserializer)?.into_iter().map(|test| {
        let number = test.tc_id;
        test.with_input(&mut inputs)
            .map_err(|why| D::Error::custom(format!("test {number}: {why}")))
    });
    tests.collect()
}

impl StoredTest {
    /// The test with its input, given the inputs of earlier tests; adds its own.
    fn with_input(self, inputs: &mut BTreeMap<u32, Value>) -> Result<VectorTest, String> {
        let input = match (self.input, self.base, self.edits) {
            (Some(input), None, None) => {
                if let TestInput::Json(input) = &input {
                    inputs.insert(self.tc_id, input.clone());
                }
                input
            }
            (None, Some(base), Some(edits)) => {
                let base = inputs.get(&base).ok_or("a base without an input before it")?;
                TestInput::Json(edits.apply(base.clone())?)
            }
            _ => return Err("expected an input, or a base and edits".to_owned()),
        };
        let expected = self.expected.map(|members| {
            let mut expected = Value::Object(members);
            join_parts(&mut expected)?;
            serde_json::from_value(expected).map_err(|error| error.to_string())
        });
        Ok(VectorTest {
            tc_id: self.tc_id,
            comment: self.comment,
            flags: self.flags,
            input,
            result: self.result,
            expected: expected.transpose()?,
            expected_error: self.expected_error,
            expected_reason: self.expected_reason,
        })
    }
}

/// Whether a verifier must accept an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TestVerdict {
    /// It must be accepted.
    Valid,
    /// It must be refused.
    Invalid,
}

impl VectorFile {
    /// The name of the schema.
    pub const SCHEMA: &'static str = "schema/vectors_v1.json";

    /// Reads a vector file.
    ///
    /// `invalid_argument` if it is malformed, does not have the stated number of tests, or has
    /// expectations that would not be checked.
    pub fn parse(json: &str) -> Result<Self> {
        let mut reader = serde_json::Deserializer::from_str(json);
        let file = object(&mut reader).and_then(|file: Self| reader.end().map(|()| file));
        let file = file.map_err(|error| not_a_file("a vector file", error))?;
        if file.schema != Self::SCHEMA {
            return Err(not_a_file(Self::SCHEMA, &file.schema));
        }
        let tests = || file.test_groups.iter().flat_map(|group| &group.tests);
        let count = tests().count();
        if count != file.number_of_tests {
            return Err(not_a_file(format!("numberOfTests: {count}"), file.number_of_tests));
        }
        let mut numbers = BTreeSet::new();
        if let Some(again) = tests().find(|test| !numbers.insert(test.tc_id)) {
            return Err(not_a_file("one test of each tcId", again.tc_id));
        }
        tests().try_for_each(VectorTest::check)?;
        Ok(file)
    }
}

impl VectorTest {
    /// Checks that the test's expectations are consistent with its result.
    fn check(&self) -> Result<()> {
        let refusal = self.expected_error.is_some() || self.expected_reason.is_some();
        let (expected, ruled_out) = match self.result {
            TestVerdict::Valid => ("an answer expected of a valid test", refusal),
            TestVerdict::Invalid => {
                ("a refusal expected of an invalid test", self.expected.is_some())
            }
        };
        if ruled_out {
            return Err(not_a_file(expected, format!("the other in test {}", self.tc_id)));
        }
        Ok(())
    }
}

fn not_a_file(expected: impl fmt::Display, found: impl fmt::Display) -> Error {
    Error::new(Reason::InvalidArgument, expected, found)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;
    use serde_json::json;

    fn file(test: &Value) -> Value {
        json!({
            "schema": VectorFile::SCHEMA, "scheme": "avl", "origin": "a unit test",
            "license": "MIT OR Apache-2.0", "numberOfTests": 1, "notes": {},
            "testGroups": [{ "type": "AvlBatch", "tests": [test] }],
        })
    }

    fn test(result: &str) -> Value {
        json!({ "tcId": 1, "comment": "", "flags": [], "input": {}, "result": result })
    }

    fn is_file(file: &Value) -> bool {
        VectorFile::parse(&file.to_string()).is_ok()
    }

    #[test]
    fn members_that_nobody_would_look_at_are_refused() {
        let valid = test("valid");
        assert!(is_file(&file(&valid)));
        for place in ["", "/testGroups/0", "/testGroups/0/tests/0"] {
            let mut file = file(&valid);
            file.pointer_mut(place).unwrap()["Expected"] = json!({});
            assert!(!is_file(&file), "{place}");
        }
    }

    #[test]
    fn expectations_fit_the_result_and_are_not_null() {
        let cases = [
            ("valid", "expected", json!({}), true),
            ("valid", "expected", json!(null), false),
            ("valid", "expectedError", json!("mismatch"), false),
            ("valid", "expectedReason", json!("root_mismatch"), false),
            ("invalid", "expected", json!({}), false),
            ("invalid", "expectedError", json!("mismatch"), true),
            ("invalid", "expectedError", json!(null), false),
        ];
        for (result, member, value, holds) in cases {
            let mut test = test(result);
            test[member] = value;
            assert_eq!(is_file(&file(&test)), holds, "{test}");
        }
    }

    #[test]
    fn an_array_is_no_object_and_an_object_no_name() {
        let mut members = file(&test("valid"));
        let all = members.as_object().unwrap().values().cloned().collect::<Value>();
        assert!(!is_file(&all), "{all}");
        members["testGroups"][0] = json!(["AvlBatch", [test("valid")]]);
        assert!(!is_file(&members));
        let mut named = test("valid");
        named["result"] = json!({ "valid": null });
        assert!(!is_file(&file(&named)));
    }

    #[test]
    fn numbers_of_tests_are_unique() {
        let mut file = file(&test("valid"));
        file["numberOfTests"] = json!(2);
        file["testGroups"][0]["tests"] = json!([test("valid"), test("valid")]);
        assert!(!is_file(&file));
        file["testGroups"][0]["tests"][1]["tcId"] = json!(2);
        assert!(is_file(&file));
    }

    #[test]
    fn the_number_of_tests_and_the_schema_are_what_they_say() {
        for (member, value) in [("numberOfTests", json!(2)), ("schema", json!("v2"))] {
            let mut file = file(&test("valid"));
            file[member] = value;
            assert!(!is_file(&file), "{member}");
        }
    }
}
