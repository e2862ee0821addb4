//! Answers about the state by `lmpt`, in `chain/state_answer_schemes.json`.

use prooflight_core::Scheme;
use prooflight_core::chain::{ChainConfig, ChainLimits, LmptConfig, SchemeConfig};
use prooflight_json::HexBytes;
use prooflight_testkit::lmpt::eras::LayeredChain;
use prooflight_testkit::lmpt::layers::StateLayers;
use serde_json::{Map, json};

use super::avl_chain::{ops_root, set, seven_blocks};
use super::header_chain::{HeaderChain, accepted, config};
use crate::answer::VerifierAnswer;
use crate::generate::builder::FileBuilder;
use crate::state::{OperationJson, StateAnswer};

/// Adds the tests made by code.
pub(super) fn make(file: &mut FileBuilder) {
    let states = LmptStates::new(eras(2, u32::MAX), &seven_blocks());
    history(file, &states);
    limits(file);
}

/// A chain that keeps `lmpt`, with the layers after each of its blocks.
struct LmptStates {
    chain: HeaderChain,
    layers: Vec<StateLayers>,
}

impl LmptStates {
    fn new(config: ChainConfig, blocks: &[Vec<OperationJson>]) -> Self {
        let mut eras = LayeredChain::new(config.lmpt().expect("it keeps lmpt"));
        let after = |ops: &Vec<OperationJson>| {
            eras.apply(ops.iter().map(|op| match op {
                OperationJson::Set { key, value } => (key.0.clone(), Some(value.0.clone())),
                OperationJson::Delete { key } => (key.0.clone(), None),
            }));
            eras.layers.clone()
        };
        let layers: Vec<_> = blocks.iter().map(after).collect();
        let mut next = layers.iter().zip(blocks);
        let chain = HeaderChain::with(config, blocks.len(), |header| {
            let (layers, ops) = next.next().expect("a block a header");
            header.ops_root = ops_root(ops);
            header.roots = vec![(Scheme::Lmpt.id(), layers.roots().encode().to_vec())];
        });
        Self { chain, layers }
    }

    /// The honest answer about a block, with its header if it is older than the head.
    fn answer(&self, at: usize, head: usize, keys: &[&[u8]]) -> StateAnswer {
        let owned: Vec<_> = keys.iter().map(|key| key.to_vec()).collect();
        let proof = HexBytes(self.layers[at].prove(&owned));
        self.chain.answer(Scheme::Lmpt, (0, at, head), keys, proof)
    }

    /// The expected answer about a block, from the dictionaries.
    fn expected(&self, at: usize, keys: &[&[u8]]) -> VerifierAnswer {
        let states = keys.iter().map(|key| {
            let found = self.layers[at].answer(key).expect("leaves of a chain");
            (found.value.map(|value| HexBytes(value.to_vec())), found.layer.as_str())
        });
        let states: Vec<_> = states.collect();
        let mut answer = accepted(&self.chain.headers[at]);
        answer.insert("values".to_owned(), states.iter().map(|(value, _)| json!(value)).collect());
        let state = |(value, layer): &(Option<HexBytes>, &str)| {
            let mut members = Map::new();
            members.extend(value.as_ref().map(|value| ("value".to_owned(), json!(value))));
            members.insert("layer".to_owned(), json!(layer));
            json!(members)
        };
        answer.insert("states".to_owned(), states.iter().map(state).collect());
        answer
    }
}

fn eras(era_blocks: u32, era_ops: u32) -> ChainConfig {
    let lmpt = LmptConfig { era_blocks, era_ops, era_bytes: era_ops.into() };
    ChainConfig { schemes: vec![SchemeConfig::lmpt(&lmpt)], ..config(1, 1) }
}

const ASKED_KEYS: [&[u8]; 6] = [b"alice", b"bob", b"key 03", b"", b"absent", b"alice"];

fn history(file: &mut FileBuilder, states: &LmptStates) {
    for at in 0..=6 {
        let comment = format!("lmpt: keys at block {at}, by the head 6");
        file.valid(
            &["History"],
            comment,
            &states.answer(at, 6, &ASKED_KEYS),
            states.expected(at, &ASKED_KEYS),
        );
    }
    for (bound, comment) in
        [(1, "the least bounds of an era"), (u32::MAX, "large bounds of an era")]
    {
        let states = LmptStates::new(eras(bound, bound), &seven_blocks());
        let comment = format!("lmpt: {comment}");
        file.valid(
            &["Keys"],
            comment,
            &states.answer(6, 6, &ASKED_KEYS),
            states.expected(6, &ASKED_KEYS),
        );
    }
}

fn limits(file: &mut FileBuilder) {
    let with = |max_key, max_value, max_ops| ChainConfig {
        limits: ChainLimits { max_key, max_value, max_ops },
        ..eras(2, u32::MAX)
    };
    let blocks = [vec![set("alice", "100"), set("bob", "")]];
    let small = LmptStates::new(with(5, 3, 2), &blocks);
    let larger = LmptStates::new(with(256, 65_537, 2), &[vec![set("large", vec![0xa5; 65_537])]]);
    let mut valid = |comment: &str, of: &LmptStates, keys: &[&[u8]]| {
        let (input, answer) = (of.answer(0, 0, keys), of.expected(0, keys));
        file.valid(&["Limit"], format!("lmpt: {comment}"), &input, answer);
    };
    valid("keys of as many bytes as the chain allows", &small, &[b"alice", b"carol"]);
    valid("more keys than a block of the chain has operations", &small, &[b"a", b"bob", b"c"]);
    valid("a value above the default limit, which the chain allows", &larger, &[b"large"]);
}
