//! What an execution asks for, and that it is done only with proven state.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

use std::collections::BTreeMap;

use prooflight_core::{Limits, Reason, keccak256};
use prooflight_evm::{
    AccountOverride, Call, CallFees, CallOutcome, Fork, ForkEvidence, Overrides, ProvenState,
    SortedMap, SortedSet, StateKeys, Step, StorageOverride, WorkBudget, run,
};
use prooflight_mpt::{Address, Word};
use prooflight_testkit::evm::{
    HeaderFields, WholeAccount, WholeState, complete, header, network_of, unproven,
};

const CONTRACT: Address = [0xcc; 20];
const SENDER: Address = [0xaa; 20];

fn slot(number: u8) -> Word {
    let mut word = Word::default();
    word[31] = number;
    word
}

/// A state with one contract and a sender.
fn world(code: &[u8], slots: &[(u8, u8)]) -> (WholeState, ProvenState) {
    let contract = WholeAccount {
        nonce: 1,
        code: code.to_vec(),
        slots: slots.iter().map(|&(key, value)| (slot(key), slot(value))).collect(),
        ..WholeAccount::default()
    };
    let sender = WholeAccount { balance: slot(200), ..WholeAccount::default() };
    let whole = WholeState::new(&BTreeMap::from([(CONTRACT, contract), (SENDER, sender)]));
    let fields = HeaderFields { number: 1, gas_limit: 30_000_000, ..HeaderFields::default() };
    let header = header(&fields, &whole.root(), Fork::Osaka);
    let state = unproven(&header, &network_of(1, Fork::Osaka), Fork::Osaka);
    (whole, state)
}

fn call() -> Call {
    Call { from: SENDER, to: Some(CONTRACT), ..Call::default() }
}

fn step(state: &ProvenState, call: &Call) -> Step<CallOutcome> {
    run(state, call, &Overrides::default(), &mut WorkBudget::DEFAULT.clone()).unwrap()
}

fn missing(state: &ProvenState, call: &Call) -> StateKeys {
    match step(state, call) {
        Step::Missing(missing) => missing,
        Step::Done { result, .. } => panic!("{result:?}"),
    }
}

fn data(outcome: CallOutcome) -> Vec<u8> {
    match outcome {
        CallOutcome::Returned(returned) => returned.data,
        outcome => panic!("{outcome:?}"),
    }
}

/// `SLOAD` of slots, each returned: PUSH1 slot SLOAD PUSH1 at MSTORE …
fn code_that_reads(slots: &[u8]) -> Vec<u8> {
    let mut code = Vec::new();
    for (at, slot) in slots.iter().enumerate() {
        code.extend([0x60, *slot, 0x54, 0x60, 32 * u8::try_from(at).unwrap(), 0x52]);
    }
    code.extend([0x60, 32 * u8::try_from(slots.len()).unwrap(), 0x5f, 0xf3]);
    code
}

#[test]
fn a_call_that_pays_nothing_needs_neither_its_sender_nor_the_coinbase() {
    let code = code_that_reads(&[1]);
    let (whole, mut state) = world(&code, &[(1, 7)]);
    let first = missing(&state, &call());
    assert_eq!(first.proofs[..], [(CONTRACT, SortedSet::default())]);
    whole.serve(&first, &mut state);
    let second = missing(&state, &call());
    assert_eq!(second.codes[..], [(keccak256(&[&code]), CONTRACT)]);
    assert!(second.proofs.is_empty());
    whole.serve(&second, &mut state);
    let third = missing(&state, &call());
    assert_eq!(third.proofs.get(&CONTRACT).unwrap()[..], [slot(1)]);
    whole.serve(&third, &mut state);
    assert!(matches!(step(&state, &call()), Step::Done { result: outcome, .. }
        if matches!(&*outcome, CallOutcome::Returned(returned) if returned.data == slot(7))));
}

#[test]
fn a_call_that_pays_needs_its_sender() {
    let (_, state) = world(&[], &[]);
    let fees = CallFees { gas_price: Some(1), ..CallFees::default() };
    let call = Call { fees, gas: Some(21_000), ..call() };
    assert!(missing(&state, &call).proofs.get(&SENDER).is_some());
}

#[test]
fn behind_a_gap_an_execution_finds_more() {
    let slots = [1, 2, 3, 4, 5, 6, 7];
    let (whole, mut state) = world(&code_that_reads(&slots), &[(1, 1), (7, 7)]);
    state.add_code(&code_that_reads(&slots)).unwrap();
    whole.prove(&CONTRACT, &[], &mut state).unwrap();
    assert_eq!(missing(&state, &call()).proofs.get(&CONTRACT).unwrap()[..], slots.map(slot));
}

#[test]
fn a_slot_that_was_not_proven_is_never_zero() {
    let (whole, mut state) = world(&code_that_reads(&[1, 2]), &[(1, 7), (2, 8)]);
    // A server that leaves a slot out.
    state.add_code(&code_that_reads(&[1, 2])).unwrap();
    whole.prove(&CONTRACT, &[slot(1)], &mut state).unwrap();
    assert_eq!(missing(&state, &call()).proofs.get(&CONTRACT).unwrap()[..], [slot(2)]);
}

#[test]
fn slots_of_an_account_without_any_need_no_proof() {
    let (whole, mut state) = world(&code_that_reads(&[1]), &[]);
    state.add_code(&code_that_reads(&[1])).unwrap();
    whole.prove(&CONTRACT, &[], &mut state).unwrap();
    assert!(matches!(step(&state, &call()), Step::Done { .. }));
}

#[test]
fn a_code_is_known_by_its_hash_alone() {
    let code = code_that_reads(&[1]);
    let (whole, mut state) = world(&code, &[]);
    whole.prove(&CONTRACT, &[], &mut state).unwrap();
    state.add_code(&[0x00]).unwrap();
    assert_eq!(missing(&state, &call()).codes[..], [(keccak256(&[&code]), CONTRACT)]);
}

#[test]
fn proofs_of_another_state_are_refused() {
    let (_, mut state) = world(&[0x00], &[]);
    let (other, _) = world(&[0x01], &[]);
    let error = other.prove(&CONTRACT, &[], &mut state).unwrap_err();
    assert_eq!(error.reason(), Reason::RootMismatch);
}

#[test]
fn what_is_overridden_needs_no_proof_and_the_rest_does() {
    let code = code_that_reads(&[1, 2]);
    let (whole, mut state) = world(&code, &[(1, 7), (2, 8)]);
    let changes = AccountOverride {
        storage: StorageOverride::Some(SortedMap::from_iter([(slot(1), slot(9))])),
        ..AccountOverride::default()
    };
    let overrides = |changes| Overrides {
        accounts: SortedMap::from_iter([(CONTRACT, changes)]),
        ..Overrides::default()
    };
    let some = overrides(changes);
    let mut work = WorkBudget::DEFAULT;
    let execute = |state: &_| run(state, &call(), &some, &mut work);
    let (outcome, _) = complete(&whole, &mut state, execute).unwrap();
    assert_eq!(data(outcome), [slot(9), slot(8)].concat());

    let all = overrides(AccountOverride {
        storage: StorageOverride::All(SortedMap::from_iter([(slot(1), slot(9))])),
        ..AccountOverride::default()
    });
    let mut work = WorkBudget::DEFAULT;
    let (outcome, _) =
        complete(&whole, &mut state, |state| run(state, &call(), &all, &mut work)).unwrap();
    assert_eq!(data(outcome), [slot(9), slot(0)].concat());

    // A code override alone says nothing of the account's balance: SELFBALANCE.
    let (whole, mut state) = world(&code, &[]);
    let code = vec![0x47, 0x5f, 0x52, 0x60, 0x20, 0x5f, 0xf3];
    let balance = overrides(AccountOverride { code: Some(code), ..AccountOverride::default() });
    let step = run(&state, &call(), &balance, &mut WorkBudget::DEFAULT.clone()).unwrap();
    assert!(matches!(step, Step::Missing(missing) if missing.proofs.get(&CONTRACT).is_some()));
    let mut work = WorkBudget::DEFAULT;
    let (outcome, _) =
        complete(&whole, &mut state, |state| run(state, &call(), &balance, &mut work)).unwrap();
    assert_eq!(data(outcome), slot(0));
}

/// PUSH2 number BLOCKHASH, returned.
fn code_of_block_hash(number: u16) -> Vec<u8> {
    let [high, low] = number.to_be_bytes();
    vec![0x61, high, low, 0x40, 0x5f, 0x52, 0x60, 0x20, 0x5f, 0xf3]
}

#[test]
fn older_blocks_are_known_by_their_headers() {
    // The contract of EIP-2935 is absent: all hashes come from headers.
    let child_of = |parent_hash, number| {
        let fields = HeaderFields { parent_hash, number, ..HeaderFields::default() };
        header(&fields, &[7; 32], Fork::Osaka)
    };
    let blocks = [child_of([1; 32], 996)];
    let blocks = [blocks[0].clone(), child_of(blocks[0].0, 997)];
    let blocks = [blocks[0].clone(), blocks[1].clone(), child_of(blocks[1].0, 998)];
    let code = code_of_block_hash(996);
    let contract = WholeAccount { code: code.clone(), ..WholeAccount::default() };
    let whole = WholeState::new(&BTreeMap::from([(CONTRACT, contract)]));
    let fields = HeaderFields { parent_hash: blocks[2].0, number: 999, ..HeaderFields::default() };
    let newest = header(&fields, &whole.root(), Fork::Osaka);
    let network = network_of(1, Fork::Osaka);
    let evidence = ForkEvidence::Named(Fork::Osaka);
    let open = || ProvenState::new(&newest.0, &newest.1, &network, evidence, &Limits::DEFAULT);

    let mut state = open().unwrap();
    whole.prove(&CONTRACT, &[], &mut state).unwrap();
    state.add_code(&code).unwrap();
    // First the contract's slot: it is proven to be absent with its account.
    let first = missing(&state, &call());
    assert_eq!(first.proofs.len(), 1);
    whole.serve(&first, &mut state);
    assert_eq!(missing(&state, &call()).ancestors[..], [997, 998]);
    // In any order, and with one that is of another chain.
    state.add_ancestor(&child_of([9; 32], 997).1).unwrap();
    state.add_ancestor(&blocks[1].1).unwrap();
    assert_eq!(missing(&state, &call()).ancestors[..], [997, 998]);
    state.add_ancestor(&blocks[2].1).unwrap();
    let Step::Done { result: outcome, .. } = step(&state, &call()) else {
        panic!("a header is missing")
    };
    assert_eq!(data(outcome.into_inner()), blocks[0].0);
}

#[test]
fn a_blob_fee_that_does_not_follow_from_the_parent_is_refused() {
    let code = vec![0x4a, 0x5f, 0x52, 0x60, 0x20, 0x5f, 0xf3];
    let contract = WholeAccount { code: code.clone(), ..WholeAccount::default() };
    let whole = WholeState::new(&BTreeMap::from([(CONTRACT, contract)]));
    let parent = |excess| {
        let fields =
            HeaderFields { number: 998, excess_blob_gas: Some(excess), ..HeaderFields::default() };
        header(&fields, &[0; 32], Fork::Prague)
    };
    // The target of six blobs leaves one of seven.
    for (excess, follows) in [(7 << 17, true), (8 << 17, false)] {
        let parent = parent(excess);
        let fields = HeaderFields {
            parent_hash: parent.0,
            number: 999,
            excess_blob_gas: Some(1 << 17),
            ..HeaderFields::default()
        };
        let newest = header(&fields, &whole.root(), Fork::Prague);
        let mut state = unproven(&newest, &network_of(1, Fork::Prague), Fork::Prague);
        whole.prove(&CONTRACT, &[], &mut state).unwrap();
        state.add_code(&code).unwrap();
        assert_eq!(missing(&state, &call()).ancestors[..], [998]);
        state.add_ancestor(&parent.1).unwrap();
        let result = run(&state, &call(), &Overrides::default(), &mut WorkBudget::DEFAULT.clone());
        let found = result.map(|step| matches!(step, Step::Done { .. }));
        assert_eq!(
            found.map_err(|error| error.reason()),
            [Err(Reason::UnsupportedFork), Ok(true)][usize::from(follows)]
        );
    }
}

#[test]
fn two_precompiles_do_not_move_to_one_address() {
    let (_, state) = world(&code_that_reads(&[]), &[]);
    let mut precompiles = [[0; 20], [0; 20]];
    precompiles[0][19] = 1;
    precompiles[1][19] = 2;
    let moving =
        || AccountOverride { move_precompile_to: Some([0x99; 20]), ..AccountOverride::default() };
    let accounts = precompiles.map(|address| (address, moving())).into_iter().collect();
    let both = Overrides { accounts, ..Overrides::default() };
    let step = run(&state, &call(), &both, &mut WorkBudget::DEFAULT.clone()).unwrap();
    let Step::Done { result, .. } = step else { panic!("{step:?}") };
    assert!(matches!(&*result, CallOutcome::Rejected(_)), "{result:?}");
}
