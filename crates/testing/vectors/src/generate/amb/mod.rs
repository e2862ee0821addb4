//! `amb/*.json`: ordered keys, proved by a plain model.

pub(super) mod valid;

use prooflight_json::{Hash32, HexBytes, OperationJson, Quantity};
use prooflight_testkit::amb::prove::prove;
use prooflight_testkit::amb::query::Query;
use prooflight_testkit::amb::state::{AmbModel, KeyOp};
use prooflight_testkit::amb::tree::{past_hashes, peaks};
use serde_json::{Map, Value, json};

use super::rng::Rng;

/// The state of most tests: eight keys, of which some change again; `m` is deleted and set again, `d` is deleted.
///
/// Block 5 is empty.
pub(super) fn small() -> AmbModel {
    AmbModel::after([
        &[("aa", Some("1")), ("ab", Some("2")), ("c", Some("3")), ("m", Some("7"))],
        &[("c", Some("33")), ("m", None)],
        &[("d", Some("4")), ("e", Some("5")), ("m", Some("8"))],
        &[("c", Some("333")), ("d", None)],
        &[("ab", Some("22")), ("kaa1", Some("6")), ("kaa2", Some("6"))],
        &[],
    ])
}

/// A key and one that begins with it, so that a path encodes the end of a key.
fn nested() -> AmbModel {
    AmbModel::after([&[("k", Some("1")), ("ka", Some("2")), ("z", Some("3"))]])
}

/// A key that every block writes, from 0 to `newest`, and one that only block 0 writes. Every fifth version is a
/// tombstone.
fn long(newest: u64) -> AmbModel {
    let mut state = AmbModel::default();
    state.apply(0, [set("other", "o")]);
    for height in 0..=newest {
        let value = (height % 5 != 4).then(|| height.to_string().into_bytes());
        state.apply(height, [(b"x".to_vec(), value)]);
    }
    state
}

/// Random keys of a few letters and values in `blocks` blocks, each of which sets, changes and deletes some.
fn random(rng: &mut Rng, blocks: u64, keys: usize) -> AmbModel {
    let mut state = AmbModel::default();
    for height in 0..blocks {
        let ops: Vec<KeyOp> = (0..=rng.below(keys))
            .map(|_| {
                let length = rng.below(4);
                let key = rng.bytes(length).into_iter().map(|byte| b'a' + byte % 3).collect();
                let length = rng.below(9);
                (key, (rng.below(4) > 0).then(|| rng.bytes(length)))
            })
            .collect();
        state.apply(height, ops);
    }
    state
}

fn set(key: &str, value: &str) -> KeyOp {
    (key.as_bytes().to_vec(), Some(value.as_bytes().to_vec()))
}

fn delete(key: &str) -> KeyOp {
    (key.as_bytes().to_vec(), None)
}

pub(super) fn get(keys: &[&str], at: u64) -> Query {
    Query::Get { keys: owned(keys), at }
}

fn hist(keys: &[&str], from: u64, to: u64) -> Query {
    Query::Hist { keys: owned(keys), from, to }
}

pub(super) fn range(lo: &str, hi: Option<&str>, at: u64) -> Query {
    Query::Range { lo: lo.into(), hi: hi.map(Into::into), at, reverse: false }
}

pub(super) fn reversed(lo: &str, hi: Option<&str>, at: u64) -> Query {
    Query::Range { lo: lo.into(), hi: hi.map(Into::into), at, reverse: true }
}

pub(super) fn count(lo: &str, hi: Option<&str>) -> Query {
    Query::Count { lo: lo.into(), hi: hi.map(Into::into) }
}

pub(super) fn transfer(lo: &str, hi: Option<&str>, after: Option<u64>) -> Query {
    Query::Transfer { lo: lo.into(), hi: hi.map(Into::into), after }
}

fn owned(keys: &[&str]) -> Vec<Vec<u8>> {
    keys.iter().map(|key| key.as_bytes().to_vec()).collect()
}

/// The input of a test with this proof.
fn input(state: &AmbModel, query: &Query, proof: &[u8]) -> Value {
    let optional = |bound: &Option<Vec<u8>>| bound.clone().map(HexBytes);
    let rest = match query {
        Query::Get { keys, at } => {
            json!({ "kind": "get", "keys": hexes(keys), "at": Quantity(*at) })
        }
        Query::Hist { keys, from, to } => json!({
            "kind": "hist", "keys": hexes(keys), "from": Quantity(*from), "to": Quantity(*to),
        }),
        Query::Range { lo, hi, at, reverse } => json!({
            "kind": "range", "lo": hex(lo), "hi": optional(hi), "at": Quantity(*at), "reverse": reverse,
        }),
        Query::Count { lo, hi } => json!({ "kind": "count", "lo": hex(lo), "hi": optional(hi) }),
        Query::Transfer { lo, hi, after } => json!({
            "kind": "transfer", "lo": hex(lo), "hi": optional(hi), "after": after.map(Quantity),
        }),
        Query::Update { .. } => panic!("an update has operations and parts"),
    };
    let Value::Object(rest) = rest else { panic!("an object") };
    let mut input = head(state);
    input.extend(rest);
    input.insert("proof".to_owned(), json!(hex(proof)));
    Value::Object(input)
}

/// The input of an update; each part has keys and its proof.
fn update_input(
    state: &AmbModel,
    operations: &[KeyOp],
    parts: &[(Vec<Vec<u8>>, Vec<u8>)],
) -> Value {
    let mut input = head(state);
    let operation = |(key, value): &KeyOp| match value {
        Some(value) => OperationJson::Set { key: hex(key), value: hex(value) },
        None => OperationJson::Delete { key: hex(key) },
    };
    let part =
        |(keys, proof): &(Vec<_>, Vec<_>)| json!({ "keys": hexes(keys), "proof": hex(proof) });
    input.insert("kind".to_owned(), json!("update"));
    input.insert(
        "operations".to_owned(),
        json!(operations.iter().map(operation).collect::<Vec<_>>()),
    );
    input.insert("parts".to_owned(), parts.iter().map(part).collect());
    Value::Object(input)
}

/// The honest input of an update with one part for each of the lists of keys.
fn update(state: &AmbModel, operations: &[KeyOp], parts: &[&[&str]]) -> Value {
    let parts = parts.iter().map(|keys| part(state, keys)).collect::<Vec<_>>();
    update_input(state, operations, &parts)
}

/// An honest part of an update.
fn part(state: &AmbModel, keys: &[&str]) -> (Vec<Vec<u8>>, Vec<u8>) {
    let proof = prove(state, &Query::Update { keys: owned(keys) }, None);
    (owned(keys), proof.encode())
}

fn head(state: &AmbModel) -> Map<String, Value> {
    let root = ("root".to_owned(), json!(Hash32(state.root())));
    Map::from_iter([root, ("block".to_owned(), json!(Quantity(state.height)))])
}

/// The answer, from the dictionary alone.
pub(super) fn answer(state: &AmbModel, query: &Query, cut: Option<&[u8]>) -> Value {
    let keys = |keys: &[Vec<u8>], answer: &dyn Fn(&[u8]) -> Value| -> Value {
        keys.iter().map(|key| answer(key)).collect()
    };
    let (first, end) = query.page(cut);
    let page = state.keys_in(first, end);
    let next = cut.map(hex);
    match query {
        Query::Get { keys: asked, at } => {
            json!({ "answers": keys(asked, &|key| state_json(state, key, Some(*at))) })
        }
        Query::Hist { keys: asked, from, to } => {
            json!({ "histories": keys(asked, &|key| history(state, key, *from, *to)) })
        }
        Query::Range { at, reverse, .. } => {
            let entry = |key: &[u8]| {
                let (since, value) = state.at(key, *at)?;
                let value = hex(value.as_ref()?);
                Some(json!({ "key": hex(key), "value": value, "since": Quantity(*since) }))
            };
            let mut entries: Vec<Value> = page.filter_map(entry).collect();
            if *reverse {
                entries.reverse();
            }
            json!({ "entries": entries, "next": next })
        }
        Query::Count { .. } => {
            let is_live = |key: &&[u8]| matches!(state.at(key, state.height), Some((_, Some(_))));
            json!({ "count": Quantity(page.filter(is_live).count() as u64) })
        }
        Query::Transfer { after, .. } => {
            let entry = |key: &[u8]| {
                let versions = &state.entries[key];
                let (block, value) = versions.last()?;
                let entry = json!({
                    "key": hex(key),
                    "versions": Quantity(versions.len() as u64),
                    "block": Quantity(*block),
                    "value": value.as_ref().map(|value| hex(value)),
                    "peaks": peaks(&past_hashes(versions)).into_iter().map(Hash32).collect::<Vec<_>>(),
                });
                after.is_none_or(|after| *block > after).then_some(entry)
            };
            json!({ "entries": page.filter_map(entry).collect::<Vec<_>>(), "next": next })
        }
        Query::Update { .. } => panic!("an update has operations"),
    }
}

/// The state of a key at a block, or before all of them.
fn state_json(state: &AmbModel, key: &[u8], at: Option<u64>) -> Value {
    match at.and_then(|at| state.at(key, at)) {
        Some((since, Some(value))) => json!({ "value": hex(value), "since": Quantity(*since) }),
        Some((at, None)) => json!({ "deletedAt": Quantity(*at) }),
        None => json!({}),
    }
}

fn history(state: &AmbModel, key: &[u8], from: u64, to: u64) -> Value {
    let versions = state.entries.get(key).map_or(&[][..], Vec::as_slice);
    let changes = versions.iter().filter(|(block, _)| (from..=to).contains(block));
    let changes: Vec<Value> =
        changes.map(|(block, _)| state_json(state, key, Some(*block))).collect();
    json!({ "entering": state_json(state, key, from.checked_sub(1)), "changes": changes })
}

/// The root after the next block.
fn next_root(state: &AmbModel, operations: &[KeyOp]) -> Value {
    let mut next = state.clone();
    next.apply(state.height + 1, operations.iter().cloned());
    json!({ "root": Hash32(next.root()) })
}

fn hex(bytes: &[u8]) -> HexBytes {
    HexBytes(bytes.to_vec())
}

fn hexes(keys: &[Vec<u8>]) -> Vec<HexBytes> {
    keys.iter().map(|key| hex(key)).collect()
}
