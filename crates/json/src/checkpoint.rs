//! The JSON of a checkpoint, which applications pin and the node prints. Source: `test-vectors/spec/chain.md`, section 6.

use prooflight_core::chain::{ChainConfig, ChainLimits, Checkpoint, SchemeConfig};
use prooflight_core::{Error, Reason, Result};
use serde::{Deserialize, Serialize};

use crate::strict::{object, objects};
use crate::{Hash32, HexBytes, Quantity};

/// Reads a checkpoint; exactly its members must be present.
///
/// `invalid_argument` if the JSON has another form, `invalid_config` if the configuration is not valid for
/// any chain.
pub fn from_json(json: &str) -> Result<Checkpoint> {
    let mut reader = serde_json::Deserializer::from_str(json);
    let read = object(&mut reader).and_then(|read: CheckpointJson| reader.end().map(|()| read));
    read.map_err(|error| Error::new(Reason::InvalidArgument, "a checkpoint in JSON", error))?
        .try_into()
}

/// Writes a checkpoint, with a line for each member.
pub fn to_json(checkpoint: &Checkpoint) -> String {
    // Plain data: serialising it cannot fail.
    serde_json::to_string_pretty(&CheckpointJson::from(checkpoint)).unwrap_or_default()
}

/// The JSON form of a checkpoint.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CheckpointJson {
    #[serde(deserialize_with = "object")]
    config: ConfigJson,
    height: Quantity,
    header_hash: Hash32,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct ConfigJson {
    version: u8,
    chain_id: String,
    #[serde(deserialize_with = "objects")]
    schemes: Vec<SchemeJson>,
    authorities: Vec<Hash32>,
    quorum: u16,
    #[serde(deserialize_with = "object")]
    limits: LimitsJson,
    genesis_timestamp_ms: Quantity,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct SchemeJson {
    id: u8,
    params: HexBytes,
}

/// The JSON form of a chain's limits.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LimitsJson {
    #[serde(rename = "maxKey")]
    key: u16,
    #[serde(rename = "maxValue")]
    value: u32,
    #[serde(rename = "maxOps")]
    ops: u32,
}

impl From<&Checkpoint> for CheckpointJson {
    fn from(checkpoint: &Checkpoint) -> Self {
        let config = &checkpoint.config;
        Self {
            config: ConfigJson {
                version: config.version,
                chain_id: config.chain_id.clone(),
                schemes: config.schemes.iter().map(SchemeJson::from).collect(),
                authorities: config.authorities.iter().copied().map(Hash32).collect(),
                quorum: config.quorum,
                limits: LimitsJson::from(&config.limits),
                genesis_timestamp_ms: Quantity(config.genesis_timestamp_ms),
            },
            height: Quantity(checkpoint.height),
            header_hash: Hash32(checkpoint.header_hash),
        }
    }
}

impl From<&SchemeConfig> for SchemeJson {
    fn from(scheme: &SchemeConfig) -> Self {
        Self { id: scheme.id, params: HexBytes(scheme.params.clone()) }
    }
}

impl From<SchemeJson> for SchemeConfig {
    fn from(read: SchemeJson) -> Self {
        Self { id: read.id, params: read.params.0 }
    }
}

impl From<&ChainLimits> for LimitsJson {
    fn from(limits: &ChainLimits) -> Self {
        Self { key: limits.max_key, value: limits.max_value, ops: limits.max_ops }
    }
}

impl From<LimitsJson> for ChainLimits {
    fn from(read: LimitsJson) -> Self {
        Self { max_key: read.key, max_value: read.value, max_ops: read.ops }
    }
}

impl TryFrom<CheckpointJson> for Checkpoint {
    type Error = Error;

    fn try_from(read: CheckpointJson) -> Result<Self> {
        let CheckpointJson { config, height, header_hash } = read;
        let checkpoint = Self {
            config: ChainConfig {
                version: config.version,
                chain_id: config.chain_id,
                schemes: config.schemes.into_iter().map(SchemeConfig::from).collect(),
                authorities: config.authorities.into_iter().map(|key| key.0).collect(),
                quorum: config.quorum,
                limits: config.limits.into(),
                genesis_timestamp_ms: config.genesis_timestamp_ms.0,
            },
            height: height.0,
            header_hash: header_hash.0,
        };
        checkpoint.check()?;
        Ok(checkpoint)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use prooflight_core::Scheme;
    use prooflight_core::chain::LvmtConfig;

    use super::*;

    fn checkpoint() -> Checkpoint {
        Checkpoint {
            config: ChainConfig {
                version: ChainConfig::VERSION,
                chain_id: "prüf \u{1d11e}".to_owned(),
                schemes: vec![
                    SchemeConfig::without_params(Scheme::Avl),
                    SchemeConfig::lvmt(&LvmtConfig { params_id: [3; 32], log_n: 16, log_arity: 4 }),
                ],
                authorities: vec![[1; 32], [2; 32]],
                quorum: 2,
                limits: ChainLimits::default(),
                genesis_timestamp_ms: u64::MAX,
            },
            height: 1 << 53,
            header_hash: [9; 32],
        }
    }

    #[test]
    fn what_is_written_is_read() {
        let checkpoint = checkpoint();
        let json = to_json(&checkpoint);
        assert!(json.contains("\"params\": \"0x\""), "{json}");
        assert_eq!(from_json(&json), Ok(checkpoint));
    }

    #[test]
    fn a_configuration_that_no_chain_has_is_refused() {
        let mut checkpoint = checkpoint();
        checkpoint.config.quorum = 3;
        let refused = from_json(&to_json(&checkpoint)).unwrap_err();
        assert_eq!(refused.reason(), Reason::InvalidConfig);
    }

    #[test]
    fn what_is_not_a_checkpoint_is_refused() {
        let json = to_json(&checkpoint());
        for wrong in [
            String::new(),
            "null".to_owned(),
            json.replace("\"quorum\": 2", "\"quorum\": 2, \"quorum\": 2"),
            json.replace("\"quorum\": 2", "\"quorum\": 65538"),
            json.replace("\"quorum\": 2", "\"quorum\": 2, \"Quorum\": 2"),
            json.replace("\"0x20000000000000\"", "9007199254740992"),
            format!("{json} {json}"),
            format!("[{json}]"),
        ] {
            assert_ne!(wrong, json);
            assert_eq!(from_json(&wrong).unwrap_err().reason(), Reason::InvalidArgument, "{wrong}");
        }
    }
}
