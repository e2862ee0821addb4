//! `lvmt/setup.json`: verifying keys that the caller gives.

use prooflight_amt::VerifyingKey;
use prooflight_core::Reason;
use prooflight_lvmt::proof::ENVELOPE;
use serde_json::{json, to_value};

use super::state::State;
use crate::carrier::{Hash32, Hex, Quantity};
use crate::generate::builder::{Builder, expected};
use crate::lvmt::{LvmtProof, Roots};

const FLAGS: &[(&str, &str)] = &[
    ("Given", "a verifying key is given, and is that of the setup"),
    ("Input", "the verifying key is no bytes"),
    ("OtherKey", "the verifying key of another setup, or none at all"),
];

/// The verifying key of a setup that nothing has built in: the square of the development setup's secret.
pub(in crate::generate) fn other_key(log_n: u8) -> VerifyingKey {
    let larger = VerifyingKey::dev(log_n + 1).expect("a setup of that size");
    let points = &larger.encode()[1..];
    // Behind the generator come the powers; without the first they are those of the square.
    let bytes = [&[log_n][..], &points[..64], &points[128..]].concat();
    VerifyingKey::decode(&bytes).expect("points of the group")
}

/// The file's bytes.
pub(in crate::generate) fn file() -> String {
    let mut file = Builder::new("lvmt", FLAGS);
    file.group("LvmtProof");
    let dev = |log_n| VerifyingKey::dev(log_n).expect("a setup of that size");
    let ppot = |log_n| VerifyingKey::ppot(log_n).expect("a setup of that size");
    let mut state = State::new(4, 2);
    state.commit(&[(b"alice", Some(b"100"))]);
    let of_dev = ask(&state, &dev(4));
    let results = expected(json!({ "results": [
        { "value": Hex(b"100".to_vec()), "since": "0x0", "version": "0x1" },
    ] }));
    let mut empty = State::new(4, 2);
    empty.commit(&[]);
    let never = expected(json!({ "results": [{}] }));
    let other = other_key(4);
    for (comment, input, results) in [
        ("the development key", given(&of_dev, dev(4).encode()), results),
        ("the ceremony's key", given(&ask(&empty, &ppot(4)), ppot(4).encode()), never.clone()),
        ("a key that is not built in", given(&ask(&empty, &other), other.encode()), never),
    ] {
        file.valid(&["Given"], comment, &input, results);
    }
    let of_other = ask(&empty, &other);
    let mut wrong_id = given(&of_other, other.encode());
    wrong_id.params_id.0[31] ^= 1;
    let longer = |by: u8| LvmtProof { log_n: by, log_arity: 2, ..given(&of_other, other.encode()) };
    let cut = |bytes: &[u8]| bytes[..bytes.len() - 1].to_vec();
    for (comment, input) in [
        ("the key of another setup, of the development setup's id", given(&of_dev, other.encode())),
        ("the ceremony's key, of the development setup's id", given(&of_dev, ppot(4).encode())),
        ("the key of the same secret for longer vectors", given(&of_dev, dev(6).encode())),
        ("the key of the setup, for longer vectors", longer(6)),
        ("the key of the setup, for vectors of no length", longer(0)),
        ("the key of the setup, for vectors longer than any", longer(29)),
        ("the development key, of another setup's id", given(&of_other, dev(4).encode())),
        ("an id with another last bit", wrong_id),
        ("no bytes of a key", given(&of_dev, &[])),
        ("a key without its last byte", given(&of_other, &cut(other.encode()))),
        ("a key with a byte too many", given(&of_other, &[other.encode(), &[0]].concat())),
        ("a key of 29 powers", given(&of_other, &[&[29][..], &other.encode()[1..]].concat())),
    ] {
        file.invalid(&["OtherKey"], comment, &input, Reason::SetupMismatch);
    }
    let comment = "no key, and none is built in";
    file.invalid(&["OtherKey"], comment, &of_other, Reason::UnknownSetup);
    let refused = LvmtProof { allow_insecure_setup: false, ..given(&of_dev, dev(4).encode()) };
    let comment = "the development key, which is not allowed";
    file.invalid(&["OtherKey"], comment, &refused, Reason::InsecureSetup);
    for value in [json!(null), json!("dev"), json!(["0x00"])] {
        let mut input = to_value(&of_dev).expect("plain data");
        input["verifyingKey"] = value.clone();
        let comment = format!("a verifying key of {value}");
        file.invalid(&["Input"], comment, &input, Reason::InvalidArgument);
    }
    file.finish()
}

/// What alice has in a state, as one of this setup.
fn ask(state: &State, key: &VerifyingKey) -> LvmtProof {
    let root = state.root();
    let (aroot, hroot, height) = (Hash32(root.aroot), Hash32(root.hroot), Quantity(root.height));
    LvmtProof {
        params_id: Hash32(key.params_id()),
        log_n: key.log_n(),
        log_arity: 2,
        allow_insecure_setup: key.is_insecure(),
        verifying_key: None,
        roots: Roots { aroot, hroot, height },
        keys: vec![Hex(b"alice".to_vec())],
        proof: Hex(ENVELOPE.encode(&state.prove(&[b"alice"]))),
        limits: None,
    }
}

fn given(input: &LvmtProof, key: &[u8]) -> LvmtProof {
    LvmtProof { verifying_key: Some(Hex(key.to_vec())), ..input.clone() }
}
