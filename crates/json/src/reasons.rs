//! The registry of reasons as JSON, `test-vectors/schema/reasons.json`; TypeScript's registry is generated from it.

use prooflight_core::{Code, Limits, Reason};
use serde::Serialize;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ReasonRegistry {
    version: &'static str,
    max_proof_bytes: usize,
    codes: [&'static str; Code::ALL.len()],
    reasons: Vec<ReasonJson>,
}

#[derive(Serialize)]
struct ReasonJson {
    reason: &'static str,
    code: &'static str,
    meaning: &'static str,
}

impl From<Reason> for ReasonJson {
    fn from(reason: Reason) -> Self {
        Self { reason: reason.as_str(), code: reason.code().as_str(), meaning: reason.meaning() }
    }
}

/// Writes the version, the default limit of a proof, every code, and every reason with its code and its meaning.
pub fn to_json() -> String {
    let registry = ReasonRegistry {
        version: env!("CARGO_PKG_VERSION"),
        max_proof_bytes: Limits::DEFAULT.max_proof_bytes,
        codes: Code::ALL.map(Code::as_str),
        reasons: Reason::ALL.iter().copied().map(ReasonJson::from).collect(),
    };
    // Plain data: serialising it cannot fail.
    serde_json::to_string_pretty(&registry).unwrap_or_default() + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reason_has_its_code_and_meaning() {
        let registry: serde_json::Value = serde_json::from_str(&to_json()).unwrap_or_default();
        let reasons = registry["reasons"].as_array().map_or(0, Vec::len);
        assert_eq!(reasons, Reason::ALL.len());
        let first = Reason::ALL[0];
        assert_eq!(registry["reasons"][0]["reason"], first.as_str());
        assert_eq!(registry["reasons"][0]["code"], first.code().as_str());
        assert_eq!(registry["reasons"][0]["meaning"], first.meaning());
    }
}
