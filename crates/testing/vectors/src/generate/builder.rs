//! Collects the tests of one file.

use prooflight_core::{Error, Reason};
use serde::Serialize;
use serde_json::{Value, to_value};

use crate::answer::VerifierAnswer;
use crate::file::{TestGroup, TestVerdict, VectorFile, VectorTest};
use crate::input::TestInput;
use crate::run::verify;

use super::kept;
use super::write::write;

/// Flags that every file may have, each with its note.
const COMMON_FLAGS: &[(&str, &str)] = &[
    ("Input", "the input does not have the form of the group's type"),
    ("Mutated", "an honest input with a byte changed; only the code is pinned"),
    ("Truncated", "an honest input that ends early"),
];

/// A vector file under construction.
pub(crate) struct FileBuilder {
    file: VectorFile,
    /// The index of the group that tests are added to.
    current: usize,
    /// The largest test number when the file was opened.
    kept: u32,
}

impl FileBuilder {
    /// A committed file with its tests and flags. An added test replaces the one with the same comment.
    pub(crate) fn open(committed: &str) -> Result<Self, String> {
        let file = kept::read(committed)?;
        let kept = last_number(&file);
        Ok(Self { file, current: 0, kept })
    }

    /// Begins a group of tests, or continues the one of this type.
    pub(crate) fn group(&mut self, group_type: &str) {
        let groups = &mut self.file.test_groups;
        self.current =
            groups.iter().position(|group| group.group_type == group_type).unwrap_or(groups.len());
        if self.current == groups.len() {
            groups.push(TestGroup { group_type: group_type.to_owned(), tests: Vec::new() });
        }
    }

    /// The type of the current group.
    pub(super) fn group_type(&self) -> &str {
        &self.file.test_groups[self.current].group_type
    }

    /// The tests of the current group.
    pub(super) fn tests(&self) -> &[VectorTest] {
        self.file.test_groups.get(self.current).map_or(&[], |group| &group.tests)
    }

    /// The note of a flag.
    pub(super) fn note(&self, flag: &str) -> Option<Value> {
        let noted = self.file.notes.get(flag).cloned();
        noted.or_else(|| {
            COMMON_FLAGS.iter().find(|(known, _)| *known == flag).map(|(_, note)| (*note).into())
        })
    }

    /// The answer of our verifier to an input of the current group.
    pub(super) fn answer(&self, input: &Value) -> Result<VerifierAnswer, Error> {
        verify(self.group_type(), input).expect("a known type")
    }

    /// Adds a test that a verifier must accept.
    pub(crate) fn valid(
        &mut self,
        flags: &[&str],
        comment: impl Into<String>,
        input: &impl Serialize,
        expected: VerifierAnswer,
    ) {
        let test = self.test(flags, comment.into(), input, TestVerdict::Valid);
        test.expected = Some(expected);
    }

    /// Adds a test that a verifier must refuse for this reason.
    pub(crate) fn invalid(
        &mut self,
        flags: &[&str],
        comment: impl Into<String>,
        input: &impl Serialize,
        reason: Reason,
    ) {
        let test = self.test(flags, comment.into(), input, TestVerdict::Invalid);
        test.expected_error = Some(reason.code().as_str().to_owned());
        test.expected_reason = Some(reason.as_str().to_owned());
    }

    /// Adds a test that a verifier must refuse with the code that ours returns.
    ///
    /// For mutations made in bulk, whose reasons are not worked out one by one.
    pub(crate) fn refused(
        &mut self,
        flags: &[&str],
        comment: impl Into<String>,
        input: &impl Serialize,
    ) {
        let comment = comment.into();
        let input = to_value(input).expect("inputs are plain data");
        let error = match self.answer(&input) {
            Err(error) => error,
            accepted => panic!("{comment}: {accepted:?}"),
        };
        let test = self.test(flags, comment, &input, TestVerdict::Invalid);
        test.expected_error = Some(error.code().as_str().to_owned());
    }

    fn test(
        &mut self,
        flags: &[&str],
        comment: String,
        input: &impl Serialize,
        result: TestVerdict,
    ) -> &mut VectorTest {
        for flag in flags {
            let note = self.note(flag).unwrap_or_else(|| panic!("{flag} has no note"));
            self.file.notes.insert((*flag).to_owned(), note);
        }
        let input = to_value(input).expect("inputs are plain data");
        let mut test = VectorTest {
            tc_id: last_number(&self.file) + 1,
            comment,
            flags: flags.iter().map(|&flag| flag.to_owned()).collect(),
            input: TestInput::Json(input),
            result,
            expected: None,
            expected_error: None,
            expected_reason: None,
        };
        let kept = self.kept;
        let tests = self.current_tests();
        let place = tests.iter().position(|kept| kept.comment == test.comment);
        let place = place.unwrap_or(tests.len());
        if place == tests.len() {
            tests.push(test);
            self.file.number_of_tests += 1;
        } else {
            assert!(tests[place].tc_id <= kept, "a comment twice: {}", test.comment);
            test.tc_id = tests[place].tc_id;
            tests[place] = test;
        }
        &mut self.current_tests()[place]
    }

    fn current_tests(&mut self) -> &mut Vec<VectorTest> {
        &mut self
            .file
            .test_groups
            .get_mut(self.current)
            .expect("a group begins before its tests")
            .tests
    }

    /// The file's bytes.
    pub(crate) fn finish(self) -> String {
        write(&self.file)
    }
}

fn last_number(file: &VectorFile) -> u32 {
    let tests = file.test_groups.iter().flat_map(|group| &group.tests);
    tests.map(|test| test.tc_id).max().unwrap_or(0)
}

/// The members of `expected`, from a JSON object.
pub(crate) fn expected(object: Value) -> VerifierAnswer {
    match object {
        Value::Object(members) => members,
        other => panic!("not an object: {other}"),
    }
}
