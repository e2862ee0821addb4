//! `mpt/answer_negative.json`: answers to `eth_getProof` that a verifier must refuse.

mod form;
mod lies;
mod values;

use super::state::{CONTRACT, State};
use crate::carrier::{Address, Word};
use crate::generate::builder::Builder;
use crate::mpt::{EthGetProof, Response};

const FLAGS: &[(&str, &str)] = &[
    ("Absence", "an account or slot that exists is passed off as absent, or the reverse"),
    ("Account", "the value of the account is not that of any; the root is the adversary's"),
    ("Field", "a field of the answer is not what the proof shows"),
    ("Form", "the answer is not one to eth_getProof"),
    ("Input", "the input cannot be read as one of an EthGetProof"),
    ("Limit", "more than a limit allows"),
    ("OtherProof", "a proof of another account, slot, contract or state"),
    ("Slot", "the value of the slot is not that of any; the root is the adversary's"),
    ("SlotKeys", "the slots of the answer are not those asked for"),
];

/// The file's bytes.
pub(in crate::generate) fn file() -> String {
    let mut file = Builder::new("mpt", FLAGS);
    file.group("EthGetProof");
    let state = State::new();
    lies::add(&mut file, &state);
    values::add(&mut file, &state);
    form::add(&mut file, &state);
    file.finish()
}

const ASKED: [Word; 2] = [Word([0; 32]), Word([7; 32])];

/// The honest answer about [`CONTRACT`], changed.
fn changed(state: &State, change: impl FnOnce(&mut Response)) -> EthGetProof {
    changed_of(state, CONTRACT, change)
}

fn changed_of(state: &State, address: Address, change: impl FnOnce(&mut Response)) -> EthGetProof {
    let mut answer = state.answer(address, &ASKED);
    change(&mut answer);
    state.with_answer(address, &ASKED, &answer)
}
