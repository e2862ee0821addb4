//! The JSON of a checkpoint: what applications pin and the node prints. Source: SPEC.md, section 9.6.

use prooflight_core::chain::{ChainConfig, ChainLimits, Checkpoint, LvmtConfig};
use prooflight_core::{Error, Reason, Result};
use serde::{Deserialize, Serialize};

use crate::carrier::{Hash32, Quantity, object, object_or_null};

/// Reads a checkpoint; every member must be there, and no other.
///
/// `invalid_argument` if the JSON has another form, `invalid_config` if no chain can have the
/// configuration.
pub fn from_json(json: &str) -> Result<Checkpoint> {
    let mut reader = serde_json::Deserializer::from_str(json);
    let read = object(&mut reader).and_then(|read: CheckpointJson| reader.end().map(|()| read));
    read.map_err(|error| Error::new(Reason::InvalidArgument, "a checkpoint in JSON", error))?
        .try_into()
}

/// Writes a checkpoint, with a line for each member.
pub fn to_json(checkpoint: &Checkpoint) -> String {
    // Plain data in plain strings: there is nothing in it that JSON cannot say.
    serde_json::to_string_pretty(&CheckpointJson::from(checkpoint)).unwrap_or_default()
}

/// A checkpoint as JSON has it.
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
    schemes: Vec<u8>,
    #[serde(deserialize_with = "object_or_null")]
    lvmt: Option<LvmtJson>,
    authorities: Vec<Hash32>,
    quorum: u16,
    #[serde(deserialize_with = "object")]
    limits: LimitsJson,
    genesis_timestamp_ms: Quantity,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct LvmtJson {
    params_id: Hash32,
    log_n: u8,
    log_arity: u8,
}

/// A chain's limits as JSON has them.
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
                schemes: config.schemes.clone(),
                lvmt: config.lvmt.as_ref().map(|lvmt| LvmtJson {
                    params_id: Hash32(lvmt.params_id),
                    log_n: lvmt.log_n,
                    log_arity: lvmt.log_arity,
                }),
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
                schemes: config.schemes,
                lvmt: config.lvmt.map(|lvmt| LvmtConfig {
                    params_id: lvmt.params_id.0,
                    log_n: lvmt.log_n,
                    log_arity: lvmt.log_arity,
                }),
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
#[allow(clippy::unwrap_used, reason = "tests say what they expect by panicking")]
mod tests {
    use super::*;

    fn checkpoint() -> Checkpoint {
        Checkpoint {
            config: ChainConfig {
                version: 1,
                chain_id: "prüf \u{1d11e}".to_owned(),
                schemes: vec![1, 2],
                lvmt: Some(LvmtConfig { params_id: [3; 32], log_n: 16, log_arity: 4 }),
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
        let mut checkpoint = checkpoint();
        assert_eq!(from_json(&to_json(&checkpoint)), Ok(checkpoint.clone()));
        checkpoint.config.schemes = vec![1];
        checkpoint.config.lvmt = None;
        let json = to_json(&checkpoint);
        assert!(json.contains("\"lvmt\": null"), "{json}");
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
