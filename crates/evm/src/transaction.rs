//! A transaction, executed as a block would.

use alloc::collections::BTreeMap;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use prooflight_core::Result;
use prooflight_mpt::{Address, Word};
use revm::context_interface::{ContextSetters, JournalTr};
use revm::handler::Handler;
use revm::state::{Account, EvmState};

use crate::call::Call;
use crate::environment::{Environment, Rules};
use crate::execution::{CallOutcome, bug, unknown_blob_fee};
use crate::machine::{CallHandler, ExecutionTrace, Interruption, machine};
use crate::missing::Step;
use crate::overrides::Overrides;
use crate::precompiles::PrecompileTable;
use crate::proven_state::ProvenState;
use crate::view::StateView;
use crate::work::{WorkBudget, WorkMeter, too_much_work};

/// What a transaction comes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TransactionOutcome {
    /// It is executed.
    Executed(TransactionExecution),
    /// It cannot be in the block.
    Invalid(String),
}

/// How a transaction ended, and what it changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TransactionExecution {
    /// How it ended.
    pub outcome: CallOutcome,
    /// The accounts that it touched; `None` for one that does not exist afterwards.
    pub changes: BTreeMap<Address, Option<AccountChange>>,
}

/// An account after a transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccountChange {
    /// Its nonce.
    pub nonce: u64,
    /// Its balance, in wei.
    pub balance: Word,
    /// Its code, if the transaction changed it.
    pub code: Option<Vec<u8>>,
    /// The slots that the transaction changed.
    pub slots: BTreeMap<Word, Word>,
    /// Whether it has no other slots than these: the transaction created it.
    pub is_new: bool,
}

/// Executes a transaction on top of a state's block, by all rules of a block but the sender's signature.
///
/// `call_work` if the work does not suffice.
pub fn transact(
    state: &ProvenState,
    call: &Call,
    overrides: &Overrides,
    work: &mut WorkBudget,
) -> Result<Step<TransactionOutcome>> {
    let environment = Environment::new(state, &overrides.block, Rules::Transaction)?;
    let precompiles = PrecompileTable::of_fork(environment.fork);
    let budget = *work;
    let trace = ExecutionTrace { work: WorkMeter::new(budget), accesses: None };
    let view = StateView::new(state, overrides);
    let mut machine = machine(&environment, precompiles, view, trace);
    let mut transaction = call.transaction(call.gas.unwrap_or_default());
    transaction.chain_id = Some(call.chain_id.unwrap_or(environment.config.chain_id));
    machine.ctx.set_tx(transaction);
    let mut handler = CallHandler::new(Rules::Transaction);
    let result = handler.run(&mut machine);
    let changes = machine.ctx.journaled_state.finalize();
    *work = machine.ctx.chain.work.left();
    let StateView { missing, reads, .. } = machine.ctx.journaled_state.database;
    if !missing.is_empty() {
        return Ok(Step::Missing(missing));
    }
    let outcome = match result {
        Ok(result) => TransactionOutcome::Executed(TransactionExecution {
            outcome: CallOutcome::new(result, &handler),
            changes: changes_of(changes),
        }),
        Err(Interruption::Rejected(rejection)) => {
            TransactionOutcome::Invalid(rejection.to_string())
        }
        Err(Interruption::Invalid(error)) => TransactionOutcome::Invalid(error.to_string()),
        Err(Interruption::Work) => return Err(too_much_work(budget)),
        Err(Interruption::BlobFee) => return Err(unknown_blob_fee(state.header())),
        Err(Interruption::Bug(text)) => return Err(bug(text)),
    };
    Ok(Step::done(outcome, reads))
}

fn changes_of(state: EvmState) -> BTreeMap<Address, Option<AccountChange>> {
    let touched = state.into_iter().filter(|(_, account)| account.is_touched());
    touched.map(|(address, account)| (address.into_array(), change_of(account))).collect()
}

/// An account after a transaction; `None` if it was destroyed or is empty (EIP-161).
fn change_of(account: Account) -> Option<AccountChange> {
    if account.is_selfdestructed() || account.is_empty() {
        return None;
    }
    let is_new = account.is_created();
    let is_other_code = account.original_info().code_hash != account.info.code_hash;
    let code = account.info.code.filter(|_| is_other_code);
    let slots = account.storage.into_iter().filter(|(_, slot)| is_new || slot.is_changed());
    Some(AccountChange {
        nonce: account.info.nonce,
        balance: account.info.balance.to_be_bytes(),
        code: code.map(|code| code.original_bytes().to_vec()),
        slots: slots
            .map(|(key, slot)| (key.to_be_bytes(), slot.present_value.to_be_bytes()))
            .collect(),
        is_new,
    })
}
