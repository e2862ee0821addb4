//! The accounts and slots that a call names.

use alloc::vec::Vec;

use prooflight_core::Result;
use prooflight_mpt::{Address, Word};
use revm::context_interface::transaction::AuthorizationTr;
use revm::primitives::Address as RevmAddress;

use crate::access_tracer::AccessTracer;
use crate::call::{AccessListEntry, Authorization, Call};
use crate::execution::{CallOutcome, CallRejection, Executor, MAX_CALL_GAS, RequestTally};
use crate::failure::Rejection;
use crate::missing::{StateKeys, Step};
use crate::overrides::Overrides;
use crate::proven_state::ProvenState;
use crate::sorted::{SortedMap, SortedSet};
use crate::work::WorkBudget;

/// The access list of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccessListOutcome {
    /// The accounts, ascending, each with its slots, ascending.
    pub access_list: Vec<AccessListEntry>,
    /// How the call ends with this list.
    pub outcome: CallOutcome,
}

/// Makes the access list of a call: the accounts and slots that it names when it has this list.
///
/// As in geth 1.16.7, the sender, the target, precompiles and accounts that delegate are listed only with slots; a list that
/// the call has is kept. Fees that are not named are 0. The call is executed until its list no longer changes: `work` is for all
/// executions together. `call_work` if it does not suffice.
pub fn access_list(
    state: &ProvenState,
    call: &Call,
    overrides: &Overrides,
    work: &mut WorkBudget,
) -> Result<Step<AccessListOutcome>> {
    let gas = call.gas.unwrap_or(MAX_CALL_GAS).min(MAX_CALL_GAS);
    let executor = match Executor::new(state, call, overrides)? {
        Ok(executor) => executor,
        Err(rejection) => return Ok(rejected(rejection, gas)),
    };
    if let Some(address) = overrides
        .accounts
        .iter()
        .find_map(|(address, changes)| changes.move_precompile_to.is_some().then_some(*address))
    {
        return Ok(rejected(Rejection::NotAPrecompile { address }, gas));
    }
    let mut tally = RequestTally::new(work);
    let created = match call.to {
        Some(to) => to,
        None => match tally.account(&executor, &call.from) {
            Ok(from) => RevmAddress::from(call.from).create(from.nonce).into_array(),
            Err(missing) => return Ok(Step::Missing(missing)),
        },
    };
    let mut excluded = Vec::from([call.from, created]);
    excluded.extend(executor.precompiles.addresses());
    let signed = call.authorizations.iter().flatten().map(Authorization::signed);
    excluded.extend(signed.filter_map(|one| one.authority()).map(RevmAddress::into_array));

    let mut accesses = accesses_of(call, &excluded);
    let mut call = call.clone();
    loop {
        call.access_list = entries(&accesses);
        let tracer = AccessTracer { excluded: excluded.clone(), accesses };
        let (outcome, tracer) = match executor.execute(&call, gas, Some(tracer), &mut tally)? {
            Ok(execution) => execution,
            Err(missing) => return Ok(Step::Missing(missing)),
        };
        accesses = tracer.map(|tracer| tracer.accesses).unwrap_or_default();
        let is_complete = entries(&accesses) == call.access_list;
        if is_complete || matches!(outcome, CallOutcome::Rejected(_)) {
            let access_list = call.access_list;
            return Ok(tally.step(Ok(AccessListOutcome { access_list, outcome })));
        }
    }
}

fn rejected(rejection: Rejection, gas: u64) -> Step<AccessListOutcome> {
    let outcome = CallOutcome::Rejected(CallRejection { rejection, gas });
    Step::done(AccessListOutcome { access_list: Vec::new(), outcome }, StateKeys::default())
}

/// What a call's own list names, but for accounts that are listed only with slots.
fn accesses_of(call: &Call, excluded: &[Address]) -> SortedMap<Address, SortedSet<Word>> {
    let mut accesses = SortedMap::default();
    for entry in &call.access_list {
        if !entry.slots.is_empty() || !excluded.contains(&entry.address) {
            let slots: &mut SortedSet<Word> =
                accesses.get_or_insert(entry.address, SortedSet::default());
            slots.extend(entry.slots.iter().copied());
        }
    }
    accesses
}

fn entries(accesses: &SortedMap<Address, SortedSet<Word>>) -> Vec<AccessListEntry> {
    let entry = |(address, slots): &(Address, SortedSet<Word>)| AccessListEntry {
        address: *address,
        slots: slots.to_vec(),
    };
    accesses.iter().map(entry).collect()
}
