//! `AvlBatch`: a batch of operations on an AVL+ dictionary.

use prooflight_avl::{
    Digest, Mode, Neighbours, OldValue, Operation, Params, Transition, verify_batch,
};
use prooflight_core::{Limits, Result};
use prooflight_json::{Decimal, HexBytes, strict};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::answer::VerifierAnswer;

/// The input of an `AvlBatch` test.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AvlBatch {
    /// Bytes of every key.
    #[serde(deserialize_with = "strict::number")]
    pub key_length: usize,
    /// Bytes of every value; `None` if lengths vary.
    #[serde(deserialize_with = "strict::number_or_null")]
    pub value_length: Option<usize>,
    /// The trusted digest of the dictionary before the batch.
    pub digest: HexBytes,
    /// The operations, in order.
    #[serde(deserialize_with = "strict::objects")]
    pub ops: Vec<AvlOp>,
    /// The proof.
    pub proof: HexBytes,
    /// How strictly proofs are checked.
    #[serde(default, deserialize_with = "strict::name")]
    pub mode: BatchMode,
    /// Limits that differ from the defaults.
    #[serde(
        default,
        deserialize_with = "strict::some_object",
        skip_serializing_if = "Option::is_none"
    )]
    pub limits: Option<BatchLimits>,
}

/// An operation; the member `op` names it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "op", deny_unknown_fields)]
#[allow(missing_docs, reason = "the same as `prooflight_avl::Operation`, owned")]
pub enum AvlOp {
    Lookup { key: HexBytes },
    Insert { key: HexBytes, value: HexBytes },
    Update { key: HexBytes, value: HexBytes },
    InsertOrUpdate { key: HexBytes, value: HexBytes },
    Remove { key: HexBytes },
    RemoveIfExists { key: HexBytes },
    UpdateLongBy { key: HexBytes, delta: Decimal },
}

/// How strictly a verifier checks proofs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BatchMode {
    /// Accepts only what an honest prover makes.
    #[default]
    Strict,
    /// Accepts whatever scrypto accepts.
    Compat,
}

/// The caller's limits; missing ones have their defaults.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct BatchLimits {
    /// The largest number of operations.
    #[serde(
        default,
        deserialize_with = "strict::some_number",
        skip_serializing_if = "Option::is_none"
    )]
    pub max_operations: Option<usize>,
    /// The largest number of operations that may delete; by default that of all operations.
    #[serde(
        default,
        deserialize_with = "strict::some_number",
        skip_serializing_if = "Option::is_none"
    )]
    pub max_deletes: Option<usize>,
    /// The largest proof.
    #[serde(
        default,
        deserialize_with = "strict::some_number",
        skip_serializing_if = "Option::is_none"
    )]
    pub max_proof_bytes: Option<usize>,
    /// The largest value.
    #[serde(
        default,
        deserialize_with = "strict::some_number",
        skip_serializing_if = "Option::is_none"
    )]
    pub max_value_bytes: Option<usize>,
}

impl AvlBatch {
    /// Verifies the batch.
    pub(crate) fn verify(&self) -> Result<VerifierAnswer> {
        let digest = Digest::try_from(self.digest.0.as_slice())?;
        let ops = self.ops.iter().map(AvlOp::borrow).collect::<Vec<_>>();
        verify_batch(&digest, &ops, &self.proof.0, &self.params()).map(|batch| answer(&batch))
    }

    /// The parameters that the verifier pins.
    pub fn params(&self) -> Params {
        let asked = self.limits.unwrap_or_default();
        let limits = Limits {
            max_proof_bytes: asked.max_proof_bytes.unwrap_or(Limits::DEFAULT.max_proof_bytes),
            max_keys: asked.max_operations.unwrap_or(Limits::DEFAULT.max_keys),
            max_value_bytes: asked.max_value_bytes.unwrap_or(Limits::DEFAULT.max_value_bytes),
            ..Limits::DEFAULT
        };
        let mode = match self.mode {
            BatchMode::Strict => Mode::Strict,
            BatchMode::Compat => Mode::Compat,
        };
        let params = Params::new(self.key_length, self.value_length).with_mode(mode);
        Params { limits, max_deletes: asked.max_deletes.unwrap_or(limits.max_keys), ..params }
    }
}

impl AvlOp {
    /// The operation in the form that the verifier takes.
    pub fn borrow(&self) -> Operation<'_> {
        match self {
            Self::Lookup { key } => Operation::Lookup { key: &key.0 },
            Self::Insert { key, value } => Operation::Insert { key: &key.0, value: &value.0 },
            Self::Update { key, value } => Operation::Update { key: &key.0, value: &value.0 },
            Self::InsertOrUpdate { key, value } => {
                Operation::InsertOrUpdate { key: &key.0, value: &value.0 }
            }
            Self::Remove { key } => Operation::Remove { key: &key.0 },
            Self::RemoveIfExists { key } => Operation::RemoveIfExists { key: &key.0 },
            Self::UpdateLongBy { key, delta } => {
                Operation::UpdateLongBy { key: &key.0, delta: delta.0 }
            }
        }
    }
}

/// The result of a verified batch, as the members that `expected` may have.
pub(crate) fn answer(batch: &Transition<'_>) -> VerifierAnswer {
    let results = batch.results.iter().map(|result| match result {
        OldValue::Present(value) => hex(value.as_ref()),
        OldValue::Absent(_) => Value::Null,
    });
    let neighbours = batch.results.iter().map(|result| match result {
        OldValue::Present(_) => Value::Null,
        OldValue::Absent(Neighbours { previous, next }) => {
            json!({ "previous": previous.map(hex), "next": next.map(hex) })
        }
    });
    VerifierAnswer::from_iter([
        ("digest".to_owned(), hex(&batch.digest.0)),
        ("results".to_owned(), results.collect()),
        ("neighbours".to_owned(), neighbours.collect()),
    ])
}

fn hex(bytes: &[u8]) -> Value {
    Value::String(HexBytes(bytes.to_vec()).to_string())
}
