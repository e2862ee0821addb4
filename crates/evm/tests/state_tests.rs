//! The official state tests: each prestate is served as proofs, and the post-state has the root that the test names.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

mod support;

use std::collections::BTreeMap;
use std::fs;

use prooflight_core::keccak256;
use prooflight_evm::{
    Call, CallFees, CallOutcome, Fork, Overrides, TransactionExecution, TransactionOutcome,
    WorkBudget, transact,
};
use prooflight_mpt::encode::{list, string};
use prooflight_mpt::{Address, Word};
use prooflight_testkit::evm::{
    HeaderFields, WholeAccount, WholeState, complete, header, network_of, unproven,
};
use serde_json::Value;

use support::{
    access_list, accounts, address, array, authorization, bytes, data, files, number, optional,
    wei, word,
};

/// How what an execution needs gets to it.
#[derive(Clone, Copy, Debug)]
enum Hint {
    /// All of the state at the beginning.
    Honest,
    /// Nothing.
    Absent,
    /// Proofs that nobody needs.
    Lying,
}

/// The work of a test that is run with one hint only.
const DEAR_UNITS: u64 = 10_000_000_000;

#[test]
fn post_states_have_their_roots() {
    let (mut ran, mut failed) = (0, Vec::new());
    let files = files(&data().join("state_tests"));
    for path in &files {
        let file: Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
        for (name, test) in file.as_object().unwrap() {
            for (fork, posts) in test["post"].as_object().unwrap() {
                let Some(fork) = fork_named(fork) else { continue };
                for post in posts.as_array().unwrap() {
                    for hint in [Hint::Absent, Hint::Honest, Hint::Lying] {
                        ran += 1;
                        let mut work = WorkBudget::UNLIMITED;
                        if let Err(why) = check(test, post, fork, hint, &mut work) {
                            failed.push(format!(
                                "{name}, {fork:?}, {}, {hint:?}: {why}",
                                post["indexes"]
                            ));
                        }
                        // Some tests take a minute.
                        if WorkBudget::UNLIMITED.units() - work.units() > DEAR_UNITS {
                            println!("{name}: dear, with one hint");
                            break;
                        }
                    }
                }
            }
        }
    }
    println!("{} files, {ran} runs", files.len());
    assert!(ran > 0, "no case");
    assert!(failed.is_empty(), "{} of {ran}:\n{}", failed.len(), failed.join("\n"));
}

fn fork_named(name: &str) -> Option<Fork> {
    // Tests of earlier forks stand beside those of later ones.
    Some(match name {
        "Merge" | "Paris" => Fork::Paris,
        "Shanghai" => Fork::Shanghai,
        "Cancun" => Fork::Cancun,
        "Prague" => Fork::Prague,
        "Osaka" => Fork::Osaka,
        _ => return None,
    })
}

fn check(
    test: &Value,
    post: &Value,
    fork: Fork,
    hint: Hint,
    work: &mut WorkBudget,
) -> Result<(), String> {
    let pre = accounts(&test["pre"]);
    let whole = WholeState::new(&pre);
    let env = &test["env"];
    let fields = HeaderFields {
        // What state tests say of every block: its hash is that of its number in decimal digits.
        parent_hash: keccak256(&[b"0"]),
        coinbase: address(&env["currentCoinbase"]),
        number: number(&env["currentNumber"]),
        gas_limit: number(&env["currentGasLimit"]),
        timestamp: number(&env["currentTimestamp"]),
        prev_randao: word(&env["currentRandom"]),
        base_fee: number(&env["currentBaseFee"]),
        excess_blob_gas: optional(env, "currentExcessBlobGas", number),
    };
    let mut state = unproven(&header(&fields, &whole.root(), fork), &network_of(1, fork), fork);
    match hint {
        Hint::Honest => whole.prove_all(&pre, &mut state),
        Hint::Absent => {}
        Hint::Lying => {
            for byte in 0..20 {
                whole.prove(&[byte; 20], &[[byte; 32], [0xff; 32]], &mut state).unwrap();
                state.add_code(&[byte]).unwrap();
            }
        }
    }
    let call = transaction(&test["transaction"], &post["indexes"]);
    let execute = |state: &_| transact(state, &call, &Overrides::default(), work);
    let (outcome, _) = complete(&whole, &mut state, execute).map_err(|error| error.to_string())?;

    let expected = optional(post, "expectException", Value::to_string);
    let root = word(&post["hash"]);
    match (outcome, expected) {
        (TransactionOutcome::Invalid(_), Some(_)) => equal(whole.root(), root, "root"),
        (TransactionOutcome::Invalid(why), None) => Err(format!("invalid: {why}")),
        (TransactionOutcome::Executed(_), Some(why)) => Err(format!("executed, but {why}")),
        (TransactionOutcome::Executed(TransactionExecution { outcome, changes }), None) => {
            equal(logs_hash(&outcome), word(&post["logs"]), "logs")?;
            let mut after = pre;
            for (address, change) in changes {
                let Some(change) = change else {
                    after.remove(&address);
                    continue;
                };
                let account = after.entry(address).or_default();
                if change.is_new {
                    account.slots.clear();
                }
                (account.nonce, account.balance) = (change.nonce, change.balance);
                account.code = change.code.unwrap_or_else(|| account.code.clone());
                account.slots.extend(change.slots);
                account.slots.retain(|_, value| *value != Word::default());
            }
            equal(root_of(&after), root, "root")
        }
    }
}

fn root_of(accounts: &BTreeMap<Address, WholeAccount>) -> [u8; 32] {
    WholeState::new(accounts).root()
}

fn equal(found: [u8; 32], expected: [u8; 32], what: &str) -> Result<(), String> {
    if found == expected {
        return Ok(());
    }
    Err(format!("{what} {} instead of {}", hex::encode(found), hex::encode(expected)))
}

fn logs_hash(outcome: &CallOutcome) -> [u8; 32] {
    let CallOutcome::Returned(returned) = outcome else { return keccak256(&[&[0xc0]]) };
    let logs = returned.logs.iter().map(|log| {
        let topics: Vec<_> = log.topics.iter().map(|topic| string(topic)).collect();
        list(&[string(&log.address), list(&topics), string(&log.data)])
    });
    keccak256(&[&list(&logs.collect::<Vec<_>>())])
}

/// The transaction of a test: each of three lists has the value of one index.
fn transaction(all: &Value, indexes: &Value) -> Call {
    let index = |name: &str| usize::try_from(number(&indexes[name])).unwrap();
    let lists = all.get("accessLists").map(|lists| &lists[index("data")]);
    let to = all["to"].as_str().unwrap_or_default();
    let value = &all["value"][index("value")];
    Call {
        from: address(&all["sender"]),
        to: (to.len() > 2).then(|| address(&all["to"])),
        nonce: optional(all, "nonce", number),
        gas: Some(number(&all["gasLimit"][index("gas")])),
        fees: CallFees {
            gas_price: optional(all, "gasPrice", wei),
            max_fee: optional(all, "maxFeePerGas", wei),
            max_priority_fee: optional(all, "maxPriorityFeePerGas", wei),
        },
        value: word(value),
        data: bytes(&all["data"][index("data")]),
        access_list: lists.filter(|list| !list.is_null()).map(access_list).unwrap_or_default(),
        blob_hashes: optional(all, "blobVersionedHashes", |value| array(value, word)),
        max_fee_per_blob_gas: optional(all, "maxFeePerBlobGas", wei),
        authorizations: optional(all, "authorizationList", |value| array(value, authorization)),
        chain_id: None,
    }
}
