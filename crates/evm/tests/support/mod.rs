//! Whole states, from which a stand-in for a server proves what an execution asks for.
#![allow(dead_code, unreachable_pub, reason = "each test program uses a part")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use prooflight_core::store::MemoryStore;
use prooflight_core::{Hash, Limits, Result, keccak256};
use prooflight_ethereum::BlobParams;
use prooflight_evm::{
    AccessListEntry, Authorization, BlobStart, Call, CallFees, ExecutionNetwork, Fork,
    ForkEvidence, ForkStart, ProvenState, StateKeys, Step,
};
use prooflight_mpt::encode::{integer, list, string};
use prooflight_mpt::{Address, PersistentState, StateChange, Word};
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

/// An account of a state.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WholeAccount {
    pub nonce: u64,
    pub balance: Word,
    pub code: Vec<u8>,
    pub slots: BTreeMap<Word, Word>,
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

/// A whole state as a trie, with all codes.
pub struct WholeState {
    trie: PersistentState<MemoryStore>,
    codes: BTreeMap<Address, Vec<u8>>,
    /// Headers of older blocks, by their numbers.
    pub headers: BTreeMap<u64, Vec<u8>>,
}

impl WholeState {
    pub fn new(accounts: &BTreeMap<Address, WholeAccount>) -> Self {
        let mut changes = Vec::new();
        for (&address, account) in accounts {
            let WholeAccount { nonce, balance, code, slots } = account;
            let code_hash = keccak256(&[code]);
            let (nonce, balance) = (*nonce, *balance);
            changes.push(StateChange::SetAccount { address, nonce, balance, code_hash });
            let slots = slots.iter().map(|(&slot, &value)| (address, slot, value));
            changes.extend(slots.map(|(address, slot, value)| StateChange::SetSlot {
                address,
                slot,
                value,
            }));
        }
        let mut trie = PersistentState::open(MemoryStore::default()).unwrap();
        trie.apply(&changes).unwrap();
        let codes = accounts.iter().map(|(address, account)| (*address, account.code.clone()));
        Self { trie, codes: codes.collect(), headers: BTreeMap::new() }
    }

    pub fn root(&self) -> Hash {
        self.trie.root()
    }

    /// Adds proofs of what is missing; the number of accounts, slots and codes that were added.
    pub fn serve(&self, missing: &StateKeys, state: &mut ProvenState) -> usize {
        let mut served = 0;
        for (address, slots) in missing.proofs.iter() {
            self.prove(address, slots, state).unwrap();
            served += 1 + slots.len();
        }
        for (_, address) in missing.codes.iter() {
            state.add_code(&self.codes[address]).unwrap();
            served += 1;
        }
        for number in missing.ancestors.iter() {
            state.add_ancestor(&self.headers[number]).unwrap();
            served += 1;
        }
        served
    }

    /// Adds the proof of an account and some of its slots.
    pub fn prove(&self, address: &Address, slots: &[Word], state: &mut ProvenState) -> Result<()> {
        let proved = self.trie.prove(address, slots).unwrap();
        let nodes = |proof: &'_ [Vec<u8>]| -> Vec<Vec<u8>> { proof.to_vec() };
        let account = nodes(&proved.account_proof);
        let account: Vec<&[u8]> = account.iter().map(Vec::as_slice).collect();
        let slots: Vec<_> = proved
            .storage
            .iter()
            .map(|slot| (slot.key, slot.proof.iter().map(Vec::as_slice).collect()))
            .collect();
        state.add_proof(address, &account, &slots)
    }

    /// Adds everything: all accounts, slots and codes.
    pub fn prove_all(&self, accounts: &BTreeMap<Address, WholeAccount>, state: &mut ProvenState) {
        for (address, account) in accounts {
            let slots: Vec<_> = account.slots.keys().copied().collect();
            self.prove(address, &slots, state).unwrap();
            state.add_code(&account.code).unwrap();
        }
    }
}

/// The most rounds of one execution in tests.
const MAX_ROUNDS: usize = 3_000;

/// Executes until nothing is missing; also the number of rounds that brought something.
pub fn complete<T>(
    whole: &WholeState,
    state: &mut ProvenState,
    mut execute: impl FnMut(&ProvenState) -> Result<Step<T>>,
) -> Result<(T, usize)> {
    for round in 0..MAX_ROUNDS {
        match execute(state)? {
            Step::Done { result, .. } => return Ok((result.into_inner(), round)),
            Step::Missing(missing) => {
                assert!(whole.serve(&missing, state) > 0, "{missing:?}");
            }
        }
    }
    panic!("not done after {MAX_ROUNDS} rounds");
}

/// The fields of a header that executions read.
#[derive(Clone, Debug, Default)]
pub struct HeaderFields {
    pub parent_hash: Hash,
    pub coinbase: Address,
    pub number: u64,
    pub gas_limit: u64,
    pub timestamp: u64,
    pub prev_randao: Hash,
    pub base_fee: u64,
    pub excess_blob_gas: Option<u64>,
}

/// A header in RLP, with its hash.
pub fn header(fields: &HeaderFields, state_root: &Hash, fork: Fork) -> (Hash, Vec<u8>) {
    let int = |number: u64| integer(&number.to_be_bytes());
    let empty = [0x11; 32];
    let mut items = vec![
        string(&fields.parent_hash),
        string(&empty),
        string(&fields.coinbase),
        string(state_root),
        string(&empty),
        string(&empty),
        string(&[0; 256]),
        int(0),
        int(fields.number),
        int(fields.gas_limit),
        int(0),
        int(fields.timestamp),
        string(&[]),
        string(&fields.prev_randao),
        string(&[0; 8]),
        int(fields.base_fee),
    ];
    if fork >= Fork::Shanghai {
        items.push(string(&empty));
    }
    if fork >= Fork::Cancun {
        items.extend([int(0), int(fields.excess_blob_gas.unwrap_or_default()), string(&empty)]);
    }
    if fork >= Fork::Prague {
        items.push(string(&empty));
    }
    let rlp = list(&items);
    (keccak256(&[&rlp]), rlp)
}

/// A network with one fork from the beginning.
pub fn network_of(chain_id: u64, fork: Fork) -> ExecutionNetwork {
    let update_fraction = if fork >= Fork::Prague { 5_007_716 } else { 3_338_477 };
    let params =
        BlobParams { target: 6, max: 9, update_fraction, has_reserve: fork >= Fork::Osaka };
    let start = ForkStart { timestamp: 0, fork, beacon_version: [0; 4] };
    ExecutionNetwork::new(chain_id, vec![start], vec![BlobStart { timestamp: 0, params }], None)
        .unwrap()
}

/// A state of which nothing but the header is proven.
pub fn unproven(header: &(Hash, Vec<u8>), network: &ExecutionNetwork, fork: Fork) -> ProvenState {
    let evidence = ForkEvidence::Named(fork);
    ProvenState::new(&header.0, &header.1, network, evidence, &Limits::DEFAULT).unwrap()
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
