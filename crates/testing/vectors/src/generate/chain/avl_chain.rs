//! Chains with a state: each block's operations, and the dictionary and a sorted map after it.

use std::collections::BTreeMap;

use prooflight_core::chain::state_key;
use prooflight_core::chain::{ChainConfig, Header, StateOperation, operations_root};
use prooflight_core::{Hash, Scheme};
use prooflight_json::HexBytes;
use prooflight_json::checkpoint::LimitsJson;
use serde_json::{json, to_value};

use super::header_chain::{HeaderChain, accepted};
use crate::answer::VerifierAnswer;
use crate::avl::AvlOp;
use crate::generate::builder::expected;
use crate::generate::dictionary::{AvlDictionary, insert_or_update, lookup, remove_if_exists};
use crate::state::{OperationJson, StateAnswer, StateBlock};

/// A chain, and the states whose roots its headers have.
#[derive(Clone)]
pub(super) struct AvlChain {
    pub(super) chain: HeaderChain,
    pub(super) blocks: Vec<AvlBlock>,
}

/// A block's operations, and the state after it.
#[derive(Clone)]
pub(super) struct AvlBlock {
    pub(super) ops: Vec<OperationJson>,
    pub(super) digest_before: HexBytes,
    pub(super) proof: HexBytes,
    pub(super) after: AvlDictionary,
    values: BTreeMap<Vec<u8>, Vec<u8>>,
}

impl AvlChain {
    /// A chain with these blocks; their operations must be normalised.
    pub(super) fn new(config: ChainConfig, blocks: Vec<Vec<OperationJson>>) -> Self {
        let mut dictionary = AvlDictionary::new(32, None);
        let mut values = BTreeMap::new();
        let blocks = blocks.into_iter().map(|ops| {
            perform(&mut values, &ops);
            let (batch, _) = dictionary.apply(&batch_of(&ops));
            let (after, values) = (dictionary.clone(), values.clone());
            AvlBlock { ops, digest_before: batch.digest, proof: batch.proof, after, values }
        });
        let blocks = blocks.collect::<Vec<_>>();
        let mut next = blocks.iter();
        let chain = HeaderChain::with(config, blocks.len(), |header| {
            let block = next.next().expect("a header a block");
            header.ops_root = ops_root(&block.ops);
            set_root(header, &block.after.digest());
        });
        Self { chain, blocks }
    }

    /// The honest answer about a block, with its header if it is older than the head.
    pub(super) fn answer(&self, at: usize, head: usize, keys: &[&[u8]]) -> StateAnswer {
        self.answer_from(0, at, head, keys)
    }

    /// The same for a checkpoint at some height.
    pub(super) fn answer_from(
        &self,
        from: usize,
        at: usize,
        head: usize,
        keys: &[&[u8]],
    ) -> StateAnswer {
        let lookups = keys.iter().map(|key| lookup(state_key(key))).collect::<Vec<_>>();
        let proof = self.blocks[at].after.prove(&lookups).0.proof;
        self.chain.answer(Scheme::Avl, (from, at, head), keys, proof)
    }

    /// The expected answer about a block, from the sorted map.
    pub(super) fn expected(&self, at: usize, keys: &[&[u8]]) -> VerifierAnswer {
        let values = &self.blocks[at].values;
        let value = |key: &&[u8]| values.get(*key).map(|value| HexBytes(value.clone()));
        let values = keys.iter().map(value).collect::<Vec<_>>();
        let mut answer = accepted(&self.chain.headers[at]);
        answer.insert("values".to_owned(), to_value(values).expect("plain data"));
        answer
    }

    /// The input of a `BlockTransition` test: the honest transition of a block.
    pub(super) fn transition(&self, height: usize) -> StateBlock {
        let block = &self.blocks[height];
        StateBlock {
            parent: None,
            digest: Some(block.digest_before.clone()),
            header: HexBytes(self.chain.headers[height].encode()),
            limits: LimitsJson::from(&self.chain.config.limits),
            ops: block.ops.clone(),
            proof: block.proof.clone(),
        }
    }

    /// The digest that an honest transition of a block leads to.
    pub(super) fn expected_digest(&self, height: usize) -> VerifierAnswer {
        expected(json!({ "digest": self.blocks[height].after.digest() }))
    }
}

/// Replaces the `avl` root of a header, if it has one.
fn set_root(header: &mut Header, digest: &HexBytes) {
    if let Some((_, root)) = header.roots.iter_mut().find(|(id, _)| *id == Scheme::Avl.id()) {
        root.clone_from(&digest.0);
    }
}

/// A block in the dictionary's operations.
fn batch_of(ops: &[OperationJson]) -> Vec<AvlOp> {
    let mut batch = ops.iter().map(op_of).collect::<Vec<_>>();
    batch.sort_by(|a, b| a.borrow().key().cmp(b.borrow().key()));
    batch
}

/// An operation in the dictionary's form.
fn op_of(op: &OperationJson) -> AvlOp {
    match op {
        OperationJson::Set { key, value } => insert_or_update(state_key(&key.0), value.0.clone()),
        OperationJson::Delete { key } => remove_if_exists(state_key(&key.0)),
    }
}

pub(super) fn ops_root(ops: &[OperationJson]) -> Hash {
    operations_root(&ops.iter().cloned().map(StateOperation::from).collect::<Vec<_>>())
}

fn perform(values: &mut BTreeMap<Vec<u8>, Vec<u8>>, ops: &[OperationJson]) {
    assert!(ops.is_sorted_by(|a, b| key_of(a) < key_of(b)), "operations are normalised");
    for op in ops {
        match op {
            OperationJson::Set { key, value } => {
                drop(values.insert(key.0.clone(), value.0.clone()));
            }
            OperationJson::Delete { key } => {
                values.remove(&key.0).expect("only keys that are there are deleted");
            }
        }
    }
}

fn key_of(op: &OperationJson) -> &[u8] {
    match op {
        OperationJson::Set { key, .. } | OperationJson::Delete { key } => &key.0,
    }
}

pub(super) fn set(key: impl Into<Vec<u8>>, value: impl Into<Vec<u8>>) -> OperationJson {
    OperationJson::Set { key: HexBytes(key.into()), value: HexBytes(value.into()) }
}

pub(super) fn delete(key: impl Into<Vec<u8>>) -> OperationJson {
    OperationJson::Delete { key: HexBytes(key.into()) }
}

/// The blocks of most tests: keys are added, changed, deleted and added again.
pub(super) fn seven_blocks() -> Vec<Vec<OperationJson>> {
    let numbered = (0..20u8).map(|n| set(format!("key {n:02}"), vec![n; n.into()]));
    let mut many = vec![set("", "of the empty key"), set("empty", "")];
    many.extend(numbered);
    many.push(set([0xff; 256], [1]));
    vec![
        vec![set("alice", "100"), set("bob", "50")],
        many,
        vec![],
        vec![set("alice", "70"), set("bob", "80"), delete("key 03"), delete("key 11")],
        vec![delete("alice"), set("carol", vec![7; 300]), set("key 03", "again")],
        vec![set("alice", "1"), delete("bob"), set("carol", vec![7; 300])],
        vec![set("dave", ""), set("key 07", "changed")],
    ]
}
