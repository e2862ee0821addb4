//! Collects the tests of one file.

use prooflight_core::Reason;
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, to_value};

use crate::answer::Answer;
use crate::file::{Group, Test, VectorFile, Verdict};
use crate::input::Input;
use crate::run::verify;

use super::write::write;

/// A vector file in the making.
pub(crate) struct Builder {
    file: VectorFile,
    known_flags: &'static [(&'static str, &'static str)],
}

impl Builder {
    /// An empty file of a scheme whose tests may have the flags given, each with its note.
    pub(crate) fn new(scheme: &str, known_flags: &'static [(&'static str, &'static str)]) -> Self {
        let file = VectorFile {
            schema: VectorFile::SCHEMA.to_owned(),
            scheme: scheme.to_owned(),
            origin: "crates/vectors of Prooflight (npm run vectors)".to_owned(),
            license: "MIT OR Apache-2.0".to_owned(),
            number_of_tests: 0,
            notes: Map::new(),
            test_groups: Vec::new(),
        };
        Self { file, known_flags }
    }

    /// Begins a group of tests.
    pub(crate) fn group(&mut self, group_type: &str) {
        self.file.test_groups.push(Group { group_type: group_type.to_owned(), tests: Vec::new() });
    }

    /// A test that a verifier must accept.
    pub(crate) fn valid(
        &mut self,
        flags: &[&str],
        comment: impl Into<String>,
        input: &impl Serialize,
        expected: Answer,
    ) {
        let test = self.test(flags, comment.into(), input, Verdict::Valid);
        test.expected = Some(expected);
    }

    /// A test that a verifier must refuse for this reason.
    pub(crate) fn invalid(
        &mut self,
        flags: &[&str],
        comment: impl Into<String>,
        input: &impl Serialize,
        reason: Reason,
    ) {
        let test = self.test(flags, comment.into(), input, Verdict::Invalid);
        test.expected_error = Some(reason.code().as_str().to_owned());
        test.expected_reason = Some(reason.as_str().to_owned());
    }

    /// A test that a verifier must refuse, for the code that ours has.
    ///
    /// For mutations made by the hundred, where nobody has reasoned about each one.
    pub(crate) fn refused(
        &mut self,
        flags: &[&str],
        comment: impl Into<String>,
        input: &impl Serialize,
    ) {
        let group_type = self.current_group().group_type.clone();
        let comment = comment.into();
        let input = to_value(input).expect("inputs are plain data");
        let error = match verify(&group_type, &input) {
            Ok(Err(error)) => error,
            accepted => panic!("{comment}: {accepted:?}"),
        };
        let test = self.test(flags, comment, &input, Verdict::Invalid);
        test.expected_error = Some(error.code().as_str().to_owned());
    }

    /// Writes the input of the last test with another text in the place of some: one that says the
    /// same otherwise, or what no string of Rust can hold.
    pub(crate) fn rewrite_last(&mut self, from: &str, to: &str) {
        let test = self.current_group().tests.last_mut().expect("there is a test");
        let text = serde_json::to_string(&test.input).expect("inputs are plain data");
        assert!(text.contains(from), "{from} is in {text}");
        let text = text.replace(from, to);
        test.input = Input::Text(RawValue::from_string(text).expect("JSON"));
    }

    fn test(
        &mut self,
        flags: &[&str],
        comment: String,
        input: &impl Serialize,
        result: Verdict,
    ) -> &mut Test {
        for flag in flags {
            let known = self.known_flags.iter().find(|(known, _)| known == flag);
            let (_, note) = known.unwrap_or_else(|| panic!("{flag} has no note"));
            self.file.notes.insert((*flag).to_owned(), (*note).into());
        }
        self.file.number_of_tests += 1;
        let input = to_value(input).expect("inputs are plain data");
        let test = Test {
            tc_id: u32::try_from(self.file.number_of_tests).expect("few tests"),
            comment,
            flags: flags.iter().map(|&flag| flag.to_owned()).collect(),
            input: Input::Json(input),
            result,
            expected: None,
            expected_error: None,
            expected_reason: None,
        };
        let tests = &mut self.current_group().tests;
        tests.push(test);
        tests.last_mut().expect("it was just pushed")
    }

    fn current_group(&mut self) -> &mut Group {
        self.file.test_groups.last_mut().expect("a group begins before its tests")
    }

    /// The file's bytes.
    pub(crate) fn finish(self) -> String {
        write(&self.file)
    }
}

/// The flag of an input that [`upper_case`] made, and its note.
pub(crate) const UPPER_CASE: (&str, &str) =
    ("UpperCase", "hexadecimal digits in upper case, which mean the same as in lower case");

/// An input with all hexadecimal digits of its bytes, quantities and integers in upper case.
pub(crate) fn upper_case(input: &impl Serialize) -> Value {
    fn raise(value: &mut Value) -> bool {
        match value {
            Value::String(text) if text.starts_with("0x") => {
                let raised = format!("0x{}", text[2..].to_uppercase());
                let changed = raised != *text;
                *text = raised;
                changed
            }
            // Every one is raised, so none may be skipped once one has changed.
            Value::Array(items) => items.iter_mut().fold(false, |any, item| raise(item) | any),
            Value::Object(members) => members.values_mut().fold(false, |any, it| raise(it) | any),
            _ => false,
        }
    }
    let mut input = to_value(input).expect("inputs are plain data");
    assert!(raise(&mut input), "there are digits above 9: {input}");
    input
}

/// The members of `expected`, from a JSON object.
pub(crate) fn expected(object: Value) -> Answer {
    match object {
        Value::Object(members) => members,
        other => panic!("not an object: {other}"),
    }
}
