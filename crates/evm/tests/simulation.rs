//! Several calls, one after another, and what they change.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

use std::collections::BTreeMap;

use prooflight_evm::{
    AccountDifference, Authorization, Call, CallFees, CallOutcome, Fork, Overrides, ProvenState,
    Simulation, SlotDifference, WorkBudget, simulate,
};
use prooflight_mpt::{Address, Word};
use prooflight_testkit::evm::{
    HeaderFields, WholeAccount, WholeState, complete, header, network_of, unproven,
};

const SENDER: Address = [0xaa; 20];
const COUNTER: Address = [0xcc; 20];
const FAILING: Address = [0xdd; 20];
const NOBODY: Address = [0xee; 20];
const COINBASE: Address = [0xbb; 20];

fn word(number: u8) -> Word {
    let mut word = Word::default();
    word[31] = number;
    word
}

/// Adds the value of the call to slot 1, and returns the sum.
const ADDS: [u8; 14] =
    [0x34, 0x60, 1, 0x54, 0x01, 0x80, 0x60, 1, 0x55, 0x5f, 0x52, 0x60, 0x20, 0x5f];

fn world() -> (WholeState, ProvenState) {
    let adds = [&ADDS[..], &[0xf3]].concat();
    // Sets slot 1, then reverts.
    let fails = vec![0x60, 9, 0x60, 1, 0x55, 0x5f, 0x5f, 0xfd];
    let contract = |code: Vec<u8>| WholeAccount {
        code,
        slots: BTreeMap::from([(word(1), word(5))]),
        ..WholeAccount::default()
    };
    let sender = WholeAccount { balance: [1; 32], nonce: 7, ..WholeAccount::default() };
    let accounts =
        BTreeMap::from([(SENDER, sender), (COUNTER, contract(adds)), (FAILING, contract(fails))]);
    let whole = WholeState::new(&accounts);
    let fields = HeaderFields { coinbase: COINBASE, base_fee: 2, ..HeaderFields::default() };
    let header = header(&fields, &whole.root(), Fork::Prague);
    let state = unproven(&header, &network_of(1, Fork::Prague), Fork::Prague);
    (whole, state)
}

fn simulated(calls: &[Call]) -> Simulation {
    let (whole, mut state) = world();
    let mut work = WorkBudget::DEFAULT;
    let none = Overrides::default();
    let execute = |state: &ProvenState| simulate(state, calls, &[], &none, &mut work);
    complete(&whole, &mut state, execute).unwrap().0
}

fn call(to: Address, value: u8) -> Call {
    Call { from: SENDER, to: Some(to), value: word(value), ..Call::default() }
}

fn returned(outcome: &CallOutcome) -> u8 {
    match outcome {
        CallOutcome::Returned(returned) => returned.data[31],
        outcome => panic!("{outcome:?}"),
    }
}

/// A balance of ones, less a small amount.
fn ones_less(amount: u8) -> Word {
    let mut balance = [1; 32];
    balance[31] = 1_u8.wrapping_sub(amount);
    if amount > 1 {
        balance[30] -= 1;
    }
    balance
}

#[test]
fn each_call_sees_what_those_before_it_changed() {
    let simulation = simulated(&[call(COUNTER, 3), call(FAILING, 4), call(COUNTER, 2)]);
    let [first, second, third] = &simulation.outcomes[..] else { panic!("three calls") };
    assert_eq!((returned(first), returned(third)), (8, 10));
    assert!(matches!(second, CallOutcome::Reverted(_)), "{second:?}");
    let counter = AccountDifference {
        address: COUNTER,
        balance: [word(0), word(5)],
        nonce: [0, 0],
        code: None,
        slots: vec![SlotDifference { slot: word(1), before: word(5), after: word(10) }],
    };
    let sender = AccountDifference {
        address: SENDER,
        balance: [[1; 32], ones_less(5)],
        nonce: [7, 10],
        code: None,
        slots: Vec::new(),
    };
    assert_eq!(simulation.differences, [sender, counter]);
}

#[test]
fn a_call_that_is_not_executed_changes_nothing() {
    let poor = Call { from: NOBODY, ..call(COUNTER, 3) };
    let unpriced =
        Call { fees: CallFees { max_fee: Some(1), ..CallFees::default() }, ..call(COUNTER, 3) };
    let simulation = simulated(&[poor, unpriced]);
    for outcome in &simulation.outcomes {
        assert!(matches!(outcome, CallOutcome::Rejected(_)), "{outcome:?}");
    }
    assert_eq!(simulation.differences, []);
}

#[test]
fn a_contract_that_is_created_and_a_code_that_is_deployed_are_differences() {
    // Stores 7 at slot 0, and deploys one byte of code.
    let data = vec![0x60, 7, 0x5f, 0x55, 0x60, 1, 0x5f, 0xf3];
    let create = Call { from: SENDER, data, ..Call::default() };
    let simulation = simulated(&[create]);
    let created: Vec<_> =
        simulation.differences.iter().filter(|one| one.address != SENDER).collect();
    let [created] = created[..] else { panic!("{:?}", simulation.differences) };
    assert_eq!(created.code, Some(vec![0]));
    assert_eq!(created.nonce, [0, 1]);
    let slot = SlotDifference { slot: word(0), before: word(0), after: word(7) };
    assert_eq!(created.slots, [slot]);
}

#[test]
fn calls_that_change_nothing_have_no_differences() {
    // The sender is not read, and neither is what it pays nothing for.
    let simulation = simulated(&[Call { from: NOBODY, ..call(NOBODY, 0) }]);
    assert_eq!(simulation.differences, []);
    // An authorization that nobody signed is skipped.
    let unsigned = Call { authorizations: Some(vec![Authorization::default()]), ..call(NOBODY, 0) };
    let simulation = simulated(&[unsigned]);
    assert!(simulation.differences.iter().all(|one| one.code.is_none()), "{simulation:?}");
}

#[test]
fn a_question_changes_nothing_for_others() {
    let none = Overrides::default();
    let calls = [call(COUNTER, 3)];
    // The counter adds to its slot whatever it is asked.
    let questions = [call(COUNTER, 1), call(COUNTER, 1)];
    let (whole, mut state) = world();
    let mut work = WorkBudget::DEFAULT;
    let execute = |state: &ProvenState| simulate(state, &calls, &questions, &none, &mut work);
    let simulation = complete(&whole, &mut state, execute).unwrap().0;
    let numbers = |outcomes: &[CallOutcome]| outcomes.iter().map(returned).collect::<Vec<_>>();
    assert_eq!(numbers(&simulation.before), [6, 6]);
    assert_eq!(numbers(&simulation.outcomes), [8]);
    assert_eq!(numbers(&simulation.after), [9, 9]);
    // The differences are those of the calls alone.
    assert_eq!(simulation.differences, simulated(&calls).differences);
}
