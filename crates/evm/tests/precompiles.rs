//! The precompiles' vectors, each called through an execution over proven state.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

mod support;

use std::collections::BTreeMap;
use std::fs;

use prooflight_evm::{
    AccountOverride, Call, CallHalt, CallOutcome, Fork, Halt, Overrides, SortedMap, WorkBudget, run,
};
use prooflight_mpt::Address;
use prooflight_testkit::evm::{HeaderFields, WholeState, complete, header, network_of, unproven};
use serde_json::Value;

use support::{bytes, data, files};

/// The precompiles by the names in their vectors' files, and the address of P-256.
const ADDRESSES: [(&str, u16); 9] = [
    ("add_G1", 0x0b),
    ("msm_G1", 0x0c),
    ("mul_G1", 0x0c),
    ("add_G2", 0x0d),
    ("msm_G2", 0x0e),
    ("mul_G2", 0x0e),
    ("pairing_check", 0x0f),
    ("map_fp_to_G1", 0x10),
    ("map_fp2_to_G2", 0x11),
];
const P256_ADDRESS: u16 = 0x100;

fn precompile(number: u16) -> Address {
    let mut address = Address::default();
    address[18..].copy_from_slice(&number.to_be_bytes());
    address
}

/// Executes a call over an empty state.
fn execute(fork: Fork, call: &Call, overrides: &Overrides) -> CallOutcome {
    let whole = WholeState::new(&BTreeMap::new());
    let header =
        header(&HeaderFields { number: 1, ..HeaderFields::default() }, &whole.root(), fork);
    let mut state = unproven(&header, &network_of(1, fork), fork);
    let mut work = WorkBudget::UNLIMITED;
    complete(&whole, &mut state, |state| run(state, call, overrides, &mut work)).unwrap().0
}

#[test]
fn precompiles_give_what_their_vectors_say() {
    let mut ran = 0;
    for path in files(&data().join("precompiles")) {
        let name = path.file_name().unwrap().to_str().unwrap();
        let is_p256 = path.components().any(|part| part.as_os_str() == "eip-7951");
        let known = ADDRESSES.iter().find(|(part, _)| name.contains(part));
        let number = known.map_or(P256_ADDRESS, |(_, number)| *number);
        assert!(is_p256 || known.is_some(), "{name}");
        let cases: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        for case in cases.as_array().unwrap() {
            ran += 1;
            let (to, data) = (Some(precompile(number)), bytes(&case["Input"]));
            let call = Call { to, data, ..Call::default() };
            let outcome = execute(Fork::Osaka, &call, &Overrides::default());
            match (outcome, case.get("Expected")) {
                (CallOutcome::Returned(returned), Some(expected)) => {
                    assert_eq!(returned.data, bytes(expected), "{}", case["Name"]);
                }
                (CallOutcome::Halted(CallHalt { halt: Halt::Precompile { .. }, .. }), None) => {}
                (outcome, _) => panic!("{}: {outcome:?}", case["Name"]),
            }
            if let Some(gas) = case.get("Gas").and_then(Value::as_u64) {
                assert_eq!(
                    gas_of(number, &call.data),
                    gas * gas_factor(number),
                    "{}",
                    case["Name"]
                );
            }
        }
    }
    println!("{ran} cases");
    assert!(ran > 0, "no case");
}

/// The vectors of P-256 name the price of RIP-7212; EIP-7951 doubled it.
fn gas_factor(number: u16) -> u64 {
    if number == P256_ADDRESS { 2 } else { 1 }
}

/// The gas of a precompile: what a contract sees go when it calls it.
fn gas_of(number: u16, input: &[u8]) -> u64 {
    let measure = |number: u16| {
        let [high, low] = number.to_be_bytes();
        let code = [
            &[0x36, 0x5f, 0x5f, 0x37][..],
            // GAS, then the call with all gas: GAS STATICCALL POP, GAS SWAP1 SUB, and return it.
            &[0x5a, 0x5f, 0x5f, 0x36, 0x5f, 0x61, high, low, 0x5a, 0xfa, 0x50],
            &[0x5a, 0x90, 0x03, 0x5f, 0x52, 0x60, 0x20, 0x5f, 0xf3],
        ]
        .concat();
        let to = [0xcc; 20];
        let changes = AccountOverride { code: Some(code), ..AccountOverride::default() };
        let accounts = SortedMap::from_iter([(to, changes)]);
        let overrides = Overrides { accounts, ..Overrides::default() };
        let call = Call { to: Some(to), data: input.to_vec(), ..Call::default() };
        match execute(Fork::Osaka, &call, &overrides) {
            CallOutcome::Returned(returned) => {
                u64::from_be_bytes(*returned.data.last_chunk().unwrap())
            }
            outcome => panic!("{outcome:?}"),
        }
    };
    // Identity costs 15, and 3 for each word.
    measure(number) - (measure(4) - 15 - 3 * input.len().div_ceil(32) as u64)
}

#[test]
fn each_fork_has_its_precompiles() {
    for (fork, count) in [
        (Fork::Paris, 9),
        (Fork::Shanghai, 9),
        (Fork::Cancun, 10),
        (Fork::Prague, 17),
        (Fork::Osaka, 18),
    ] {
        // An account without code returns nothing, and takes nothing but the price of the call.
        let plain =
            execute(fork, &Call { to: Some([0xaa; 20]), ..Call::default() }, &Overrides::default());
        let is_precompile = |number: &u16| {
            let call = Call { to: Some(precompile(*number)), ..Call::default() };
            execute(fork, &call, &Overrides::default()) != plain
        };
        assert_eq!((0..0x200).filter(is_precompile).count(), count, "{fork:?}");
    }
}
