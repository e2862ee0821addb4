//! Runs the tests of a vector file.

use prooflight_core::{Error, Reason, Result};
use prooflight_json::strict::object;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::answer::VerifierAnswer;
use crate::file::{TestVerdict, VectorFile, VectorTest};
use crate::input::TestInput;
use crate::{
    amb, amt, avl, chain, ergo, history, key_range, lmpt, lvmt, mpt, mpt_sent, smt, state,
};

/// The results of the tests of a file.
#[derive(Clone, Debug)]
pub struct FileReport {
    /// The tests, in the order of the file.
    pub tests: Vec<TestReport>,
}

impl FileReport {
    /// The number of tests that passed.
    pub fn passed(&self) -> usize {
        self.tests.iter().filter(|test| test.failure.is_none()).count()
    }

    /// The number of tests that failed.
    pub fn failed(&self) -> usize {
        self.tests.len() - self.passed()
    }
}

/// The result of one test.
#[derive(Clone, Debug)]
pub struct TestReport {
    /// The number of the test in its file.
    pub tc_id: u32,
    /// The description of the test.
    pub comment: String,
    /// How the verifier deviated from the test's expectation; `None` if the test passed.
    pub failure: Option<String>,
}

/// Runs every test of a vector file, given as its JSON.
///
/// `invalid_argument` if it is not a vector file; a group type that this build does not know fails
/// its tests.
pub fn run(json: &str) -> Result<FileReport> {
    run_with(json, |_, _| None)
}

/// Runs every test of a vector file, some of them with a verifier of the caller.
///
/// `verifier` gets a group's type and a test's input; if it returns `None`, the test runs as in [`run`].
pub fn run_with(
    json: &str,
    verifier: impl Fn(&str, &Value) -> Option<Result<VerifierAnswer>>,
) -> Result<FileReport> {
    let file = VectorFile::parse(json)?;
    let tests = file.test_groups.iter().flat_map(|group| {
        let verifier = &verifier;
        group.tests.iter().map(move |test| TestReport {
            tc_id: test.tc_id,
            comment: test.comment.clone(),
            failure: answer(&group.group_type, &test.input, verifier)
                .map_or_else(Some, |answer| compare(test, answer)),
        })
    });
    Ok(FileReport { tests: tests.collect() })
}

/// The verifier's answer to a test's input; the outer error says why no verifier ran.
fn answer(
    group_type: &str,
    input: &TestInput,
    verifier: impl Fn(&str, &Value) -> Option<Result<VerifierAnswer>>,
) -> Result<Result<VerifierAnswer>, String> {
    let input = input.read()?;
    verifier(group_type, &input).map_or_else(|| verify(group_type, &input), Ok)
}

/// The answer of the verifier for this group type; the outer error says that the type is unknown.
pub fn verify(group_type: &str, input: &Value) -> Result<Result<VerifierAnswer>, String> {
    match group_type {
        "AmbProof" => Ok(amb::verify(input)),
        "AmtOpening" => Ok(parse(input).and_then(|input: amt::AmtOpening| input.verify())),
        "AvlBatch" => Ok(parse(input).and_then(|input: avl::AvlBatch| input.verify())),
        "ErgoAdProofs" => Ok(parse(input).and_then(|input: ergo::AdProofs| input.verify())),
        "HeaderSync" => Ok(parse(input).and_then(|input: chain::HeaderSync| input.verify())),
        "HeaderInclusion" => {
            Ok(parse(input).and_then(|input: chain::HeaderInclusion| input.verify()))
        }
        "HeadersInclusion" => {
            Ok(parse(input).and_then(|input: chain::HeadersInclusion| input.verify()))
        }
        "HeaderWanted" => Ok(parse(input).and_then(|input: chain::HeaderWanted| input.verify())),
        "HeaderRelation" => Ok(parse(input).map(|input: chain::RelationInput| input.answer())),
        "StateAnswer" => Ok(parse(input).and_then(|input: state::StateAnswer| input.verify())),
        "BlockTransition" => {
            Ok(parse(input).and_then(|input: state::BlockTransition| input.verify()))
        }
        "StateBlock" => Ok(parse(input).and_then(|input: state::StateBlock| input.verify())),
        "StateHistory" => Ok(parse(input).and_then(|input: history::StateHistory| input.verify())),
        "StateDiff" => Ok(parse(input).and_then(|input: history::StateDiff| input.verify())),
        "StateRange" => Ok(parse(input).and_then(|input: key_range::StateRange| input.verify())),
        "StateCount" => Ok(parse(input).and_then(|input: key_range::StateCount| input.verify())),
        "LmptProof" => Ok(parse(input).and_then(|input: lmpt::LmptProof| input.verify())),
        "LvmtProof" => Ok(parse(input).and_then(|input: lvmt::LvmtProof| input.verify())),
        "MptProof" => Ok(parse(input).and_then(|input: mpt::MptProof| input.verify())),
        "EthGetProof" => Ok(parse(input).and_then(|input: mpt::EthGetProof| input.verify())),
        "EthAnswer" => {
            Ok(parse(input).and_then(|input: mpt::EthGetProof| mpt_sent::verify(&input)))
        }
        "EthHeader" => Ok(parse(input).and_then(|input: mpt::EthHeader| input.verify())),
        "EthCode" => Ok(parse(input).and_then(|input: mpt::EthCode| input.verify())),
        "EthTransaction" => Ok(parse(input).and_then(|input: mpt::EthTransaction| input.verify())),
        "SmtProof" => Ok(parse(input).and_then(|input: smt::SmtProof| input.verify())),
        "SmtHistory" => Ok(parse(input).and_then(|input: smt::SmtHistory| input.verify())),
        "SmtDiff" => Ok(parse(input).and_then(|input: smt::SmtDiff| input.verify())),
        unknown => Err(format!("this build does not know the group type {unknown}")),
    }
}

pub(crate) fn parse<T: DeserializeOwned>(input: &Value) -> Result<T> {
    object(input)
        .map_err(|error| Error::new(Reason::InvalidArgument, "an input of the group's type", error))
}

/// Describes how an answer deviates from the test's expectation.
fn compare(test: &VectorTest, answer: Result<VerifierAnswer>) -> Option<String> {
    match (test.result, answer) {
        (TestVerdict::Valid, Ok(answer)) => {
            test.expected.iter().flatten().find_map(|(name, expected)| {
                let found = answer.get(name);
                (found != Some(expected)).then(|| match found {
                    Some(found) => format!("{name}: expected {expected}, found {found}"),
                    None => format!("{name}: not part of an answer of this group type"),
                })
            })
        }
        (TestVerdict::Valid, Err(error)) => {
            Some(format!("refused: {} / {}: {error}", error.code(), error.reason()))
        }
        (TestVerdict::Invalid, Ok(_)) => Some("accepted".to_owned()),
        (TestVerdict::Invalid, Err(error)) => {
            let differs = |pinned: &Option<String>, found: &str| {
                pinned
                    .as_deref()
                    .filter(|pinned| *pinned != found)
                    .map(|pinned| format!("expected {pinned}, found {found}: {error}"))
            };
            differs(&test.expected_error, error.code().as_str())
                .or_else(|| differs(&test.expected_reason, error.reason().as_str()))
        }
    }
}
