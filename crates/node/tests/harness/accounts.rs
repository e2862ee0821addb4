//! Accounts and slots, on a chain with `mpt`.

use prooflight_core::{Limits, Scheme};
use prooflight_mpt::{
    AccountState, Address, EMPTY_CODE_HASH, GetProof, SlotProof, Word, verify_get_proof,
};
use serde_json::{Value, json};

use super::light::header;
use super::{Node, bytes, hex};

pub(crate) fn word(number: u8) -> Word {
    let mut word = [0; 32];
    word[31] = number;
    word
}

/// RLP([nonce, balance, code hash]), of a nonce and balance from 1 to 127.
pub(crate) fn account(nonce: u8, balance: u8) -> Vec<u8> {
    [&[0xe3, nonce, balance, 0xa0][..], &EMPTY_CODE_HASH].concat()
}

pub(crate) fn set(key: &[u8], value: &[u8]) -> Value {
    json!({ "op": "Set", "key": hex(key), "value": hex(value) })
}

pub(crate) fn set_slot(address: &Address, slot: u8, value: &[u8]) -> Value {
    set(&slot_key(address, slot), value)
}

pub(crate) fn slot_key(address: &Address, slot: u8) -> Vec<u8> {
    [&address[..], &word(slot)].concat()
}

/// An account and slots as `verify_get_proof` accepts them against the root in a block's header.
pub(crate) fn proved(node: &Node, at: &str, address: &Address, slots: &[u8]) -> AccountState {
    let words: Vec<Word> = slots.iter().map(|&slot| word(slot)).collect();
    let keys: Vec<_> = words.iter().map(|word| hex(word)).collect();
    let reply = node.ask("eth_getProof", &json!([hex(address), keys, at]));
    let header = header(&node.ask("prooflight_header", &json!({ "at": at }))).header;
    let root = header.root(Scheme::Mpt).unwrap().try_into().unwrap();
    verify(&reply, &root, address, &words)
}

pub(crate) fn verify(
    reply: &Value,
    root: &Word,
    address: &Address,
    slots: &[Word],
) -> AccountState {
    let nodes = |proof: &Value| proof.as_array().unwrap().iter().map(bytes).collect::<Vec<_>>();
    let account_proof = nodes(&reply["accountProof"]);
    let storage: Vec<_> = reply["storageProof"].as_array().unwrap().iter().collect();
    let proofs: Vec<_> = storage.iter().map(|slot| nodes(&slot["proof"])).collect();
    let proofs: Vec<Vec<&[u8]>> =
        proofs.iter().map(|proof| proof.iter().map(Vec::as_slice).collect()).collect();
    let storage: Vec<_> = storage
        .iter()
        .zip(&proofs)
        .map(|(slot, proof)| SlotProof {
            key: integer(&slot["key"]),
            value: integer(&slot["value"]),
            proof: proof.clone(),
        })
        .collect();
    let account_proof: Vec<&[u8]> = account_proof.iter().map(Vec::as_slice).collect();
    let answer = GetProof {
        address: bytes(&reply["address"]).try_into().unwrap(),
        nonce: u64::from_be_bytes(integer(&reply["nonce"])[24..].try_into().unwrap()),
        balance: integer(&reply["balance"]),
        storage_hash: bytes(&reply["storageHash"]).try_into().unwrap(),
        code_hash: bytes(&reply["codeHash"]).try_into().unwrap(),
        account_proof,
        storage_proof: storage,
    };
    verify_get_proof(root, address, slots, &answer, &Limits::DEFAULT).unwrap().into_inner()
}

/// An integer of 256 bits.
pub(crate) fn integer(value: &Value) -> Word {
    let digits = value.as_str().unwrap().strip_prefix("0x").unwrap();
    bytes(&json!(format!("0x{digits:0>64}"))).try_into().unwrap()
}
