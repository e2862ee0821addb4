//! Answers that are none, limits, and inputs that cannot be read.

use prooflight_core::Reason;
use serde_json::{Value, json, to_value};

use super::super::state::{CONTRACT, State};
use super::{ASKED, changed};
use crate::carrier::Hex;
use crate::generate::builder::Builder;
use crate::limits::CallerLimits;
use crate::mpt::EthGetProof;

pub(super) fn add(file: &mut Builder, state: &State) {
    forms(file, state);
    limits(file, state);
    inputs(file, state);
}

/// What a server may send that is no answer.
fn forms(file: &mut Builder, state: &State) {
    let honest = to_value(state.input(CONTRACT, &ASKED)).expect("inputs are plain data");
    let mut add = |comment: String, response: Value| {
        let mut input = honest.clone();
        input["response"] = response;
        file.invalid(&["Form"], comment, &input, Reason::InvalidAnswer);
    };
    let answer = &honest["response"];
    for (comment, response) in [
        ("null", json!(null)),
        ("a string", json!("0x")),
        ("an array of an answer", json!([answer])),
        ("an empty object", json!({})),
        (
            "an answer within an answer of JSON-RPC",
            json!({ "jsonrpc": "2.0", "id": 1, "result": answer }),
        ),
    ] {
        add(format!("{comment} for an answer"), response);
    }
    let members =
        ["address", "accountProof", "balance", "codeHash", "nonce", "storageHash", "storageProof"];
    for member in members {
        let mut without = answer.clone();
        without.as_object_mut().expect("an object").remove(member);
        add(format!("no {member}"), without);
        for value in [json!(null), json!(1), json!({}), json!("0x0g")] {
            let mut other = answer.clone();
            other[member] = value.clone();
            add(format!("{value} as {member}"), other);
        }
    }
    for member in ["key", "value", "proof"] {
        let mut without = answer.clone();
        without["storageProof"][1].as_object_mut().expect("an object").remove(member);
        add(format!("no {member} of a slot"), without);
        for value in [json!(null), json!(1), json!({}), json!("0x0g")] {
            let mut other = answer.clone();
            other["storageProof"][1][member] = value.clone();
            add(format!("{value} as the {member} of a slot"), other);
        }
    }
    let digits = |text: &Value, count: usize| json!(&text.as_str().expect("a string")[..count]);
    let nines = format!("0x{}", "9".repeat(65));
    let changes: [(&str, &str, Value); 18] = [
        ("an address of 19 bytes", "/address", digits(&answer["address"], 40)),
        ("an address of an odd number of digits", "/address", digits(&answer["address"], 41)),
        ("a code hash of 31 bytes", "/codeHash", digits(&answer["codeHash"], 64)),
        ("a code hash of an odd number of digits", "/codeHash", digits(&answer["codeHash"], 65)),
        ("an empty storage hash", "/storageHash", json!("0x")),
        (
            "a node of an odd number of digits",
            "/accountProof/0",
            digits(&answer["accountProof"][0], 101),
        ),
        ("a node without 0x", "/accountProof/0", json!("80")),
        ("a node of null", "/accountProof/1", json!(null)),
        ("a slot's node of an odd number of digits", "/storageProof/0/proof/0", json!("0x808")),
        ("a slot that is a string", "/storageProof/0", json!("0x0")),
        ("a balance of 65 digits", "/balance", json!(nines)),
        ("a balance in decimal", "/balance", json!("10")),
        ("a balance without digits", "/balance", json!("0x")),
        ("a balance after 0X", "/balance", json!("0X0")),
        ("a nonce of 2^64", "/nonce", json!("0x10000000000000000")),
        ("a nonce above 2^53 as a number", "/nonce", json!(9_007_199_254_740_993_u64)),
        ("a nonce with a sign", "/nonce", json!("0x+1")),
        ("a slot's key of 65 digits", "/storageProof/0/key", json!(nines)),
    ];
    for (comment, place, value) in changes {
        let mut other = answer.clone();
        *other.pointer_mut(place).expect("a place in an answer") = value;
        add(comment.to_owned(), other);
    }
}

fn limits(file: &mut Builder, state: &State) {
    let honest = state.input(CONTRACT, &ASKED);
    let answer = state.answer(CONTRACT, &ASKED);
    let account: usize = answer.account_proof.iter().map(|node| node.0.len()).sum();
    let slots = answer.storage_proof.iter().flat_map(|slot| &slot.proof);
    let size = account + slots.map(|node| node.0.len()).sum::<usize>();
    let mut add = |comment: &str, limits: CallerLimits, reason| {
        let input = EthGetProof { limits: Some(limits), ..honest.clone() };
        file.invalid(&["Limit"], comment, &input, reason);
    };
    let bytes = |most| CallerLimits { max_proof_bytes: Some(most), ..CallerLimits::default() };
    add(
        "an account proof with a byte more than the limit",
        bytes(account - 1),
        Reason::ProofTooLarge,
    );
    add("nodes with a byte more than the limit altogether", bytes(size - 1), Reason::ProofTooLarge);
    let keys = CallerLimits { max_keys: Some(1), ..CallerLimits::default() };
    add("a slot more than the limit", keys, Reason::TooManyKeys);
    let value = CallerLimits { max_value_bytes: Some(60), ..CallerLimits::default() };
    add("an account of more bytes than a value may have", value, Reason::ValueTooLarge);
    let node = vec![Hex(vec![0xc0]); 66];
    let many = changed(state, |it| it.account_proof = node);
    file.invalid(&["Limit"], "66 nodes for an account", &many, Reason::TooManyNodes);
}

fn inputs(file: &mut Builder, state: &State) {
    let honest = to_value(state.input(CONTRACT, &ASKED)).expect("inputs are plain data");
    let root = honest["stateRoot"].as_str().expect("a string").to_owned();
    let address = honest["address"].as_str().expect("a string").to_owned();
    let nines = format!("0x{}", "9".repeat(65));
    for (comment, member, value) in [
        ("a state root of 31 bytes", "stateRoot", json!(root[..64])),
        ("a state root of null", "stateRoot", json!(null)),
        ("an address of 19 bytes to ask for", "address", json!(address[..40])),
        ("an address of 32 bytes to ask for", "address", json!(root)),
        ("slots as a string", "slots", json!("0x0")),
        ("a slot as a number", "slots", json!([0, 1])),
        ("a slot of 65 digits", "slots", json!([nines, "0x1"])),
        ("a slot without digits", "slots", json!(["0x", "0x1"])),
        ("limits of null", "limits", json!(null)),
        ("a limit that is misspelt", "limits", json!({ "maxSlots": 1 })),
        ("a member that is not specified", "storageRoot", json!(root)),
    ] {
        let mut input = honest.clone();
        input[member] = value;
        file.invalid(&["Input"], comment, &input, Reason::InvalidArgument);
    }
    for member in ["stateRoot", "address", "slots", "response"] {
        let mut input = honest.clone();
        input.as_object_mut().expect("an object").remove(member);
        file.invalid(
            &["Input"],
            format!("no {member} of the input"),
            &input,
            Reason::InvalidArgument,
        );
    }
}
