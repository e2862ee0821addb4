//! The messages about calls, in borsh.
//!
//! ```text
//! enum   Network     { Mainnet, Sepolia, Hoodi, Other(NetworkSchedule) }
//! enum   Evidence    { BeaconVersion([u8; 4]), Named(Fork), Schedule }
//! enum   Fork        { Paris, Shanghai, Cancun, Prague, Osaka }
//! enum   Storage     { None, All(Vec<([u8; 32], [u8; 32])>), Some(Vec<([u8; 32], [u8; 32])>) }
//! struct Response<T> { work: u64, step: Step<T>, keys: StateKeys }
//! enum   Step<T>     { Done(T), Missing }
//! struct StateKeys   { proofs: Vec<([u8; 20], Vec<[u8; 32]>)>, codes: Vec<([u8; 32], [u8; 20])>,
//!                      ancestors: Vec<u64> }
//! enum   CallOutcome { Returned { data: Vec<u8>, gas_used: u64 }, Reverted(Revert), Failed(Failure) }
//! enum   GasEstimate { Gas(u64), Reverted(Revert), Failed(Failure) }
//! struct AccessList  { entries: Vec<([u8; 20], Vec<[u8; 32]>)>, outcome: CallOutcome, rejection: Option<Vec<u8>> }
//! struct Simulation  { before: Vec<CallOutcome>, calls: Vec<(CallOutcome, Vec<Log>)>, after: Vec<CallOutcome>,
//!                      differences: Vec<Difference> }
//! struct Difference  { address: [u8; 20], balance: [[u8; 32]; 2], nonce: [u64; 2], code: Option<Vec<u8>>,
//!                      slots: Vec<[[u8; 32]; 3]> }
//! struct Revert      { data: Vec<u8>, message: Vec<u8>, gas_used: u64 }
//! struct Failure     { message: Vec<u8>, gas_used: u64 }
//! ```
//! The `keys` of a result name the parts of the state that it read, the `keys` of `Missing` the parts that are missing. A
//! call that was not executed used no gas.

use prooflight_core::{Hash, Result};
use prooflight_ethereum::{Address, BlobParams, Word};
use prooflight_evm::{
    AccessListEntry, AccessListOutcome, AccountOverride, Authorization, BlobStart, BlockOverrides,
    Call, CallFees, CallOutcome, CallRevert, ExecutionNetwork, Fork, ForkEvidence, ForkStart,
    GasEstimate, Overrides, Simulation, SlotDifference, SortedMap, StateKeys, Step,
    StorageOverride, WorkBudget,
};

use crate::wire::{RequestReader, RequestValue, ResponseValue, ResponseWriter, requests, unknown};

requests! {
    /// A header, and how its fork is known. Invalid parameters of a network are an error of the caller.
    struct StateRequest<'a> {
        hash: Hash,
        header: &'a [u8],
        network: Result<ExecutionNetwork>,
        evidence: ForkEvidence,
    }

    struct NetworkSchedule {
        chain_id: u64,
        forks: Vec<ForkStart>,
        blobs: Vec<BlobStart>,
        end: Option<u64>,
    }

    extern struct ForkStart { timestamp: u64, fork: Fork, beacon_version: [u8; 4], }

    extern struct BlobStart { timestamp: u64, params: BlobParams, }

    /// The proof of an account, and those of slots.
    struct ProofRequest<'a> {
        address: Address,
        account_proof: Vec<&'a [u8]>,
        slots: Vec<(Word, Vec<&'a [u8]>)>,
    }

    /// A call, and the work that is left for it.
    struct CallRequest { work: WorkBudget, call: Call, overrides: Overrides, }

    /// Calls that are executed in order, questions that are executed before and after all calls, and the work that is left
    /// for all of them.
    struct CallsRequest {
        work: WorkBudget,
        calls: Vec<Call>,
        questions: Vec<Call>,
        overrides: Overrides,
    }

    extern struct Call {
        from: Address,
        to: Option<Address>,
        nonce: Option<u64>,
        gas: Option<u64>,
        fees: CallFees,
        value: Word,
        data: Vec<u8> = bytes,
        access_list: Vec<AccessListEntry>,
        blob_hashes: Option<Vec<Hash>>,
        max_fee_per_blob_gas: Option<u128>,
        authorizations: Option<Vec<Authorization>>,
        chain_id: Option<u64>,
    }

    extern struct CallFees {
        gas_price: Option<u128>,
        max_fee: Option<u128>,
        max_priority_fee: Option<u128>,
    }

    extern struct AccessListEntry { address: Address, slots: Vec<Word>, }

    extern struct Authorization {
        chain_id: Word,
        address: Address,
        nonce: u64,
        y_parity: u8,
        r: Word,
        s: Word,
    }

    extern struct Overrides { accounts: SortedMap<Address, AccountOverride> = map, block: BlockOverrides, }

    extern struct AccountOverride {
        nonce: Option<u64>,
        balance: Option<Word>,
        code: Option<Vec<u8>> = optional_bytes,
        storage: StorageOverride,
        move_precompile_to: Option<Address>,
    }

    extern struct BlockOverrides {
        number: Option<u64>,
        time: Option<u64>,
        gas_limit: Option<u64>,
        fee_recipient: Option<Address>,
        prev_randao: Option<Hash>,
        base_fee: Option<u64>,
        blob_base_fee: Option<u128>,
    }
}

impl RequestValue<'_> for Result<ExecutionNetwork> {
    fn read(r: &mut RequestReader<'_>) -> Result<Self> {
        Ok(match r.read()? {
            0 => Ok(ExecutionNetwork::mainnet()),
            1 => Ok(ExecutionNetwork::sepolia()),
            2 => Ok(ExecutionNetwork::hoodi()),
            3 => {
                let NetworkSchedule { chain_id, forks, blobs, end } = r.read()?;
                ExecutionNetwork::new(chain_id, forks, blobs, end)
            }
            other => return Err(unknown("a network of 0 to 3", other)),
        })
    }
}

impl RequestValue<'_> for ForkEvidence {
    fn read(r: &mut RequestReader<'_>) -> Result<Self> {
        match r.read()? {
            0 => r.read().map(Self::BeaconVersion),
            1 => r.read().map(Self::Named),
            2 => Ok(Self::Schedule),
            other => Err(unknown("evidence of 0 to 2", other)),
        }
    }
}

impl RequestValue<'_> for Fork {
    fn read(r: &mut RequestReader<'_>) -> Result<Self> {
        let number: u8 = r.read()?;
        let fork = Self::ALL.get(usize::from(number)).copied();
        fork.ok_or_else(|| unknown("a fork of 0 to 4", number))
    }
}

impl RequestValue<'_> for WorkBudget {
    fn read(r: &mut RequestReader<'_>) -> Result<Self> {
        r.read().map(Self::new)
    }
}

impl RequestValue<'_> for StorageOverride {
    fn read(r: &mut RequestReader<'_>) -> Result<Self> {
        match r.read()? {
            0 => Ok(Self::None),
            1 => map(r).map(Self::All),
            2 => map(r).map(Self::Some),
            other => Err(unknown("storage of 0 to 2", other)),
        }
    }
}

fn map<'a, const N: usize, T: RequestValue<'a>>(
    r: &mut RequestReader<'a>,
) -> Result<SortedMap<[u8; N], T>> {
    let entries: Vec<([u8; N], T)> = r.read()?;
    Ok(entries.into_iter().collect())
}

fn bytes(r: &mut RequestReader<'_>) -> Result<Vec<u8>> {
    r.read::<&[u8]>().map(<[u8]>::to_vec)
}

fn optional_bytes(r: &mut RequestReader<'_>) -> Result<Option<Vec<u8>>> {
    Ok(r.read::<Option<&[u8]>>()?.map(<[u8]>::to_vec))
}

/// Encodes a `Response`.
pub(crate) fn response<T: ResponseValue>(step: Step<T>, work: WorkBudget) -> Vec<u8> {
    let mut response = ResponseWriter::with_capacity(4096);
    response.write(&work.units());
    match step {
        Step::Done { result, reads } => {
            response.byte(0);
            response.write(&*result);
            response.write(&reads);
        }
        Step::Missing(missing) => {
            response.byte(1);
            response.write(&missing);
        }
    }
    response.into_bytes()
}

impl ResponseValue for StateKeys {
    fn write(&self, response: &mut ResponseWriter) {
        response.write(&self.proofs.len());
        for (address, slots) in self.proofs.iter() {
            response.write(address);
            response.write(&slots[..]);
        }
        response.write(&self.codes.len());
        for (hash, owner) in self.codes.iter() {
            response.write(hash);
            response.write(owner);
        }
        response.write(&self.ancestors[..]);
    }
}

impl ResponseValue for CallOutcome {
    fn write(&self, response: &mut ResponseWriter) {
        let used = self.gas().unwrap_or_default().used;
        let message = self.message().unwrap_or_default();
        match self {
            Self::Returned(returned) => {
                response.byte(0);
                response.write(&returned.data);
                response.write(&used);
            }
            Self::Reverted(revert) => write_revert(response, revert, &message),
            _ => write_failure(response, &message, used),
        }
    }
}

impl ResponseValue for GasEstimate {
    fn write(&self, response: &mut ResponseWriter) {
        let message = self.message().unwrap_or_default();
        match self {
            Self::Gas(gas) => {
                response.byte(0);
                response.write(gas);
            }
            Self::Reverted(revert) => write_revert(response, revert, &message),
            _ => write_failure(response, &message, 0),
        }
    }
}

impl ResponseValue for AccessListOutcome {
    fn write(&self, response: &mut ResponseWriter) {
        response.write(&self.access_list.len());
        for AccessListEntry { address, slots } in &self.access_list {
            response.write(address);
            response.write(slots);
        }
        response.write(&self.outcome);
        response.write(&self.message().map(String::into_bytes));
    }
}

impl ResponseValue for Simulation {
    fn write(&self, response: &mut ResponseWriter) {
        response.write(&self.before);
        response.write(&self.outcomes.len());
        for outcome in &self.outcomes {
            response.write(outcome);
            match outcome {
                CallOutcome::Returned(returned) => response.write(&returned.logs),
                _ => response.write(&0_usize),
            }
        }
        response.write(&self.after);
        response.write(&self.differences.len());
        for difference in &self.differences {
            response.write(&difference.address);
            for balance in &difference.balance {
                response.write(balance);
            }
            for nonce in &difference.nonce {
                response.write(nonce);
            }
            response.write(&difference.code);
            response.write(&difference.slots.len());
            for SlotDifference { slot, before, after } in &difference.slots {
                for word in [slot, before, after] {
                    response.write(word);
                }
            }
        }
    }
}

fn write_revert(response: &mut ResponseWriter, revert: &CallRevert, message: &str) {
    response.byte(1);
    response.write(&revert.data);
    response.write(message.as_bytes());
    response.write(&revert.gas.used);
}

fn write_failure(response: &mut ResponseWriter, message: &str, used: u64) {
    response.byte(2);
    response.write(message.as_bytes());
    response.write(&used);
}
