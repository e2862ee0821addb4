//! The machine: revm, with what calls over proven state need differently.

use alloc::string::String;
use core::convert::Infallible;
use core::marker::PhantomData;

use revm::bytecode::opcode::{BLOBBASEFEE, OpCode};
use revm::context::{BlockEnv, CfgEnv, Context, Evm, FrameStack, Journal, TxEnv};
use revm::context_interface::context::ContextError;
use revm::context_interface::journaled_state::account::JournaledAccountTr;
use revm::context_interface::result::{
    FromStringError, HaltReason, InvalidHeader, InvalidTransaction,
};
use revm::context_interface::{Block, Cfg, ContextTr, JournalTr, Transaction};
use revm::handler::instructions::EthInstructions;
use revm::handler::{
    EthFrame, EvmTr, FrameResult, Handler, ItemOrResult, pre_execution, validation,
};
use revm::interpreter::instructions::block_info;
use revm::interpreter::interpreter::EthInterpreter;
use revm::interpreter::interpreter_action::FrameInit;
use revm::interpreter::interpreter_types::{Jumps, LegacyBytecode};
use revm::interpreter::{
    FrameInput, InitialAndFloorGas, Instruction, InstructionContext, InstructionExecResult,
    InstructionResult,
};
use revm::primitives::constants::CALL_STACK_LIMIT;
use revm::primitives::{AddressMap, HashSet, StorageKey, U256};

use crate::access_tracer::AccessTracer;
use crate::environment::{Environment, Rules};
use crate::failure::{Halt, Rejection};
use crate::fork::Fork;
use crate::precompiles::PrecompileTable;
use crate::view::StateView;
use crate::work::{self, WORK_EXHAUSTED, WorkMeter};

/// The gas of a blob.
pub(crate) const BLOB_GAS: u64 = 1 << 17;

/// The number of entries on a stack.
const STACK_LIMIT: usize = 1024;

/// What is noted while a call is executed.
#[derive(Debug)]
pub(crate) struct ExecutionTrace {
    pub(crate) work: WorkMeter,
    pub(crate) accesses: Option<AccessTracer>,
}

pub(crate) type MachineContext<'a> =
    Context<BlockEnv, TxEnv, CfgEnv, StateView<'a>, Journal<StateView<'a>>, ExecutionTrace>;
pub(crate) type Instructions<'a> = EthInstructions<EthInterpreter, MachineContext<'a>>;
pub(crate) type Machine<'a> =
    Evm<MachineContext<'a>, (), Instructions<'a>, PrecompileTable, EthFrame<EthInterpreter>>;

/// A machine in this environment over this view.
pub(crate) fn machine<'a>(
    environment: &Environment,
    precompiles: PrecompileTable,
    view: StateView<'a>,
    trace: ExecutionTrace,
) -> Machine<'a> {
    let spec = environment.fork.spec();
    let mut instructions = EthInstructions::new_mainnet_with_spec(spec);
    work::count_work(&mut instructions);
    let blob_fee = Instruction::new(blob_base_fee);
    instructions.instruction_table_mut()[usize::from(BLOBBASEFEE)] = blob_fee;
    if trace.accesses.is_some() {
        AccessTracer::install(&mut instructions);
    }
    let context =
        Context::<BlockEnv, TxEnv, CfgEnv, _, Journal<StateView<'a>>, ()>::new(view, spec)
            .with_cfg(environment.config.clone())
            .with_block(environment.block.clone())
            .with_chain(trace);
    Evm {
        ctx: context,
        inspector: (),
        instruction: instructions,
        precompiles,
        frame_stack: FrameStack::new_prealloc(8),
    }
}

/// Gives the base fee of blob gas, if it is known; before Cancun, there is no such instruction.
fn blob_base_fee(
    input: InstructionContext<'_, MachineContext<'_>, EthInterpreter>,
) -> InstructionExecResult {
    let InstructionContext { interpreter, host } = input;
    let is_known = host.journaled_state.database.check_blob_fee().is_ok();
    if !is_known && host.cfg.spec.is_enabled_in(Fork::Cancun.spec()) {
        host.error = Err(ContextError::Custom(UNKNOWN_BLOB_FEE.into()));
        return Err(InstructionResult::FatalExternalError);
    }
    block_info::blob_basefee(InstructionContext { interpreter, host })
}

/// The text by which an execution says that it reads the base fee of blob gas, which is not known.
const UNKNOWN_BLOB_FEE: &str = "blob fee";

/// Why an execution has no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Interruption {
    /// It is not executed at all.
    Rejected(Rejection),
    /// As a transaction, it could not be in the block.
    Invalid(InvalidTransaction),
    /// Its work is used up.
    Work,
    /// It reads the base fee of blob gas, which is not known.
    BlobFee,
    /// Something that cannot happen.
    Bug(String),
}

/// Executes one call or transaction on a machine.
#[derive(Debug)]
pub(crate) struct CallHandler<'a> {
    rules: Rules,
    /// Where the outermost frame ended.
    last: LastInstruction,
    lifetime: PhantomData<&'a ()>,
}

/// The instruction at which the outermost frame ended, and what it found.
#[derive(Clone, Copy, Debug, Default)]
struct LastInstruction {
    opcode: u8,
    stack: usize,
    is_code_storage: bool,
}

impl CallHandler<'_> {
    pub(crate) fn new(rules: Rules) -> Self {
        Self { rules, last: LastInstruction::default(), lifetime: PhantomData }
    }

    /// What a halt of the outermost frame means.
    pub(crate) fn halt(&self, reason: HaltReason) -> Halt {
        use revm::context_interface::result::OutOfGasError;
        let LastInstruction { opcode, stack, is_code_storage } = self.last;
        let info = OpCode::new(opcode);
        let inputs = info.map_or(0, |info| usize::from(info.inputs()));
        let outputs = info.map_or(0, |info| usize::from(info.outputs()));
        match reason {
            HaltReason::OutOfGas(_) if is_code_storage => Halt::CodeStorageOutOfGas,
            HaltReason::OutOfGas(OutOfGasError::InvalidOperand) => Halt::GasOverflow,
            HaltReason::OutOfGas(_) => Halt::OutOfGas,
            HaltReason::OpcodeNotFound | HaltReason::NotActivated => Halt::InvalidOpcode { opcode },
            HaltReason::InvalidFEOpcode => Halt::InvalidOpcode { opcode: 0xfe },
            HaltReason::InvalidJump => Halt::InvalidJump,
            HaltReason::StackUnderflow => Halt::StackUnderflow { have: stack, want: inputs },
            HaltReason::StackOverflow => {
                let limit = STACK_LIMIT + inputs - outputs.min(STACK_LIMIT);
                Halt::StackOverflow { have: stack, limit }
            }
            HaltReason::OutOfOffset => Halt::ReturnDataOutOfBounds,
            HaltReason::CreateCollision => Halt::AddressCollision,
            HaltReason::PrecompileError => Halt::Precompile { error: "precompile error".into() },
            HaltReason::PrecompileErrorWithContext(error) => Halt::Precompile { error },
            HaltReason::NonceOverflow => Halt::NonceOverflow,
            HaltReason::CreateContractSizeLimit => Halt::CodeSize,
            HaltReason::CreateContractStartingWithEF => Halt::CodeBeginsWithEf,
            HaltReason::CreateInitCodeSizeLimit => Halt::InitCodeSize,
            HaltReason::StateChangeDuringStaticCall | HaltReason::CallNotAllowedInsideStatic => {
                Halt::WriteProtection
            }
            HaltReason::OutOfFunds | HaltReason::OverflowPayment => Halt::InsufficientBalance,
            HaltReason::CallTooDeep => Halt::DepthExceeded,
        }
    }

    /// Takes from the sender what the call may cost, and counts the call.
    ///
    /// A sender that pays nothing and creates nothing need not be known.
    fn charge_sender(context: &mut MachineContext<'_>) -> Result<(), Interruption> {
        let (block, tx, _, journal, _, _) = context.all_mut();
        let (caller, is_call) = (tx.caller(), tx.kind().is_call());
        let gas = U256::from(tx.gas_limit());
        let blob_gas = U256::from(BLOB_GAS) * U256::from(tx.blob_hashes.len());
        let most = (gas * U256::from(tx.gas_price))
            .saturating_add(tx.value())
            .saturating_add(blob_gas * U256::from(tx.max_fee_per_blob_gas));
        if most.is_zero() && is_call && !journal.state.contains_key(&caller) {
            journal.db_mut().raise_unread_nonce(caller.into_array());
            return Ok(());
        }
        let price = tx.effective_gas_price(block.basefee().into());
        let blob_price = block.blob_gasprice().unwrap_or_default();
        let cost = gas * U256::from(price) + blob_gas * U256::from(blob_price);
        let mut account = journal.load_account_mut(caller)?;
        let have = *account.balance();
        if have < most {
            let from = caller.into_array();
            let rejection = Rejection::InsufficientFunds { from, have, want: most };
            return Err(Interruption::Rejected(rejection));
        }
        account.set_balance(have.saturating_sub(cost));
        if is_call {
            account.bump_nonce();
        }
        Ok(())
    }

    /// Begins a frame; its result if it has one at once.
    fn begin_frame(
        machine: &mut Machine<'_>,
        init: FrameInit,
    ) -> Result<Option<FrameResult>, Interruption> {
        let collision = Self::collision(&mut machine.ctx, &init)?;
        // The nonce of an account on which nothing can be created.
        let set_nonce = |machine: &mut Machine<'_>, nonce| {
            let state = &mut machine.ctx.journaled_state.state;
            if let Some(account) = collision.and_then(|address| state.get_mut(&address)) {
                account.info.nonce = nonce;
            }
        };
        set_nonce(machine, 1);
        let result = match machine.frame_init(init)? {
            ItemOrResult::Item(_) => None,
            ItemOrResult::Result(result) => Some(result),
        };
        set_nonce(machine, 0);
        Ok(result)
    }

    /// The account that a frame would create on, if it has slots, though neither a nonce nor a code (EIP-7610).
    fn collision(
        context: &mut MachineContext<'_>,
        init: &FrameInit,
    ) -> Result<Option<revm::primitives::Address>, Interruption> {
        let FrameInput::Create(inputs) = &init.frame_input else { return Ok(None) };
        let journal = &mut context.journaled_state;
        let creator = &journal.load_account(inputs.caller())?.data.info;
        let is_refused = init.depth as u64 > CALL_STACK_LIMIT
            || creator.balance < inputs.value()
            || creator.nonce == u64::MAX;
        if is_refused {
            return Ok(None);
        }
        let address = inputs.created_address(creator.nonce);
        if !journal.database.has_slots(&address.into_array()) {
            return Ok(None);
        }
        let info = &journal.load_account(address)?.data.info;
        let collides = info.nonce == 0 && info.is_empty_code_hash();
        Ok(collides.then_some(address))
    }

    /// Notes where the outermost frame ended.
    fn note_end(&mut self, machine: &mut Machine<'_>, result: &FrameResult) {
        if machine.frame_stack.index() != Some(0) || !result.instruction_result().is_halt() {
            return;
        }
        let interpreter = &machine.frame_stack.get().interpreter;
        let code = interpreter.bytecode.bytecode_slice();
        let at = interpreter.bytecode.pc().saturating_sub(1);
        self.last = LastInstruction {
            opcode: code.get(at).copied().unwrap_or_default(),
            stack: interpreter.stack.len(),
            is_code_storage: matches!(result, FrameResult::Create(outcome)
                if outcome.result.result == InstructionResult::OutOfGas
                    && !outcome.result.output.is_empty()),
        };
    }
}

impl<'a> Handler for CallHandler<'a> {
    type Evm = Machine<'a>;
    type Error = Interruption;
    type HaltReason = HaltReason;

    fn validate(&self, evm: &mut Machine<'a>) -> Result<InitialAndFloorGas, Interruption> {
        if self.rules == Rules::Transaction {
            validation::validate_env::<_, Interruption>(&mut evm.ctx)?;
            let gas = self.validate_initial_tx_gas(evm)?;
            pre_execution::validate_against_state_and_deduct_caller::<_, Interruption>(
                &mut evm.ctx,
            )?;
            return Ok(gas);
        }
        Self::charge_sender(&mut evm.ctx)?;
        let gas = self.validate_initial_tx_gas(evm)?;
        let context = &evm.ctx;
        let (size, limit) = (context.tx.data.len(), context.cfg.max_initcode_size());
        let has_limit = context.cfg.spec.is_enabled_in(Fork::Shanghai.spec());
        if context.tx.kind.is_create() && has_limit && size > limit {
            return Err(Interruption::Rejected(Rejection::InitCodeSize { size, limit }));
        }
        Ok(gas)
    }

    fn load_accounts(&self, evm: &mut Machine<'a>) -> Result<(), Interruption> {
        pre_execution::load_accounts::<_, Interruption>(evm)?;
        // The sender is warm, though it may not be loaded.
        let (tx, journal) = evm.ctx.tx_journal_mut();
        let mut warm: AddressMap<HashSet<StorageKey>> = AddressMap::default();
        warm.entry(tx.caller).or_default();
        for item in &tx.access_list.0 {
            let slots = item.storage_keys.iter().map(|slot| U256::from_be_bytes(slot.0));
            warm.entry(item.address).or_default().extend(slots);
        }
        journal.warm_access_list(warm);
        Ok(())
    }

    fn run_exec_loop(
        &mut self,
        evm: &mut Machine<'a>,
        first: FrameInit,
    ) -> Result<FrameResult, Interruption> {
        if let Some(result) = Self::begin_frame(evm, first)? {
            return Ok(result);
        }
        loop {
            let gas = evm.frame_stack.get().interpreter.gas.remaining();
            evm.ctx.chain.work.resume(gas);
            let result = match evm.frame_run()? {
                ItemOrResult::Item(init) => {
                    let given = match &init.frame_input {
                        FrameInput::Call(inputs) => inputs.gas_limit,
                        FrameInput::Create(inputs) => inputs.gas_limit(),
                        FrameInput::Empty => 0,
                    };
                    let left = evm.frame_stack.get().interpreter.gas.remaining();
                    evm.ctx.chain.work.pause(left.saturating_add(given));
                    check_work(&mut evm.ctx)?;
                    match Self::begin_frame(evm, init)? {
                        Some(result) => result,
                        None => continue,
                    }
                }
                ItemOrResult::Result(result) => {
                    evm.ctx.chain.work.pause(result.gas().remaining());
                    self.note_end(evm, &result);
                    result
                }
            };
            if let Some(result) = evm.frame_return_result(result)? {
                return Ok(result);
            }
        }
    }

    fn reimburse_caller(
        &self,
        evm: &mut Machine<'a>,
        result: &mut FrameResult,
    ) -> Result<(), Interruption> {
        let context = &mut evm.ctx;
        let price = context.tx.effective_gas_price(context.block.basefee.into());
        if price > 0 {
            let gas = result.gas();
            let unused = gas.limit().saturating_sub(gas.used());
            let caller = context.tx.caller;
            let mut account = context.journaled_state.load_account_mut(caller)?;
            account.incr_balance(U256::from(price) * U256::from(unused));
        }
        Ok(())
    }

    fn reward_beneficiary(
        &self,
        evm: &mut Machine<'a>,
        result: &mut FrameResult,
    ) -> Result<(), Interruption> {
        let context = &mut evm.ctx;
        let coinbase = context.block.beneficiary;
        let base_fee = u128::from(context.block.basefee);
        let tip = context.tx.effective_gas_price(base_fee).saturating_sub(base_fee);
        let fee = U256::from(tip) * U256::from(result.gas().used());
        let journal = &mut context.journaled_state;
        if self.rules == Rules::Transaction || journal.state.contains_key(&coinbase) {
            journal.load_account_mut(coinbase)?.incr_balance(fee);
        } else if !fee.is_zero() {
            journal.database.add_unread_fee(coinbase.into_array(), fee);
        }
        Ok(())
    }
}

fn check_work(context: &mut MachineContext<'_>) -> Result<(), Interruption> {
    if work::add_work(context, 0) { Ok(()) } else { Err(Interruption::Work) }
}

impl From<InvalidTransaction> for Interruption {
    fn from(error: InvalidTransaction) -> Self {
        match error {
            InvalidTransaction::CallGasCostMoreThanGasLimit { initial_gas, gas_limit } => {
                let (have, want) = (gas_limit, initial_gas);
                Self::Rejected(Rejection::IntrinsicGas { have, want })
            }
            InvalidTransaction::GasFloorMoreThanGasLimit { gas_floor, gas_limit } => {
                Self::Rejected(Rejection::FloorGas { have: gas_limit, want: gas_floor })
            }
            error => Self::Invalid(error),
        }
    }
}

impl From<InvalidHeader> for Interruption {
    fn from(error: InvalidHeader) -> Self {
        Self::Bug(alloc::format!("{error}"))
    }
}

impl From<Infallible> for Interruption {
    fn from(never: Infallible) -> Self {
        match never {}
    }
}

impl From<ContextError<Infallible>> for Interruption {
    fn from(error: ContextError<Infallible>) -> Self {
        match error {
            ContextError::Db(never) => match never {},
            ContextError::Custom(text) => Self::from_string(text),
        }
    }
}

impl FromStringError for Interruption {
    fn from_string(text: String) -> Self {
        match text.as_str() {
            WORK_EXHAUSTED => Self::Work,
            UNKNOWN_BLOB_FEE => Self::BlobFee,
            _ => Self::Bug(text),
        }
    }
}
