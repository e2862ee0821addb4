//! JSON in which no object has two members of one name: parsers disagree about which of them counts.

use core::fmt;

use serde::de::{self, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

/// Reads any JSON; an error if an object in it, at any depth, has two members of one name.
pub fn from_str(text: &str) -> serde_json::Result<Value> {
    serde_json::from_str(text).map(|UniqueJson(value)| value)
}

struct UniqueJson(Value);

impl<'de> Deserialize<'de> for UniqueJson {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(UniqueVisitor).map(Self)
    }
}

struct UniqueVisitor;

impl<'de> Visitor<'de> for UniqueVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut values = Vec::new();
        while let Some(UniqueJson(value)) = items.next_element()? {
            values.push(value);
        }
        Ok(Value::Array(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some(name) = members.next_key::<String>()? {
            if object.contains_key(&name) {
                return Err(de::Error::custom(format_args!("two members {name:?}")));
            }
            let UniqueJson(value) = members.next_value()?;
            object.insert(name, value);
        }
        Ok(Value::Object(object))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;

    #[test]
    fn it_reads_what_serde_reads() {
        let deep = format!("{}1{}", "[".repeat(100), "]".repeat(100));
        for text in [
            "null",
            "true",
            "-1",
            "18446744073709551615",
            "1.5",
            r#""aé\ud83d\ude00""#,
            "[]",
            "{}",
            r#"{"a":[{"b":1},{"b":2}],"c":{"a":null}}"#,
            &deep,
        ] {
            assert_eq!(from_str(text).unwrap(), serde_json::from_str::<Value>(text).unwrap());
        }
        for wrong in ["", "{", "[1,]", "1 2", &"[".repeat(200)] {
            assert!(from_str(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn two_members_of_one_name_are_refused_at_any_depth() {
        for text in [
            r#"{"a":1,"a":1}"#,
            r#"{"a":1,"\u0061":2}"#,
            r#"[{"b":{"c":[{"a":1,"b":2,"a":3}]}}]"#,
            r#"{"a":{"b":1},"a":{"b":1}}"#,
        ] {
            let error = from_str(text).unwrap_err().to_string();
            assert!(error.contains(r#"two members "a""#), "{text}: {error}");
        }
    }
}
