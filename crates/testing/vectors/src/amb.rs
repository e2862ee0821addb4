//! `AmbProof`: ordered keys and their versions, in six kinds of queries.

use prooflight_amb::{
    self as amb, Entry, Page, Part, Replica, Root, UPDATE_LIMITS, verify_count, verify_history,
    verify_range, verify_transfer, verify_update,
};
use prooflight_core::store::Change;
use prooflight_core::{Error, History, Limits, Reason, Result};
use prooflight_json::strict::{objects, some_number, some_object};
use prooflight_json::{Hash32, Hex, Quantity, StateOp};
use serde::de::IgnoredAny;
use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};

use crate::answer::Answer;
use crate::run::parse;
use crate::smt::{found, or_null};

/// Verifies the input of an `AmbProof` test; its member `kind` determines the others.
pub(crate) fn verify(input: &Value) -> Result<Answer> {
    match input["kind"].as_str() {
        Some("get") => parse(input).and_then(|input: Get| input.verify()),
        Some("hist") => parse(input).and_then(|input: Hist| input.verify()),
        Some("range") => parse(input).and_then(|input: Range| input.verify()),
        Some("count") => parse(input).and_then(|input: Count| input.verify()),
        Some("transfer") => parse(input).and_then(|input: Transfer| input.verify()),
        Some("update") => parse(input).and_then(|input: Update| input.verify()),
        _ => Err(Error::new(Reason::InvalidArgument, "a kind of query", &input["kind"])),
    }
}

/// The state of keys at a block.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Get {
    root: Hex,
    block: Quantity,
    #[serde(rename = "kind")]
    _kind: IgnoredAny,
    keys: Vec<Hex>,
    at: Quantity,
    proof: Hex,
    #[serde(default, deserialize_with = "some_object")]
    limits: Option<AmbLimits>,
}

/// The changes of keys in a range of blocks.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Hist {
    root: Hex,
    block: Quantity,
    #[serde(rename = "kind")]
    _kind: IgnoredAny,
    keys: Vec<Hex>,
    from: Quantity,
    to: Quantity,
    proof: Hex,
    #[serde(default, deserialize_with = "some_object")]
    limits: Option<AmbLimits>,
}

/// The keys between two bounds at a block.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Range {
    root: Hex,
    block: Quantity,
    #[serde(rename = "kind")]
    _kind: IgnoredAny,
    lo: Hex,
    #[serde(deserialize_with = "bound_or_null")]
    hi: Option<Hex>,
    at: Quantity,
    reverse: bool,
    proof: Hex,
    #[serde(default, deserialize_with = "some_object")]
    limits: Option<AmbLimits>,
}

/// The number of keys between two bounds.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Count {
    root: Hex,
    block: Quantity,
    #[serde(rename = "kind")]
    _kind: IgnoredAny,
    lo: Hex,
    #[serde(deserialize_with = "bound_or_null")]
    hi: Option<Hex>,
    proof: Hex,
    #[serde(default, deserialize_with = "some_object")]
    limits: Option<AmbLimits>,
}

/// The entries between two bounds, for a replica.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Transfer {
    root: Hex,
    block: Quantity,
    #[serde(rename = "kind")]
    _kind: IgnoredAny,
    lo: Hex,
    #[serde(deserialize_with = "bound_or_null")]
    hi: Option<Hex>,
    #[serde(deserialize_with = "or_null")]
    after: Option<Quantity>,
    proof: Hex,
    #[serde(default, deserialize_with = "some_object")]
    limits: Option<AmbLimits>,
}

/// The root after the next block.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Update {
    root: Hex,
    block: Quantity,
    #[serde(rename = "kind")]
    _kind: IgnoredAny,
    #[serde(deserialize_with = "objects")]
    operations: Vec<StateOp>,
    #[serde(deserialize_with = "objects")]
    parts: Vec<PartInput>,
    #[serde(default, deserialize_with = "some_object")]
    limits: Option<AmbLimits>,
}

/// The proof of some keys of an update.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PartInput {
    keys: Vec<Hex>,
    proof: Hex,
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
) -> Result<Option<Hex>, D::Error> {
    Option::<Hex>::deserialize(deserializer)
}

impl Get {
    fn verify(&self) -> Result<Answer> {
        let (root, limits) = (root(&self.root, self.block)?, limits(self.limits, Limits::DEFAULT));
        let question = amb::Get { keys: &slices(&self.keys), at: self.at.0 };
        let answers = amb::verify(&root, &question, &self.proof.0, &limits)?;
        Ok(member("answers", answers.iter().map(found).collect()))
    }
}

impl Hist {
    fn verify(&self) -> Result<Answer> {
        let (root, limits) = (root(&self.root, self.block)?, limits(self.limits, Limits::DEFAULT));
        let keys = slices(&self.keys);
        let question = amb::Hist { keys: &keys, from: self.from.0, to: self.to.0 };
        let histories = verify_history(&root, &question, &self.proof.0, &limits)?;
        if histories.iter().any(|it| (it.from, it.to) != (question.from, question.to)) {
            return Err(Error::new(Reason::Bug, "histories of the blocks asked about", "others"));
        }
        Ok(member("histories", histories.iter().map(history).collect()))
    }
}

fn history(history: &History<'_>) -> Value {
    json!({
        "entering": history.entering.as_ref().map(found),
        "changes": history.changes.iter().map(found).collect::<Vec<_>>(),
    })
}

impl Range {
    fn verify(&self) -> Result<Answer> {
        let (root, limits) = (root(&self.root, self.block)?, limits(self.limits, Limits::DEFAULT));
        let (lo, hi) = (&self.lo.0[..], bound(self.hi.as_ref()));
        let question = amb::Range { lo, hi, at: self.at.0, reverse: self.reverse };
        Ok(page(&*verify_range(&root, &question, &self.proof.0, &limits)?, entry))
    }
}

pub(crate) fn entry(Entry { key, value, since }: &Entry<'_>) -> Value {
    json!({ "key": bytes(key), "value": bytes(value), "since": Quantity(*since) })
}

impl Count {
    fn verify(&self) -> Result<Answer> {
        let (root, limits) = (root(&self.root, self.block)?, limits(self.limits, Limits::DEFAULT));
        let question = amb::Count { lo: &self.lo.0, hi: bound(self.hi.as_ref()) };
        let count = verify_count(&root, &question, &self.proof.0, &limits)?;
        Ok(member("count", json!(Quantity(*count))))
    }
}

impl Transfer {
    fn verify(&self) -> Result<Answer> {
        let (root, limits) = (root(&self.root, self.block)?, limits(self.limits, Limits::DEFAULT));
        let (lo, hi) = (&self.lo.0[..], bound(self.hi.as_ref()));
        let question = amb::Transfer { lo, hi, after: self.after.map(|after| after.0) };
        Ok(page(&*verify_transfer(&root, &question, &self.proof.0, &limits)?, replica))
    }
}

fn replica(Replica { key, versions, block, value, peaks }: &Replica<'_>) -> Value {
    json!({
        "key": bytes(key),
        "versions": Quantity(*versions),
        "block": Quantity(*block),
        "value": value.map(bytes),
        "peaks": peaks.iter().copied().map(Hash32).collect::<Vec<_>>(),
    })
}

impl Update {
    fn verify(&self) -> Result<Answer> {
        let (root, limits) = (root(&self.root, self.block)?, limits(self.limits, UPDATE_LIMITS));
        let keys = self.parts.iter().map(|part| slices(&part.keys)).collect::<Vec<_>>();
        let parts = self.parts.iter().zip(&keys);
        let parts = parts.map(|(part, keys)| Part { keys, proof: &part.proof.0 });
        let operations = self.operations.iter().map(|operation| match operation {
            StateOp::Set { key, value } => Change::set(&key.0, &value.0),
            StateOp::Delete { key } => Change::delete(&key.0),
        });
        let (operations, parts) = (operations.collect::<Vec<_>>(), parts.collect::<Vec<_>>());
        let next = verify_update(&root, &operations, &parts, &limits)?;
        Ok(member("root", json!(Hash32(*next))))
    }
}

/// A root of another length is the caller's mistake.
fn root(root: &Hex, height: Quantity) -> Result<Root> {
    let hash = root.0[..]
        .try_into()
        .map_err(|_| Error::new(Reason::InvalidArgument, "a root of 32 bytes", root.0.len()))?;
    Ok(Root { hash, height: height.0 })
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

fn slices(keys: &[Hex]) -> Vec<&[u8]> {
    keys.iter().map(|key| &key.0[..]).collect()
}

pub(crate) fn bound(bound: Option<&Hex>) -> Option<&[u8]> {
    bound.map(|bound| &bound.0[..])
}

pub(crate) fn page<T>(page: &Page<'_, T>, entry: impl Fn(&T) -> Value) -> Answer {
    let entries = page.entries.iter().map(entry).collect();
    let next = json!(page.next.map(bytes));
    Answer::from_iter([("entries".to_owned(), entries), ("next".to_owned(), next)])
}

fn bytes(bytes: &[u8]) -> Hex {
    Hex(bytes.to_vec())
}

fn member(name: &str, value: Value) -> Answer {
    Answer::from_iter([(name.to_owned(), value)])
}
