//! Answers about the state by `amb`, in `chain/state_answer_schemes.json`: the root of the head proves all of them.

use std::collections::BTreeMap;

use prooflight_amb::KeysQuestion;
use prooflight_amb::prover::AmbState;
use prooflight_core::Scheme;
use prooflight_core::chain::{ChainConfig, ChainLimits, SchemeConfig};
use prooflight_core::store::{MemoryStore, RawKeyChange, StateStore as _};
use prooflight_json::{HexBytes, Quantity};
use serde_json::{Value, json};

use super::avl_chain::{ops_root, seven_blocks};
use super::header_chain::{HeaderChain, accepted, config};
use crate::answer::VerifierAnswer;
use crate::generate::builder::FileBuilder;
use crate::state::{OperationJson, StateAnswer};

/// Adds the tests made by code.
pub(super) fn make(file: &mut FileBuilder) {
    let states = AmbStates::new(ChainLimits::default(), &seven_blocks());
    for at in [0, 3, 6] {
        let comment = format!("amb: keys at block {at}, by the root of the head 6");
        file.valid(
            &["History"],
            comment,
            &states.answer(at, &ASKED_KEYS),
            states.expected(at, &ASKED_KEYS),
        );
    }
}

const ASKED_KEYS: [&[u8]; 6] = [b"alice", b"bob", b"key 03", b"", b"absent", b"alice"];

/// The value of a key, `None` if it was deleted, and the block of its last change.
pub(super) type LastChange = (Option<Vec<u8>>, u64);

/// A chain that keeps `amb`, with its state after the last block and all keys after each.
pub(super) struct AmbStates {
    pub(super) chain: HeaderChain,
    pub(super) state: AmbState<MemoryStore>,
    pub(super) after: Vec<BTreeMap<Vec<u8>, LastChange>>,
}

impl AmbStates {
    pub(super) fn new(limits: ChainLimits, blocks: &[Vec<OperationJson>]) -> Self {
        let mut state = AmbState::open(MemoryStore::default(), ()).expect("an empty store");
        let (mut now, mut after) = (BTreeMap::new(), Vec::new());
        let mut roots = Vec::new();
        for (height, ops) in (0..).zip(blocks) {
            let changes = ops.iter().map(|op| match op {
                OperationJson::Set { key, value } => RawKeyChange::set(&key.0, &value.0),
                OperationJson::Delete { key } => RawKeyChange::delete(&key.0),
            });
            let mut changes: Vec<_> = changes.collect();
            changes.sort_by_key(|change| change.key);
            for change in &changes {
                now.insert(change.key.to_vec(), (change.value.map(<[u8]>::to_vec), height));
            }
            roots.push(state.apply(&changes).expect("normalised operations"));
            after.push(now.clone());
        }
        let kept = ChainConfig {
            limits,
            schemes: vec![SchemeConfig::without_params(Scheme::Amb)],
            ..config(1, 1)
        };
        let mut next = roots.iter().zip(blocks);
        let chain = HeaderChain::with(kept, blocks.len(), |header| {
            let (root, ops) = next.next().expect("a block a header");
            header.ops_root = ops_root(ops);
            header.roots = vec![(Scheme::Amb.id(), root.to_vec())];
        });
        Self { chain, state, after }
    }

    pub(super) fn head(&self) -> usize {
        self.after.len() - 1
    }

    /// The honest answer about a block, with its header if it is older than the head.
    fn answer(&self, at: usize, keys: &[&[u8]]) -> StateAnswer {
        let prover = self.state.prover().expect("a first block");
        let proof = prover.keys(&KeysQuestion { keys, at: at as u64 });
        let proof = HexBytes(proof.expect("a question about the state"));
        self.chain.answer(Scheme::Amb, (0, at, self.head()), keys, proof)
    }

    /// The expected answer about a block, from its keys.
    fn expected(&self, at: usize, keys: &[&[u8]]) -> VerifierAnswer {
        let versions = keys.iter().map(|&key| self.after[at].get(key));
        let mut answer = accepted(&self.chain.headers[at]);
        let value = |version: Option<&LastChange>| {
            json!(version.and_then(|(value, _)| value.clone()).map(HexBytes))
        };
        answer.insert("values".to_owned(), versions.clone().map(value).collect());
        answer.insert("states".to_owned(), versions.map(state).collect::<Value>());
        answer
    }
}

/// The state of a key, in JSON.
pub(super) fn state(version: Option<&LastChange>) -> Value {
    match version {
        Some((Some(value), since)) => {
            json!({ "value": HexBytes(value.clone()), "since": Quantity(*since) })
        }
        Some((None, deleted)) => json!({ "deletedAt": Quantity(*deleted) }),
        None => json!({}),
    }
}
