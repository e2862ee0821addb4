//! The JSON of vector files, as `test-vectors/schema/vectors_v1.json` describes it.

use prooflight_core::{Error, Reason, Result};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// One file of test vectors.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct VectorFile {
    /// The schema that the file follows, from the folder `test-vectors`.
    pub schema: String,
    /// The scheme of all tests.
    pub scheme: String,
    /// Where the data comes from.
    pub origin: String,
    /// The licence of the data.
    pub license: String,
    /// How many tests all groups have together.
    pub number_of_tests: usize,
    /// What each flag means.
    pub notes: Map<String, Value>,
    /// The tests.
    pub test_groups: Vec<Group>,
}

/// Tests whose inputs have one form.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Group {
    /// The form of the inputs, for example `AvlBatch`.
    #[serde(rename = "type")]
    pub group_type: String,
    /// The tests.
    pub tests: Vec<Test>,
}

/// One test: an input, and what a verifier must make of it.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Test {
    /// The number of the test, unique in its file.
    pub tc_id: u32,
    /// What the test is about, for people.
    pub comment: String,
    /// What kind of test it is; the file's notes explain each flag.
    pub flags: Vec<String>,
    /// What the verifier gets; of an invalid test it may be malformed in any way.
    pub input: Value,
    /// Whether the verifier must accept.
    pub result: Verdict,
    /// What the verifier must answer, where the test pins it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected: Option<Map<String, Value>>,
    /// The code that the verifier must refuse with, where the test pins it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected_error: Option<String>,
    /// The reason that the verifier must refuse with, where the test pins it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected_reason: Option<String>,
}

/// Whether a verifier must accept an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// It must.
    Valid,
    /// It must not.
    Invalid,
}

impl VectorFile {
    /// The name of the schema.
    pub const SCHEMA: &'static str = "schema/vectors_v1.json";

    /// Reads a vector file; `invalid_argument` if it is not one, or has not the number of tests that it says.
    pub fn parse(json: &str) -> Result<Self> {
        let file: Self = serde_json::from_str(json)
            .map_err(|error| Error::new(Reason::InvalidArgument, "a vector file", error))?;
        if file.schema != Self::SCHEMA {
            return Err(Error::new(Reason::InvalidArgument, Self::SCHEMA, &file.schema));
        }
        let tests = file.test_groups.iter().map(|group| group.tests.len()).sum::<usize>();
        if tests != file.number_of_tests {
            let expected = format!("numberOfTests: {tests}");
            return Err(Error::new(Reason::InvalidArgument, expected, file.number_of_tests));
        }
        Ok(file)
    }
}
