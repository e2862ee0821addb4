//! `lmpt/*.json`: proofs of keys in layers whose tries are built from dictionaries.

pub(super) mod proof;

use std::collections::BTreeMap;

use prooflight_core::chain::LmptConfig;
use prooflight_core::keccak256;
use prooflight_json::HexBytes;
use prooflight_testkit::lmpt::eras::{EraOp, LayeredChain};
use prooflight_testkit::lmpt::layers::{LayerNodes, StateLayers, encode};
use serde_json::{Value, json};

use crate::limits::CallerLimits;
use crate::lmpt::LmptProof;

/// A number as a key.
fn key(number: u32) -> Vec<u8> {
    format!("key {number}").into_bytes()
}

fn set(number: u32, value: &[u8]) -> EraOp {
    (key(number), Some(value.to_vec()))
}

fn delete(number: u32) -> EraOp {
    (key(number), None)
}

/// The layers after each block of a chain whose eras have 4 blocks.
///
/// After block 7, keys of each layer and their newest leaves:
///
/// | key | delta | intermediate | snapshot |
/// |---|---|---|---|
/// | 0 | | value | value |
/// | 1, 2 | value | | value |
/// | 3, and 20 to 31 | | | value |
/// | 4 | | tombstone | value |
/// | 5 | tombstone | | value |
/// | 6 | tombstone | value | |
/// | 7 | | value | |
/// | 8 | empty value | | |
fn chain() -> Vec<StateLayers> {
    let old = (0..6).chain(20..32).map(|number| set(number, format!("old {number}").as_bytes()));
    let blocks: Vec<Vec<EraOp>> = vec![
        old.collect(),
        vec![set(6, b"six"), delete(4)],
        vec![set(7, b"seven")],
        vec![set(0, b"zero")],
        vec![],
        vec![set(8, b""), delete(6), set(1, b"one")],
        vec![set(2, b"two")],
        vec![delete(5)],
        vec![set(9, b"nine")],
        vec![set(10, b"ten"), delete(20)],
        vec![set(3, b"three")],
    ];
    let mut eras = LayeredChain::new(LmptConfig { era_blocks: 4, ..LmptConfig::default() });
    let after = |ops| {
        eras.apply(ops);
        eras.layers.clone()
    };
    blocks.into_iter().map(after).collect()
}

/// The honest proof of keys.
fn ask(layers: &StateLayers, keys: &[Vec<u8>]) -> LmptProof {
    with(layers, keys, &layers.nodes(keys))
}

/// A proof of keys with these nodes.
fn with(layers: &StateLayers, keys: &[Vec<u8>], lists: &LayerNodes) -> LmptProof {
    LmptProof {
        root: HexBytes(layers.roots().encode().to_vec()),
        keys: keys.iter().cloned().map(HexBytes).collect(),
        proof: HexBytes(encode(lists)),
        limits: None,
    }
}

/// The expected answers, from the dictionaries.
fn answers_json(layers: &StateLayers, keys: &[Vec<u8>]) -> Value {
    let answer = |key: &Vec<u8>| {
        let answer = layers.answer(key).expect("leaves of a chain");
        json!({
            "value": answer.value.map(|value| HexBytes(value.to_vec())),
            "layer": answer.layer.as_str(),
        })
    };
    keys.iter().map(answer).collect()
}

/// Two keys whose hashes have their first eight nibbles in common, so that short leaves are inside their branch.
fn neighbours() -> [Vec<u8>; 2] {
    let mut seen = BTreeMap::new();
    for number in 0.. {
        let key = key(number);
        let first = keccak256(&[&key])[..4].to_vec();
        if let Some(other) = seen.insert(first, key.clone()) {
            return [other, key];
        }
    }
    unreachable!("some hundred thousand keys have such a pair")
}

const fn limits(bytes: Option<usize>, keys: Option<usize>, value: Option<usize>) -> CallerLimits {
    CallerLimits { max_proof_bytes: bytes, max_keys: keys, max_value_bytes: value }
}
