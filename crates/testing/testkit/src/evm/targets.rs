//! The fuzz target; a panic is a finding.

use std::collections::BTreeMap;

use arbitrary::{Result, Unstructured};
use prooflight_core::{Limits, Reason};
use prooflight_evm::{
    Call, CallFees, CallOutcome, Fork, ForkEvidence, Overrides, ProvenState, Step, WorkBudget, run,
};
use prooflight_mpt::{Address, Word};

use super::{HeaderFields, WholeAccount, WholeState, header, network_of};
use crate::replay::FuzzTarget;

/// The targets, by name.
pub const TARGETS: [(&str, FuzzTarget); 1] = [("evm_call", evm_call)];

/// The units of work of one execution: some milliseconds.
const WORK: u64 = 20_000_000;

/// The accounts, whose addresses random code meets; precompiles are below.
const ACCOUNTS: u8 = 6;

fn account_at(number: u8) -> Address {
    let mut address = [0; 20];
    address[19] = 0x20 + number;
    address
}

fn slot_at(number: u8) -> Word {
    let mut word = Word::default();
    word[31] = number;
    word
}

/// Executes random code over a random state that is proven bit by bit: it must end as over all of it.
///
/// A proof with a changed byte must be refused, or change nothing.
pub fn evm_call(u: &mut Unstructured<'_>) -> Result<()> {
    let mut accounts = BTreeMap::new();
    for number in 0..ACCOUNTS {
        if u.ratio(1, 4)? {
            continue;
        }
        let mut slots = BTreeMap::new();
        for _ in 0..u.int_in_range(0..=3)? {
            slots.insert(slot_at(u.int_in_range(0..=7)?), slot_at(u.int_in_range(1..=255)?));
        }
        let length = u.int_in_range(0..=64)?;
        let account = WholeAccount {
            nonce: u.int_in_range(0..=2)?,
            balance: slot_at(u.arbitrary()?),
            code: u.bytes(length)?.to_vec(),
            slots,
        };
        accounts.insert(account_at(number), account);
    }
    let fork = *u.choose(&Fork::ALL)?;
    let mut whole = WholeState::new(&accounts);
    let parent = header(&HeaderFields::default(), &whole.root(), fork);
    whole.headers.insert(0, parent.1);
    let (parent_hash, coinbase) = (parent.0, account_at(1));
    let fields = HeaderFields { parent_hash, number: 1, coinbase, ..HeaderFields::default() };
    let header = header(&fields, &whole.root(), fork);
    let length = u.int_in_range(0..=64)?;
    let call = Call {
        from: account_at(u.int_in_range(0..=ACCOUNTS)?),
        to: if u.ratio(7, 8)? { Some(account_at(u.int_in_range(0..=ACCOUNTS)?)) } else { None },
        data: u.bytes(length)?.to_vec(),
        value: slot_at(u.int_in_range(0..=1)?),
        gas: Some(u.int_in_range(0..=1_000_000)?),
        fees: CallFees {
            max_fee: if u.ratio(1, 8)? { Some(1) } else { None },
            ..CallFees::default()
        },
        ..Call::default()
    };
    let open = || {
        let evidence = ForkEvidence::Named(fork);
        ProvenState::new(&header.0, &header.1, &network_of(1, fork), evidence, &Limits::DEFAULT)
            .unwrap()
    };
    let mut full = open();
    whole.prove_all(&accounts, &mut full);
    let Some(expected) = outcome(&whole, &mut full, &call) else { return Ok(()) };

    let mut some = open();
    for number in 0..ACCOUNTS {
        if !u.ratio(1, 3)? {
            continue;
        }
        let address = account_at(number);
        let slots = [slot_at(u.int_in_range(0..=7)?)];
        let proved = whole.proof(&address, &slots);
        let mut account = proved.account_proof.clone();
        let mut slot = proved.storage[0].proof.clone();
        let nodes = if u.ratio(1, 2)? { &mut account } else { &mut slot };
        if u.ratio(1, 2)? && !nodes.is_empty() {
            let node = u.choose_index(nodes.len())?;
            let at = u.choose_index(nodes[node].len())?;
            nodes[node][at] ^= u.arbitrary::<u8>()?;
        }
        let account: Vec<&[u8]> = account.iter().map(Vec::as_slice).collect();
        let slot: Vec<&[u8]> = slot.iter().map(Vec::as_slice).collect();
        // A refusal is as good as no proof.
        let _ = some.add_proof(&address, &account, &[(slots[0], slot)]);
    }
    assert_eq!(outcome(&whole, &mut some, &call), Some(expected));
    Ok(())
}

/// How a call ends, with whatever it asks for; nothing if its work does not suffice.
fn outcome(whole: &WholeState, state: &mut ProvenState, call: &Call) -> Option<CallOutcome> {
    loop {
        // The work of the rounds before is not counted: it depends on what is proven.
        let mut work = WorkBudget::new(WORK);
        match run(state, call, &Overrides::default(), &mut work) {
            Ok(Step::Done { result, .. }) => return Some(result.into_inner()),
            Ok(Step::Missing(missing)) => assert!(whole.serve(&missing, state) > 0, "{missing:?}"),
            Err(error) => {
                assert_eq!(error.reason(), Reason::CallWork, "{error}");
                return None;
            }
        }
    }
}
