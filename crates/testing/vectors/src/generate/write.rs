//! Writes a vector file; an input similar to an earlier one is written as edits of it.

use std::collections::VecDeque;

use serde::Serialize;
use serde_json::{Map, Value, json, to_value};

use crate::edits::{InputEdit, PathStep, TrueLiteral};
use crate::file::{TestGroup, VectorFile, VectorTest};
use crate::input::{TestInput, split_parts};
use prooflight_json::HexBytes;

use super::runs::{SHORT_GAP_BYTES, common_runs};

/// The number of earlier inputs that are searched for a similar one.
const MAX_BASES: usize = 64;

/// The most characters of a value on one line.
const MAX_LINE_CHARS: usize = 1000;

/// The file's bytes.
pub(super) fn write(file: &VectorFile) -> String {
    let mut head = to_value(VectorFile { test_groups: Vec::new(), ..file.clone() });
    let head = head.as_mut().ok().and_then(Value::as_object_mut).expect("a file is an object");
    head.remove("testGroups");
    let head = head.iter().map(|(name, value)| member(name, &laid_out(value, 1)));
    let groups = file.test_groups.iter().map(group).collect::<Vec<_>>();
    let members = head.chain([member("testGroups", &block('[', &groups, 1, ']'))]);
    block('{', &members.collect::<Vec<_>>(), 0, '}') + "\n"
}

fn group(group: &TestGroup) -> String {
    let mut bases = VecDeque::new();
    let tests = group.tests.iter().map(|test| {
        let (input, members) = match &test.input {
            TestInput::Text(text) => (text.get().to_owned(), Vec::new()),
            TestInput::Json(input) => {
                let mut input = input.clone();
                split_parts(&mut input);
                if let Some((base, edits)) = nearest(&bases, &input) {
                    let edits = to_value(edits).expect("plain");
                    (String::new(), vec![("base", json!(base)), ("edits", edits)])
                } else {
                    if bases.len() == MAX_BASES {
                        bases.pop_front();
                    }
                    let text = laid_out(&input, 5);
                    bases.push_back((test.tc_id, input));
                    (text, Vec::new())
                }
            }
        };
        lay_out_test(test, &input, &members)
    });
    let tests = tests.collect::<Vec<_>>();
    let members = [
        member("type", &one_line(&group.group_type)),
        member("tests", &block('[', &tests, 3, ']')),
    ];
    block('{', &members, 2, '}')
}

/// The text of a test with this input, or with these members instead.
fn lay_out_test(test: &VectorTest, input: &str, instead: &[(&str, Value)]) -> String {
    let rest = VectorTest { input: TestInput::Json(Value::Null), ..test.clone() };
    let Ok(Value::Object(mut rest)) = to_value(rest) else { panic!("a test is an object") };
    if let Some(expected) = rest.get_mut("expected") {
        split_parts(expected);
    }
    if instead.is_empty() {
        let members = rest.iter().map(|(name, value)| {
            let text = if name == "input" { input.to_owned() } else { laid_out(value, 5) };
            member(name, &text)
        });
        return block('{', &members.collect::<Vec<_>>(), 4, '}');
    }
    let mut members = Map::new();
    for (name, value) in rest {
        if name == "input" {
            members.extend(instead.iter().map(|(name, value)| ((*name).to_owned(), value.clone())));
        } else {
            members.insert(name, value);
        }
    }
    one_line(&members)
}

/// The shortest edits of any earlier input, if they are shorter than the input itself.
fn nearest(bases: &VecDeque<(u32, Value)>, input: &Value) -> Option<(u32, Vec<InputEdit>)> {
    // An input that differs much is written whole, so that later ones can be edits of it.
    let whole = one_line(input).len();
    let mut shortest = (usize::max(whole * 3 / 10, usize::min(whole * 3 / 5, 250)), None);
    for (number, base) in bases.iter().rev() {
        let mut edits = Vec::new();
        compare(base, input, &mut Vec::new(), &mut edits);
        let length = one_line(&edits).len();
        if length < shortest.0 && !edits.is_empty() {
            shortest = (length, Some((*number, edits)));
        }
        if length < 100 {
            break;
        }
    }
    shortest.1
}

/// Adds the edits that make one value of another.
fn compare(base: &Value, value: &Value, at: &mut Vec<PathStep>, edits: &mut Vec<InputEdit>) {
    if base == value {
        return;
    }
    match (base, value) {
        (Value::Object(old), Value::Object(new)) if !is_joined(old) && !is_joined(new) => {
            for (name, value) in new {
                at.push(PathStep::Name(name.clone()));
                match old.get(name) {
                    Some(old) => compare(old, value, at, edits),
                    None => edits.push(InputEdit::Set { at: at.clone(), set: value.clone() }),
                }
                at.pop();
            }
            for name in old.keys().filter(|name| !new.contains_key(*name)) {
                let at = [&at[..], &[PathStep::Name(name.clone())]].concat();
                edits.push(InputEdit::Remove { at, remove: TrueLiteral });
            }
        }
        (Value::Array(old), Value::Array(new)) if old.len() == new.len() => {
            for (index, (old, new)) in (0..).zip(old.iter().zip(new)) {
                at.push(PathStep::Index(index));
                compare(old, new, at, edits);
                at.pop();
            }
        }
        (Value::Array(old), Value::Array(new)) => {
            edits.push(splice(at, 0, old, new, |put| put.to_vec().into()));
        }
        (Value::String(old), Value::String(new)) => match (bytes(old), bytes(new)) {
            (Some(old), Some(new)) => edits.extend(splices(at, &old, &new)),
            _ => edits.push(set(at, value)),
        },
        _ => edits.push(set(at, value)),
    }
}

fn set(at: &[PathStep], value: &Value) -> InputEdit {
    InputEdit::Set { at: at.to_vec(), set: value.clone() }
}

fn is_joined(members: &Map<String, Value>) -> bool {
    members.contains_key("joined")
}

/// Bytes, if their text has the form that edits of bytes produce.
fn bytes(text: &str) -> Option<Vec<u8>> {
    let HexBytes(bytes) = text.parse().ok()?;
    (HexBytes(bytes.clone()).to_string() == text).then_some(bytes)
}

/// One edit per differing place.
fn splices(at: &[PathStep], old: &[u8], new: &[u8]) -> Vec<InputEdit> {
    let put = |bytes: &[u8]| Value::String(HexBytes(bytes.to_vec()).to_string());
    if old.len() != new.len() {
        let runs = common_runs(old, new);
        let gaps = runs.windows(2).map(|pair| {
            let (before, after) = (&pair[0], &pair[1]);
            let from = before.old + before.length;
            let new = &new[before.new + before.length..after.new];
            (from, &old[from..after.old], new)
        });
        let differing = gaps.filter(|(_, old, new)| old != new);
        // The last one first, so that no edit moves the place of another.
        return differing.rev().map(|(from, old, new)| splice(at, from, old, new, put)).collect();
    }
    let different = (0..old.len()).filter(|&i| old[i] != new[i]).collect::<Vec<_>>();
    let places = different.chunk_by(|a, b| b - a <= SHORT_GAP_BYTES).map(|place| {
        let range = place[0]..place[place.len() - 1] + 1;
        splice(at, range.start, &old[range.clone()], &new[range], put)
    });
    places.collect()
}

/// The single edit that turns one sequence into another; both begin at `offset`.
fn splice<T: PartialEq>(
    at: &[PathStep],
    offset: usize,
    old: &[T],
    new: &[T],
    put: impl Fn(&[T]) -> Value,
) -> InputEdit {
    let from = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let (old, new) = (&old[from..], &new[from..]);
    let same = old.iter().rev().zip(new.iter().rev()).take_while(|(a, b)| a == b).count();
    InputEdit::Splice {
        at: at.to_vec(),
        from: u32::try_from(offset + from).expect("short"),
        cut: u32::try_from(old.len() - same).expect("short"),
        put: put(&new[..new.len() - same]),
    }
}

fn member(name: &str, value: &str) -> String {
    format!("{}: {value}", one_line(name))
}

/// JSON on one line.
fn one_line(value: &(impl Serialize + ?Sized)) -> String {
    serde_json::to_string(value).expect("plain data")
}

/// JSON that begins at this depth: on one line if it is short, otherwise with one line per member.
fn laid_out(value: &Value, depth: usize) -> String {
    let line = one_line(value);
    if line.len() <= MAX_LINE_CHARS {
        return line;
    }
    match value {
        Value::Object(members) => {
            let members = members.iter().map(|(name, it)| member(name, &laid_out(it, depth + 1)));
            block('{', &members.collect::<Vec<_>>(), depth, '}')
        }
        Value::Array(items) => {
            let items = items.iter().map(|item| laid_out(item, depth + 1));
            block('[', &items.collect::<Vec<_>>(), depth, ']')
        }
        _ => line,
    }
}

/// Items between brackets, each on a line of its own.
fn block(open: char, items: &[String], depth: usize, close: char) -> String {
    if items.is_empty() {
        return format!("{open}{close}");
    }
    let line = format!("\n{}", " ".repeat(depth + 1));
    let items = items.join(&format!(",{line}"));
    format!("{open}{line}{items}\n{}{close}", " ".repeat(depth))
}
