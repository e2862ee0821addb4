//! `mpt/answer.json`: honest answers to `eth_getProof`, in every form that servers give them.

use serde_json::{Value, json};

use super::state::{CONTRACT, EMPTY_CODE, NOBODY, PLAIN, State, large, slots, word};
use super::trie::Trie;
use crate::carrier::{Address, Hash32, Hex, Word};
use crate::generate::builder::{Builder, expected, upper_case};
use crate::limits::CallerLimits;
use crate::mpt::{EthGetProof, Response};

const FLAGS: &[(&str, &str)] = &[
    ("Absent", "the account does not exist"),
    ("Account", "an account alone"),
    ("Form", "one of the forms that servers and callers give the same thing"),
    ("Limit", "exactly as much as a limit allows"),
    ("Slots", "an account with slots"),
];

/// The file's bytes.
pub(in crate::generate) fn file() -> String {
    let mut file = Builder::new("mpt", FLAGS);
    file.group("EthGetProof");
    let state = State::new();
    accounts(&mut file, &state);
    with_slots(&mut file, &state);
    nobody(&mut file, &state);
    forms(&mut file, &state);
    limits(&mut file, &state);
    file.finish()
}

/// What a test of an honest answer expects.
fn truth(state: &State, address: Address, storage: &[Word]) -> Value {
    let account = state.account(address).map(|account| {
        json!({
            "nonce": account.nonce,
            "balance": account.balance,
            "storageHash": Hash32(account.storage.root()),
            "codeHash": Hash32(account.code_hash),
        })
    });
    json!({ "account": account, "storage": storage })
}

fn accounts(file: &mut Builder, state: &State) {
    for (name, address) in [("with a contract", CONTRACT), ("without code", PLAIN)] {
        let input = state.input(address, &[]);
        let truth = expected(truth(state, address, &[]));
        file.valid(&["Account"], format!("an account {name}"), &input, truth);
    }
}

fn with_slots(file: &mut Builder, state: &State) {
    let absent = [word(9), word(77), large(1, 1)];
    let (keys, values): (Vec<_>, Vec<_>) = slots().into_iter().unzip();
    for (comment, asked, storage) in [
        ("every slot of a contract", &keys[..], values.clone()),
        ("slots that are absent", &absent, vec![word(0); 3]),
        (
            "slots present and absent",
            &[keys[1], absent[0], keys[9]],
            vec![values[1], word(0), values[9]],
        ),
        ("one slot twice", &[keys[4], keys[4]], vec![values[4]; 2]),
        (
            "slots in descending order",
            &[keys[3], keys[2], keys[1]],
            vec![values[3], values[2], values[1]],
        ),
    ] {
        let input = state.input(CONTRACT, asked);
        file.valid(&["Slots"], comment, &input, expected(truth(state, CONTRACT, &storage)));
    }
    let none = state.input(PLAIN, &absent);
    let of_none = expected(truth(state, PLAIN, &[word(0); 3]));
    file.valid(&["Slots"], "slots of an account that has none", &none, of_none);
}

fn nobody(file: &mut Builder, state: &State) {
    let asked = [word(0), word(1)];
    let node = vec![Hex(vec![0x80])];
    for (hashes, zeros) in [("the empty hashes", false), ("zeros for hashes", true)] {
        for (proofs, of_slot) in [("no nodes", vec![]), ("the node 80", node.clone())] {
            let mut response = state.answer(NOBODY, &asked);
            if zeros {
                (response.storage_hash, response.code_hash) = (Hash32([0; 32]), Hash32([0; 32]));
            }
            for slot in &mut response.storage_proof {
                slot.proof.clone_from(&of_slot);
            }
            let input = state.with_answer(NOBODY, &asked, &response);
            let comment = format!("no account: {hashes}, {proofs} for its slots");
            file.valid(
                &["Absent", "Form"],
                comment,
                &input,
                expected(truth(state, NOBODY, &[word(0); 2])),
            );
        }
    }
    for (name, proof) in [("no nodes", vec![]), ("the node 80", node)] {
        let response = Response {
            address: NOBODY,
            account_proof: proof,
            balance: word(0),
            code_hash: Hash32(EMPTY_CODE),
            nonce: word(0),
            storage_hash: Hash32(Trie::default().root()),
            storage_proof: vec![],
        };
        let mut input = state.with_answer(NOBODY, &[], &response);
        input.state_root = Hash32(Trie::default().root());
        let comment = format!("no account in a state without any, {name}");
        file.valid(&["Absent", "Form"], comment, &input, expected(truth(state, NOBODY, &[])));
    }
}

fn forms(file: &mut Builder, state: &State) {
    let asked = [word(3), word(0x80), word(77)];
    let input = state.input(CONTRACT, &asked);
    let truth = expected(truth(state, CONTRACT, &[word(0x37f), word(1), word(0)]));
    let mut add = |comment: &str, input: &Value| {
        file.valid(&["Form"], comment, input, truth.clone());
    };
    let json = serde_json::to_value(&input).expect("inputs are plain data");
    let padded = |word: Word| Value::from(Hex(word.0.to_vec()).to_string());

    let mut asked_padded = json.clone();
    asked_padded["slots"] = asked.iter().copied().map(padded).collect();
    add("the slots asked for with 64 digits, answered without leading zeros", &asked_padded);
    let mut keys_padded = json.clone();
    for (slot, answer) in asked.iter().zip(slots_of(&mut keys_padded)) {
        answer["key"] = padded(*slot);
    }
    add("the slots asked for without leading zeros, answered with 64 digits", &keys_padded);
    let mut values_padded = json.clone();
    for (value, answer) in [0x37f, 1, 0].into_iter().zip(slots_of(&mut values_padded)) {
        answer["value"] = padded(word(value));
    }
    values_padded["response"]["balance"] = json!("0x00");
    values_padded["response"]["nonce"] = json!("0x0001");
    add("integers of the answer with leading zeros", &values_padded);

    let mut upper = json.clone();
    for member in ["address", "storageHash", "codeHash"] {
        let text = upper["response"][member].as_str().expect("a string");
        upper["response"][member] = json!(format!("0x{}", text[2..].to_uppercase()));
    }
    add("bytes of the answer in upper case", &upper);
    add("all hexadecimal digits in upper case", &upper_case(&json));
    let mut more = json;
    more["response"]["blockNumber"] = json!("0x1");
    slots_of(&mut more)[0]["note"] = json!(null);
    add("members of the answer that are not specified", &more);
}

fn slots_of(input: &mut Value) -> &mut Vec<Value> {
    input["response"]["storageProof"].as_array_mut().expect("an array")
}

fn limits(file: &mut Builder, state: &State) {
    let asked = [word(3), word(4)];
    let answer = state.answer(CONTRACT, &asked);
    let slots = answer.storage_proof.iter().flat_map(|slot| &slot.proof);
    let size = answer.account_proof.iter().chain(slots).map(|node| node.0.len()).sum();
    let limits =
        CallerLimits { max_proof_bytes: Some(size), max_keys: Some(2), max_value_bytes: Some(110) };
    let input = EthGetProof { limits: Some(limits), ..state.input(CONTRACT, &asked) };
    let truth = expected(truth(state, CONTRACT, &[word(0x37f), word(0x47f)]));
    file.valid(&["Limit"], "as many nodes' bytes and slots as the limits", &input, truth);
}
