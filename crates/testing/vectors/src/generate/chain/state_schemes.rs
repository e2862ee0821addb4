//! `chain/state_answer_schemes.json`: honest answers by `lvmt` and `smt`; `lmpt` and `amb` have their own modules.

use prooflight_amt::VerifyingKey;
use prooflight_core::Scheme;
use prooflight_core::chain::{ChainConfig, ChainLimits, LvmtConfig, SchemeConfig};
use prooflight_json::HexBytes;
use prooflight_lvmt::proof::PROOF_ENVELOPE;
use serde_json::to_value;

use super::avl_chain::{ops_root, set, seven_blocks};
use super::header_chain::{HeaderChain, accepted, config};
use super::{state_amb, state_lmpt};
use crate::answer::VerifierAnswer;
use crate::generate::builder::FileBuilder;
use crate::generate::lvmt::state::LvmtModel;
use crate::generate::smt::plain::PlainTree;
use crate::state::{OperationJson, StateAnswer};

const SCHEMES: [Scheme; 2] = [Scheme::Lvmt, Scheme::Smt];

/// Adds the tests made by code.
pub(in super::super) fn make(file: &mut FileBuilder) {
    file.group("StateAnswer");
    let states = SchemeStates::new();
    for scheme in SCHEMES {
        history(file, &states, scheme);
        keys(file, &states, scheme);
        limits(file, &states, scheme);
    }
    state_lmpt::make(file);
    state_amb::make(file);
}

/// A chain that keeps both schemes, with the states of its blocks.
struct SchemeStates {
    chain: HeaderChain,
    lvmt: Vec<LvmtModel>,
    smt: PlainTree,
}

impl SchemeStates {
    /// The chain of most tests.
    fn new() -> Self {
        Self::with(of_both(4, 2), &seven_blocks())
    }

    /// A chain with these blocks; their operations must be normalised.
    fn with(config: ChainConfig, blocks: &[Vec<OperationJson>]) -> Self {
        let LvmtConfig { log_n, log_arity, .. } = config.lvmt().expect("it keeps lvmt");
        let mut state = LvmtModel::new(log_n, log_arity);
        let mut lvmt = Vec::new();
        let mut smt = PlainTree::default();
        for (height, ops) in (0..).zip(blocks) {
            let changes: Vec<_> = ops.iter().map(change).collect();
            let borrowed: Vec<_> = changes.iter().map(|(k, v)| (&k[..], v.as_deref())).collect();
            state.commit(&borrowed);
            lvmt.push(state.clone());
            smt.apply(height, changes);
        }
        let mut next = lvmt.iter().zip(blocks);
        let chain = HeaderChain::with(config, blocks.len(), |header| {
            let (state, ops) = next.next().expect("a block a header");
            header.ops_root = ops_root(ops);
            for (id, root) in &mut header.roots {
                if *id == Scheme::Lvmt.id() {
                    let of = state.root();
                    *root = [of.aroot, of.hroot].concat();
                } else if *id == Scheme::Smt.id() {
                    *root = smt.root(header.height).to_vec();
                }
            }
        });
        Self { chain, lvmt, smt }
    }

    /// The honest proof of keys in the state of a block.
    fn proof(&self, scheme: Scheme, at: usize, keys: &[&[u8]]) -> Vec<u8> {
        match scheme {
            Scheme::Lvmt => PROOF_ENVELOPE.encode(&self.lvmt[at].prove(keys)),
            _ => self.smt.prove(at as u64, keys),
        }
    }

    /// The honest answer about a block, with its header if it is older than the head.
    fn answer(&self, scheme: Scheme, at: usize, head: usize, keys: &[&[u8]]) -> StateAnswer {
        let proof = HexBytes(self.proof(scheme, at, keys));
        self.chain.answer(scheme, (0, at, head), keys, proof)
    }

    /// The expected answer about a block, from the list of each key's changes.
    fn expected(&self, at: usize, keys: &[&[u8]]) -> VerifierAnswer {
        let value = |key: &&[u8]| {
            let (_, value) = self.smt.last_change(key, at as u64)?;
            value.map(|value| HexBytes(value.to_vec()))
        };
        let values: Vec<_> = keys.iter().map(value).collect();
        let mut answer = accepted(&self.chain.headers[at]);
        answer.insert("values".to_owned(), to_value(values).expect("plain data"));
        answer
    }
}

/// A chain of both schemes, with vectors of `2^log_n` entries of the development setup.
fn of_both(log_n: u8, log_arity: u8) -> ChainConfig {
    let params_id = VerifyingKey::dev(log_n).expect("a setup of that size").params_id();
    let lvmt = SchemeConfig::lvmt(&LvmtConfig { params_id, log_n, log_arity });
    ChainConfig { schemes: vec![lvmt, SchemeConfig::without_params(Scheme::Smt)], ..config(1, 1) }
}

fn change(op: &OperationJson) -> (Vec<u8>, Option<Vec<u8>>) {
    match op {
        OperationJson::Set { key, value } => (key.0.clone(), Some(value.0.clone())),
        OperationJson::Delete { key } => (key.0.clone(), None),
    }
}

type KeySlices<'a> = &'a [&'a [u8]];

fn history(file: &mut FileBuilder, states: &SchemeStates, scheme: Scheme) {
    let name = scheme.as_str();
    for key in ["alice", "bob", "key 03"] {
        for at in 0..=6 {
            let keys = [key.as_bytes()];
            let comment = format!("{name}: {key} at block {at}, by the head 6");
            let input = states.answer(scheme, at, 6, &keys);
            file.valid(&["History"], comment, &input, states.expected(at, &keys));
        }
    }
}

fn keys(file: &mut FileBuilder, states: &SchemeStates, scheme: Scheme) {
    let numbered = (0..20).map(|n| format!("key {n:02}")).collect::<Vec<_>>();
    let all = numbered.iter().map(String::as_bytes).collect::<Vec<_>>();
    let long = [0xff; 256];
    let longer = [&[0xff; 255][..], &[0xfe]].concat();
    let cases: [(&str, KeySlices<'_>); 8] = [
        ("the empty key", &[b""]),
        ("a value of no bytes, beside an absent key", &[b"dave", b"erin"]),
        ("a key of 256 bytes, which is present", &[&long]),
        ("a key of 256 bytes, which is absent", &[&longer]),
        ("a key that is the beginning of others", &[b"key"]),
        ("20 keys, two of them gone at times", &all),
        ("a key twice", &[b"alice", b"alice"]),
        ("absent and present keys, some twice", &[b"x", b"carol", b"x", b"bob", b"carol"]),
    ];
    for (comment, keys) in cases {
        for (at, block) in [(6, "the head"), (4, "an older block")] {
            let comment = format!("{}: {comment}, at {block}", scheme.as_str());
            let input = states.answer(scheme, at, 6, keys);
            file.valid(&["Keys"], comment, &input, states.expected(at, keys));
        }
    }
    let empty = SchemeStates::with(of_both(4, 2), &[vec![], vec![]]);
    let keys: [&[u8]; 2] = [b"alice", b""];
    let comment = format!("{}: two keys of an empty state", scheme.as_str());
    let input = empty.answer(scheme, 1, 1, &keys);
    file.valid(&["Keys"], comment, &input, empty.expected(1, &keys));
}

fn limits(file: &mut FileBuilder, states: &SchemeStates, scheme: Scheme) {
    let name = scheme.as_str();
    let with = |max_key, max_value, max_ops| ChainConfig {
        limits: ChainLimits { max_key, max_value, max_ops },
        ..of_both(4, 2)
    };
    let blocks = [vec![set("alice", "100"), set("bob", "")]];
    let small = SchemeStates::with(with(5, 3, 2), &blocks);
    let mut valid = |comment: &str, of: &SchemeStates, keys: &[&[u8]]| {
        let input = of.answer(scheme, 0, 0, keys);
        file.valid(&["Limit"], format!("{name}: {comment}"), &input, of.expected(0, keys));
    };
    valid("keys of as many bytes as the chain allows", &small, &[b"alice", b"carol"]);
    valid("more keys than a block of the chain has operations", &small, &[b"a", b"bob", b"c"]);
    valid("4,096 keys, the default limit", states, &vec![&b"bob"[..]; 4096]);
    let larger = vec![0xa5; 65_537];
    let larger = SchemeStates::with(with(256, 65_537, 2), &[vec![set("large", larger)]]);
    valid("a value above the default limit, which the chain allows", &larger, &[b"large"]);
}
