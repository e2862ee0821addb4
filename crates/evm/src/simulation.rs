//! Several calls, one after another, and what they change.

use alloc::vec::Vec;

use prooflight_core::Result;
use prooflight_mpt::{Address, Word};
use revm::context_interface::{ContextSetters, JournalTr};
use revm::handler::Handler;
use revm::primitives::B256;
use revm::state::{Account, EvmState};

use crate::call::Call;
use crate::environment::{Environment, Rules};
use crate::execution::{
    CallOutcome, CallRejection, MAX_CALL_GAS, Progress, RequestTally, check_arguments, check_fees,
};
use crate::machine::{CallHandler, ExecutionTrace, Interruption, Machine, machine};
use crate::missing::{StateKeys, Step};
use crate::overrides::Overrides;
use crate::precompiles::PrecompileTable;
use crate::proven_state::ProvenState;
use crate::view::StateView;
use crate::work::{WorkBudget, WorkMeter};

/// What calls come to, each after those before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Simulation {
    /// The outcome of each question before the calls.
    pub before: Vec<CallOutcome>,
    /// The outcome of each call.
    pub outcomes: Vec<CallOutcome>,
    /// The outcome of each question after the calls.
    pub after: Vec<CallOutcome>,
    /// The accounts that all of them together change, ascending.
    ///
    /// What the recipient of the fees gets is not among them, unless a call reads that account.
    pub differences: Vec<AccountDifference>,
}

/// An account that calls change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccountDifference {
    /// Its address.
    pub address: Address,
    /// Its balance before and after, in wei.
    pub balance: [Word; 2],
    /// Its nonce before and after.
    pub nonce: [u64; 2],
    /// Its code afterwards, if that is another one.
    pub code: Option<Vec<u8>>,
    /// The slots that have another value, ascending.
    pub slots: Vec<SlotDifference>,
}

/// A slot that calls change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SlotDifference {
    /// The slot.
    pub slot: Word,
    /// Its value before.
    pub before: Word,
    /// Its value afterwards.
    pub after: Word,
}

/// Executes calls, each after those before it, by the rules of [`run`](crate::run); one that fails changes nothing.
///
/// `questions` are calls that are executed before them, and again after them. Each is executed alone: nothing that it does
/// is seen by another question, or by a call. Overrides hold for all of them. `work` is for all of them together;
/// `call_work` if it does not suffice.
pub fn simulate(
    state: &ProvenState,
    calls: &[Call],
    questions: &[Call],
    overrides: &Overrides,
    work: &mut WorkBudget,
) -> Result<Step<Simulation>> {
    let environment = Environment::new(state, &overrides.block, Rules::Call)?;
    let fork = PrecompileTable::of_fork(environment.fork);
    let precompiles = match fork.overridden(&overrides.accounts) {
        Ok(precompiles) => precompiles,
        Err(rejection) => {
            let gas = MAX_CALL_GAS;
            let outcome = CallOutcome::Rejected(CallRejection { rejection, gas });
            let all = |calls: &[Call]| calls.iter().map(|_| outcome.clone()).collect::<Vec<_>>();
            let simulation = Simulation {
                before: all(questions),
                outcomes: all(calls),
                after: all(questions),
                differences: Vec::new(),
            };
            return Ok(Step::done(simulation, StateKeys::default()));
        }
    };
    let simulator = Simulator { environment, precompiles, state, overrides };
    let mut tally = RequestTally::new(work);
    let mut missing = StateKeys::default();
    let mut failed = None;
    // Each part begins with the state of the block, so that no question changes anything for another or for a call.
    let mut execute = |calls: &[Call], question: Option<&Call>| {
        match simulator.execute_all(calls, question, &mut tally) {
            Ok(Ok(executed)) => return executed,
            Ok(Err(more)) => missing.extend(&more),
            Err(error) => failed = Some(error),
        }
        (Vec::new(), EvmState::default())
    };
    let (outcomes, changed) = execute(calls, None);
    let mut before = Vec::with_capacity(questions.len());
    let mut after = Vec::with_capacity(questions.len());
    for question in questions {
        before.extend(execute(&[], Some(question)).0.pop());
        after.extend(execute(calls, Some(question)).0.pop());
    }
    if !missing.is_empty() {
        return Ok(Step::Missing(missing));
    }
    if let Some(error) = failed {
        return Err(error);
    }
    let differences = differences(changed, StateView::new(state, overrides));
    Ok(tally.step(Ok(Simulation { before, outcomes, after, differences })))
}

/// What the executions of a simulation have in common.
struct Simulator<'a> {
    environment: Environment,
    precompiles: PrecompileTable,
    state: &'a ProvenState,
    overrides: &'a Overrides,
}

impl Simulator<'_> {
    /// Executes calls, and after them a question: their outcomes, and the state that they leave.
    fn execute_all(
        &self,
        calls: &[Call],
        question: Option<&Call>,
        tally: &mut RequestTally<'_>,
    ) -> Result<Progress<(Vec<CallOutcome>, EvmState)>> {
        let budget = *tally.work;
        let trace = ExecutionTrace { work: WorkMeter::new(budget), accesses: None };
        let view = StateView::new(self.state, self.overrides);
        let mut machine = machine(&self.environment, self.precompiles.clone(), view, trace);
        let mut outcomes = Vec::with_capacity(calls.len() + 1);
        let mut failed = None;
        for call in calls.iter().chain(question) {
            let gas = call.gas.unwrap_or(MAX_CALL_GAS).min(MAX_CALL_GAS);
            let outcome = self
                .execute(&mut machine, call, gas)
                .or_else(|interruption| interruption.outcome(gas, budget, self.state));
            match outcome {
                Ok(outcome) => outcomes.push(outcome),
                Err(error) => {
                    failed = Some(error);
                    break;
                }
            }
        }
        let changed = machine.ctx.journaled_state.finalize();
        *tally.work = machine.ctx.chain.work.left();
        let progress = tally.finish(machine.ctx.journaled_state.database);
        match (progress, failed) {
            // Behind a gap, nothing that fails says anything.
            (Ok(()), Some(error)) => Err(error),
            (progress, _) => Ok(progress.map(|()| (outcomes, changed))),
        }
    }

    fn execute(
        &self,
        machine: &mut Machine<'_>,
        call: &Call,
        gas: u64,
    ) -> core::result::Result<CallOutcome, Interruption> {
        let mut environment = self.environment.clone();
        environment.waive_fees(call);
        let view = &mut machine.ctx.journaled_state.database;
        view.blob_fee = environment.blob_fee;
        let is_blob_fee_read = call.max_fee_per_blob_gas.is_some_and(|cap| cap > 0);
        if is_blob_fee_read && view.check_blob_fee().is_err() {
            return Err(Interruption::BlobFee);
        }
        check_arguments(call, self.state)
            .and_then(|()| check_fees(call, &environment))
            .map_err(Interruption::Rejected)?;
        machine.ctx.block = environment.block;
        machine.ctx.set_tx(call.transaction(gas));
        let mut handler = CallHandler::new(Rules::Call);
        let result = handler.run(machine)?;
        Ok(CallOutcome::new(result, &handler))
    }
}

/// The differences between a state afterwards and the view of it before.
fn differences(changed: EvmState, mut before: StateView<'_>) -> Vec<AccountDifference> {
    let touched = changed.into_iter().filter(|(_, account)| account.is_touched());
    let mut found: Vec<AccountDifference> = Vec::new();
    for (address, account) in touched {
        if let Some(difference) = difference(address.into_array(), account, &mut before) {
            let at = found.partition_point(|other| other.address < difference.address);
            found.insert(at, difference);
        }
    }
    found
}

/// The difference of an account; `None` if there is none.
fn difference(
    address: Address,
    account: Account,
    before: &mut StateView<'_>,
) -> Option<AccountDifference> {
    let old = before.account(&address).unwrap_or_default();
    let is_gone = account.is_selfdestructed();
    let is_new = account.is_created();
    let new = if is_gone { revm::state::AccountInfo::default() } else { account.info };
    let has_other_code = new.code_hash != old.code_hash && new.code_hash != B256::ZERO;
    let code = new.code.filter(|_| has_other_code).map(|code| code.original_bytes().to_vec());
    let mut slots = Vec::new();
    for (slot, value) in account.storage {
        let slot = slot.to_be_bytes();
        // An account that is created has no slots.
        let before = if is_new { Word::default() } else { before.slot(&address, slot) };
        let after = if is_gone { Word::default() } else { value.present_value.to_be_bytes() };
        if before != after {
            let at = slots.partition_point(|other: &SlotDifference| other.slot < slot);
            slots.insert(at, SlotDifference { slot, before, after });
        }
    }
    let difference = AccountDifference {
        address,
        balance: [old.balance.to_be_bytes(), new.balance.to_be_bytes()],
        nonce: [old.nonce, new.nonce],
        code: code.or_else(|| has_other_code.then(Vec::new)),
        slots,
    };
    let is_same = old.balance == new.balance
        && old.nonce == new.nonce
        && difference.code.is_none()
        && difference.slots.is_empty();
    (!is_same).then_some(difference)
}
