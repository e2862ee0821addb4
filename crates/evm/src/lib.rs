//! Calls of Ethereum, executed over proven state: nothing of a server is believed.
//!
//! The caller trusts a block's hash. [`ProvenState`] holds what proofs have shown of the block's state. [`run`] executes a
//! call, [`simulate`] several, one after another, [`estimate`] finds the gas that a call needs, and [`access_list`] the
//! accounts and slots that it names. Each is done only if it read nothing that was not proven; otherwise it says what is
//! [missing](Step::Missing). The caller asks any server for proofs of that, adds them, and tries again.
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod access_list;
mod access_tracer;
mod call;
mod environment;
mod estimate;
mod execution;
mod failure;
mod fork;
mod machine;
mod message;
mod missing;
mod network;
mod overrides;
mod precompiles;
mod proven_state;
mod simulation;
mod sorted;
mod transaction;
mod view;
mod work;

pub use access_list::{AccessListOutcome, access_list};
pub use call::{AccessListEntry, Authorization, Call, CallFees};
pub use estimate::{GasEstimate, estimate};
pub use execution::{
    CallHalt, CallOutcome, CallRejection, CallReturn, CallRevert, GasUse, MAX_CALL_GAS, run,
};
pub use failure::{Halt, Rejection};
pub use fork::Fork;
pub use missing::{StateKeys, Step};
pub use network::{BlobStart, ExecutionNetwork, ForkEvidence, ForkStart};
pub use overrides::{AccountOverride, BlockOverrides, Overrides, StorageOverride};
pub use proven_state::{ProvenState, SlotNodes};
pub use simulation::{AccountDifference, Simulation, SlotDifference, simulate};
pub use sorted::{SortedMap, SortedSet};
pub use transaction::{AccountChange, TransactionExecution, TransactionOutcome, transact};
pub use work::WorkBudget;
