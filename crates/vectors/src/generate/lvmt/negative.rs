//! `lvmt/proof_negative.json`: what a verifier must refuse.

use prooflight_core::Reason;
use serde_json::{Value, json, to_value};

use super::lies::{FLAGS as LIES, Question, lies};
use super::sample::{find, name, sample};
use super::{bytes, cancelling, input, order, trees};
use crate::generate::builder::Builder;
use crate::lvmt::LvmtProof;
use crate::run::verify;

const FLAGS: &[(&str, &str)] = &[
    (
        "Coefficients",
        "wrong openings whose errors cancel where the coefficients do not depend on all that is claimed",
    ),
    LIES[0],
    LIES[1],
    LIES[2],
    LIES[3],
    LIES[4],
    LIES[5],
    ("Input", "the input cannot be read as one of an LvmtProof"),
    (
        "Mutated",
        "an honest proof with a byte changed, inserted, deleted or swapped; only the code is pinned",
    ),
    order::NOTE,
    ("Tree", "the Merkle trees are of another form, or the hashes not those beside the leaves"),
    ("Truncated", "the proof ends early"),
];

/// The file's bytes.
pub(in crate::generate) fn file() -> String {
    let mut file = Builder::new("lvmt", FLAGS);
    file.group("LvmtProof");
    for lie in lies() {
        file.invalid(&[lie.flag], lie.comment, &input(&lie.question), lie.reason);
    }
    trees::add(&mut file);
    order::add(&mut file);
    cancelling::add(&mut file);
    inputs(&mut file);
    bytes::add(&mut file);
    mutations(&mut file);
    file.finish()
}

fn inputs(file: &mut Builder) {
    let state = sample(4, 2, 24);
    let key = name(1);
    let question = Question::new(&state, &[&key], &state.prove(&[&key]));
    let honest = to_value(input(&question)).expect("plain data");
    let mut changed = |reason, comment: &str, path: &str, value: Value| {
        let mut input = honest.clone();
        *input.pointer_mut(path).expect("a member") = value;
        file.invalid(&["Input"], comment, &input, reason);
    };
    let argument = Reason::InvalidArgument;
    changed(
        Reason::UnknownSetup,
        "a setup that nobody knows",
        "/paramsId",
        json!("0x".to_owned() + &"00".repeat(32)),
    );
    changed(Reason::UnknownSetup, "the setup for other vectors", "/logN", json!(5));
    changed(argument, "vectors of one entry", "/logN", json!(0));
    changed(argument, "vectors of 2^29 entries", "/logN", json!(29));
    changed(argument, "a logN of two bytes", "/logN", json!(260));
    changed(argument, "a logArity as text", "/logArity", json!("2"));
    changed(
        argument,
        "a setup of 31 bytes",
        "/paramsId",
        json!("0x".to_owned() + &"00".repeat(31)),
    );
    changed(
        argument,
        "an aroot of 33 bytes",
        "/roots/aroot",
        json!("0x".to_owned() + &"00".repeat(33)),
    );
    changed(argument, "an hroot that is null", "/roots/hroot", Value::Null);
    changed(argument, "a height as a number", "/roots/height", json!(4));
    let beyond = json!(9_007_199_254_740_993_u64);
    changed(argument, "a height above 2^53 as a number", "/roots/height", beyond);
    changed(argument, "a height with a leading zero", "/roots/height", json!("0x04"));
    changed(argument, "a height after 0X", "/roots/height", json!("0X4"));
    changed(argument, "keys that are no list", "/keys", json!("0x00"));
    changed(argument, "a key that is a number", "/keys/0", json!(7));
    changed(argument, "a proof of half a byte", "/proof", json!("0x0"));
    changed(argument, "a permission that is a number", "/allowInsecureSetup", json!(1));
    changed(argument, "roots as a list", "/roots", json!([]));
    let mut more = honest.clone();
    more["allowInsecure"] = json!(true);
    file.invalid(&["Input"], "a member that there is not", &more, argument);
    for member in ["paramsId", "logN", "logArity", "roots", "keys", "proof"] {
        let mut less = honest.clone();
        less.as_object_mut().expect("an object").remove(member);
        file.invalid(&["Input"], format!("no {member}"), &less, argument);
    }
}

/// Bytes of proofs changed all over.
fn mutations(file: &mut Builder) {
    let state = sample(2, 1, 40);
    let below = find(&state, |record| record.level == 1 && record.value.is_some());
    for (what, key) in [("present", below), ("absent", name(1000))] {
        let honest = input(&Question::new(&state, &[&key], &state.prove(&[&key])));
        let length = honest.proof.0.len();
        for at in (0..length).step_by(length / 24) {
            let mut proof = honest.proof.clone();
            let change = match at % 3 {
                0 => {
                    proof.0[at] ^= 0x10;
                    "flipped"
                }
                1 => {
                    proof.0.insert(at, 0x10);
                    "inserted"
                }
                _ => {
                    proof.0.remove(at);
                    "deleted"
                }
            };
            let input = LvmtProof { proof, ..honest.clone() };
            // Another number of leaves may give the same tree.
            let json = to_value(&input).expect("plain data");
            if verify("LvmtProof", &json).is_ok_and(|answer| answer.is_err()) {
                let comment = format!("byte {at} of the proof of the {what} key {change}");
                file.refused(&["Mutated"], comment, &input);
            }
        }
    }
}
