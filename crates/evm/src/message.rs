//! The messages of failures, as geth's JSON-RPC gives them.

use alloc::format;
use alloc::string::{String, ToString};

use revm::primitives::U256;

use crate::access_list::AccessListOutcome;
use crate::estimate::GasEstimate;
use crate::execution::{CallOutcome, CallRejection};

/// `Error(string)`.
const ERROR_SELECTOR: [u8; 4] = [0x08, 0xc3, 0x79, 0xa0];

/// `Panic(uint256)`.
const PANIC_SELECTOR: [u8; 4] = [0x4e, 0x48, 0x7b, 0x71];

impl CallOutcome {
    /// What `eth_call` says of a failure; `None` if the call returned.
    pub fn message(&self) -> Option<String> {
        match self {
            Self::Returned(_) => None,
            Self::Reverted(reverted) => Some(revert_message(&reverted.data)),
            Self::Halted(halted) => Some(halted.halt.to_string()),
            Self::Rejected(CallRejection { rejection, .. }) if rejection.is_of_arguments() => {
                Some(rejection.to_string())
            }
            Self::Rejected(CallRejection { rejection, gas }) => {
                Some(format!("err: {rejection} (supplied gas {gas})"))
            }
        }
    }
}

impl GasEstimate {
    /// What `eth_estimateGas` says of a failure; `None` if some gas suffices.
    pub fn message(&self) -> Option<String> {
        match self {
            Self::Gas(_) => None,
            Self::AboveAllowance(gas) => Some(format!("gas required exceeds allowance ({gas})")),
            Self::Reverted(reverted) => Some(revert_message(&reverted.data)),
            Self::Halted(halted) => Some(halted.halt.to_string()),
            Self::Rejected(CallRejection { rejection, .. }) if rejection.is_of_arguments() => {
                Some(rejection.to_string())
            }
            Self::Rejected(CallRejection { rejection, gas }) => {
                Some(format!("failed with {gas} gas: {rejection}"))
            }
        }
    }
}

impl AccessListOutcome {
    /// What `eth_createAccessList` says of a call that is not executed; `None` if it has a list.
    pub fn message(&self) -> Option<String> {
        match &self.outcome {
            CallOutcome::Rejected(CallRejection { rejection, .. })
                if rejection.is_of_arguments() =>
            {
                Some(rejection.to_string())
            }
            CallOutcome::Rejected(CallRejection { rejection, .. }) => {
                Some(format!("failed to apply transaction: err: {rejection}"))
            }
            _ => None,
        }
    }
}

/// `execution reverted`, with the reason if the data have one.
fn revert_message(data: &[u8]) -> String {
    let reason = data.split_first_chunk().and_then(|(selector, rest)| match *selector {
        ERROR_SELECTOR => error_text(rest),
        PANIC_SELECTOR => panic_text(rest),
        _ => None,
    });
    reason.map_or_else(
        || "execution reverted".into(),
        |reason| format!("execution reverted: {reason}"),
    )
}

/// The text that is the only argument.
fn error_text(arguments: &[u8]) -> Option<String> {
    let at = length(arguments, 0)?;
    let size = length(arguments, at)?;
    let start = at.checked_add(32)?;
    let text = arguments.get(start..start.checked_add(size)?)?;
    Some(String::from_utf8_lossy(text).into_owned())
}

/// The integer at a place, as a length.
fn length(arguments: &[u8], at: usize) -> Option<usize> {
    let word = arguments.get(at..at.checked_add(32)?)?;
    usize::try_from(U256::try_from_be_slice(word)?).ok()
}

/// What the code of a panic means, in Solidity.
fn panic_text(arguments: &[u8]) -> Option<String> {
    let code = U256::try_from_be_slice(arguments.get(..32)?)?;
    let text = match u64::try_from(code) {
        Ok(0x00) => "generic panic",
        Ok(0x01) => "assert(false)",
        Ok(0x11) => "arithmetic underflow or overflow",
        Ok(0x12) => "division or modulo by zero",
        Ok(0x21) => "enum overflow",
        Ok(0x22) => "invalid encoded storage byte array accessed",
        Ok(0x31) => "out-of-bounds array access; popping on an empty array",
        Ok(0x32) => "out-of-bounds access of an array or bytesN",
        Ok(0x41) => "out of memory",
        Ok(0x51) => "uninitialized function",
        _ => return Some(format!("unknown panic code: {code:#x}")),
    };
    Some(text.into())
}
