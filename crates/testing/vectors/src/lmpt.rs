//! `LmptProof`: values and absences of keys in layered tries.

use prooflight_core::Result;
use prooflight_json::HexBytes;
use prooflight_json::strict::some_object;
use prooflight_lmpt::{LayerRoots, LayeredValue as Found, verify};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::answer::VerifierAnswer;
use crate::limits::CallerLimits;

/// The input of an `LmptProof` test.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LmptProof {
    /// The trusted roots, as a header has them.
    pub root: HexBytes,
    /// The requested keys.
    pub keys: Vec<HexBytes>,
    /// The proof.
    pub proof: HexBytes,
    /// Limits that differ from the defaults.
    #[serde(default, deserialize_with = "some_object", skip_serializing_if = "Option::is_none")]
    pub limits: Option<CallerLimits>,
}

impl LmptProof {
    /// Verifies the values of the keys.
    pub(crate) fn verify(&self) -> Result<VerifierAnswer> {
        let roots = LayerRoots::decode(&self.root.0)?;
        let keys: Vec<&[u8]> = self.keys.iter().map(|key| &key.0[..]).collect();
        let answers = verify(&roots, &keys, &self.proof.0, &CallerLimits::or_default(self.limits))?;
        Ok(VerifierAnswer::from_iter([(
            "answers".to_owned(),
            answers.iter().map(answer).collect(),
        )]))
    }
}

/// The JSON of one answer.
fn answer(found: &Found<'_>) -> Value {
    json!({
        "value": found.value.map(|value| HexBytes(value.to_vec())),
        "layer": found.layer.as_str(),
    })
}
