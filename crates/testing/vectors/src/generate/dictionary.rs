//! An honest dictionary: the prover, and a sorted map that determines the expected answers.

use std::collections::BTreeMap;
use std::ops::Bound::{Excluded, Unbounded};

use prooflight_avl::{AvlProver, Params, ProvedBatch};
use prooflight_json::{Decimal, HexBytes};
use serde_json::{Value, json};

use super::builder::expected;
use super::rng::Rng;
use crate::answer::VerifierAnswer;
use crate::avl::{AvlBatch, AvlOp, BatchMode};

/// A dictionary with its prover.
#[derive(Clone)]
pub(crate) struct AvlDictionary {
    prover: AvlProver,
    model: BTreeMap<Vec<u8>, Vec<u8>>,
    pub(crate) key_length: usize,
    pub(crate) value_length: Option<usize>,
}

impl AvlDictionary {
    pub(crate) fn new(key_length: usize, value_length: Option<usize>) -> Self {
        let mut params = Params::new(key_length, value_length).with_max_operations(1 << 20);
        params.limits.max_value_bytes = 1 << 20;
        Self {
            prover: AvlProver::new(params).expect("the key length is in range"),
            model: BTreeMap::new(),
            key_length,
            value_length,
        }
    }

    /// A dictionary with `n` random keys and values.
    pub(crate) fn random(
        rng: &mut Rng,
        key_length: usize,
        value_length: Option<usize>,
        n: usize,
    ) -> Self {
        let mut dictionary = Self::new(key_length, value_length);
        while dictionary.model.len() < n {
            let op = insert(rng.key(key_length), dictionary.random_value(rng));
            if !dictionary.model.contains_key(key_of(&op)) {
                dictionary.apply(&[op]);
            }
        }
        dictionary
    }

    /// A dictionary with one-byte keys and these one-byte values, inserted in this order.
    pub(crate) fn of_bytes(keys: impl IntoIterator<Item = u8>) -> Self {
        let mut dictionary = Self::new(1, None);
        for key in keys {
            dictionary.apply(&[insert([key], [key])]);
        }
        dictionary
    }

    pub(crate) fn random_value(&self, rng: &mut Rng) -> Vec<u8> {
        let length = self.value_length.unwrap_or_else(|| rng.below(24));
        rng.bytes(length)
    }

    /// A random key that the dictionary does not have.
    pub(crate) fn absent_key(&self, rng: &mut Rng) -> Vec<u8> {
        loop {
            let key = rng.key(self.key_length);
            if !self.model.contains_key(&key) {
                return key;
            }
        }
    }

    /// The keys, ascending.
    pub(crate) fn keys(&self) -> Vec<Vec<u8>> {
        self.model.keys().cloned().collect()
    }

    pub(crate) fn digest(&self) -> HexBytes {
        HexBytes(self.prover.digest().0.to_vec())
    }

    /// The honest proof of a batch, and the expected answer.
    pub(crate) fn prove(&self, ops: &[AvlOp]) -> (AvlBatch, VerifierAnswer) {
        let borrowed = ops.iter().map(AvlOp::borrow).collect::<Vec<_>>();
        let proved = self.prover.prove_batch(&borrowed).expect("the batch is possible");
        let mut model = self.model.clone();
        (self.batch(self.digest(), ops, &proved), answer(&mut model, ops, &proved))
    }

    /// Like [`prove`](Self::prove), and applies the batch.
    pub(crate) fn apply(&mut self, ops: &[AvlOp]) -> (AvlBatch, VerifierAnswer) {
        let before = self.digest();
        let borrowed = ops.iter().map(AvlOp::borrow).collect::<Vec<_>>();
        let proved = self.prover.apply_batch(&borrowed).expect("the batch is possible");
        let mut model = std::mem::take(&mut self.model);
        let answer = answer(&mut model, ops, &proved);
        self.model = model;
        (self.batch(before, ops, &proved), answer)
    }

    fn batch(&self, digest: HexBytes, ops: &[AvlOp], proved: &ProvedBatch) -> AvlBatch {
        AvlBatch {
            key_length: self.key_length,
            value_length: self.value_length,
            digest,
            ops: ops.to_vec(),
            proof: HexBytes(proved.proof.clone()),
            mode: BatchMode::Strict,
            limits: None,
        }
    }
}

/// The expected answer: the digest from the prover, the rest from the model.
fn answer(
    model: &mut BTreeMap<Vec<u8>, Vec<u8>>,
    ops: &[AvlOp],
    proved: &ProvedBatch,
) -> VerifierAnswer {
    let mut results = Vec::new();
    let mut neighbours = Vec::new();
    for op in ops {
        let key = key_of(op);
        let hex = |bytes: &Vec<u8>| HexBytes(bytes.clone()).to_string();
        let previous = model.range::<[u8], _>((Unbounded, Excluded(key))).next_back();
        let next = model.range::<[u8], _>((Excluded(key), Unbounded)).next();
        let absent =
            json!({ "previous": previous.map(|(k, _)| hex(k)), "next": next.map(|(k, _)| hex(k)) });
        let old = model.get(key);
        results.push(old.map(hex));
        neighbours.push(if old.is_some() { Value::Null } else { absent });
        perform(model, op);
    }
    expected(json!({
        "digest": HexBytes(proved.digest.0.to_vec()),
        "results": results,
        "neighbours": neighbours,
    }))
}

/// Applies an operation, which must not fail, to a sorted map.
fn perform(model: &mut BTreeMap<Vec<u8>, Vec<u8>>, op: &AvlOp) {
    match op {
        AvlOp::Lookup { .. } | AvlOp::UpdateLongBy { delta: Decimal(0), .. } => {}
        AvlOp::Insert { key, value }
        | AvlOp::Update { key, value }
        | AvlOp::InsertOrUpdate { key, value } => {
            model.insert(key.0.clone(), value.0.clone());
        }
        AvlOp::Remove { key } | AvlOp::RemoveIfExists { key } => {
            model.remove(&key.0);
        }
        AvlOp::UpdateLongBy { key, delta } => {
            let old = model.get(&key.0).map_or(0, |value| {
                i64::from_be_bytes(*value.first_chunk().expect("the value is long"))
            });
            match old + delta.0 {
                0 => model.remove(&key.0),
                sum => model.insert(key.0.clone(), sum.to_be_bytes().to_vec()),
            };
        }
    }
}

pub(crate) fn key_of(op: &AvlOp) -> &[u8] {
    op.borrow().key()
}

pub(crate) fn lookup(key: impl Into<Vec<u8>>) -> AvlOp {
    AvlOp::Lookup { key: HexBytes(key.into()) }
}

pub(crate) fn insert(key: impl Into<Vec<u8>>, value: impl Into<Vec<u8>>) -> AvlOp {
    AvlOp::Insert { key: HexBytes(key.into()), value: HexBytes(value.into()) }
}

pub(crate) fn update(key: impl Into<Vec<u8>>, value: impl Into<Vec<u8>>) -> AvlOp {
    AvlOp::Update { key: HexBytes(key.into()), value: HexBytes(value.into()) }
}

pub(crate) fn insert_or_update(key: impl Into<Vec<u8>>, value: impl Into<Vec<u8>>) -> AvlOp {
    AvlOp::InsertOrUpdate { key: HexBytes(key.into()), value: HexBytes(value.into()) }
}

pub(crate) fn remove(key: impl Into<Vec<u8>>) -> AvlOp {
    AvlOp::Remove { key: HexBytes(key.into()) }
}

pub(crate) fn remove_if_exists(key: impl Into<Vec<u8>>) -> AvlOp {
    AvlOp::RemoveIfExists { key: HexBytes(key.into()) }
}

pub(crate) fn add(key: impl Into<Vec<u8>>, delta: i64) -> AvlOp {
    AvlOp::UpdateLongBy { key: HexBytes(key.into()), delta: Decimal(delta) }
}
