//! What each key has beside its value, and verifying keys that the caller gives.

use prooflight_amt::VerifyingKey;
use prooflight_core::{Reason, Scheme};
use serde_json::{Value, json, to_value};

use super::lvmt::under;
use super::{States, of_both};
use crate::carrier::{Hex, Quantity};
use crate::generate::builder::Builder;
use crate::generate::lvmt::other_key;
use crate::state::StateAnswer;

const KEYS: [&[u8]; 5] = [b"alice", b"bob", b"carol", b"dave", b"nobody"];

pub(super) fn add(file: &mut Builder) {
    let states = States::new();
    for scheme in super::SCHEMES {
        for at in [0, 3, 4, 6] {
            let input = states.answer(scheme, at, 6, &KEYS);
            let mut expected = states.expected(at, &KEYS);
            let found = KEYS.iter().map(|key| found(&states, scheme, at as u64, key));
            expected.insert("states".to_owned(), found.collect());
            let comment =
                format!("{}: since when keys are as they are, at block {at}", scheme.as_str());
            file.valid(&["Keys"], comment, &input, expected);
        }
    }
    keys(file, &states);
}

/// What a scheme says of a key, by the list of its changes.
fn found(states: &States, scheme: Scheme, at: u64, key: &[u8]) -> Value {
    let Some((block, value)) = states.smt.last_change(key, at) else { return json!({}) };
    let mut members = match value {
        Some(value) => json!({ "value": Hex(value.to_vec()), "since": Quantity(block) }),
        None => json!({ "deletedAt": Quantity(block) }),
    };
    if scheme == Scheme::Lvmt {
        let changed =
            |block: &u64| states.smt.last_change(key, *block).is_some_and(|it| it.0 == *block);
        members["version"] = json!(Quantity((0..=at).filter(changed).count() as u64));
    }
    members
}

fn keys(file: &mut Builder, states: &States) {
    let honest = states.answer(Scheme::Lvmt, 6, 6, &[b"alice"]);
    let with = |input: &StateAnswer, key: &[u8]| StateAnswer {
        verifying_key: Some(Hex(key.to_vec())),
        ..input.clone()
    };
    let dev = |log_n| VerifyingKey::dev(log_n).expect("a setup of that size");
    let own = with(&honest, dev(4).encode());
    let expected = states.expected(6, &[b"alice"]);
    file.valid(&["Setup"], "lvmt: the chain's own verifying key", &own, expected.clone());
    let smt = with(&states.answer(Scheme::Smt, 6, 6, &[b"alice"]), &[0]);
    file.valid(&["Setup"], "smt: a verifying key, and it has none", &smt, expected);
    // Only what was never written can be shown without the secret of the setup.
    let empty = States::with(of_both(4, 2), &[vec![], vec![]]);
    let other = other_key(4);
    let unknown = under(&empty, &empty.answer(Scheme::Lvmt, 1, 1, &[b"alice"]), |lvmt| {
        lvmt.params_id = other.params_id();
    });
    let unknown = StateAnswer { allow_insecure_setup: false, ..unknown };
    let mut expected = empty.expected(1, &[b"alice"]);
    // The configuration is part of the header.
    expected.shift_remove("headerHash");
    let comment = "lvmt: the verifying key of a setup that is not built in";
    file.valid(&["Setup"], comment, &with(&unknown, other.encode()), expected);
    let ppot = VerifyingKey::ppot(4).expect("a setup of that size");
    let mut damaged = other.encode().to_vec();
    damaged.push(0);
    let insecure = StateAnswer { allow_insecure_setup: false, ..own.clone() };
    let allowed = StateAnswer { allow_insecure_setup: true, ..unknown.clone() };
    let mismatch = Reason::SetupMismatch;
    for (comment, input, reason) in [
        ("no verifying key, and none is built in", unknown.clone(), Reason::UnknownSetup),
        ("another verifying key than the chain's", with(&honest, other.encode()), mismatch),
        ("another key of the chain's secret", with(&honest, dev(8).encode()), mismatch),
        ("a built-in key where the chain has another", with(&unknown, ppot.encode()), mismatch),
        (
            "the development key where the chain has another",
            with(&allowed, dev(4).encode()),
            mismatch,
        ),
        ("a verifying key with a byte too many", with(&unknown, &damaged), mismatch),
        ("no bytes of a verifying key", with(&honest, &[]), mismatch),
        ("the development key, which is not allowed", insecure, Reason::InsecureSetup),
    ] {
        file.invalid(&["Setup"], format!("lvmt: {comment}"), &input, reason);
    }
    for value in [json!(null), json!("dev"), json!(true)] {
        let mut input = to_value(&honest).expect("plain data");
        input["verifyingKey"] = value.clone();
        let comment = format!("lvmt: a verifying key of {value}");
        file.invalid(&["Setup"], comment, &input, Reason::InvalidArgument);
    }
}
