//! Reads the test data.
#![allow(dead_code, unreachable_pub, reason = "each test program uses a part")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use prooflight_evm::{AccessListEntry, Authorization, Call, CallFees};
use prooflight_mpt::{Address, Word};
use prooflight_testkit::evm::WholeAccount;
use serde_json::Value;

/// The folder of the test data; `PROOFLIGHT_EXECUTION` names another one.
pub fn data() -> PathBuf {
    std::env::var_os("PROOFLIGHT_EXECUTION")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data"), PathBuf::from)
}

/// All files below a folder, sorted; none is a failure.
pub fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in
            fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        {
            let path = entry.unwrap().path();
            if path.is_dir() { folders.push(path) } else { found.push(path) }
        }
    }
    found.sort();
    assert!(!found.is_empty(), "{} has no file", folder.display());
    found
}

pub fn bytes(value: &Value) -> Vec<u8> {
    let text = value.as_str().unwrap_or_else(|| panic!("{value} is no string"));
    let digits = text.strip_prefix("0x").unwrap_or(text);
    if digits.len().is_multiple_of(2) {
        hex::decode(digits)
    } else {
        hex::decode(format!("0{digits}"))
    }
    .unwrap()
}

pub fn word(value: &Value) -> Word {
    let bytes = match value {
        Value::Number(number) => number.as_u64().unwrap().to_be_bytes().to_vec(),
        _ => bytes(value),
    };
    let mut word = Word::default();
    word[32 - bytes.len()..].copy_from_slice(&bytes);
    word
}

pub fn address(value: &Value) -> Address {
    bytes(value).try_into().unwrap()
}

pub fn number(value: &Value) -> u64 {
    let word = word(value);
    assert_eq!(word[..24], [0; 24], "{value}");
    u64::from_be_bytes(*word.last_chunk().unwrap())
}

pub fn wei(value: &Value) -> u128 {
    let word = word(value);
    assert_eq!(word[..16], [0; 16], "{value}");
    u128::from_be_bytes(*word.last_chunk().unwrap())
}

pub fn optional<T>(object: &Value, name: &str, read: impl Fn(&Value) -> T) -> Option<T> {
    object.get(name).filter(|value| !value.is_null()).map(read)
}

/// Reads accounts as state tests and geth's dumps write them.
pub fn accounts(object: &Value) -> BTreeMap<Address, WholeAccount> {
    let account = |(key, value): (&String, &Value)| {
        let slots = value.get("storage").and_then(Value::as_object);
        let slots = slots.into_iter().flatten();
        let slots = slots.map(|(key, value)| (word(&Value::from(key.as_str())), word(value)));
        let account = WholeAccount {
            nonce: number(&value["nonce"]),
            balance: word(&value["balance"]),
            code: optional(value, "code", bytes).unwrap_or_default(),
            slots: slots.filter(|(_, value)| *value != Word::default()).collect(),
        };
        (address(&Value::from(key.as_str())), account)
    };
    object.as_object().unwrap().iter().map(account).collect()
}

/// Reads a call as JSON-RPC writes it.
pub fn call(object: &Value) -> Call {
    let data = object.get("input").or_else(|| object.get("data"));
    Call {
        from: optional(object, "from", address).unwrap_or_default(),
        to: optional(object, "to", address),
        nonce: optional(object, "nonce", number),
        gas: optional(object, "gas", number),
        fees: CallFees {
            gas_price: optional(object, "gasPrice", wei),
            max_fee: optional(object, "maxFeePerGas", wei),
            max_priority_fee: optional(object, "maxPriorityFeePerGas", wei),
        },
        value: optional(object, "value", word).unwrap_or_default(),
        data: data.map(bytes).unwrap_or_default(),
        access_list: optional(object, "accessList", access_list).unwrap_or_default(),
        blob_hashes: optional(object, "blobVersionedHashes", |value| array(value, word)),
        max_fee_per_blob_gas: optional(object, "maxFeePerBlobGas", wei),
        authorizations: optional(object, "authorizationList", |value| array(value, authorization)),
        chain_id: optional(object, "chainId", number),
    }
}

pub fn array<T>(value: &Value, read: impl Fn(&Value) -> T) -> Vec<T> {
    value.as_array().unwrap().iter().map(read).collect()
}

pub fn access_list(value: &Value) -> Vec<AccessListEntry> {
    array(value, |entry| AccessListEntry {
        address: address(&entry["address"]),
        slots: optional(entry, "storageKeys", |keys| array(keys, word)).unwrap_or_default(),
    })
}

pub fn authorization(value: &Value) -> Authorization {
    let parity = value.get("yParity").or_else(|| value.get("v")).unwrap();
    Authorization {
        chain_id: word(&value["chainId"]),
        address: address(&value["address"]),
        nonce: number(&value["nonce"]),
        y_parity: u8::try_from(number(parity)).unwrap(),
        r: word(&value["r"]),
        s: word(&value["s"]),
    }
}
