//! Whatever is proven beforehand, and in whatever order, an execution has one outcome.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

use std::collections::BTreeMap;

use prooflight_evm::{Call, Fork, Overrides, ProvenState, WorkBudget, access_list, estimate, run};
use prooflight_mpt::{Address, Word};
use prooflight_testkit::evm::{
    HeaderFields, WholeAccount, WholeState, complete, header, network_of, unproven,
};
use rand::rngs::StdRng;
use rand::seq::{IndexedRandom, SliceRandom};
use rand::{Rng, SeedableRng};

const CASES: u64 = 600;

/// The first number of an account or a slot: no precompile has it.
const FIRST: u8 = 0x20;

/// The accounts: few, so that random code meets them.
fn account_number(number: u8) -> Address {
    let mut address = [0; 20];
    address[19] = FIRST + number;
    address
}

fn slot(number: u8) -> Word {
    let mut word = Word::default();
    word[31] = FIRST + number;
    word
}

/// Instructions that read or change state, with the number of operands of each.
const INSTRUCTIONS: [(u8, usize); 24] = [
    (0x01, 2), // ADD
    (0x04, 2), // DIV
    (0x20, 2), // KECCAK256
    (0x31, 1), // BALANCE
    (0x33, 0), // CALLER
    (0x3b, 1), // EXTCODESIZE
    (0x3c, 4), // EXTCODECOPY
    (0x3f, 1), // EXTCODEHASH
    (0x40, 1), // BLOCKHASH
    (0x41, 0), // COINBASE
    (0x47, 0), // SELFBALANCE
    (0x51, 1), // MLOAD
    (0x52, 2), // MSTORE
    (0x54, 1), // SLOAD
    (0x55, 2), // SSTORE
    (0x5a, 0), // GAS
    (0xa1, 3), // LOG1
    (0xf0, 3), // CREATE
    (0xf1, 7), // CALL
    (0xf4, 6), // DELEGATECALL
    (0xf5, 4), // CREATE2
    (0xfa, 6), // STATICCALL
    (0xfd, 2), // REVERT
    (0xff, 1), // SELFDESTRUCT
];

/// Random code whose instructions find their operands: small numbers, which are accounts, slots and lengths.
fn code(rng: &mut StdRng) -> Vec<u8> {
    let mut code = Vec::new();
    if rng.random_ratio(1, 12) {
        return [&[0xef, 0x01, 0x00][..], &account_number(rng.random_range(0..9))].concat();
    }
    for _ in 0..rng.random_range(1..14) {
        let weight =
            if rng.random_ratio(1, 8) { INSTRUCTIONS.len() } else { INSTRUCTIONS.len() - 2 };
        let (opcode, operands) = INSTRUCTIONS[rng.random_range(0..weight)];
        for operand in 0..operands {
            // All gas for calls, most of the time.
            let is_gas = operand + 1 == operands && matches!(opcode, 0xf1 | 0xf4 | 0xfa);
            match rng.random_range(0..8) {
                _ if is_gas => code.push(0x5a),
                0 => code.push(0x54),
                _ => code.extend([0x60, FIRST + rng.random_range(0..12)]),
            }
        }
        code.push(opcode);
    }
    if rng.random_ratio(1, 2) {
        code.extend([0x60, 0x40, 0x5f, 0xf3]);
    }
    code
}

fn accounts(rng: &mut StdRng) -> BTreeMap<Address, WholeAccount> {
    let mut accounts = BTreeMap::new();
    for number in 0..9 {
        if rng.random_ratio(1, 5) {
            continue;
        }
        let slots = (0..rng.random_range(0..4))
            .map(|_| (slot(rng.random_range(0..12)), slot(rng.random_range(1..12))))
            .collect();
        let account = WholeAccount {
            nonce: rng.random_range(0..3),
            balance: slot(rng.random_range(0..4)),
            slots,
            code: if rng.random_ratio(4, 5) { code(rng) } else { Vec::new() },
        };
        accounts.insert(account_number(number), account);
    }
    accounts
}

#[test]
fn hints_and_their_order_make_no_difference() {
    for seed in 0..CASES {
        let mut rng = StdRng::seed_from_u64(seed);
        let accounts = accounts(&mut rng);
        let whole = WholeState::new(&accounts);
        let fork = *Fork::ALL.choose(&mut rng).unwrap();
        let fields = HeaderFields {
            number: 1,
            gas_limit: 1_000_000,
            coinbase: account_number(rng.random_range(0..9)),
            ..HeaderFields::default()
        };
        let header = header(&fields, &whole.root(), fork);
        let call = Call {
            from: account_number(rng.random_range(0..9)),
            to: rng.random_ratio(7, 8).then(|| account_number(rng.random_range(0..9))),
            data: if rng.random_ratio(1, 3) { code(&mut rng) } else { Vec::new() },
            value: if rng.random_ratio(1, 8) { slot(0) } else { Word::default() },
            gas: Some(rng.random_range(21_000..400_000)),
            ..Call::default()
        };
        let empty = || unproven(&header, &network_of(1, fork), fork);
        let expected = outcomes(&whole, &mut empty(), &call);

        let mut full = empty();
        whole.prove_all(&accounts, &mut full);
        assert_eq!(outcomes(&whole, &mut full, &call), expected, "seed {seed}, all");

        let mut parts: Vec<_> = accounts.iter().collect();
        parts.shuffle(&mut rng);
        let mut some = empty();
        for (address, account) in parts {
            let mut slots: Vec<_> = (0..12).map(slot).filter(|_| rng.random_ratio(1, 3)).collect();
            slots.shuffle(&mut rng);
            if rng.random_ratio(1, 2) {
                some.add_code(&account.code).unwrap();
            }
            whole.prove(address, &slots, &mut some).unwrap();
            whole.prove(&[rng.random(); 20], &slots, &mut some).unwrap();
        }
        assert_eq!(outcomes(&whole, &mut some, &call), expected, "seed {seed}, some");
    }
}

/// What all kinds of executions come to.
fn outcomes(whole: &WholeState, state: &mut ProvenState, call: &Call) -> [String; 3] {
    let none = Overrides::default();
    let budget = || WorkBudget::UNLIMITED;
    let called = complete(whole, state, |state| run(state, call, &none, &mut budget()));
    let estimated = complete(whole, state, |state| estimate(state, call, &none, &mut budget()));
    let listed = complete(whole, state, |state| access_list(state, call, &none, &mut budget()));
    [
        format!("{:?}", called.map(|(outcome, _)| outcome)),
        format!("{:?}", estimated.map(|(outcome, _)| outcome)),
        format!("{:?}", listed.map(|(outcome, _)| outcome)),
    ]
}
