//! The input of a test: any JSON, in which long bytes and arrays may be written as parts to join.

use std::borrow::Cow;

use prooflight_json::HexBytes;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use serde_json::value::RawValue;
use serde_json::{Map, Value, from_str};

/// The most bytes that all joined parts of an input may have.
const MAX_JOINED_BYTES: u64 = 1 << 24;

/// The most items that all joined parts of an input may have.
const MAX_JOINED_ITEMS: u64 = 1 << 17;

/// A verifier's input; in an invalid test it may be malformed in any way.
#[derive(Clone, Debug)]
pub enum TestInput {
    /// JSON that this program can represent.
    Json(Value),
    /// JSON that is written unchanged. Reading yields this only for JSON that Rust's strings cannot
    /// represent: half of a surrogate pair.
    Text(Box<RawValue>),
}

impl TestInput {
    /// The JSON that a verifier gets, with joined values inserted; the error is why the test cannot be run.
    pub fn read(&self) -> Result<Cow<'_, Value>, String> {
        match self {
            Self::Json(input) if has_joined(input) => {
                let mut input = input.clone();
                join_parts(&mut input)?;
                Ok(Cow::Owned(input))
            }
            Self::Json(input) => Ok(Cow::Borrowed(input)),
            // JSON that cannot be represented does not have the form of any input, and neither has null.
            Self::Text(_) => Ok(Cow::Owned(Value::Null)),
        }
    }
}

impl<'de> Deserialize<'de> for TestInput {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Box::<RawValue>::deserialize(deserializer)?;
        match from_str(text.get()) {
            Ok(input) => Ok(Self::Json(input)),
            Err(error) if error.is_syntax() => Ok(Self::Text(text)),
            Err(error) => Err(de::Error::custom(error)),
        }
    }
}

impl Serialize for TestInput {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Json(input) => input.serialize(serializer),
            Self::Text(text) => text.serialize(serializer),
        }
    }
}

/// The only member of an object that stands for bytes or for an array.
const JOINED_MEMBER: &str = "joined";

fn has_joined(input: &Value) -> bool {
    match input {
        Value::Array(items) => items.iter().any(has_joined),
        Value::Object(members) => {
            members.contains_key(JOINED_MEMBER) || members.values().any(has_joined)
        }
        _ => false,
    }
}

/// Replaces every object with joined parts by the bytes or the array.
pub(crate) fn join_parts(value: &mut Value) -> Result<(), String> {
    PartJoiner { bytes_left: MAX_JOINED_BYTES, items_left: MAX_JOINED_ITEMS }.join_value(value)
}

struct PartJoiner {
    bytes_left: u64,
    items_left: u64,
}

impl PartJoiner {
    fn join_value(&mut self, value: &mut Value) -> Result<(), String> {
        match value {
            Value::Array(items) => items.iter_mut().try_for_each(|item| self.join_value(item)),
            Value::Object(members) if members.contains_key(JOINED_MEMBER) => {
                *value = self.join(members)?;
                Ok(())
            }
            Value::Object(members) => members.values_mut().try_for_each(|it| self.join_value(it)),
            _ => Ok(()),
        }
    }

    fn join(&mut self, members: &Map<String, Value>) -> Result<Value, String> {
        let parts =
            members.get(JOINED_MEMBER).filter(|_| members.len() == 1).and_then(Value::as_array);
        let parts = parts.ok_or("joined: expected an array, and no other member beside it")?;
        let parts = parts.iter().map(|part| {
            read_part(part).ok_or_else(|| {
                format!("joined: expected a part, or repeat and times, found {part}")
            })
        });
        let parts = parts.collect::<Result<Vec<_>, _>>()?;
        if let [(Value::Array(_), _), ..] = parts[..] {
            self.join_items(&parts)
        } else {
            self.join_bytes(&parts)
        }
    }

    fn join_bytes(&mut self, parts: &[(&Value, u32)]) -> Result<Value, String> {
        let mut joined = "0x".to_owned();
        for (part, times) in parts {
            let digits = digits(part).ok_or_else(|| format!("joined: bytes beside {part}"))?;
            let more = (digits.len() as u64 / 2).saturating_mul((*times).into());
            take(&mut self.bytes_left, more)?;
            joined
                .extend(core::iter::repeat_n(digits, if more == 0 { 0 } else { *times as usize }));
        }
        Ok(Value::String(joined))
    }

    fn join_items(&mut self, parts: &[(&Value, u32)]) -> Result<Value, String> {
        let mut joined = Vec::new();
        for (part, times) in parts {
            let items = part.as_array().ok_or_else(|| format!("joined: items beside {part}"))?;
            if items.iter().any(has_joined) {
                return Err("joined: an item with joined".to_owned());
            }
            let more = (items.len() as u64).saturating_mul((*times).into());
            take(&mut self.items_left, more)?;
            let times = if more == 0 { 0 } else { *times as usize };
            joined.extend(core::iter::repeat_n(items, times).flatten().cloned());
        }
        Ok(Value::Array(joined))
    }
}

fn take(left: &mut u64, more: u64) -> Result<(), String> {
    let rest = left.checked_sub(more).ok_or("joined: more than an input may have")?;
    *left = rest;
    Ok(())
}

/// The bytes or items of a part, and how often they repeat.
fn read_part(part: &Value) -> Option<(&Value, u32)> {
    match part {
        Value::Object(members) if members.len() == 2 => {
            Some((members.get("repeat")?, members.get("times")?.as_u64()?.try_into().ok()?))
        }
        part => Some((part, 1)),
    }
}

fn digits(part: &Value) -> Option<&str> {
    let text = part.as_str()?;
    text.parse::<HexBytes>().ok()?;
    Some(&text[2..])
}

/// Replaces bytes and arrays with long runs of one byte or item by their parts.
#[cfg(feature = "generate")]
pub(crate) fn split_parts(value: &mut Value) {
    let parts = match value {
        Value::String(text) if text.len() > 2 * MIN_RUN_BYTES => {
            text.parse::<HexBytes>().ok().and_then(|HexBytes(bytes)| {
                parts_of(&bytes, MIN_RUN_BYTES, |bytes| HexBytes(bytes.to_vec()).to_string().into())
            })
        }
        Value::Array(items) => {
            items.iter_mut().for_each(split_parts);
            parts_of(items, MIN_RUN_ITEMS, |items| items.to_vec().into())
        }
        Value::Object(members) => return members.values_mut().for_each(split_parts),
        _ => return,
    };
    if let Some(parts) = parts {
        *value = serde_json::json!({ JOINED_MEMBER: parts });
    }
}

/// The least number of equal bytes that are written as one byte and a number.
#[cfg(feature = "generate")]
const MIN_RUN_BYTES: usize = 1 << 15;

/// The least number of equal items of an array that are written as one item and a number.
#[cfg(feature = "generate")]
const MIN_RUN_ITEMS: usize = 256;

/// The parts of a sequence: its long runs, and the parts between them; `None` if it has no long run.
#[cfg(feature = "generate")]
fn parts_of<T: PartialEq>(
    sequence: &[T],
    long: usize,
    write: impl Fn(&[T]) -> Value,
) -> Option<Vec<Value>> {
    let (mut parts, mut from, mut to) = (Vec::new(), 0, 0);
    for run in sequence.chunk_by(|a, b| a == b) {
        if run.len() >= long {
            if from < to {
                parts.push(write(&sequence[from..to]));
            }
            parts.push(serde_json::json!({ "repeat": write(&run[..1]), "times": run.len() }));
            from = to + run.len();
        }
        to += run.len();
    }
    if parts.is_empty() {
        return None;
    }
    if from < to {
        parts.push(write(&sequence[from..to]));
    }
    Some(parts)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(input: Value) -> Result<Value, String> {
        TestInput::Json(input).read().map(Cow::into_owned)
    }

    #[test]
    fn parts_are_joined_wherever_they_are() {
        let joined =
            json!({ "joined": ["0xAb", { "repeat": "0x0102", "times": 3 }, "0x", "0x03"] });
        let nothing = json!({ "joined": [{ "repeat": "0x", "times": u32::MAX }] });
        let input = json!({ "a": [joined, { "b": nothing, "repeat": "0x00" }], "c": "0x" });
        let expected =
            json!({ "a": ["0xAb01020102010203", { "b": "0x", "repeat": "0x00" }], "c": "0x" });
        assert_eq!(read(input), Ok(expected));
        let items = json!({ "joined": [{ "repeat": [1, {}], "times": 2 }, [], [null]] });
        assert_eq!(read(json!({ "a": items })), Ok(json!({ "a": [1, {}, 1, {}, null] })));
    }

    #[test]
    fn what_is_no_such_object_is_refused() {
        let repeat = |repeat: Value, times: Value| json!([{ "repeat": repeat, "times": times }]);
        for parts in [
            json!("0x00"),
            json!([null]),
            json!(["00"]),
            json!(["0x0"]),
            json!([["0x00"], "0x00"]),
            json!(["0x00", ["0x00"]]),
            json!([[{ "joined": [] }]]),
            json!([{ "repeat": [], "times": -1 }]),
            json!([{ "repeat": "0x00" }]),
            json!([{ "times": 1 }]),
            json!([{ "repeat": "0x00", "times": 1, "more": 1 }]),
            repeat(json!("0x00"), json!(-1)),
            repeat(json!("0x00"), json!(1.5)),
            repeat(json!("0x00"), json!("1")),
            repeat(json!("0x00"), json!(1_u64 << 32)),
            repeat(json!({ "joined": [] }), json!(1)),
        ] {
            assert!(read(json!([{ "joined": parts }])).is_err(), "{parts}");
        }
        assert!(read(json!({ "joined": [], "more": 1 })).is_err());
    }

    #[test]
    fn an_input_has_at_most_16_mib_of_them() {
        let bytes = |times: u32| json!({ "joined": [{ "repeat": "0x0000", "times": times }] });
        let half = 1 << 22;
        let input = read(json!([bytes(half), bytes(half)])).unwrap();
        assert_eq!(input[1].as_str().unwrap().len(), 2 + (1 << 24));
        for times in [half + 1, u32::MAX] {
            assert!(read(json!([bytes(half), bytes(times)])).is_err(), "{times}");
        }
    }

    #[test]
    fn an_input_has_at_most_131072_items_of_them() {
        let items = |times: u32| json!({ "joined": [{ "repeat": [0, 0], "times": times }] });
        let half = 1 << 15;
        assert!(read(json!([items(half), items(half)])).is_ok());
        for times in [half + 1, u32::MAX] {
            assert!(read(json!([items(half), items(times)])).is_err(), "{times}");
        }
    }

    #[test]
    fn what_is_taken_apart_is_joined_again() {
        let (zeros, ones) = (vec![0; MIN_RUN_BYTES], vec![1; MIN_RUN_BYTES]);
        for (bytes, parts) in [
            ([&[1, 0][..], &zeros, &[2], &zeros[1..], &[3]].concat(), 3),
            ([&zeros[..], &ones].concat(), 2),
            (zeros[1..].to_vec(), 0),
        ] {
            let whole = json!({ "proof": HexBytes(bytes) });
            let mut apart = whole.clone();
            split_parts(&mut apart);
            assert_eq!(apart["proof"]["joined"].as_array().map_or(0, Vec::len), parts);
            assert_eq!(read(apart), Ok(whole));
        }
        let mut items = vec![json!({ "a": 1 }); MIN_RUN_ITEMS];
        items.push(json!("last"));
        let whole = json!([items]);
        let mut apart = whole.clone();
        split_parts(&mut apart);
        assert_eq!(apart[0]["joined"].as_array().map_or(0, Vec::len), 2);
        assert_eq!(read(apart), Ok(whole));
    }

    #[test]
    fn halves_of_surrogate_pairs_are_kept_and_not_read() {
        for (text, is_read) in
            [(r#"{"a":"\ud834\udd1e"}"#, true), (r#"{"a":"\ud834"}"#, false), ("[1]", true)]
        {
            let input: TestInput = from_str(text).unwrap();
            assert_eq!(!input.read().unwrap().is_null(), is_read, "{text}");
            if !is_read {
                assert_eq!(serde_json::to_string(&input).unwrap(), text);
            }
        }
        assert!(from_str::<TestInput>("{").is_err());
    }
}
