//! Converts nodes' JSON answers to the bytes that are hashed.

#![allow(dead_code, reason = "each test uses only some of it")]

pub(crate) mod beacon_block;

use std::path::{Path, PathBuf};
use std::{env, fs};

use prooflight_core::keccak256;
use prooflight_mpt::encode;
use serde_json::Value;

/// The folder of recorded cases that the environment names, if any.
///
/// Cargo runs tests in the crate's folder; a relative path was likely written in the workspace's.
pub(crate) fn given() -> Option<PathBuf> {
    let given = env::var_os("PROOFLIGHT_ETHEREUM_MAINNET").filter(|given| !given.is_empty())?;
    let in_workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(&given);
    Some(if in_workspace.exists() { in_workspace } else { PathBuf::from(given) })
}

/// A folder of this crate's copies.
pub(crate) fn copy(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name)
}

/// The files below a folder, in order.
pub(crate) fn files(folder: &Path) -> Vec<PathBuf> {
    let entries =
        fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files = Vec::new();
    for path in entries.map(|entry| entry.unwrap().path()) {
        if path.is_dir() { files.extend(self::files(&path)) } else { files.push(path) }
    }
    files.sort();
    files
}

/// The requests of an `.io` file with their answers.
pub(crate) fn exchanges(path: &Path) -> Vec<(Value, Value)> {
    let text = fs::read_to_string(path).unwrap();
    let lines = |mark| {
        let lines = text.lines().filter_map(move |line| line.strip_prefix(mark));
        lines.map(|line| serde_json::from_str(line).unwrap())
    };
    lines(">> ").zip(lines("<< ")).collect()
}

pub(crate) fn bytes(value: &Value) -> Vec<u8> {
    hex::decode(value.as_str().unwrap().strip_prefix("0x").unwrap()).unwrap()
}

pub(crate) fn array<const N: usize>(value: &Value) -> [u8; N] {
    bytes(value).try_into().unwrap()
}

pub(crate) fn number(value: &Value) -> u64 {
    u64::from_str_radix(value.as_str().unwrap().strip_prefix("0x").unwrap(), 16).unwrap()
}

fn quantity(value: &Value) -> Vec<u8> {
    let digits = value.as_str().unwrap().strip_prefix("0x").unwrap();
    let even = if digits.len() % 2 == 1 { format!("0{digits}") } else { digits.to_owned() };
    encode::integer(&hex::decode(even).unwrap())
}

/// A block's header in RLP.
pub(crate) fn header_rlp(block: &Value) -> Vec<u8> {
    let integers = [
        "difficulty",
        "number",
        "gasLimit",
        "gasUsed",
        "timestamp",
        "baseFeePerGas",
        "blobGasUsed",
        "excessBlobGas",
    ];
    let fields = [
        "parentHash",
        "sha3Uncles",
        "miner",
        "stateRoot",
        "transactionsRoot",
        "receiptsRoot",
        "logsBloom",
        "difficulty",
        "number",
        "gasLimit",
        "gasUsed",
        "timestamp",
        "extraData",
        "mixHash",
        "nonce",
        "baseFeePerGas",
        "withdrawalsRoot",
        "blobGasUsed",
        "excessBlobGas",
        "parentBeaconBlockRoot",
        "requestsHash",
    ];
    let present = fields.iter().filter(|name| !block[**name].is_null());
    let items: Vec<_> = present
        .map(|name| {
            let field = &block[*name];
            if integers.contains(name) { quantity(field) } else { encode::string(&bytes(field)) }
        })
        .collect();
    encode::list(&items)
}

/// A receipt in the form of the trie; its bloom is computed from the logs.
pub(crate) fn receipt_rlp(receipt: &Value) -> Vec<u8> {
    let mut bloom = [0; 256];
    let mut add = |bytes: &[u8]| {
        let hash = keccak256(&[bytes]);
        for pair in hash.as_chunks::<2>().0.iter().take(3) {
            let bit = usize::from(u16::from_be_bytes(*pair) % 2048);
            bloom[255 - bit / 8] |= 1 << (bit % 8);
        }
    };
    let mut logs = Vec::new();
    for log in receipt["logs"].as_array().unwrap() {
        let (address, topics) = (bytes(&log["address"]), log["topics"].as_array().unwrap());
        add(&address);
        let topics: Vec<_> = topics.iter().map(bytes).inspect(|topic| add(topic)).collect();
        let topics: Vec<_> = topics.iter().map(|topic| encode::string(topic)).collect();
        let data = encode::string(&bytes(&log["data"]));
        logs.push(encode::list(&[encode::string(&address), encode::list(&topics), data]));
    }
    let outcome = match &receipt["root"] {
        Value::Null => quantity(&receipt["status"]),
        root => encode::string(&bytes(root)),
    };
    let gas = quantity(&receipt["cumulativeGasUsed"]);
    let list = encode::list(&[outcome, gas, encode::string(&bloom), encode::list(&logs)]);
    let kind = u8::try_from(number(&receipt["type"])).unwrap();
    if kind == 0 { list } else { [&[kind], &list[..]].concat() }
}
