//! `SmtProof`, `SmtHistory` and `SmtDiff`: the sparse Merkle tree with historical proofs.

use prooflight_core::{Result, Verified};
use prooflight_json::strict::{objects, some_object};
use prooflight_json::{Hash32, HexBytes, Quantity};
use prooflight_smt::{
    Average, ClaimedHistory, DiffEntry, KeyHistory, PastState as Found, twap, verify, verify_diff,
};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Value, json};

use crate::answer::VerifierAnswer;
use crate::limits::{CallerLimits, HistoryLimits};

/// The input of an `SmtProof` test.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SmtProof {
    /// The trusted root of the block.
    pub root: Hash32,
    /// The block's height.
    pub height: Quantity,
    /// The requested keys.
    pub keys: Vec<HexBytes>,
    /// The proof.
    pub proof: HexBytes,
    /// Limits that differ from the defaults.
    #[serde(default, deserialize_with = "some_object", skip_serializing_if = "Option::is_none")]
    pub limits: Option<CallerLimits>,
}

/// The input of an `SmtHistory` test.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SmtHistory {
    /// The key.
    pub key: HexBytes,
    /// The first block of the range.
    pub from: Quantity,
    /// The last block of the range.
    pub to: Quantity,
    /// The trusted roots of the blocks that the history needs, newest first.
    #[serde(deserialize_with = "objects")]
    pub roots: Vec<BlockRoot>,
    /// The proof.
    pub proof: HexBytes,
    /// The requested average, if any.
    #[serde(default, deserialize_with = "some_object", skip_serializing_if = "Option::is_none")]
    pub average: Option<AverageInput>,
    /// Limits that differ from the defaults.
    #[serde(default, deserialize_with = "some_object", skip_serializing_if = "Option::is_none")]
    pub limits: Option<HistoryLimits>,
}

/// A block with its root.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct BlockRoot {
    /// The block's height.
    pub height: Quantity,
    /// Its root.
    pub root: Hash32,
}

/// The blocks over which a history is averaged, and the timestamps of blocks.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AverageInput {
    /// The first block.
    pub from: Quantity,
    /// The last block.
    pub to: Quantity,
    /// The timestamps, ascending.
    #[serde(deserialize_with = "objects")]
    pub timestamps: Vec<BlockTime>,
}

/// A block with the timestamp of its header.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct BlockTime {
    /// The block's height.
    pub height: Quantity,
    /// Milliseconds since 1970.
    pub timestamp_ms: Quantity,
}

/// The input of an `SmtDiff` test.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SmtDiff {
    /// The block after which changes count; `None`: all count.
    #[serde(deserialize_with = "or_null")]
    pub from: Option<Quantity>,
    /// The last block.
    pub to: Quantity,
    /// The trusted root of the last block.
    pub root: Hash32,
    /// The proof.
    pub proof: HexBytes,
    /// Limits that differ from the defaults.
    #[serde(default, deserialize_with = "some_object", skip_serializing_if = "Option::is_none")]
    pub limits: Option<CallerLimits>,
}

/// Reads a quantity or null. Serde's own option may also be missing.
pub(crate) fn or_null<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Quantity>, D::Error> {
    Option::<Quantity>::deserialize(deserializer)
}

impl SmtProof {
    /// Verifies the states of the keys at the block.
    pub(crate) fn verify(&self) -> Result<VerifierAnswer> {
        let keys: Vec<&[u8]> = self.keys.iter().map(|key| &key.0[..]).collect();
        let limits = CallerLimits::or_default(self.limits);
        let answers = verify(&self.root.0, self.height.0, &keys, &self.proof.0, &limits)?;
        Ok(VerifierAnswer::from_iter([(
            "answers".to_owned(),
            answers.iter().map(answer_json).collect(),
        )]))
    }
}

impl SmtHistory {
    /// Verifies every change of the key in the range, and averages its values if requested.
    pub(crate) fn verify(&self) -> Result<VerifierAnswer> {
        let limits = HistoryLimits::or_default(self.limits);
        let (key, from, to, proof) = (&self.key.0, self.from.0, self.to.0, &self.proof.0);
        let roots: Vec<_> = self.roots.iter().map(|given| (given.height.0, given.root.0)).collect();
        let claimed = ClaimedHistory::decode(key, from, to, proof, &limits);
        let blocks = claimed.blocks().map(<[u64]>::to_vec);
        let history = claimed.verify(&roots)?;
        let mut answer = changes_of(&history);
        let blocks = blocks?.into_iter().map(|height| json!(Quantity(height)));
        answer.insert("blocks".to_owned(), blocks.collect());
        if let Some(over) = &self.average {
            answer.insert("average".to_owned(), over.average(&history)?);
        }
        Ok(answer)
    }
}

impl AverageInput {
    fn average(&self, history: &Verified<KeyHistory<'_>>) -> Result<Value> {
        let time = |time: &BlockTime| (time.height.0, time.timestamp_ms.0);
        let timestamps: Vec<_> = self.timestamps.iter().map(time).collect();
        Ok(average_of(twap(history, &timestamps, self.from.0, self.to.0)?.get()))
    }
}

/// An average, in JSON.
pub(crate) fn average_of(Average { sum, covered_ms, gaps }: &Average) -> Value {
    let gaps = gaps
        .iter()
        .map(|gap| json!({ "fromMs": Quantity(gap.from_ms), "toMs": Quantity(gap.to_ms) }));
    json!({
        "sum": HexBytes(sum.to_vec()),
        "coveredMs": Quantity(*covered_ms),
        "gaps": gaps.collect::<Vec<_>>(),
    })
}

/// A history, in JSON.
pub(crate) fn changes_of(history: &KeyHistory<'_>) -> VerifierAnswer {
    VerifierAnswer::from_iter([
        ("entering".to_owned(), history.entering.as_ref().map_or(Value::Null, answer_json)),
        ("changes".to_owned(), history.changes.iter().map(answer_json).collect()),
    ])
}

/// The changes of a diff, in JSON.
pub(crate) fn diff_of(changes: &[DiffEntry<'_>]) -> VerifierAnswer {
    let changes = changes.iter().map(|DiffEntry { key, answer }| {
        let mut change = answer_json(answer);
        change["key"] = json!(HexBytes(key.to_vec()));
        change
    });
    VerifierAnswer::from_iter([("changes".to_owned(), changes.collect())])
}

impl SmtDiff {
    /// Verifies every key that changed in the range.
    pub(crate) fn verify(&self) -> Result<VerifierAnswer> {
        let (from, to) = (self.from.map(|from| from.0), self.to.0);
        let limits = CallerLimits::or_default(self.limits);
        let changes = verify_diff(&self.root.0, from, to, &self.proof.0, &limits)?;
        Ok(diff_of(&changes))
    }
}

/// An answer about a key, in JSON.
pub(crate) fn answer_json(found: &Found<'_>) -> Value {
    match *found {
        Found::Present { value, since } => {
            json!({ "value": HexBytes(value.to_vec()), "since": Quantity(since) })
        }
        Found::Deleted { deleted_at } => json!({ "deletedAt": Quantity(deleted_at) }),
        Found::NeverWritten => json!({}),
    }
}
