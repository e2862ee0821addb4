//! `chain/state_answer_negative.json`: answers of a server that lies, or that was asked wrongly.

mod blocks;
mod forged;
mod heads;
mod inputs;
mod keys;
mod strict;

use super::ledger::{Ledger, seven_blocks};
use super::made::config;
use crate::carrier::Hex;
use crate::generate::builder::Builder;
use crate::state::StateAnswer;

const FLAGS: &[(&str, &str)] = &[
    ("Absence", "a present key is shown as absent, or an absent one as present"),
    ("Forged", "what the proof says has been changed"),
    ("Head", "the head is not one to believe, whatever the answer is"),
    ("Header", "the header of the block is not that of an ancestor of the head"),
    ("Input", "the input cannot be read as one of a StateAnswer"),
    ("Keys", "the proof is about other keys than were asked for, or in another order"),
    ("Limit", "more than the chain or the verifier allows"),
    ("Mutated", "an honest proof with a bit flipped; only the code is pinned"),
    ("NoRoot", "the header has no root of the scheme"),
    ("Order", "several things are wrong, and the first of them says why"),
    ("OtherBlock", "a right proof, but of another block than the header's"),
    ("Strict", "a proof that shows the values, but is not the one that an honest prover makes"),
    ("Truncated", "the proof ends early; only the code is pinned"),
];

/// The file's bytes.
pub(in super::super) fn file() -> String {
    let mut file = Builder::new("chain", FLAGS);
    file.group("StateAnswer");
    forged::add(&mut file);
    strict::add(&mut file);
    keys::add(&mut file);
    blocks::add(&mut file);
    heads::add(&mut file);
    inputs::add(&mut file);
    file.finish()
}

fn ledger() -> Ledger {
    Ledger::new(config(1, 1), seven_blocks())
}

fn with_proof(answer: &StateAnswer, proof: Vec<u8>) -> StateAnswer {
    StateAnswer { proof: Hex(proof), ..answer.clone() }
}

fn with_keys(answer: &StateAnswer, keys: &[&[u8]]) -> StateAnswer {
    StateAnswer { keys: keys.iter().map(|key| Hex(key.to_vec())).collect(), ..answer.clone() }
}
