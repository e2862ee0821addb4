//! `mpt/answer.json`: honest answers to `eth_getProof`.

use prooflight_json::{Address, Hash32, Word};
use serde_json::{Value, json};

use super::state::{CONTRACT, EthState, PLAIN_ACCOUNT, large, slots, word};
use crate::generate::builder::{FileBuilder, expected};

/// Adds the tests made by code.
pub(in crate::generate) fn make(file: &mut FileBuilder) {
    file.group("EthGetProof");
    let state = EthState::new();
    accounts(file, &state);
    with_slots(file, &state);
}

/// The expected answer of an honest test.
fn truth(state: &EthState, address: Address, storage: &[Word]) -> Value {
    let account = state.account(address);
    let account = json!({
        "nonce": account.nonce,
        "balance": account.balance,
        "storageHash": Hash32(account.storage.root()),
        "codeHash": Hash32(account.code_hash),
    });
    json!({ "account": account, "storage": storage })
}

fn accounts(file: &mut FileBuilder, state: &EthState) {
    for (name, address) in [("with a contract", CONTRACT), ("without code", PLAIN_ACCOUNT)] {
        let input = state.input(address, &[]);
        let truth = expected(truth(state, address, &[]));
        file.valid(&["Account"], format!("an account {name}"), &input, truth);
    }
}

fn with_slots(file: &mut FileBuilder, state: &EthState) {
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
    let none = state.input(PLAIN_ACCOUNT, &absent);
    let of_none = expected(truth(state, PLAIN_ACCOUNT, &[word(0); 3]));
    file.valid(&["Slots"], "slots of an account that has none", &none, of_none);
}
