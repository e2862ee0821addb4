//! `AmbProof`: ordered keys and their versions, in six kinds of queries.

use prooflight_amb::{
    self as amb, RangeEntry, RangePage, ReplicaEntry, TrustedRoot, UPDATE_LIMITS, UpdatePart,
    verify_count, verify_history, verify_range, verify_transfer, verify_update,
};
use prooflight_core::store::RawKeyChange;
use prooflight_core::{Error, KeyHistory, Limits, Reason, Result};
use prooflight_json::strict::{objects, some_number, some_object};
use prooflight_json::{Hash32, HexBytes, OperationJson, Quantity};
use serde::de::IgnoredAny;
use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};

use crate::answer::VerifierAnswer;
use crate::run::parse;
use crate::smt::{answer_json, or_null};

/// Verifies the input of an `AmbProof` test; its member `kind` determines the others.
pub(crate) fn verify(input: &Value) -> Result<VerifierAnswer> {
    match input["kind"].as_str() {
        Some("get") => parse(input).and_then(|input: GetInput| input.verify()),
        Some("hist") => parse(input).and_then(|input: HistoryInput| input.verify()),
        Some("range") => parse(input).and_then(|input: RangeInput| input.verify()),
        Some("count") => parse(input).and_then(|input: CountInput| input.verify()),
        Some("transfer") => parse(input).and_then(|input: TransferInput| input.verify()),
        Some("update") => parse(input).and_then(|input: UpdateInput| input.verify()),
        _ => Err(Error::new(Reason::InvalidArgument, "a kind of query", &input["kind"])),
    }
}

/// The state of keys at a block.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct GetInput {
    root: HexBytes,
    block: Quantity,
    #[serde(rename = "kind")]
    _kind: IgnoredAny,
    keys: Vec<HexBytes>,
    at: Quantity,
    proof: HexBytes,
    #[serde(default, deserialize_with = "some_object")]
    limits: Option<AmbLimits>,
}

/// The changes of keys in a range of blocks.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct HistoryInput {
    root: HexBytes,
    block: Quantity,
    #[serde(rename = "kind")]
    _kind: IgnoredAny,
    keys: Vec<HexBytes>,
    from: Quantity,
    to: Quantity,
    proof: HexBytes,
    #[serde(default, deserialize_with = "some_object")]
    limits: Option<AmbLimits>,
}

/// The keys between two bounds at a block.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RangeInput {
    root: HexBytes,
    block: Quantity,
    #[serde(rename = "kind")]
    _kind: IgnoredAny,
    lo: HexBytes,
    #[serde(deserialize_with = "bound_or_null")]
    hi: Option<HexBytes>,
    at: Quantity,
    reverse: bool,
    proof: HexBytes,
    #[serde(default, deserialize_with = "some_object")]
    limits: Option<AmbLimits>,
}

/// The number of keys between two bounds.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CountInput {
    root: HexBytes,
    block: Quantity,
    #[serde(rename = "kind")]
    _kind: IgnoredAny,
    lo: HexBytes,
    #[serde(deserialize_with = "bound_or_null")]
    hi: Option<HexBytes>,
    proof: HexBytes,
    #[serde(default, deserialize_with = "some_object")]
    limits: Option<AmbLimits>,
}

/// The entries between two bounds, for a replica.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TransferInput {
    root: HexBytes,
    block: Quantity,
    #[serde(rename = "kind")]
    _kind: IgnoredAny,
    lo: HexBytes,
    #[serde(deserialize_with = "bound_or_null")]
    hi: Option<HexBytes>,
    #[serde(deserialize_with = "or_null")]
    after: Option<Quantity>,
    proof: HexBytes,
    #[serde(default, deserialize_with = "some_object")]
    limits: Option<AmbLimits>,
}

/// The root after the next block.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct UpdateInput {
    root: HexBytes,
    block: Quantity,
    #[serde(rename = "kind")]
    _kind: IgnoredAny,
    #[serde(deserialize_with = "objects")]
    operations: Vec<OperationJson>,
    #[serde(deserialize_with = "objects")]
    parts: Vec<PartInput>,
    #[serde(default, deserialize_with = "some_object")]
    limits: Option<AmbLimits>,
}

/// The proof of some keys of an update.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PartInput {
    keys: Vec<HexBytes>,
    proof: HexBytes,
}

/// The caller's limits; missing ones have their defaults.
#[allow(clippy::struct_field_names, reason = "the names of the JSON")]
#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct AmbLimits {
    /// The largest proof.
    #[serde(default, deserialize_with = "some_number")]
    max_proof_bytes: Option<usize>,
    /// The largest number of keys.
    #[serde(default, deserialize_with = "some_number")]
    max_keys: Option<usize>,
    /// The largest value.
    #[serde(default, deserialize_with = "some_number")]
    max_value_bytes: Option<usize>,
    /// The most entries of a page.
    #[serde(default, deserialize_with = "some_number")]
    max_entries: Option<usize>,
    /// The most versions shown in histories.
    #[serde(default, deserialize_with = "some_number")]
    max_changes: Option<usize>,
}

/// Reads a bound or null. Serde's own option may also be missing.
pub(crate) fn bound_or_null<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<HexBytes>, D::Error> {
    Option::<HexBytes>::deserialize(deserializer)
}

impl GetInput {
    fn verify(&self) -> Result<VerifierAnswer> {
        let (root, limits) = (root(&self.root, self.block)?, limits(self.limits, Limits::DEFAULT));
        let question = amb::KeysQuestion { keys: &slices(&self.keys), at: self.at.0 };
        let answers = amb::verify(&root, &question, &self.proof.0, &limits)?;
        Ok(member("answers", answers.iter().map(answer_json).collect()))
    }
}

impl HistoryInput {
    fn verify(&self) -> Result<VerifierAnswer> {
        let (root, limits) = (root(&self.root, self.block)?, limits(self.limits, Limits::DEFAULT));
        let keys = slices(&self.keys);
        let question = amb::HistoryQuestion { keys: &keys, from: self.from.0, to: self.to.0 };
        let histories = verify_history(&root, &question, &self.proof.0, &limits)?;
        if histories.iter().any(|it| (it.from, it.to) != (question.from, question.to)) {
            return Err(Error::new(Reason::Bug, "histories of the blocks asked about", "others"));
        }
        Ok(member("histories", histories.iter().map(history).collect()))
    }
}

fn history(history: &KeyHistory<'_>) -> Value {
    json!({
        "entering": history.entering.as_ref().map(answer_json),
        "changes": history.changes.iter().map(answer_json).collect::<Vec<_>>(),
    })
}

impl RangeInput {
    fn verify(&self) -> Result<VerifierAnswer> {
        let (root, limits) = (root(&self.root, self.block)?, limits(self.limits, Limits::DEFAULT));
        let (lo, hi) = (&self.lo.0[..], bound(self.hi.as_ref()));
        let question = amb::RangeQuestion { lo, hi, at: self.at.0, reverse: self.reverse };
        Ok(page(&*verify_range(&root, &question, &self.proof.0, &limits)?, entry))
    }
}

pub(crate) fn entry(RangeEntry { key, value, since }: &RangeEntry<'_>) -> Value {
    json!({ "key": bytes(key), "value": bytes(value), "since": Quantity(*since) })
}

impl CountInput {
    fn verify(&self) -> Result<VerifierAnswer> {
        let (root, limits) = (root(&self.root, self.block)?, limits(self.limits, Limits::DEFAULT));
        let question = amb::CountQuestion { lo: &self.lo.0, hi: bound(self.hi.as_ref()) };
        let count = verify_count(&root, &question, &self.proof.0, &limits)?;
        Ok(member("count", json!(Quantity(*count))))
    }
}

impl TransferInput {
    fn verify(&self) -> Result<VerifierAnswer> {
        let (root, limits) = (root(&self.root, self.block)?, limits(self.limits, Limits::DEFAULT));
        let (lo, hi) = (&self.lo.0[..], bound(self.hi.as_ref()));
        let question = amb::TransferQuestion { lo, hi, after: self.after.map(|after| after.0) };
        Ok(page(&*verify_transfer(&root, &question, &self.proof.0, &limits)?, replica))
    }
}

fn replica(ReplicaEntry { key, versions, block, value, peaks }: &ReplicaEntry<'_>) -> Value {
    json!({
        "key": bytes(key),
        "versions": Quantity(*versions),
        "block": Quantity(*block),
        "value": value.map(bytes),
        "peaks": peaks.iter().copied().map(Hash32).collect::<Vec<_>>(),
    })
}

impl UpdateInput {
    fn verify(&self) -> Result<VerifierAnswer> {
        let (root, limits) = (root(&self.root, self.block)?, limits(self.limits, UPDATE_LIMITS));
        let keys = self.parts.iter().map(|part| slices(&part.keys)).collect::<Vec<_>>();
        let parts = self.parts.iter().zip(&keys);
        let parts = parts.map(|(part, keys)| UpdatePart { keys, proof: &part.proof.0 });
        let operations = self.operations.iter().map(|operation| match operation {
            OperationJson::Set { key, value } => RawKeyChange::set(&key.0, &value.0),
            OperationJson::Delete { key } => RawKeyChange::delete(&key.0),
        });
        let (operations, parts) = (operations.collect::<Vec<_>>(), parts.collect::<Vec<_>>());
        let next = verify_update(&root, &operations, &parts, &limits)?;
        Ok(member("root", json!(Hash32(*next))))
    }
}

/// A root of another length is the caller's mistake.
fn root(root: &HexBytes, height: Quantity) -> Result<TrustedRoot> {
    let hash = root.0[..]
        .try_into()
        .map_err(|_| Error::new(Reason::InvalidArgument, "a root of 32 bytes", root.0.len()))?;
    Ok(TrustedRoot { hash, height: height.0 })
}

fn limits(given: Option<AmbLimits>, default: Limits) -> Limits {
    let given = given.unwrap_or_default();
    Limits {
        max_proof_bytes: given.max_proof_bytes.unwrap_or(default.max_proof_bytes),
        max_keys: given.max_keys.unwrap_or(default.max_keys),
        max_value_bytes: given.max_value_bytes.unwrap_or(default.max_value_bytes),
        max_entries: given.max_entries.unwrap_or(default.max_entries),
        max_changes: given.max_changes.unwrap_or(default.max_changes),
    }
}

fn slices(keys: &[HexBytes]) -> Vec<&[u8]> {
    keys.iter().map(|key| &key.0[..]).collect()
}

pub(crate) fn bound(bound: Option<&HexBytes>) -> Option<&[u8]> {
    bound.map(|bound| &bound.0[..])
}

pub(crate) fn page<T>(page: &RangePage<'_, T>, entry: impl Fn(&T) -> Value) -> VerifierAnswer {
    let entries = page.entries.iter().map(entry).collect();
    let next = json!(page.next.map(bytes));
    VerifierAnswer::from_iter([("entries".to_owned(), entries), ("next".to_owned(), next)])
}

fn bytes(bytes: &[u8]) -> HexBytes {
    HexBytes(bytes.to_vec())
}

fn member(name: &str, value: Value) -> VerifierAnswer {
    VerifierAnswer::from_iter([(name.to_owned(), value)])
}
