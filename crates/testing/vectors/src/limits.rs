//! The member `limits` of inputs, the same for every scheme except AVL+, which counts operations.

use prooflight_core::Limits;
use prooflight_json::strict::some_number;
use serde::{Deserialize, Serialize};

/// The caller's limits; missing ones have their defaults.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CallerLimits {
    /// The largest proof; of a trie, all nodes together.
    #[serde(default, deserialize_with = "some_number", skip_serializing_if = "Option::is_none")]
    pub max_proof_bytes: Option<usize>,
    /// The largest number of keys, or of slots.
    #[serde(default, deserialize_with = "some_number", skip_serializing_if = "Option::is_none")]
    pub max_keys: Option<usize>,
    /// The largest value.
    #[serde(default, deserialize_with = "some_number", skip_serializing_if = "Option::is_none")]
    pub max_value_bytes: Option<usize>,
}

/// The caller's limits for a history.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct HistoryLimits {
    /// The largest proof.
    #[serde(default, deserialize_with = "some_number", skip_serializing_if = "Option::is_none")]
    pub max_proof_bytes: Option<usize>,
    /// The largest number of keys; a history has one.
    #[serde(default, deserialize_with = "some_number", skip_serializing_if = "Option::is_none")]
    pub max_keys: Option<usize>,
    /// The largest value.
    #[serde(default, deserialize_with = "some_number", skip_serializing_if = "Option::is_none")]
    pub max_value_bytes: Option<usize>,
    /// The most changes.
    #[serde(default, deserialize_with = "some_number", skip_serializing_if = "Option::is_none")]
    pub max_changes: Option<usize>,
}

impl HistoryLimits {
    /// The limits that the verifier gets.
    pub(crate) fn or_default(given: Option<Self>) -> Limits {
        let Self { max_proof_bytes, max_keys, max_value_bytes, max_changes } =
            given.unwrap_or_default();
        let others = CallerLimits { max_proof_bytes, max_keys, max_value_bytes };
        let limits = CallerLimits::or_default(Some(others));
        Limits { max_changes: max_changes.unwrap_or(limits.max_changes), ..limits }
    }
}

impl CallerLimits {
    /// The limits that the verifier gets.
    pub(crate) fn or_default(given: Option<Self>) -> Limits {
        let Self { max_proof_bytes, max_keys, max_value_bytes } = given.unwrap_or_default();
        Limits {
            max_proof_bytes: max_proof_bytes.unwrap_or(Limits::DEFAULT.max_proof_bytes),
            max_keys: max_keys.unwrap_or(Limits::DEFAULT.max_keys),
            max_value_bytes: max_value_bytes.unwrap_or(Limits::DEFAULT.max_value_bytes),
            ..Limits::DEFAULT
        }
    }
}
