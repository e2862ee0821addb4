//! One execution of a call.

use alloc::vec::Vec;

use prooflight_core::{Error, Reason, Result};
use prooflight_ethereum::Log;
use revm::context_interface::ContextSetters;
use revm::context_interface::result::ExecutionResult;
use revm::handler::Handler;

use crate::access_tracer::AccessTracer;
use crate::call::Call;
use crate::environment::{Environment, Rules};
use crate::failure::{Halt, Rejection};
use crate::fork::Fork;
use crate::machine::{CallHandler, ExecutionTrace, Interruption, machine};
use crate::missing::{Missing, Step};
use crate::overrides::Overrides;
use crate::precompiles::PrecompileTable;
use crate::proven_state::ProvenState;
use crate::view::StateView;
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
        Err(rejection) => return Ok(Step::rejected(rejection, gas)),
    };
    match executor.precompiles.clone().overridden(&overrides.accounts) {
        Ok(precompiles) => executor.precompiles = precompiles,
        Err(rejection) => return Ok(Step::rejected(rejection, gas)),
    }
    let execution = executor.execute(call, gas, None, work)?;
    Ok(execution.map(|(outcome, _)| outcome))
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
        work: &mut WorkBudget,
    ) -> Result<Step<(CallOutcome, Option<AccessTracer>)>> {
        if let Err(rejection) = check_fees(call, &self.environment) {
            return Ok(Step::done((
                CallOutcome::Rejected(CallRejection { rejection, gas }),
                accesses,
            )));
        }
        let budget = *work;
        let view = StateView::new(self.state, self.overrides);
        let trace = ExecutionTrace { work: WorkMeter::new(budget), accesses };
        let mut machine = machine(&self.environment, self.precompiles.clone(), view, trace);
        machine.ctx.set_tx(call.transaction(gas));
        let mut handler = CallHandler::new(Rules::Call);
        let result = handler.run(&mut machine);
        let revm::Context { mut journaled_state, chain, .. } = machine.ctx;
        *work = chain.work.left();
        let missing = journaled_state.database.take_missing();
        if !missing.is_empty() {
            return Ok(Step::Missing(missing));
        }
        let outcome = match result {
            Ok(result) => CallOutcome::new(result, &handler),
            Err(Interruption::Rejected(rejection)) => {
                CallOutcome::Rejected(CallRejection { rejection, gas })
            }
            Err(Interruption::Work) => return Err(too_much_work(budget)),
            Err(Interruption::Invalid(error)) => return Err(bug(error)),
            Err(Interruption::Bug(text)) => return Err(bug(text)),
        };
        Ok(Step::done((outcome, chain.accesses)))
    }
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

impl Step<CallOutcome> {
    fn rejected(rejection: Rejection, gas: u64) -> Self {
        Self::done(CallOutcome::Rejected(CallRejection { rejection, gas }))
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
fn check_arguments(call: &Call, state: &ProvenState) -> core::result::Result<(), Rejection> {
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
fn check_fees(call: &Call, environment: &Environment) -> core::result::Result<(), Rejection> {
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

impl<T> Step<T> {
    /// The result of an execution that read nothing but proven state.
    pub(crate) const fn done(value: T) -> Self {
        Self::Done(prooflight_core::Verified::by_verifier(value))
    }

    pub(crate) fn map<U>(self, change: impl FnOnce(T) -> U) -> Step<U> {
        match self {
            Self::Done(value) => Step::done(change(value.into_inner())),
            Self::Missing(missing) => Step::Missing(missing),
        }
    }
}

/// What was missing, for callers that go on with a result.
pub(crate) type Progress<T> = core::result::Result<T, Missing>;

impl<T> Step<T> {
    pub(crate) fn progress(self) -> Progress<T> {
        match self {
            Self::Done(value) => Ok(value.into_inner()),
            Self::Missing(missing) => Err(missing),
        }
    }
}
