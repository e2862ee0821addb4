//! Answers about the state by `amb`, in `chain/state_answer_schemes.json`: the root of the head proves all of them.

use std::collections::BTreeMap;

use prooflight_amb::Get;
use prooflight_amb::prover::Tree;
use prooflight_core::chain::{ChainConfig, ChainLimits, SchemeConfig};
use prooflight_core::store::Change;
use prooflight_core::{Reason, Scheme};
use prooflight_json::{Hex, Quantity};
use serde_json::{Value, json};

use super::ledger::{ops_root, set, seven_blocks, with_header};
use super::made::{Chain, accepted, config, sync};
use crate::answer::Answer;
use crate::generate::builder::Builder;
use crate::state::{StateAnswer, StateOp};

/// Adds the tests made by code.
pub(super) fn make(file: &mut Builder) {
    let states = States::new(ChainLimits::default(), &seven_blocks());
    for at in [0, 3, 6] {
        let comment = format!("amb: keys at block {at}, by the root of the head 6");
        file.valid(&["History"], comment, &states.answer(at, &KEYS), states.expected(at, &KEYS));
    }
    limits(file);
    refused(file, &states);
}

const KEYS: [&[u8]; 6] = [b"alice", b"bob", b"key 03", b"", b"absent", b"alice"];

/// The value of a key, `None` if it was deleted, and the block of its last change.
pub(super) type Version = (Option<Vec<u8>>, u64);

/// A chain that keeps `amb`, with its tree after the last block and all keys after each.
pub(super) struct States {
    pub(super) chain: Chain,
    pub(super) tree: Tree,
    pub(super) after: Vec<BTreeMap<Vec<u8>, Version>>,
}

impl States {
    pub(super) fn new(limits: ChainLimits, blocks: &[Vec<StateOp>]) -> Self {
        let (mut tree, mut now, mut after) = (Tree::new(), BTreeMap::new(), Vec::new());
        let mut roots = Vec::new();
        for (height, ops) in (0..).zip(blocks) {
            let changes = ops.iter().map(|op| match op {
                StateOp::Set { key, value } => Change::set(&key.0, &value.0),
                StateOp::Delete { key } => Change::delete(&key.0),
            });
            let mut changes: Vec<_> = changes.collect();
            changes.sort_by_key(|change| change.key);
            for change in &changes {
                now.insert(change.key.to_vec(), (change.value.map(<[u8]>::to_vec), height));
            }
            roots.push(tree.update(height, &changes).expect("normalised operations"));
            after.push(now.clone());
        }
        let kept =
            ChainConfig { limits, schemes: vec![SchemeConfig::plain(Scheme::Amb)], ..config(1, 1) };
        let mut next = roots.iter().zip(blocks);
        let chain = Chain::with(kept, blocks.len(), |header| {
            let (root, ops) = next.next().expect("a block a header");
            header.ops_root = ops_root(ops);
            header.roots = vec![(Scheme::Amb.id(), root.to_vec())];
        });
        Self { chain, tree, after }
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
            self.tree.prove(&Get { keys, at: at as u64 }).expect("a question about the tree")
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
            keys: keys.iter().map(|key| Hex(key.to_vec())).collect(),
            proof: Hex(proof),
            allow_insecure_setup: false,
            verifying_key: None,
        };
        if at == head {
            return answer;
        }
        with_header(answer, &self.chain.headers[at], &self.chain.path(at, head))
    }

    /// The expected answer about a block, from its keys.
    fn expected(&self, at: usize, keys: &[&[u8]]) -> Answer {
        let versions = keys.iter().map(|&key| self.after[at].get(key));
        let mut answer = accepted(&self.chain.headers[at]);
        let value = |version: Option<&Version>| {
            json!(version.and_then(|(value, _)| value.clone()).map(Hex))
        };
        answer.insert("values".to_owned(), versions.clone().map(value).collect());
        answer.insert("states".to_owned(), versions.map(state).collect::<Value>());
        answer
    }
}

/// The state of a key, in JSON.
pub(super) fn state(version: Option<&Version>) -> Value {
    match version {
        Some((Some(value), since)) => {
            json!({ "value": Hex(value.clone()), "since": Quantity(*since) })
        }
        Some((None, deleted)) => json!({ "deletedAt": Quantity(*deleted) }),
        None => json!({}),
    }
}

fn limits(file: &mut Builder) {
    let with = |max_key, max_value| {
        let limits = ChainLimits { max_key, max_value, max_ops: 2 };
        States::new(limits, &[vec![set("alice", "100"), set("bob", "")]])
    };
    let (small, lower) = (with(5, 3), with(5, 2));
    let mut invalid = |comment: &str, of: &States, keys: &[&[u8]], reason| {
        file.invalid(&["Limit"], format!("amb: {comment}"), &of.answer(0, keys), reason);
    };
    invalid("a key longer than the chain allows", &small, &[b"alices"], Reason::KeyLength);
    invalid("no keys", &small, &[], Reason::InvalidArgument);
    invalid("a value longer than the chain allows", &lower, &[b"alice"], Reason::ValueTooLarge);
}

fn refused(file: &mut Builder, states: &States) {
    let (older, newer) = (states.answer(3, &KEYS), states.answer(6, &KEYS));
    let input = StateAnswer { header: None, path: None, ..older.clone() };
    let comment = "amb: the proof of an older block for the head";
    file.invalid(&["Keys"], comment, &input, Reason::ValueTooLarge);
    let input = StateAnswer { proof: newer.proof, ..older };
    let comment = "amb: the proof of the head for an older block";
    file.invalid(&["Keys"], comment, &input, Reason::IndexOutOfRange);
}
