//! `chain/state_answer_schemes.json`: answers about the state by `lvmt` and `smt`, right and wrong.

mod beside;
mod both;
mod given;
mod lvmt;
mod smt;

use prooflight_amt::VerifyingKey;
use prooflight_core::Scheme;
use prooflight_core::chain::{ChainConfig, LvmtConfig, SchemeConfig};
use prooflight_lvmt::proof::ENVELOPE;
use serde_json::to_value;

use super::ledger::{ops_root, seven_blocks, with_header};
use super::made::{Chain, accepted, config, sync};
use crate::answer::Answer;
use crate::carrier::Hex;
use crate::generate::builder::Builder;
use crate::generate::lvmt::state::State;
use crate::generate::smt::plain::Plain;
use crate::state::{StateAnswer, StateOp};

const FLAGS: &[(&str, &str)] = &[
    ("History", "keys that come, change, go and come back, at every block"),
    ("Keys", "which keys are asked for, and in which order"),
    ("Limit", "as much as the chain or the verifier allows, or more"),
    ("NoRoot", "the chain does not have the scheme"),
    ("Order", "several things are wrong, and the first of them says why"),
    ("OtherBlock", "a right proof, but of another block than the header's"),
    ("OtherKeys", "a right proof, but of other keys than were asked for"),
    ("OtherScheme", "a proof of another scheme or kind"),
    ("Setup", "which setup a chain has, and whether it is allowed"),
];

const SCHEMES: [Scheme; 2] = [Scheme::Lvmt, Scheme::Smt];

/// The file's bytes.
pub(in super::super) fn file() -> String {
    let mut file = Builder::new("chain", FLAGS);
    file.group("StateAnswer");
    both::add(&mut file);
    beside::add(&mut file);
    lvmt::add(&mut file);
    smt::add(&mut file);
    given::add(&mut file);
    file.finish()
}

/// A chain that keeps both schemes, with the states of its blocks.
struct States {
    chain: Chain,
    lvmt: Vec<State>,
    smt: Plain,
}

impl States {
    /// The chain of most tests.
    fn new() -> Self {
        Self::with(of_both(4, 2), &seven_blocks())
    }

    /// A chain with these blocks, whose operations are normalised.
    fn with(config: ChainConfig, blocks: &[Vec<StateOp>]) -> Self {
        let LvmtConfig { log_n, log_arity, .. } = config.lvmt().expect("it keeps lvmt");
        let mut state = State::new(log_n, log_arity);
        let mut lvmt = Vec::new();
        let mut smt = Plain::default();
        for (height, ops) in (0..).zip(blocks) {
            let changes: Vec<_> = ops.iter().map(change).collect();
            let borrowed: Vec<_> = changes.iter().map(|(k, v)| (&k[..], v.as_deref())).collect();
            state.commit(&borrowed);
            lvmt.push(state.clone());
            smt.apply(height, changes);
        }
        let mut next = lvmt.iter().zip(blocks);
        let chain = Chain::with(config, blocks.len(), |header| {
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
            Scheme::Lvmt => ENVELOPE.encode(&self.lvmt[at].prove(keys)),
            _ => self.smt.prove(at as u64, keys),
        }
    }

    /// The honest answer about a block, if it is an older one with its header, for a head.
    fn answer(&self, scheme: Scheme, at: usize, head: usize, keys: &[&[u8]]) -> StateAnswer {
        let of =
            sync(&self.chain.checkpoint(0), &self.chain.signed(head), &self.chain.path(0, head));
        let answer = StateAnswer {
            scheme: scheme.as_str().to_owned(),
            checkpoint: of.checkpoint,
            head: of.head,
            inclusion: of.inclusion,
            now: of.now,
            max_clock_skew: None,
            max_head_age: None,
            header: None,
            path: None,
            keys: keys.iter().map(|key| Hex(key.to_vec())).collect(),
            proof: Hex(self.proof(scheme, at, keys)),
            allow_insecure_setup: scheme == Scheme::Lvmt,
            verifying_key: None,
        };
        if at == head {
            return answer;
        }
        with_header(answer, &self.chain.headers[at], &self.chain.path(at, head))
    }

    /// What an honest answer about a block says, by the list of each key's changes.
    fn expected(&self, at: usize, keys: &[&[u8]]) -> Answer {
        let value = |key: &&[u8]| {
            let (_, value) = self.smt.last_change(key, at as u64)?;
            value.map(|value| Hex(value.to_vec()))
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
    ChainConfig { schemes: vec![lvmt, SchemeConfig::plain(Scheme::Smt)], ..config(1, 1) }
}

fn change(op: &StateOp) -> (Vec<u8>, Option<Vec<u8>>) {
    match op {
        StateOp::Set { key, value } => (key.0.clone(), Some(value.0.clone())),
        StateOp::Delete { key } => (key.0.clone(), None),
    }
}

fn with_proof(answer: &StateAnswer, proof: Vec<u8>) -> StateAnswer {
    StateAnswer { proof: Hex(proof), ..answer.clone() }
}
