//! The JSON of requests and replies. Source: `test-vectors/spec/rpc.md`.

use core::fmt;

use prooflight_core::chain::{ChainConfig, SignedHeader};
use prooflight_core::{Error, Reason, Result, Scheme};
use prooflight_json::{Hash32, HexBytes, OperationJson, Quantity};
use serde::{Deserialize, Deserializer, Serialize, de};
use serde_json::value::{RawValue, to_raw_value};

use crate::chain::block::encode_config;
use crate::chain::view::BlockId;
use crate::{Block, View};

/// A serialized answer.
pub(crate) type RawJson = Box<RawValue>;

/// Serializes a possibly long answer on the thread that makes it, rather than on one that serves
/// connections.
pub(crate) fn to_raw_json(answer: &impl Serialize) -> Result<RawJson> {
    to_raw_value(answer).map_err(|error| Error::new(Reason::Bug, "an answer in JSON", error))
}

/// `"latest"`, a height as a quantity, or a header hash.
impl<'de> Deserialize<'de> for BlockId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct BlockIdVisitor;
        impl de::Visitor<'_> for BlockIdVisitor {
            type Value = BlockId;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("\"latest\", a height as a 0x-quantity, or a header hash")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<BlockId, E> {
                if text == "latest" {
                    return Ok(BlockId::Latest);
                }
                if let Ok(Quantity(height)) = text.parse() {
                    return Ok(BlockId::Height(height));
                }
                let hash = text.parse().ok().and_then(|HexBytes(bytes)| bytes.try_into().ok());
                hash.map(BlockId::Hash)
                    .ok_or_else(|| E::invalid_value(de::Unexpected::Str(text), &self))
            }
        }
        deserializer.deserialize_str(BlockIdVisitor)
    }
}

/// A header: its bytes, which clients verify, and its fields, for people.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HeaderJson {
    /// The borsh encoding of the signed header.
    pub signed_header: HexBytes,
    /// The height.
    pub height: Quantity,
    /// The header's hash.
    pub hash: Hash32,
    /// The hash of the previous header.
    pub parent: Hash32,
    /// Milliseconds since 1970.
    pub timestamp_ms: Quantity,
    /// The root over the operations.
    pub ops_root: Hash32,
    /// The root over the previous headers.
    pub history_root: Hash32,
    /// The root of each scheme, by its name.
    pub roots: serde_json::Map<String, serde_json::Value>,
}

impl From<&SignedHeader> for HeaderJson {
    fn from(signed: &SignedHeader) -> Self {
        let header = &signed.header;
        let roots = header.roots.iter().filter_map(|(id, root)| {
            let scheme = Scheme::from_id(*id).ok()?;
            Some((scheme.as_str().to_owned(), HexBytes(root.clone()).to_string().into()))
        });
        Self {
            signed_header: HexBytes(signed.encode()),
            height: Quantity(header.height),
            hash: Hash32(header.hash()),
            parent: Hash32(header.parent),
            timestamp_ms: Quantity(header.timestamp_ms),
            ops_root: Hash32(header.ops_root),
            history_root: Hash32(header.history_root),
            roots: roots.collect(),
        }
    }
}

/// A block: its header, its operations, and the transition proof of each scheme that has one.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct BlockJson {
    /// The header.
    pub header: HeaderJson,
    /// The normalised operations, ascending by raw key.
    pub ops: Vec<OperationJson>,
    /// The transition proofs, by the scheme's name.
    pub transitions: std::collections::BTreeMap<String, HexBytes>,
}

impl BlockJson {
    pub(crate) fn new(block: Block) -> Result<Self> {
        let header = HeaderJson::from(&block.header);
        let transitions = block.body.transitions.into_iter();
        let transitions = transitions
            .map(|(id, proof)| Ok((Scheme::from_id(id)?.as_str().to_owned(), HexBytes(proof))))
            .collect::<Result<_>>()?;
        let ops = block.body.operations.into_iter().map(OperationJson::from).collect();
        Ok(Self { header, ops, transitions })
    }
}

/// The chain, for people: clients take the configuration from their own checkpoint.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ChainJson {
    /// The hash of the configuration; every header contains it.
    pub chain: Hash32,
    /// The configuration, borsh-encoded.
    pub config: HexBytes,
    /// The human-readable name.
    pub chain_id: String,
    /// The names of the schemes.
    pub schemes: Vec<String>,
    /// The public keys of the authorities.
    pub authorities: Vec<Hash32>,
    /// The number of authorities that must sign a header.
    pub quorum: u16,
    /// The height of the head.
    pub height: Quantity,
}

impl ChainJson {
    pub(crate) fn new(view: &View) -> Result<Self> {
        let config: &ChainConfig = view.config();
        let schemes = config.scheme_ids();
        let schemes = schemes.map(|id| Ok(Scheme::from_id(id)?.as_str().to_owned()));
        Ok(Self {
            chain: Hash32(config.id()),
            config: HexBytes(encode_config(config)?),
            chain_id: config.chain_id.clone(),
            schemes: schemes.collect::<Result<_>>()?,
            authorities: config.authorities.iter().copied().map(Hash32).collect(),
            quorum: config.quorum,
            height: Quantity(view.height()),
        })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;
    use serde_json::from_value;

    #[test]
    fn a_block_is_named_by_height_hash_or_latest() {
        let at = |text: &str| from_value::<BlockId>(text.into()).ok();
        assert_eq!(at("latest"), Some(BlockId::Latest));
        assert_eq!(at("0x0"), Some(BlockId::Height(0)));
        assert_eq!(at("0xffffffffffffffff"), Some(BlockId::Height(u64::MAX)));
        assert_eq!(at(&format!("0x{}", "0a".repeat(32))), Some(BlockId::Hash([10; 32])));
        // A hash with leading zeros must not be read as a height.
        assert_eq!(
            at(&format!("0x{}01", "00".repeat(31))).map(|at| at != BlockId::Height(1)),
            Some(true)
        );
        for wrong in ["", "0x", "0x00", "1", "newest", "0x10000000000000000", "0x-1", "0x+1"] {
            assert_eq!(at(wrong), None, "{wrong}");
        }
        assert!(from_value::<BlockId>(1.into()).is_err());
    }
}
