//! `LvmtProof`: values and absences of keys.

use prooflight_amt::trusted_key;
use prooflight_core::Result;
use prooflight_json::strict::{not_null, number, object, some_object};
use prooflight_json::{Hash32, HexBytes, Quantity};
use prooflight_lvmt::{LvmtRoot, Params, VersionedState as Found, verify};
use serde::{Deserialize, Deserializer, Serialize, de};
use serde_json::json;

use crate::answer::VerifierAnswer;
use crate::limits::CallerLimits;

/// The input of an `LvmtProof` test.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LvmtProof {
    /// The setup, by its identity.
    pub params_id: Hash32,
    /// Vectors have `2^log_n` entries.
    #[serde(deserialize_with = "small")]
    pub log_n: u8,
    /// Tree openings have the arity `2^log_arity`.
    #[serde(deserialize_with = "small")]
    pub log_arity: u8,
    /// Whether a setup with a public secret is allowed.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub allow_insecure_setup: bool,
    /// The verifying key, of a setup that is not built in.
    #[serde(default, deserialize_with = "not_null", skip_serializing_if = "Option::is_none")]
    pub verifying_key: Option<HexBytes>,
    /// The trusted roots.
    #[serde(deserialize_with = "object")]
    pub roots: LvmtRoots,
    /// The requested keys.
    pub keys: Vec<HexBytes>,
    /// The proof.
    pub proof: HexBytes,
    /// Limits that differ from the defaults.
    #[serde(default, deserialize_with = "some_object", skip_serializing_if = "Option::is_none")]
    pub limits: Option<CallerLimits>,
}

/// The roots of a state.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LvmtRoots {
    /// The commitment of the root AMT.
    pub aroot: Hash32,
    /// The root of the tree over the blocks.
    pub hroot: Hash32,
    /// The height of the newest block.
    pub height: Quantity,
}

impl LvmtProof {
    /// Verifies the proof about the keys.
    pub(crate) fn verify(&self) -> Result<VerifierAnswer> {
        let given = self.verifying_key.as_ref().map(|key| &key.0[..]);
        let key = trusted_key(&self.params_id.0, self.log_n, given)?;
        let params = Params {
            key: &key,
            log_arity: self.log_arity,
            allow_insecure_setup: self.allow_insecure_setup,
            limits: CallerLimits::or_default(self.limits),
        };
        let LvmtRoots { aroot, hroot, height } = self.roots;
        let root = LvmtRoot { aroot: aroot.0, hroot: hroot.0, height: height.0 };
        let keys: Vec<_> = self.keys.iter().map(|key| &key.0).collect();
        let answers = verify(&root, &keys, &self.proof.0, &params)?;
        Ok(VerifierAnswer::from_iter([(
            "results".to_owned(),
            answers.iter().map(result).collect(),
        )]))
    }
}

/// The JSON of one answer.
pub(crate) fn result(answer: &Found) -> serde_json::Value {
    match answer {
        Found::Present { value, since, version } => json!({
            "value": HexBytes(value.to_vec()),
            "since": Quantity(*since),
            "version": Quantity(*version),
        }),
        Found::Deleted { deleted_at, version } => {
            json!({ "deletedAt": Quantity(*deleted_at), "version": Quantity(*version) })
        }
        Found::NeverWritten => json!({}),
    }
}

fn small<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u8, D::Error> {
    number(deserializer)?.try_into().map_err(|_| de::Error::custom("a number above 255"))
}
