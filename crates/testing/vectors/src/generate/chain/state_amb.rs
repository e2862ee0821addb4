//! Answers about the state by `amb`, in `chain/state_answer_schemes.json`: the root of the head proves all of them.

use std::collections::BTreeMap;

use prooflight_amb::KeysQuestion;
use prooflight_amb::prover::AmbState;
use prooflight_core::chain::{ChainConfig, ChainLimits, SchemeConfig};
use prooflight_core::store::{MemoryStore, RawKeyChange, StateStore as _};
use prooflight_core::{Reason, Scheme};
use prooflight_json::{HexBytes, Quantity};
use serde_json::{Value, json};

use super::avl_chain::{ops_root, set, seven_blocks, with_header};
use super::header_chain::{HeaderChain, accepted, config, sync};
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
    limits(file);
    refused(file, &states);
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
        let head = self.head();
        let of =
            sync(&self.chain.checkpoint(0), &self.chain.signed(head), &self.chain.path(0, head));
        let proof = if keys.is_empty() {
            Vec::new()
        } else {
            let prover = self.state.prover().expect("a first block");
            let question = KeysQuestion { keys, at: at as u64 };
            prover.keys(&question).expect("a question about the state")
        };
        let answer = StateAnswer {
            scheme: Scheme::Amb.as_str().to_owned(),
            checkpoint: of.checkpoint,
            head: of.head,
            inclusion: of.inclusion,
            now: of.now,
            max_clock_skew: None,
            max_head_age: None,
            header: None,
            path: None,
            keys: keys.iter().map(|key| HexBytes(key.to_vec())).collect(),
            proof: HexBytes(proof),
            allow_insecure_setup: false,
            verifying_key: None,
        };
        if at == head {
            return answer;
        }
        with_header(answer, &self.chain.headers[at], &self.chain.path(at, head))
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

fn limits(file: &mut FileBuilder) {
    let with = |max_key, max_value| {
        let limits = ChainLimits { max_key, max_value, max_ops: 2 };
        AmbStates::new(limits, &[vec![set("alice", "100"), set("bob", "")]])
    };
    let (small, lower) = (with(5, 3), with(5, 2));
    let mut invalid = |comment: &str, of: &AmbStates, keys: &[&[u8]], reason| {
        file.invalid(&["Limit"], format!("amb: {comment}"), &of.answer(0, keys), reason);
    };
    invalid("a key longer than the chain allows", &small, &[b"alices"], Reason::KeyLength);
    invalid("no keys", &small, &[], Reason::InvalidArgument);
    invalid("a value longer than the chain allows", &lower, &[b"alice"], Reason::ValueTooLarge);
}

fn refused(file: &mut FileBuilder, states: &AmbStates) {
    let (older, newer) = (states.answer(3, &ASKED_KEYS), states.answer(6, &ASKED_KEYS));
    let input = StateAnswer { header: None, path: None, ..older.clone() };
    let comment = "amb: the proof of an older block for the head";
    file.invalid(&["Keys"], comment, &input, Reason::ValueTooLarge);
    let input = StateAnswer { proof: newer.proof, ..older };
    let comment = "amb: the proof of the head for an older block";
    file.invalid(&["Keys"], comment, &input, Reason::IndexOutOfRange);
}
