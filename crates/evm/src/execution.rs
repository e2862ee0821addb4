//! One execution of a call.

use alloc::vec::Vec;

use prooflight_core::{Error, Reason, Result};
use prooflight_ethereum::{BlockHeader, Log};
use prooflight_mpt::Address;
use revm::context::Journal;
use revm::context_interface::ContextSetters;
use revm::context_interface::result::ExecutionResult;
use revm::handler::Handler;
use revm::state::AccountInfo;

use crate::access_tracer::AccessTracer;
use crate::call::Call;
use crate::environment::{Environment, Rules};
use crate::failure::{Halt, Rejection};
use crate::fork::Fork;
use crate::machine::{CallHandler, ExecutionTrace, Interruption, machine};
use crate::missing::{StateKeys, Step};
use crate::overrides::Overrides;
use crate::precompiles::PrecompileTable;
use crate::proven_state::ProvenState;
use crate::view::{StateView, UnknownBlobFee};
use crate::work::{WorkBudget, WorkMeter, too_much_work};

/// The most gas of a call, whatever it asks for.
pub const MAX_CALL_GAS: u64 = 50_000_000;

/// The version of the hashes of blobs.
const BLOB_VERSION: u8 = 1;

/// How a call ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CallOutcome {
    /// It returned.
    Returned(CallReturn),
    /// It was reverted, and so was everything that it changed.
    Reverted(CallRevert),
    /// It ended without a result, and took all its gas.
    Halted(CallHalt),
    /// It was not executed.
    Rejected(CallRejection),
}

/// What a call returned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallReturn {
    /// The data.
    pub data: Vec<u8>,
    /// The logs.
    pub logs: Vec<Log>,
    /// The gas.
    pub gas: GasUse,
}

/// What a reverted call says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallRevert {
    /// The data, often an encoded error.
    pub data: Vec<u8>,
    /// The gas.
    pub gas: GasUse,
}

/// Why a call ended without a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallHalt {
    /// The reason.
    pub halt: Halt,
    /// The gas.
    pub gas: GasUse,
}

/// Why a call was not executed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallRejection {
    /// The reason.
    pub rejection: Rejection,
    /// The gas that it had.
    pub gas: u64,
}

/// The gas of an execution.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GasUse {
    /// What the sender pays for.
    pub used: u64,
    /// The most that was taken before refunds: with less, the call fails.
    pub peak: u64,
}

/// Executes a call.
///
/// Its outcome is that of `eth_call` of geth 1.16.7 in the same block. `work` is what the request may still compute:
/// it becomes less, also where the execution was not done. `call_work` if it does not suffice.
pub fn run(
    state: &ProvenState,
    call: &Call,
    overrides: &Overrides,
    work: &mut WorkBudget,
) -> Result<Step<CallOutcome>> {
    let gas = call.gas.unwrap_or(MAX_CALL_GAS).min(MAX_CALL_GAS);
    let mut executor = match Executor::new(state, call, overrides)? {
        Ok(executor) => executor,
        Err(rejection) => return Ok(rejected(rejection, gas)),
    };
    match executor.precompiles.clone().overridden(&overrides.accounts) {
        Ok(precompiles) => executor.precompiles = precompiles,
        Err(rejection) => return Ok(rejected(rejection, gas)),
    }
    let mut tally = RequestTally::new(work);
    let progress = executor.execute(call, gas, None, &mut tally)?;
    Ok(tally.step(progress.map(|(outcome, _)| outcome)))
}

fn rejected(rejection: Rejection, gas: u64) -> Step<CallOutcome> {
    let outcome = CallOutcome::Rejected(CallRejection { rejection, gas });
    Step::done(outcome, StateKeys::default())
}

/// A result, or what was missing.
pub(crate) type Progress<T> = core::result::Result<T, StateKeys>;

/// The work that a request has left, and the state that its executions have read.
#[derive(Debug)]
pub(crate) struct RequestTally<'a> {
    pub(crate) work: &'a mut WorkBudget,
    reads: StateKeys,
}

impl<'a> RequestTally<'a> {
    pub(crate) fn new(work: &'a mut WorkBudget) -> Self {
        Self { work, reads: StateKeys::default() }
    }

    pub(crate) fn step<T>(self, progress: Progress<T>) -> Step<T> {
        match progress {
            Ok(result) => Step::done(result, self.reads),
            Err(missing) => Step::Missing(missing),
        }
    }

    /// An account as the state and the overrides have it, empty if it is absent.
    pub(crate) fn account(
        &mut self,
        executor: &Executor<'_>,
        address: &Address,
    ) -> Progress<AccountInfo> {
        let mut view = StateView::new(executor.state, executor.overrides);
        let account = view.account(address).unwrap_or_default();
        self.finish(view)?;
        Ok(account)
    }

    /// Counts what a view has read; an error if something was missing.
    pub(crate) fn finish(&mut self, view: StateView<'_>) -> Progress<()> {
        let StateView { missing, reads, .. } = view;
        if !missing.is_empty() {
            return Err(missing);
        }
        self.reads.extend(&reads);
        Ok(())
    }
}

/// What the executions of one request have in common.
pub(crate) struct Executor<'a> {
    pub(crate) state: &'a ProvenState,
    pub(crate) overrides: &'a Overrides,
    pub(crate) environment: Environment,
    pub(crate) precompiles: PrecompileTable,
}

impl<'a> Executor<'a> {
    /// Checks what no state decides, in geth's order.
    pub(crate) fn new(
        state: &'a ProvenState,
        call: &Call,
        overrides: &'a Overrides,
    ) -> Result<core::result::Result<Self, Rejection>> {
        let mut environment = Environment::new(state, &overrides.block, Rules::Call)?;
        environment.waive_fees(call);
        if let Err(rejection) = check_arguments(call, state) {
            return Ok(Err(rejection));
        }
        let precompiles = PrecompileTable::of_fork(environment.fork);
        Ok(Ok(Self { state, overrides, environment, precompiles }))
    }

    /// Executes the call with this gas.
    pub(crate) fn execute(
        &self,
        call: &Call,
        gas: u64,
        accesses: Option<AccessTracer>,
        tally: &mut RequestTally<'_>,
    ) -> Result<Progress<(CallOutcome, Option<AccessTracer>)>> {
        let mut view = StateView::new(self.state, self.overrides);
        view.blob_fee = self.environment.blob_fee;
        if call.max_fee_per_blob_gas.is_some_and(|cap| cap > 0) {
            let is_known = view.check_blob_fee();
            if view.has_gap() {
                return Ok(Err(view.missing));
            }
            is_known.map_err(|UnknownBlobFee| unknown_blob_fee(self.state.header()))?;
        }
        if let Err(rejection) = check_fees(call, &self.environment) {
            let outcome = CallOutcome::Rejected(CallRejection { rejection, gas });
            return Ok(tally.finish(view).map(|()| (outcome, accesses)));
        }
        let budget = *tally.work;
        let trace = ExecutionTrace { work: WorkMeter::new(budget), accesses };
        let mut machine = machine(&self.environment, self.precompiles.clone(), view, trace);
        machine.ctx.set_tx(call.transaction(gas));
        let mut handler = CallHandler::new(Rules::Call);
        let result = handler.run(&mut machine);
        let revm::Context { journaled_state: Journal { database, .. }, chain, .. } = machine.ctx;
        *tally.work = chain.work.left();
        if let Err(missing) = tally.finish(database) {
            return Ok(Err(missing));
        }
        let outcome = result.map_or_else(
            |interruption| interruption.outcome(gas, budget, self.state),
            |result| Ok(CallOutcome::new(result, &handler)),
        )?;
        Ok(Ok((outcome, chain.accesses)))
    }
}

impl Interruption {
    /// The outcome of a call that is not executed with this gas; an error if it cannot be known.
    pub(crate) fn outcome(
        self,
        gas: u64,
        budget: WorkBudget,
        state: &ProvenState,
    ) -> Result<CallOutcome> {
        match self {
            Self::Rejected(rejection) => {
                Ok(CallOutcome::Rejected(CallRejection { rejection, gas }))
            }
            Self::Work => Err(too_much_work(budget)),
            Self::BlobFee => Err(unknown_blob_fee(state.header())),
            Self::Invalid(_) => Err(bug("one that is invalid")),
            Self::Bug(text) => Err(bug(text)),
        }
    }
}

#[cold]
pub(crate) fn unknown_blob_fee(header: &BlockHeader) -> Error {
    let expected = format_args!("the blob parameters of block {}", header.number);
    Error::new(Reason::UnsupportedFork, expected, "none that its header follows from")
}

#[cold]
pub(crate) fn bug(found: impl core::fmt::Display) -> Error {
    Error::new(Reason::Bug, "an execution of a call", found)
}

impl CallOutcome {
    pub(crate) fn new(result: ExecutionResult, handler: &CallHandler<'_>) -> Self {
        match result {
            ExecutionResult::Success { gas, logs, output, .. } => Self::Returned(CallReturn {
                data: output.into_data().to_vec(),
                logs: logs.iter().map(log).collect(),
                gas: gas_use(&gas),
            }),
            ExecutionResult::Revert { gas, output, .. } => {
                Self::Reverted(CallRevert { data: output.to_vec(), gas: gas_use(&gas) })
            }
            ExecutionResult::Halt { reason, gas, .. } => {
                Self::Halted(CallHalt { halt: handler.halt(reason), gas: gas_use(&gas) })
            }
        }
    }

    /// The gas; `None` if the call was not executed.
    pub const fn gas(&self) -> Option<GasUse> {
        match self {
            Self::Returned(returned) => Some(returned.gas),
            Self::Reverted(reverted) => Some(reverted.gas),
            Self::Halted(halted) => Some(halted.gas),
            Self::Rejected(_) => None,
        }
    }
}

fn gas_use(gas: &revm::context_interface::result::ResultGas) -> GasUse {
    GasUse { used: gas.tx_gas_used(), peak: gas.total_gas_spent().max(gas.floor_gas()) }
}

fn log(log: &revm::primitives::Log) -> Log {
    Log {
        address: log.address.into_array(),
        topics: log.data.topics().iter().map(|topic| topic.0).collect(),
        data: log.data.data.to_vec(),
    }
}

/// Checks what servers check before they look at the state.
pub(crate) fn check_arguments(
    call: &Call,
    state: &ProvenState,
) -> core::result::Result<(), Rejection> {
    let fees = &call.fees;
    if fees.gas_price.is_some() && (fees.max_fee.is_some() || fees.max_priority_fee.is_some()) {
        return Err(Rejection::TwoFeeStyles);
    }
    let want = state.network().chain_id();
    match call.chain_id {
        Some(have) if have != want => Err(Rejection::WrongChain { have, want }),
        _ => Ok(()),
    }
}

/// Checks fees, blobs and delegations, in geth's order.
pub(crate) fn check_fees(
    call: &Call,
    environment: &Environment,
) -> core::result::Result<(), Rejection> {
    let (from, cap, tip) = (call.from, call.fees.cap(), call.fees.tip());
    if !call.fees.are_zero() {
        let base_fee = environment.block.basefee;
        if cap < tip {
            return Err(Rejection::TipAboveCap { from, tip, cap });
        }
        if cap < u128::from(base_fee) {
            return Err(Rejection::CapBelowBaseFee { from, cap, base_fee });
        }
    }
    if let Some(hashes) = &call.blob_hashes {
        if call.to.is_none() {
            return Err(Rejection::BlobsOfCreate);
        }
        if hashes.is_empty() {
            return Err(Rejection::NoBlobs);
        }
        let most = environment.config.max_blobs_per_tx;
        if environment.fork >= Fork::Osaka && most.is_some_and(|most| hashes.len() as u64 > most) {
            return Err(Rejection::TooManyBlobs);
        }
        if let Some(index) = hashes.iter().position(|hash| hash[0] != BLOB_VERSION) {
            return Err(Rejection::BlobVersion { index });
        }
        let fee = environment.block.blob_excess_gas_and_price.map_or(0, |fee| fee.blob_gasprice);
        let cap = call.max_fee_per_blob_gas.unwrap_or_default();
        if cap < fee {
            return Err(Rejection::BlobCapBelowFee { from, cap, fee });
        }
    }
    if let Some(authorizations) = &call.authorizations {
        if call.to.is_none() {
            return Err(Rejection::AuthorizationsOfCreate { from });
        }
        if authorizations.is_empty() {
            return Err(Rejection::NoAuthorizations { from });
        }
    }
    Ok(())
}
