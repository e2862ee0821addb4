//! Accounts and slots that no state has, under a root that has them.

use prooflight_core::Reason;
use serde_json::json;

use super::super::state::{Account, CONTRACT, State, Storage, contract, word};
use super::super::trie::{Rlp, Trie, string};
use super::ASKED;
use crate::carrier::{Hash32, Hex};
use crate::generate::builder::Builder;

pub(super) fn add(file: &mut Builder, state: &State) {
    accounts(file, state);
    slots(file, state);
}

/// Account values that no state has, under a root that has them.
fn accounts(file: &mut Builder, state: &State) {
    let raw = |bytes: &[u8]| Rlp::Raw(bytes.to_vec());
    let fields = contract().fields;
    let with = |place: usize, field: Rlp| {
        let mut fields = fields.clone();
        fields[place] = field;
        fields
    };
    let mut five = fields.clone();
    five.push(string([1]));
    let cases = [
        ("three fields", fields[..3].to_vec()),
        ("five fields", five),
        ("no fields", vec![]),
        ("a nonce of 9 bytes", with(0, string([1; 9]))),
        ("a nonce of 2^64", with(0, string([1, 0, 0, 0, 0, 0, 0, 0, 0]))),
        ("a nonce with a leading zero", with(0, string([0, 1]))),
        ("a nonce of the byte 00", with(0, string([0]))),
        ("a nonce with a length that it does not need", with(0, raw(&[0x81, 0x01]))),
        ("a nonce that is a list", with(0, Rlp::List(vec![]))),
        ("a balance of 33 bytes", with(1, string([1; 33]))),
        ("a balance with a leading zero", with(1, string([0, 1]))),
        ("a balance of the byte 00", with(1, string([0]))),
        ("a balance that is a list", with(1, Rlp::List(vec![string([1])]))),
        ("a storage root of 31 bytes", with(2, string([1; 31]))),
        ("a storage root of 33 bytes", with(2, string([1; 33]))),
        ("an empty storage root", with(2, string([]))),
        ("a storage root that is a list", with(2, Rlp::List(vec![]))),
        ("a code hash of 31 bytes", with(3, string([1; 31]))),
        ("a code hash of 33 bytes", with(3, string([1; 33]))),
        ("an empty code hash", with(3, string([]))),
        ("a code hash that is a list", with(3, Rlp::List(vec![]))),
        ("a code hash that is cut short", with(3, raw(&[0xa0, 0x01]))),
    ];
    for (comment, fields) in cases {
        let hostile = state.clone().with(CONTRACT, Account { fields, ..contract() });
        let input = hostile.input(CONTRACT, &[]);
        file.invalid(
            &["Account"],
            format!("an account of {comment}"),
            &input,
            Reason::InvalidAccount,
        );
    }
    let list = Rlp::List(fields).encode();
    for (comment, value) in [
        ("an account with a byte after it", [&list[..], &[0]].concat()),
        ("an account without its last byte", list[..list.len() - 1].to_vec()),
        ("an account as a string", string(&list).encode()),
        ("an account whose length has a leading zero", [&[0xf9, 0], &list[1..]].concat()),
        ("the byte 80 as an account", vec![0x80]),
    ] {
        let mut input = state.input(CONTRACT, &[]);
        let trie = Trie::new([(prooflight_core::keccak256(&[&CONTRACT.0]), value)]);
        let (root, proof) = trie.prove(&prooflight_core::keccak256(&[&CONTRACT.0]));
        input.state_root = Hash32(root);
        input.response["accountProof"] = proof.into_iter().map(|node| json!(Hex(node))).collect();
        file.invalid(&["Account"], comment, &input, Reason::InvalidAccount);
    }
}

/// Slot values that no contract has, under a root that has them.
fn slots(file: &mut Builder, state: &State) {
    let cases: [(&str, u64, Vec<u8>); 11] = [
        ("zero as the byte 00", 0, vec![0x00]),
        ("zero as the empty string", 0, vec![0x80]),
        ("a value with a leading zero", 0x80, vec![0x82, 0x00, 0x80]),
        ("a value of 33 bytes", 1, string([&[0; 32][..], &[1]].concat()).encode()),
        ("a value of 33 bytes that begins with 1", 1, string([1; 33]).encode()),
        ("a value with a length that it does not need", 5, vec![0x81, 0x05]),
        ("a value with a length in a byte of its own", 0x8080, vec![0xb8, 2, 0x80, 0x80]),
        ("a value in a list", 5, vec![0xc1, 0x05]),
        ("an empty list", 0, vec![0xc0]),
        ("a value with a byte after it", 5, vec![0x05, 0x05]),
        ("a value that is cut short", 5, vec![0x82, 0x05]),
    ];
    for (comment, claimed, value) in cases {
        let storage = Storage::of_values(&[(ASKED[0], value)]);
        let hostile = state.clone().with(CONTRACT, Account::new(1, 0, b"code", storage));
        let mut answer = hostile.answer(CONTRACT, &ASKED[..1]);
        answer.storage_proof[0].value = word(claimed);
        let input = hostile.with_answer(CONTRACT, &ASKED[..1], &answer);
        file.invalid(&["Slot"], format!("a slot of {comment}"), &input, Reason::InvalidSlotValue);
    }
    let storage = Storage::of_values(&[(ASKED[0], vec![])]);
    let hostile = state.clone().with(CONTRACT, Account::new(1, 0, b"code", storage));
    let input = hostile.with_answer(CONTRACT, &ASKED[..1], &hostile.answer(CONTRACT, &ASKED[..1]));
    let mut input = input;
    input.response["storageProof"][0]["value"] = json!("0x0");
    file.invalid(&["Slot"], "a slot of no bytes at all", &input, Reason::EmptyValue);
}
