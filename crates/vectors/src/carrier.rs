//! How JSON carries bytes and integers, and members that may be left out.

use core::fmt;
use core::marker::PhantomData;
use core::str::FromStr;
use serde::de::value::MapAccessDeserializer;
use serde::de::{IntoDeserializer, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// Bytes as `0x` and two hexadecimal digits a byte; written in lower case, read in any.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hex(pub Vec<u8>);

impl fmt::Display for Hex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("0x")?;
        // A node writes proofs of many megabytes: not byte by byte, which would take seven times as long.
        self.0.chunks(1024).try_for_each(|chunk| f.write_str(&digits(chunk)))
    }
}

fn digits(bytes: &[u8]) -> String {
    let digit = |value: u8| char::from(b"0123456789abcdef"[usize::from(value)]);
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 0xf)]).collect()
}

impl FromStr for Hex {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let digits = text.strip_prefix("0x").ok_or("bytes without 0x")?;
        if digits.len() % 2 != 0 {
            return Err("an odd number of hexadecimal digits");
        }
        let nibble = |digit: u8| char::from(digit).to_digit(16).and_then(|n| u8::try_from(n).ok());
        digits
            .as_bytes()
            .chunks_exact(2)
            .map(|pair| Some(nibble(pair[0])? << 4 | nibble(pair[1])?))
            .collect::<Option<_>>()
            .map(Self)
            .ok_or("a character that is not a hexadecimal digit")
    }
}

impl Serialize for Hex {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Hex {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}

/// A hash: 32 bytes as [`Hex`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hash32(pub [u8; 32]);

impl fmt::Display for Hash32 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Hex(self.0.to_vec()).fmt(f)
    }
}

impl Serialize for Hash32 {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Hash32 {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Hex(bytes) = Hex::deserialize(deserializer)?;
        let length = bytes.len();
        let hash = bytes.try_into();
        hash.map(Self).map_err(|_| de::Error::custom(format!("{length} bytes, not 32")))
    }
}

/// An address: 20 bytes as [`Hex`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Address(pub [u8; 20]);

impl Serialize for Address {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&Hex(self.0.to_vec()))
    }
}

impl<'de> Deserialize<'de> for Address {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Hex(bytes) = Hex::deserialize(deserializer)?;
        let length = bytes.len();
        let address = bytes.try_into();
        address.map(Self).map_err(|_| de::Error::custom(format!("{length} bytes, not 20")))
    }
}

/// An integer of 256 bits: `0x` and 1 to 64 hexadecimal digits; written without leading zeros, read
/// with any.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word(pub [u8; 32]);

impl Word {
    /// The integer, if it has 64 bits.
    pub fn to_u64(self) -> Option<u64> {
        let (high, low) = self.0.split_last_chunk::<8>()?;
        high.iter().all(|&byte| byte == 0).then(|| u64::from_be_bytes(*low))
    }
}

impl fmt::Display for Word {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = Hex(self.0.to_vec()).to_string();
        let digits = digits.trim_start_matches("0x").trim_start_matches('0');
        write!(f, "0x{}", if digits.is_empty() { "0" } else { digits })
    }
}

impl FromStr for Word {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let digits = text.strip_prefix("0x").ok_or("an integer without 0x")?;
        if !(1..=64).contains(&digits.len()) {
            return Err("an integer without digits or with more than 64");
        }
        let Hex(bytes) = format!("0x{digits:0>64}").parse()?;
        bytes.try_into().map(Self).map_err(|_| "an integer of more than 256 bits")
    }
}

impl Serialize for Word {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Word {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}

/// An unsigned 64-bit quantity as `0x` and hexadecimal digits without leading zeros.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quantity(pub u64);

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#x}", self.0)
    }
}

impl FromStr for Quantity {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let digits = text.strip_prefix("0x").ok_or("a quantity without 0x")?;
        if digits.is_empty() || (digits.starts_with('0') && digits != "0") {
            return Err("a quantity without digits or with leading zeros");
        }
        if !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
            return Err("a character that is not a hexadecimal digit");
        }
        u64::from_str_radix(digits, 16).map(Self).map_err(|_| "a quantity of more than 64 bits")
    }
}

impl Serialize for Quantity {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Quantity {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}

/// A signed 64-bit integer as a decimal string without leading zeros or plus sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decimal(pub i64);

impl Serialize for Decimal {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for Decimal {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        match text.parse() {
            Ok(number) if i64::to_string(&number) == text => Ok(Self(number)),
            _ => Err(de::Error::custom("not a signed 64-bit integer in decimal")),
        }
    }
}

/// Reads a small structural number: a JSON number from 0 to 2^32 - 1.
pub(crate) fn number<'de, D: Deserializer<'de>>(deserializer: D) -> Result<usize, D::Error> {
    u32::deserialize(deserializer).map(|number| number as usize)
}

/// Reads a small number or null; by itself an option may also be missing.
pub(crate) fn number_or_null<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<usize>, D::Error> {
    Ok(Option::<u32>::deserialize(deserializer)?.map(|number| number as usize))
}

/// Reads a small number that may be left out, but not be null.
pub(crate) fn some_number<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<usize>, D::Error> {
    number(deserializer).map(Some)
}

/// Reads a member that may be left out, but not be null.
pub(crate) fn not_null<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

/// Reads one of some names, which must be a string: an enum by itself may also be an object.
pub(crate) fn name<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    T::deserialize(String::deserialize(deserializer)?.into_deserializer())
}

/// Reads an object: a struct by itself may also be an array.
pub(crate) fn object<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    deserializer.deserialize_map(ObjectVisitor(PhantomData))
}

/// Reads an object that may be left out, but not be null.
pub(crate) fn some_object<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    object(deserializer).map(Some)
}

/// Reads an array of objects.
pub(crate) fn objects<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Vec<T>, D::Error> {
    Ok(Vec::<Object<T>>::deserialize(deserializer)?.into_iter().map(|object| object.0).collect())
}

struct Object<T>(T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        object(deserializer).map(Self)
    }
}

struct ObjectVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for ObjectVisitor<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, members: A) -> Result<T, A::Error> {
        T::deserialize(MapAccessDeserializer::new(members))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{from_str, to_string};

    #[test]
    fn bytes_round_trip() {
        for text in ["\"0x\"", "\"0x00ff\""] {
            assert_eq!(
                from_str::<Hex>(text).and_then(|hex| to_string(&hex)).ok().as_deref(),
                Some(text)
            );
        }
        assert_eq!(from_str::<Hex>("\"0xAb\"").ok(), Some(Hex(vec![0xab])));
        let all: Vec<u8> = (0..=255).collect();
        let many = Hex(all.repeat(9));
        let text = many.to_string();
        assert!(text.starts_with("0x000102") && text.ends_with("fdfeff"), "{text}");
        assert_eq!(text.parse(), Ok(many));
    }

    #[test]
    fn what_is_not_bytes_is_refused() {
        for text in [
            "\"\"", "\"00\"", "\"0x0\"", "\"0X00\"", "\"0xgg\"", "\"0x+1\"", "\"0xé\"", "0", "null",
        ] {
            assert!(from_str::<Hex>(text).is_err(), "{text}");
        }
    }

    #[test]
    fn quantities_are_canonical_and_64_bits() {
        for (text, number) in
            [("\"0x0\"", 0), ("\"0xa0\"", 160), ("\"0xffffffffffffffff\"", u64::MAX)]
        {
            assert_eq!(from_str::<Quantity>(text).ok(), Some(Quantity(number)));
            assert_eq!(to_string(&Quantity(number)).ok().as_deref(), Some(text));
        }
        assert_eq!(from_str::<Quantity>("\"0xA\"").ok(), Some(Quantity(10)));
        for text in [
            "\"\"",
            "\"0x\"",
            "\"0x00\"",
            "\"0x01\"",
            "\"0X1\"",
            "\"1\"",
            "\"0x+1\"",
            "\"0xg\"",
            "\"0x10000000000000000\"",
            "1",
        ] {
            assert!(from_str::<Quantity>(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_hash_has_32_bytes() {
        for (length, holds) in [(31, false), (32, true), (33, false)] {
            let text = format!("\"0x{}\"", "ab".repeat(length));
            assert_eq!(from_str::<Hash32>(&text).is_ok(), holds, "{length}");
        }
    }

    #[test]
    fn integers_of_256_bits_are_read_with_leading_zeros_and_written_without() {
        let mut word = Word([0; 32]);
        assert_eq!(from_str("\"0x0\"").ok(), Some(word));
        assert_eq!((word.to_string(), word.to_u64()), ("0x0".to_owned(), Some(0)));
        word.0[30] = 0xa0;
        for text in ["\"0xa000\"", "\"0x0A000\"", &format!("\"0x{:0>64}\"", "a000")] {
            assert_eq!(from_str(text).ok(), Some(word), "{text}");
        }
        assert_eq!((word.to_string(), word.to_u64()), ("0xa000".to_owned(), Some(0xa000)));
        word.0[23] = 1;
        assert_eq!((word.to_string().len(), word.to_u64()), (19, None));
        let long = format!("\"0x{:0>65}\"", "0");
        for text in ["\"\"", "\"0x\"", "\"1\"", "\"0X1\"", "\"0x+1\"", "\"0xg\"", &long, "1"] {
            assert!(from_str::<Word>(text).is_err(), "{text}");
        }
    }

    #[test]
    fn an_address_has_20_bytes() {
        for (length, holds) in [(19, false), (20, true), (21, false)] {
            let text = format!("\"0x{}\"", "ab".repeat(length));
            assert_eq!(from_str::<Address>(&text).is_ok(), holds, "{length}");
        }
    }

    #[test]
    fn decimals_are_canonical_and_64_bits() {
        assert_eq!(from_str::<Decimal>("\"-9223372036854775808\"").ok(), Some(Decimal(i64::MIN)));
        for text in
            ["\"9223372036854775808\"", "\"+1\"", "\"01\"", "\"-0\"", "\"\"", "\"1.0\"", "1"]
        {
            assert!(from_str::<Decimal>(text).is_err(), "{text}");
        }
    }
}
