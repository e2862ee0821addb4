//! What is so of `lvmt` alone: its setup.

use prooflight_amt::VerifyingKey;
use prooflight_core::chain::LvmtConfig;
use prooflight_core::{Reason, Scheme};

use super::{States, of_both};
use crate::generate::builder::Builder;
use crate::generate::chain::ledger::seven_blocks;
use crate::generate::chain::made::{Chain, change_lvmt, sync};
use crate::state::StateAnswer;

const KEYS: [&[u8]; 1] = [b"alice"];

pub(super) fn add(file: &mut Builder) {
    let states = States::new();
    let honest = states.answer(Scheme::Lvmt, 6, 6, &KEYS);
    let none = states.answer(Scheme::Lvmt, 6, 6, &[]);
    file.valid(&["Keys"], "lvmt: no key", &none, states.expected(6, &[]));
    let input = StateAnswer { allow_insecure_setup: false, ..honest.clone() };
    let comment = "lvmt: the development setup, which is not allowed";
    file.invalid(&["Setup"], comment, &input, Reason::InsecureSetup);
    let input = StateAnswer { allow_insecure_setup: false, ..none };
    let comment = "lvmt: the development setup, which is not allowed, and no key";
    file.invalid(&["Setup"], comment, &input, Reason::InsecureSetup);
    shapes(file);
    ceremony(file);
    others(file, &states, &honest);
}

fn shapes(file: &mut Builder) {
    for (log_n, log_arity) in [(1, 1), (4, 1), (4, 4), (6, 3)] {
        let states = States::with(of_both(log_n, log_arity), &seven_blocks());
        let keys: [&[u8]; 3] = [b"alice", b"key 07", b"nobody"];
        let comment = format!("lvmt: log_n {log_n}, log_arity {log_arity}");
        let input = states.answer(Scheme::Lvmt, 6, 6, &keys);
        file.valid(&["Setup"], comment, &input, states.expected(6, &keys));
    }
}

/// Only what was never written can be shown without the powers that the ceremony's commitments need.
fn ceremony(file: &mut Builder) {
    let states = States::with(of_both(4, 2), &[vec![], vec![]]);
    let input = under(&states, &states.answer(Scheme::Lvmt, 1, 1, &KEYS), |lvmt| {
        lvmt.params_id = VerifyingKey::ppot(4).expect("a setup of that size").params_id();
    });
    let input = StateAnswer { allow_insecure_setup: false, ..input };
    let comment = "lvmt: a key of an empty state, by the setup of the ceremony";
    let mut expected = states.expected(1, &KEYS);
    // The configuration is part of the header.
    expected.shift_remove("headerHash");
    file.valid(&["Setup"], comment, &input, expected);
}

fn others(file: &mut Builder, states: &States, honest: &StateAnswer) {
    let mut refuse = |comment: &str, reason, change: fn(&mut LvmtConfig)| {
        let input = under(states, honest, change);
        file.invalid(&["Setup"], format!("lvmt: {comment}"), &input, reason);
    };
    refuse("a setup that nobody knows", Reason::UnknownSetup, |lvmt| lvmt.params_id[0] ^= 1);
    refuse("the setup of vectors of another length", Reason::UnknownSetup, |lvmt| {
        lvmt.log_n = 8;
    });
    refuse("vectors of no length", Reason::InvalidConfig, |lvmt| lvmt.log_n = 0);
    refuse("vectors longer than any setup", Reason::InvalidConfig, |lvmt| lvmt.log_n = 29);
    refuse("an arity of 1", Reason::InvalidConfig, |lvmt| lvmt.log_arity = 0);
    refuse("an arity that does not fit", Reason::InvalidConfig, |lvmt| lvmt.log_arity = 3);
    refuse("an arity above the length", Reason::InvalidConfig, |lvmt| lvmt.log_arity = 8);
    refuse("the setup of vectors too long for a level", Reason::InvalidConfig, |lvmt| {
        lvmt.log_n = 17;
        lvmt.log_arity = 1;
        lvmt.params_id = VerifyingKey::dev(17).expect("a setup of that size").params_id();
    });
    refuse("another arity than the proof's", Reason::OpeningLength, |lvmt| lvmt.log_arity = 1);
    refuse("another setup than the proof's", Reason::OpeningMismatch, |lvmt| {
        lvmt.params_id = VerifyingKey::ppot(4).expect("a setup of that size").params_id();
    });
}

/// The answer by a chain that is the same but for its parameters.
pub(super) fn under(
    states: &States,
    answer: &StateAnswer,
    change: impl Fn(&mut LvmtConfig),
) -> StateAnswer {
    let mut config = states.chain.config.clone();
    change_lvmt(&mut config, change);
    let mut roots = states.chain.headers.iter();
    let chain = Chain::with(config, states.chain.headers.len(), |header| {
        header.roots.clone_from(&roots.next().expect("as many headers").roots);
    });
    let head = states.chain.headers.len() - 1;
    let of = sync(&chain.checkpoint(0), &chain.signed(head), &chain.path(0, head));
    let inclusion = of.inclusion;
    StateAnswer { checkpoint: of.checkpoint, head: of.head, inclusion, ..answer.clone() }
}
