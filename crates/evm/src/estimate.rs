//! The gas that a call needs.

use prooflight_core::Result;
use revm::primitives::U256;

use crate::call::Call;
use crate::execution::{
    CallHalt, CallOutcome, CallRejection, CallRevert, Executor, MAX_CALL_GAS, Progress,
    RequestTally,
};
use crate::failure::{Halt, Rejection};
use crate::fork::Fork;
use crate::machine::BLOB_GAS;
use crate::missing::{StateKeys, Step};
use crate::overrides::Overrides;
use crate::proven_state::ProvenState;
use crate::work::WorkBudget;

/// The gas of a transaction that does nothing.
const TRANSACTION_GAS: u64 = 21_000;

/// The most gas of a transaction since Osaka (EIP-7825).
const MAX_TRANSACTION_GAS: u64 = 1 << 24;

/// The gas that a call with value gives on top.
const CALL_STIPEND: u64 = 2_300;

/// The estimate may be above the least gas by this share.
const TOLERANCE: f64 = 0.015;

/// What a call needs, or why no gas suffices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GasEstimate {
    /// It succeeds with this gas.
    Gas(u64),
    /// It fails even with the most gas that it may have, for want of gas.
    AboveAllowance(u64),
    /// It is reverted.
    Reverted(CallRevert),
    /// It ends without a result.
    Halted(CallHalt),
    /// It is not executed.
    Rejected(CallRejection),
}

/// Estimates the gas that a call needs.
///
/// The answer is that of `eth_estimateGas` of geth 1.16.7 in the same block. Many executions may be needed: `work` is for
/// all of them together. `call_work` if it does not suffice.
pub fn estimate(
    state: &ProvenState,
    call: &Call,
    overrides: &Overrides,
    work: &mut WorkBudget,
) -> Result<Step<GasEstimate>> {
    let executor = match Executor::new(state, call, overrides)? {
        Ok(executor) => executor,
        Err(rejection) => return Ok(rejected(rejection)),
    };
    // As in geth, the overrides are checked, but the fork's precompiles are used.
    if let Err(rejection) = executor.precompiles.clone().overridden(&overrides.accounts) {
        return Ok(rejected(rejection));
    }
    let mut tally = RequestTally::new(work);
    let progress = GasSearch { executor: &executor, call }.run(&mut tally)?;
    Ok(tally.step(progress))
}

fn rejected(rejection: Rejection) -> Step<GasEstimate> {
    let estimate = GasEstimate::Rejected(CallRejection { rejection, gas: 0 });
    Step::done(estimate, StateKeys::default())
}

/// The search for the least gas.
struct GasSearch<'a> {
    executor: &'a Executor<'a>,
    call: &'a Call,
}

impl GasSearch<'_> {
    fn run(&self, tally: &mut RequestTally<'_>) -> Result<Progress<GasEstimate>> {
        let most = match self.allowance(tally) {
            Ok(Ok(most)) => most,
            Ok(Err(rejection)) => {
                return Ok(Ok(GasEstimate::Rejected(CallRejection { rejection, gas: 0 })));
            }
            Err(missing) => return Ok(Err(missing)),
        };
        match self.is_plain_transfer(tally) {
            Ok(false) => {}
            Ok(true) => match self.attempt(TRANSACTION_GAS, tally)? {
                Ok(CallOutcome::Returned(_)) => {
                    return Ok(Ok(GasEstimate::Gas(TRANSACTION_GAS)));
                }
                Ok(_) => {}
                Err(missing) => return Ok(Err(missing)),
            },
            Err(missing) => return Ok(Err(missing)),
        }
        let gas = match self.attempt(most, tally)? {
            Ok(CallOutcome::Returned(returned)) => returned.gas,
            Ok(outcome) => return Ok(Ok(failure(outcome, most))),
            Err(missing) => return Ok(Err(missing)),
        };
        let (mut low, mut high) = (gas.used.saturating_sub(1), most);
        let guess = gas.peak.saturating_add(CALL_STIPEND).saturating_mul(64) / 63;
        let mut next = (guess < high).then_some(guess);
        while low.saturating_add(1) < high {
            let middle = match next.take() {
                Some(guess) => guess,
                None if is_close(low, high) => break,
                None => (low + (high - low) / 2).min(low.saturating_mul(2)),
            };
            match self.attempt(middle, tally)? {
                Ok(CallOutcome::Returned(_)) => high = middle,
                Ok(CallOutcome::Rejected(CallRejection { rejection, gas }))
                    if !rejection.is_too_little_gas() =>
                {
                    return Ok(Ok(GasEstimate::Rejected(CallRejection { rejection, gas })));
                }
                Ok(_) => low = middle,
                Err(missing) => return Ok(Err(missing)),
            }
        }
        Ok(Ok(GasEstimate::Gas(high)))
    }

    fn attempt(&self, gas: u64, tally: &mut RequestTally<'_>) -> Result<Progress<CallOutcome>> {
        let progress = self.executor.execute(self.call, gas, None, tally)?;
        Ok(progress.map(|(outcome, _)| outcome))
    }

    /// The most gas that the call may have: by what it asks for, by the fork, and by what its sender can pay.
    fn allowance(
        &self,
        tally: &mut RequestTally<'_>,
    ) -> Progress<core::result::Result<u64, Rejection>> {
        let asked = self.call.gas.filter(|gas| *gas >= TRANSACTION_GAS);
        let mut most = asked.unwrap_or(self.executor.state.header().gas_limit);
        if self.executor.environment.fork >= Fork::Osaka {
            most = most.min(MAX_TRANSACTION_GAS);
        }
        let cap = self.call.fees.cap();
        if cap > 0 {
            let sender = tally.account(self.executor, &self.call.from)?;
            let (value, balance) = (U256::from_be_bytes(self.call.value), sender.balance);
            if !value.is_zero() && value >= balance {
                return Ok(Err(Rejection::NothingForGas));
            }
            let mut left = balance - value;
            if let Some(hashes) = &self.call.blob_hashes {
                let cap = self.call.max_fee_per_blob_gas.unwrap_or_default();
                let blobs = U256::from(hashes.len()) * U256::from(BLOB_GAS) * U256::from(cap);
                if blobs >= left {
                    let from = self.call.from;
                    let funds =
                        Rejection::InsufficientFunds { from, have: balance, want: blobs + value };
                    return Ok(Err(funds));
                }
                left -= blobs;
            }
            most = u64::try_from(left / U256::from(cap))
                .map_or(most, |affordable| most.min(affordable));
        }
        Ok(Ok(most.min(MAX_CALL_GAS)))
    }

    /// Whether the call has no data and its target has no code.
    fn is_plain_transfer(&self, tally: &mut RequestTally<'_>) -> Progress<bool> {
        let Some(to) = self.call.to.filter(|_| self.call.data.is_empty()) else { return Ok(false) };
        Ok(tally.account(self.executor, &to)?.is_empty_code_hash())
    }
}

/// What a failure with the most gas means.
fn failure(outcome: CallOutcome, most: u64) -> GasEstimate {
    match outcome {
        CallOutcome::Halted(CallHalt { halt: Halt::OutOfGas, .. }) => {
            GasEstimate::AboveAllowance(most)
        }
        CallOutcome::Rejected(CallRejection { rejection, .. }) if rejection.is_too_little_gas() => {
            GasEstimate::AboveAllowance(most)
        }
        CallOutcome::Halted(halted) => GasEstimate::Halted(halted),
        CallOutcome::Reverted(reverted) => GasEstimate::Reverted(reverted),
        CallOutcome::Rejected(rejected) => GasEstimate::Rejected(rejected),
        CallOutcome::Returned(_) => GasEstimate::Gas(most),
    }
}

#[expect(clippy::cast_precision_loss, reason = "geth computes this share in the same way")]
fn is_close(low: u64, high: u64) -> bool {
    ((high - low) as f64) / (high as f64) < TOLERANCE
}
