//! Integers as strings, since JSON's numbers are not exact above 2^53.

use core::fmt;
use core::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::HexBytes;

/// An integer of 256 bits: `0x` and 1 to 64 hexadecimal digits; written without leading zeros, which are
/// accepted when reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word(pub [u8; 32]);

impl Word {
    /// The integer, if it fits in 64 bits.
    pub fn to_u64(self) -> Option<u64> {
        let (high, low) = self.0.split_last_chunk::<8>()?;
        high.iter().all(|&byte| byte == 0).then(|| u64::from_be_bytes(*low))
    }
}

impl fmt::Display for Word {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = HexBytes(self.0.to_vec()).to_string();
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
        let HexBytes(bytes) = format!("0x{digits:0>64}").parse()?;
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

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{from_str, to_string};

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
    fn decimals_are_canonical_and_64_bits() {
        assert_eq!(from_str::<Decimal>("\"-9223372036854775808\"").ok(), Some(Decimal(i64::MIN)));
        for text in
            ["\"9223372036854775808\"", "\"+1\"", "\"01\"", "\"-0\"", "\"\"", "\"1.0\"", "1"]
        {
            assert!(from_str::<Decimal>(text).is_err(), "{text}");
        }
    }
}
