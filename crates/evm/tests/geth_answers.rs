//! Requests with the answers of geth 1.16.7, over the whole state of one block.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use prooflight_core::{Limits, Reason, keccak256};
use prooflight_ethereum::BlobParams;
use prooflight_evm::{
    AccountOverride, BlobStart, BlockOverrides, Call, CallOutcome, ExecutionNetwork, Fork,
    ForkEvidence, ForkStart, GasEstimate, Overrides, ProvenState, SortedMap, StorageOverride,
    WorkBudget, access_list, estimate, run,
};
use prooflight_mpt::Address;
use prooflight_testkit::evm::{WholeAccount, WholeState, complete};
use serde_json::{Value, json};

use support::{accounts, address, bytes, call, data, files, number, optional, wei, word};

/// The starts of blob parameters: the timestamp, the target, the most, and the update fraction.
type BlobStarts = [(u64, u64, u64, u64)];

/// The blob parameters of the chain of ethereum/execution-apis, by `forkenv.json`.
const BLOBS: [(u64, u64, u64, u64); 4] = [
    (420, 3, 6, 3_338_477),
    (450, 6, 9, 5_007_716),
    (510, 10, 15, 8_346_193),
    (540, 14, 21, 11_684_671),
];

/// The chain of ethereum/execution-apis with these blob parameters: its forks, by `forkenv.json`.
fn network(blobs: &BlobStarts) -> ExecutionNetwork {
    let start =
        |timestamp, fork, number| ForkStart { timestamp, fork, beacon_version: [number; 4] };
    let forks = vec![
        start(360, Fork::Paris, 2),
        start(390, Fork::Shanghai, 3),
        start(420, Fork::Cancun, 4),
        start(450, Fork::Prague, 5),
        start(480, Fork::Osaka, 6),
    ];
    let blobs = blobs.iter().map(|&(timestamp, target, max, update_fraction)| BlobStart {
        timestamp,
        params: BlobParams { target, max, update_fraction, has_reserve: timestamp >= 480 },
    });
    ExecutionNetwork::new(3_503_995_874_084_926, forks, blobs.collect(), None).unwrap()
}

/// The state of block 0x36, and its header.
struct Chain {
    accounts: BTreeMap<Address, WholeAccount>,
    whole: WholeState,
    header: Vec<u8>,
}

impl Chain {
    fn read() -> Self {
        let file = fs::read(data().join("state-0x36.json")).unwrap();
        let file: Value = serde_json::from_slice(&file).unwrap();
        let accounts = accounts(&file["accounts"]);
        let mut whole = WholeState::new(&accounts);
        whole.headers.insert(0x35, include_bytes!("data/header-0x35.rlp").to_vec());
        assert_eq!(whole.root(), word(&file["block"]["stateRoot"]));
        let header = header_rlp(&file["block"]);
        assert_eq!(keccak256(&[&header]), word(&file["block"]["hash"]));
        Self { accounts, whole, header }
    }

    fn state(&self) -> ProvenState {
        self.state_of(&network(&BLOBS))
    }

    fn state_of(&self, network: &ExecutionNetwork) -> ProvenState {
        let hash = keccak256(&[&self.header]);
        let evidence = ForkEvidence::BeaconVersion([6; 4]);
        ProvenState::new(&hash, &self.header, network, evidence, &Limits::DEFAULT).unwrap()
    }
}

fn header_rlp(block: &Value) -> Vec<u8> {
    use prooflight_mpt::encode::{integer, list, string};
    let fields = [
        ("parentHash", false),
        ("sha3Uncles", false),
        ("miner", false),
        ("stateRoot", false),
        ("transactionsRoot", false),
        ("receiptsRoot", false),
        ("logsBloom", false),
        ("difficulty", true),
        ("number", true),
        ("gasLimit", true),
        ("gasUsed", true),
        ("timestamp", true),
        ("extraData", false),
        ("mixHash", false),
        ("nonce", false),
        ("baseFeePerGas", true),
        ("withdrawalsRoot", false),
        ("blobGasUsed", true),
        ("excessBlobGas", true),
        ("parentBeaconBlockRoot", false),
        ("requestsHash", false),
    ];
    let field = |(name, is_integer): (&str, bool)| {
        let bytes = bytes(&block[name]);
        if is_integer { integer(&bytes) } else { string(&bytes) }
    };
    list(&fields.map(field))
}

/// What is not compared, and why.
fn is_left_out(path: &str, request: &Value) -> bool {
    // Other blocks, whose states are not here.
    let at = &request["params"][1];
    let is_other_block = *at != json!("latest") && *at != json!("0x36") && *at != json!("pending");
    // geth fills in fees that are not named, and then fails for poor senders (execution-apis #853).
    let has_no_fees = path.contains("eth_createAccessList")
        && ["gasPrice", "maxFeePerGas"].iter().all(|name| request["params"][0].get(name).is_none());
    // Refused by whoever reads the request.
    let block = request["params"].get(3);
    let is_unsupported = block.is_some_and(|block| block.get("beaconRoot").is_some());
    is_other_block || has_no_fees || is_unsupported
}

#[test]
fn answers_are_those_of_geth() {
    let chain = Chain::read();
    let (mut ran, mut left_out, mut failed) = (0, Vec::new(), Vec::new());
    for path in files(&data().join("geth_answers")) {
        let text = fs::read_to_string(&path).unwrap();
        let line = |mark: &str| text.lines().find_map(|line| line.strip_prefix(mark)).unwrap();
        let request: Value = serde_json::from_str(line(">> ")).unwrap();
        let expected: Value = serde_json::from_str(line("<< ")).unwrap();
        let name = path.strip_prefix(data()).unwrap().display().to_string();
        if is_left_out(&name, &request) {
            left_out.push(name);
            continue;
        }
        ran += 1;
        for hint in [Hint::Absent, Hint::Honest, Hint::Needless] {
            let found = answer(&chain, &request, hint);
            if !agree(&found, &expected) {
                failed.push(format!("{name}, {hint:?}\n  found    {found}\n  expected {expected}"));
            }
        }
    }
    println!("{ran} answers; not here: {}", left_out.join(", "));
    assert!(ran > 0, "no case");
    assert!(failed.is_empty(), "{} of {ran}:\n{}", failed.len(), failed.join("\n"));
}

fn agree(found: &Value, expected: &Value) -> bool {
    match (&found["error"], &expected["error"]) {
        (Value::Null, Value::Null) => normal(&found["result"]) == normal(&expected["result"]),
        (found, expected) => {
            let message = |error: &Value| {
                let text = error["message"].as_str().unwrap_or_default().to_owned();
                // The transaction's hash, which no caller knows.
                match text.split_once("failed to apply transaction: 0x") {
                    Some((_, rest)) => format!("failed to apply transaction: {}", &rest[65..]),
                    None => text,
                }
            };
            found["code"] == expected["code"]
                && found["data"] == expected["data"]
                && message(found) == message(expected)
        }
    }
}

/// Access lists are sets.
fn normal(result: &Value) -> Value {
    let Some(list) = result.get("accessList").and_then(Value::as_array) else {
        return result.clone();
    };
    let entries: BTreeSet<String> = list
        .iter()
        .map(|entry| {
            let keys = entry["storageKeys"].as_array().unwrap();
            let keys: BTreeSet<String> = keys.iter().map(Value::to_string).collect();
            format!("{} {keys:?}", entry["address"])
        })
        .collect();
    json!({ "accessList": entries, "gasUsed": result["gasUsed"], "error": result["error"] })
}

/// What is proven before the first execution.
#[derive(Clone, Copy, Debug)]
enum Hint {
    /// Nothing.
    Absent,
    /// The whole state.
    Honest,
    /// Accounts and slots that hardly anybody needs, and codes that nobody has.
    Needless,
}

fn answer(chain: &Chain, request: &Value, hint: Hint) -> Value {
    let params = &request["params"];
    let call = call(&params[0]);
    let overrides = overrides(params);
    let mut state = chain.state();
    let mut work = WorkBudget::DEFAULT;
    let whole = &chain.whole;
    match hint {
        Hint::Absent => {}
        Hint::Honest => whole.prove_all(&chain.accounts, &mut state),
        Hint::Needless => {
            for byte in 0..32 {
                whole.prove(&[byte; 20], &[[byte; 32]], &mut state).unwrap();
                state.add_code(&[byte; 3]).unwrap();
            }
            for address in chain.accounts.keys().rev().step_by(2) {
                whole.prove(address, &[[0xff; 32]], &mut state).unwrap();
            }
        }
    }
    let result = match request["method"].as_str().unwrap() {
        "eth_call" => complete(whole, &mut state, |state| run(state, &call, &overrides, &mut work))
            .map(|(outcome, _)| call_answer(&outcome)),
        "eth_estimateGas" => {
            complete(whole, &mut state, |state| estimate(state, &call, &overrides, &mut work))
                .map(|(estimate, _)| estimate_answer(&estimate))
        }
        "eth_createAccessList" => {
            complete(whole, &mut state, |state| access_list(state, &call, &overrides, &mut work))
                .map(|(list, _)| match list.message() {
                    Some(message) => json!({ "error": { "code": -32000, "message": message } }),
                    None => list_answer(&list),
                })
        }
        other => panic!("{other}"),
    };
    result.unwrap_or_else(|error| json!({ "refused": error.to_string() }))
}

fn call_answer(outcome: &CallOutcome) -> Value {
    let message = outcome.message();
    match outcome {
        CallOutcome::Returned(returned) => json!({ "result": hex(&returned.data) }),
        CallOutcome::Reverted(reverted) => {
            json!({ "error": { "code": 3, "message": message, "data": hex(&reverted.data) } })
        }
        _ => json!({ "error": { "code": -32000, "message": message } }),
    }
}

fn estimate_answer(estimate: &GasEstimate) -> Value {
    let message = estimate.message();
    match estimate {
        GasEstimate::Gas(gas) => json!({ "result": format!("{gas:#x}") }),
        GasEstimate::Reverted(reverted) => {
            json!({ "error": { "code": 3, "message": message, "data": hex(&reverted.data) } })
        }
        _ => json!({ "error": { "code": -32000, "message": message } }),
    }
}

fn list_answer(list: &prooflight_evm::AccessListOutcome) -> Value {
    let entry = |entry: &prooflight_evm::AccessListEntry| {
        let keys: Vec<_> = entry.slots.iter().map(|slot| hex(slot)).collect();
        json!({ "address": hex(&entry.address), "storageKeys": keys })
    };
    let entries: Vec<_> = list.access_list.iter().map(entry).collect();
    let gas = list.outcome.gas().unwrap_or_default().used;
    let mut result = json!({ "accessList": entries, "gasUsed": format!("{gas:#x}") });
    if let Some(message) = list.outcome.message() {
        result["error"] = json!(message);
    }
    json!({ "result": result })
}

fn hex(bytes: &[u8]) -> String {
    format!("0x{}", hex::encode(bytes))
}

fn overrides(params: &Value) -> Overrides {
    let accounts = params.get(2).and_then(Value::as_object).into_iter().flatten();
    let accounts = accounts.map(|(key, value)| {
        let slots = |value: &Value| {
            let slots = value.as_object().unwrap().iter();
            slots.map(|(key, value)| (word(&Value::from(key.as_str())), word(value))).collect()
        };
        let storage = optional(value, "state", slots).map(StorageOverride::All);
        let storage = storage.or(optional(value, "stateDiff", slots).map(StorageOverride::Some));
        let changes = AccountOverride {
            nonce: optional(value, "nonce", number),
            balance: optional(value, "balance", word),
            code: optional(value, "code", bytes),
            storage: storage.unwrap_or_default(),
            move_precompile_to: optional(value, "movePrecompileToAddress", address),
        };
        (address(&Value::from(key.as_str())), changes)
    });
    let block = params.get(3).cloned().unwrap_or_default();
    Overrides {
        accounts: accounts.collect(),
        block: BlockOverrides {
            number: optional(&block, "number", number),
            time: optional(&block, "time", number),
            gas_limit: optional(&block, "gasLimit", number),
            fee_recipient: optional(&block, "feeRecipient", address),
            prev_randao: optional(&block, "prevRandao", word),
            base_fee: optional(&block, "baseFeePerGas", number),
            blob_base_fee: optional(&block, "blobBaseFee", wei),
        },
    }
}

#[test]
fn a_block_is_executed_only_under_a_fork_that_evidence_confirms() {
    let chain = Chain::read();
    let hash = keccak256(&[&chain.header]);
    let open = |evidence| {
        ProvenState::new(&hash, &chain.header, &network(&BLOBS), evidence, &Limits::DEFAULT)
    };
    for evidence in [ForkEvidence::BeaconVersion([6; 4]), ForkEvidence::Named(Fork::Osaka)] {
        assert_eq!(open(evidence).unwrap().fork(), Fork::Osaka);
    }
    // The header would be the same after a fork that this version does not know.
    for evidence in [
        ForkEvidence::BeaconVersion([7; 4]),
        ForkEvidence::BeaconVersion([5; 4]),
        ForkEvidence::Named(Fork::Prague),
        ForkEvidence::Schedule,
    ] {
        assert_eq!(open(evidence).unwrap_err().reason(), Reason::UnsupportedFork, "{evidence:?}");
    }
}

#[test]
fn the_public_networks_have_their_forks() {
    let mainnet = ExecutionNetwork::mainnet();
    for (timestamp, fork) in [
        (1_681_338_454, Fork::Paris),
        (1_681_338_455, Fork::Shanghai),
        (1_710_338_135, Fork::Cancun),
        (1_746_612_310, Fork::Cancun),
        (1_746_612_311, Fork::Prague),
        (1_764_798_551, Fork::Osaka),
        (1_800_000_000, Fork::Osaka),
    ] {
        assert_eq!(mainnet.fork_at(timestamp).unwrap(), fork, "{timestamp}");
    }
    assert_eq!(mainnet.blobs_at(1_767_747_670).unwrap().max, 15);
    assert_eq!(mainnet.blobs_at(1_767_747_671).unwrap().max, 21);
    // Without evidence, a block is executed only before the newest start, which here is one of blobs.
    let by_schedule = |timestamp| mainnet.confirmed_fork(timestamp, ForkEvidence::Schedule);
    assert_eq!(by_schedule(1_767_747_670).unwrap(), Fork::Osaka);
    assert_eq!(by_schedule(1_767_747_671).unwrap_err().reason(), Reason::UnsupportedFork);

    // Sepolia is on Gloas, whatever a caller says.
    let sepolia = ExecutionNetwork::sepolia();
    assert_eq!(sepolia.fork_at(1_791_294_815).unwrap(), Fork::Osaka);
    for evidence in
        [ForkEvidence::Named(Fork::Osaka), ForkEvidence::BeaconVersion([0x90, 0, 0, 0x75])]
    {
        let error = sepolia.confirmed_fork(1_791_294_816, evidence).unwrap_err();
        assert_eq!(error.reason(), Reason::UnsupportedFork);
    }
    assert_eq!(ExecutionNetwork::hoodi().fork_at(1_742_213_400).unwrap(), Fork::Cancun);
}

#[test]
fn a_block_from_before_the_merge_is_refused() {
    let chain = Chain::read();
    let mut block: Value =
        serde_json::from_slice(&fs::read(data().join("state-0x36.json")).unwrap()).unwrap();
    block["block"]["difficulty"] = json!("0x20000");
    let rlp = header_rlp(&block["block"]);
    let open = |rlp: &[u8]| {
        let evidence = ForkEvidence::Named(Fork::Osaka);
        ProvenState::new(&keccak256(&[rlp]), rlp, &network(&BLOBS), evidence, &Limits::DEFAULT)
    };
    assert!(open(&chain.header).is_ok());
    assert_eq!(open(&rlp).unwrap_err().reason(), Reason::UnsupportedFork);
}

#[test]
fn work_that_does_not_suffice_is_refused() {
    let chain = Chain::read();
    let mut state = chain.state();
    // JUMPDEST PUSH0 JUMP, for ever.
    let call = Call { data: vec![0x5b, 0x5f, 0x56], ..Call::default() };
    let mut work = WorkBudget::new(1_000_000);
    let error = complete(&chain.whole, &mut state, |state| {
        run(state, &call, &Overrides::default(), &mut work)
    });
    assert_eq!(error.unwrap_err().reason(), Reason::CallWork);
    assert_eq!(work.units(), 0);
}

#[test]
fn the_blob_fee_needs_the_parent_and_known_parameters() {
    // BLOBBASEFEE, returned; with a jump over it by the call's data.
    let reads = vec![0x5f, 0x35, 0x60, 0x06, 0x57, 0x4a, 0x5b, 0x5f, 0x52, 0x60, 0x20, 0x5f, 0xf3];
    let call = |data: &[u8]| Call { to: Some([0xcc; 20]), data: data.to_vec(), ..Call::default() };
    let account = AccountOverride {
        nonce: Some(0),
        balance: Some([0; 32]),
        code: Some(reads),
        ..AccountOverride::default()
    };
    let block = BlockOverrides { blob_base_fee: Some(7), ..BlockOverrides::default() };
    let accounts = SortedMap::from_iter([([0xcc; 20], account)]);
    let given = Overrides { accounts: accounts.clone(), block };
    let overrides = Overrides { accounts, block: BlockOverrides::default() };
    let chain = Chain::read();
    let execute = |blobs: &BlobStarts, call: &Call, overrides: &Overrides| {
        let mut state = chain.state_of(&network(blobs));
        let mut work = WorkBudget::DEFAULT;
        let done =
            complete(&chain.whole, &mut state, |state| run(state, call, overrides, &mut work));
        done.map_err(|error| error.reason())
    };
    let (known, rounds) = execute(&BLOBS, &call(&[]), &overrides).unwrap();
    assert!(matches!(known, CallOutcome::Returned(_)), "{known:?}");
    assert_eq!(rounds, 1, "the parent's header is asked for");

    // Without parameters.
    assert_eq!(execute(&[], &call(&[]), &overrides), Err(Reason::UnsupportedFork));
    let blob = Call {
        blob_hashes: Some(vec![[1; 32]]),
        max_fee_per_blob_gas: Some(1),
        ..call(&[0xff; 32])
    };
    assert_eq!(execute(&[], &blob, &overrides), Err(Reason::UnsupportedFork));
    // What does not read it needs none, and neither does a given fee.
    for (call, overrides) in [(call(&[0xff; 32]), &overrides), (call(&[]), &given)] {
        let (outcome, rounds) = execute(&[], &call, overrides).unwrap();
        assert!(matches!(outcome, CallOutcome::Returned(_) | CallOutcome::Halted(_)));
        assert_eq!(rounds, 0);
    }
}
