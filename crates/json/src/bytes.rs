//! Bytes, hashes and addresses as `0x` and hexadecimal digits.

use core::fmt;
use core::str::FromStr;

use const_hex::FromHexError;
use serde::de::Visitor;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// Bytes as `0x` and two hexadecimal digits a byte; written in lower case, read in any.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HexBytes(pub Vec<u8>);

impl fmt::Display for HexBytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&const_hex::encode_prefixed(&self.0))
    }
}

impl FromStr for HexBytes {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if !text.starts_with("0x") {
            return Err("bytes without 0x");
        }
        // `decode` removes one prefix.
        const_hex::decode(text).map(Self).map_err(|error| match error {
            FromHexError::OddLength => "an odd number of hexadecimal digits",
            _ => "a character that is not a hexadecimal digit",
        })
    }
}

impl Serialize for HexBytes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&const_hex::encode_prefixed(&self.0))
    }
}

impl<'de> Deserialize<'de> for HexBytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(HexVisitor)
    }
}

/// Parses the text in place, without a copy: proofs and chunks have megabytes.
struct HexVisitor;

impl Visitor<'_> for HexVisitor {
    type Value = HexBytes;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("0x and hexadecimal digits")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<HexBytes, E> {
        text.parse().map_err(E::custom)
    }
}

/// A hash: 32 bytes as [`HexBytes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hash32(pub [u8; 32]);

impl fmt::Display for Hash32 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        HexBytes(self.0.to_vec()).fmt(f)
    }
}

impl Serialize for Hash32 {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Hash32 {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let HexBytes(bytes) = HexBytes::deserialize(deserializer)?;
        let length = bytes.len();
        let hash = bytes.try_into();
        hash.map(Self).map_err(|_| de::Error::custom(format!("{length} bytes, not 32")))
    }
}

/// An address: 20 bytes as [`HexBytes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Address(pub [u8; 20]);

impl Serialize for Address {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&HexBytes(self.0.to_vec()))
    }
}

impl<'de> Deserialize<'de> for Address {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let HexBytes(bytes) = HexBytes::deserialize(deserializer)?;
        let length = bytes.len();
        let address = bytes.try_into();
        address.map(Self).map_err(|_| de::Error::custom(format!("{length} bytes, not 20")))
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
                from_str::<HexBytes>(text).and_then(|hex| to_string(&hex)).ok().as_deref(),
                Some(text)
            );
        }
        assert_eq!(from_str::<HexBytes>("\"0xAb\"").ok(), Some(HexBytes(vec![0xab])));
        let all: Vec<u8> = (0..=255).collect();
        let many = HexBytes(all.repeat(9));
        let text = many.to_string();
        assert!(text.starts_with("0x000102") && text.ends_with("fdfeff"), "{text}");
        assert_eq!(text.parse(), Ok(many));
    }

    #[test]
    fn what_is_not_bytes_is_refused() {
        for text in [
            "\"\"",
            "\"00\"",
            "\"0x0\"",
            "\"0X00\"",
            "\"0xgg\"",
            "\"0x+1\"",
            "\"0xé\"",
            "0",
            "null",
            "\"0x0x00\"",
        ] {
            assert!(from_str::<HexBytes>(text).is_err(), "{text}");
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
    fn an_address_has_20_bytes() {
        for (length, holds) in [(19, false), (20, true), (21, false)] {
            let text = format!("\"0x{}\"", "ab".repeat(length));
            assert_eq!(from_str::<Address>(&text).is_ok(), holds, "{length}");
        }
    }
}
