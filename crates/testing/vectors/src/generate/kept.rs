//! Tests whose bytes are fixed: the committed file is their source. `docs/decisions/0011-kept-vectors.md`.

use std::collections::BTreeSet;

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, from_str, to_string};

use super::builder::FileBuilder;
use super::damage::damaged;
use super::malformed::malformed;
use crate::answer::VerifierAnswer;
use crate::edits::InputEdits;
use crate::file::{VectorFile, VectorTest};
use crate::input::TestInput;
use crate::run::verify;

/// Reads a committed file; an input that we would write differently keeps its text.
pub(super) fn read(json: &str) -> Result<VectorFile, String> {
    let mut file = VectorFile::parse(json).map_err(|error| error.to_string())?;
    let raw: RawFile<'_> = from_str(json).map_err(|error| error.to_string())?;
    let tests = file.test_groups.iter_mut().flat_map(|group| &mut group.tests);
    let raw = raw.test_groups.iter().flat_map(|group| &group.tests);
    for (test, raw) in tests.zip(raw) {
        if let (TestInput::Json(Value::Object(members)), Some(edits)) =
            (&mut test.input, &raw.edits)
        {
            order(members, edits);
        }
        let Some(text) = raw.input.map(|input| without_spaces(input.get())) else { continue };
        if to_string(&test.input).is_ok_and(|plain| plain != text) {
            test.input = TestInput::Text(RawValue::from_string(text).map_err(|e| e.to_string())?);
        }
    }
    Ok(file)
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RawFile<'a> {
    #[serde(borrow)]
    test_groups: Vec<RawGroup<'a>>,
}

#[derive(Deserialize)]
struct RawGroup<'a> {
    #[serde(borrow)]
    tests: Vec<RawTest<'a>>,
}

#[derive(Deserialize)]
struct RawTest<'a> {
    #[serde(borrow)]
    input: Option<&'a RawValue>,
    edits: Option<Vec<Value>>,
}

/// Puts the edited members in the order of their edits, so that the same edits are written again.
fn order(members: &mut Map<String, Value>, edits: &[Value]) {
    let mut edited: Vec<_> = edits.iter().filter_map(|edit| edit["at"][0].as_str()).collect();
    let mut seen = BTreeSet::new();
    edited.retain(|name| members.contains_key(*name) && seen.insert(*name));
    let mut next = edited.into_iter();
    let names = members.keys().map(|name| {
        let name = if seen.contains(&name[..]) { next.next().unwrap_or(name) } else { name };
        (name.to_owned(), members[name].clone())
    });
    *members = names.collect();
}

/// JSON without the spaces between its parts.
fn without_spaces(json: &str) -> String {
    let (mut in_string, mut escaped) = (false, false);
    let keep = |letter: &char| {
        let between = !in_string && letter.is_ascii_whitespace();
        in_string ^= *letter == '"' && !escaped;
        escaped = in_string && *letter == '\\' && !escaped;
        !between
    };
    json.chars().filter(keep).collect()
}

/// A test to add, as `generate FOLDER --add FILE` reads it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TestRow {
    #[serde(rename = "type")]
    group_type: String,
    comment: String,
    flags: Vec<String>,
    /// The number of a test of the group.
    base: Option<u32>,
    edits: Option<InputEdits>,
    /// The input, instead of `base` and `edits`.
    input: Option<Value>,
    /// The members of the answer to pin, of a test that a verifier must accept.
    expected: Option<VerifierAnswer>,
    /// The pinned reason of a refusal; without one, the test pins only our verifier's code.
    reason: Option<String>,
}

/// Adds tests to a file; the error describes the first invalid row.
pub fn add(committed: &str, rows: &str) -> Result<String, String> {
    let rows: Vec<TestRow> = from_str(rows).map_err(|error| error.to_string())?;
    let mut file = FileBuilder::open(committed)?;
    for row in rows {
        let comment = row.comment.clone();
        add_row(&mut file, row).map_err(|problem| format!("{comment}: {problem}"))?;
    }
    Ok(file.finish())
}

fn add_row(file: &mut FileBuilder, row: TestRow) -> Result<(), String> {
    file.group(&row.group_type);
    let input = match (row.base, row.edits, row.input) {
        (Some(base), Some(edits), None) => edits.apply(input_of(file.tests(), base)?)?,
        // Long bytes and arrays stay in the parts in which the row has them.
        (None, None, Some(input)) => input,
        _ => return Err("expected base and edits, or an input".to_owned()),
    };
    let joined = TestInput::Json(input.clone()).read()?.into_owned();
    if file.tests().iter().any(|test| test.comment == row.comment) {
        return Err("a test has this comment".to_owned());
    }
    if let Some(flag) = row.flags.iter().find(|flag| file.note(flag).is_none()) {
        return Err(format!("the file's notes lack the flag {flag}"));
    }
    let flags = row.flags.iter().map(String::as_str).collect::<Vec<_>>();
    let answer = verify(&row.group_type, &joined)?;
    if let Some(expected) = row.expected {
        let answer = answer.map_err(|error| format!("our verifier refuses it: {error}"))?;
        if let Some((name, _)) =
            expected.iter().find(|(name, value)| answer.get(*name) != Some(value))
        {
            return Err(format!("our verifier answers another {name}"));
        }
        file.valid(&flags, row.comment, &input, expected);
        return Ok(());
    }
    let error = answer.err().ok_or("our verifier accepts it")?;
    match row.reason {
        None => file.refused(&flags, row.comment, &joined),
        Some(reason) if reason == error.reason().as_str() => {
            file.invalid(&flags, row.comment, &input, error.reason());
        }
        Some(_) => return Err(format!("our verifier refuses it as {}: {error}", error.reason())),
    }
    Ok(())
}

/// The part of an honest input to break.
pub enum BrokenPart<'a> {
    /// The bytes at a place, by small changes.
    Bytes(&'a str),
    /// The form of every part except those at these places.
    Form(&'a [&'a str]),
}

/// Adds tests that a verifier must refuse to a file: broken inputs of a test of `source`.
pub fn add_broken(
    committed: &str,
    source: &str,
    number: u32,
    what: &BrokenPart<'_>,
) -> Result<String, String> {
    let groups = read(source)?.test_groups;
    let group = groups.iter().find(|group| group.tests.iter().any(|test| test.tc_id == number));
    let group = group.ok_or_else(|| format!("there is no test {number}"))?;
    let honest = input_of(&group.tests, number)?;
    let mut file = FileBuilder::open(committed)?;
    file.group(&group.group_type);
    let of = format!("of test {number}: ");
    match what {
        BrokenPart::Bytes(place) => damaged(&mut file, &of, &honest, place),
        BrokenPart::Form(but) => malformed(&mut file, &of, &honest, but),
    }
    Ok(file.finish())
}

fn input_of(tests: &[VectorTest], number: u32) -> Result<Value, String> {
    let test = tests.iter().find(|test| test.tc_id == number);
    let input = test.ok_or_else(|| format!("there is no test {number}"))?.input.read()?;
    Ok(input.into_owned())
}
