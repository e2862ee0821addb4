//! How Ethereum's methods name slots and blocks.

use prooflight_json::{Hash32, Quantity, Word};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use crate::chain::view::BlockId;

/// A slot: 1 to 64 hexadecimal digits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SlotName {
    /// The slot as geth writes it in replies: as 32 bytes if the request has 32, otherwise as a quantity.
    pub(super) text: String,
    pub(super) word: Word,
}

impl<'de> Deserialize<'de> for SlotName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let word: Word = text.parse().map_err(D::Error::custom)?;
        // geth counts bytes, so 63 digits are 32 bytes.
        let is_whole = text.len() > "0x".len() + 62;
        let text = if is_whole { Hash32(word.0).to_string() } else { word.to_string() };
        Ok(Self { text, word })
    }
}

/// A block: a tag, a height, or an object of EIP-1898. Every block of this chain is final.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct BlockName(pub(super) BlockId);

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Eip1898Block {
    block_number: Option<Quantity>,
    block_hash: Option<Hash32>,
    /// Ignored: all stored blocks are canonical.
    #[serde(default, rename = "requireCanonical")]
    _require_canonical: bool,
}

impl<'de> Deserialize<'de> for BlockName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        let at = match value.as_str() {
            Some("latest" | "safe" | "finalized") => BlockId::Latest,
            Some("earliest") => BlockId::Height(0),
            Some(_) => serde_json::from_value(value)
                .map(|Quantity(height)| BlockId::Height(height))
                .map_err(|_| D::Error::custom("not a tag or height of a block"))?,
            None => match serde_json::from_value(value).map_err(D::Error::custom)? {
                Eip1898Block { block_number: Some(Quantity(height)), block_hash: None, .. } => {
                    BlockId::Height(height)
                }
                Eip1898Block { block_number: None, block_hash: Some(Hash32(hash)), .. } => {
                    BlockId::Hash(hash)
                }
                _ => return Err(D::Error::custom("not exactly one of a height and a hash")),
            },
        };
        Ok(Self(at))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;
    use serde_json::{from_value, json};

    #[test]
    fn blocks_are_named_as_ethereum_does() {
        let at = |value: Value| from_value::<BlockName>(value).ok().map(|name| name.0);
        for tag in ["latest", "safe", "finalized"] {
            assert_eq!(at(json!(tag)), Some(BlockId::Latest));
        }
        assert_eq!(at(json!("earliest")), Some(BlockId::Height(0)));
        assert_eq!(at(json!("0x10")), Some(BlockId::Height(16)));
        let hash = format!("0x{}", "0a".repeat(32));
        assert_eq!(at(json!({ "blockHash": hash })), Some(BlockId::Hash([10; 32])));
        let canonical = json!({ "blockHash": hash, "requireCanonical": true });
        assert_eq!(at(canonical), Some(BlockId::Hash([10; 32])));
        assert_eq!(at(json!({ "blockNumber": "0x1" })), Some(BlockId::Height(1)));
        for wrong in [
            json!("pending"),
            json!("0x01"),
            json!(hash),
            json!(1),
            json!(null),
            json!({}),
            json!({ "blockNumber": "0x1", "blockHash": hash }),
            json!({ "blockHash": "0x0a" }),
            json!({ "blockHash": hash, "more": 1 }),
        ] {
            assert_eq!(at(wrong.clone()), None, "{wrong}");
        }
    }

    #[test]
    fn slots_may_be_short() {
        let word = |text: &str| from_value::<SlotName>(json!(text)).ok().map(|slot| slot.word);
        let mut five = [0; 32];
        five[31] = 5;
        for text in ["0x5", "0x05", &format!("0x{:0>64}", 5)] {
            assert_eq!(word(text), Some(Word(five)), "{text}");
        }
        for wrong in ["", "5", "0x", "0xg", &format!("0x{:0>65}", 5)] {
            assert_eq!(word(wrong), None, "{wrong}");
        }
    }
}
