//! How much an execution may compute: the same on every machine.
//!
//! Gas does not measure time well enough: the dearest precompile takes thirty times as long as an addition for the same
//! gas. A unit of work is about a nanosecond in wasm on the machine of `docs/benchmarks.md`.

use prooflight_core::{Error, Reason};
use revm::bytecode::opcode::{JUMPDEST, KECCAK256};
use revm::context_interface::context::ContextError;
use revm::interpreter::instructions::system;
use revm::interpreter::interpreter::EthInterpreter;
use revm::interpreter::{
    Instruction, InstructionContext, InstructionExecResult, InstructionResult,
};
use revm::precompile::PrecompileId;

use crate::machine::{Instructions, MachineContext};

/// Units of work for a unit of gas.
const INSTRUCTION_UNITS: u64 = 16;
const KECCAK_UNITS: u64 = 85;

/// The share of the work left that an execution may take behind a gap: its zeros may be what makes a loop endless.
const SPECULATION_SHARE: u64 = 8;

/// The work that one request may still take, over all of its executions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WorkBudget(u64);

impl WorkBudget {
    /// What a request may take by default: some five seconds in wasm.
    pub const DEFAULT: Self = Self(5_000_000_000);
    /// No limit.
    pub const UNLIMITED: Self = Self(u64::MAX);

    /// A budget of so many units.
    pub const fn new(units: u64) -> Self {
        Self(units)
    }

    /// The units that are left.
    pub const fn units(self) -> u64 {
        self.0
    }
}

/// The work of one execution.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WorkMeter {
    budget: u64,
    done: u64,
    /// The gas that the running frame had when it began or went on.
    frame_gas: u64,
    /// The work at the first gap.
    gap: Option<u64>,
}

impl WorkMeter {
    pub(crate) const fn new(budget: WorkBudget) -> Self {
        Self { budget: budget.0, done: 0, frame_gas: 0, gap: None }
    }

    /// The budget that is left.
    pub(crate) const fn left(&self) -> WorkBudget {
        WorkBudget(self.budget.saturating_sub(self.done))
    }

    /// Notes that a frame begins or goes on with this gas.
    pub(crate) const fn resume(&mut self, gas: u64) {
        self.frame_gas = gas;
    }

    /// Adds the work of the running frame, which has this gas left besides what it gives to another.
    pub(crate) const fn pause(&mut self, gas: u64) {
        let spent = self.frame_gas.saturating_sub(gas);
        self.frame_gas = gas;
        self.done = self.done.saturating_add(spent.saturating_mul(INSTRUCTION_UNITS));
    }

    /// Adds work; whether all is within the limit.
    const fn add(&mut self, units: u64) -> bool {
        self.done = self.done.saturating_add(units);
        self.done <= self.limit()
    }

    const fn limit(&self) -> u64 {
        match self.gap {
            Some(at) => at.saturating_add(self.budget.saturating_sub(at) / SPECULATION_SHARE),
            None => self.budget,
        }
    }

    /// The gas for which the work that is left suffices in a precompile.
    pub(crate) const fn affordable_gas(&self, id: &PrecompileId) -> u64 {
        self.limit().saturating_sub(self.done) / precompile_units(id)
    }

    /// Adds the work of a precompile that took this gas.
    pub(crate) const fn add_precompile(&mut self, id: &PrecompileId, gas: u64) {
        self.done = self.done.saturating_add(gas.saturating_mul(precompile_units(id)));
    }

    /// Notes that something was missing: from here on the execution is only a search for more.
    const fn note_gap(&mut self) {
        if self.gap.is_none() {
            self.gap = Some(self.done);
        }
    }
}

/// The error of a request whose work is used up.
#[cold]
pub(crate) fn too_much_work(budget: WorkBudget) -> Error {
    Error::new(Reason::CallWork, format_args!("at most {} units of work", budget.0), "more")
}

/// Units of work for a unit of a precompile's gas.
const fn precompile_units(id: &PrecompileId) -> u64 {
    match id {
        PrecompileId::EcRec => 210,
        PrecompileId::Identity => 8,
        PrecompileId::Sha256 | PrecompileId::Ripemd160 => 30,
        PrecompileId::Bn254Add | PrecompileId::Bn254Mul | PrecompileId::Bn254Pairing => 80,
        PrecompileId::Blake2F => 250,
        PrecompileId::KzgPointEvaluation => 440,
        PrecompileId::P256Verify => 300,
        // Exponentiation, and BLS12-381.
        _ => 150,
    }
}

/// Makes the instructions count work: every loop passes a `JUMPDEST`.
pub(crate) fn count_work(instructions: &mut Instructions<'_>) {
    let table = instructions.instruction_table_mut();
    table[usize::from(JUMPDEST)] = Instruction::new(jumpdest);
    table[usize::from(KECCAK256)] = Instruction::new(keccak256);
}

type InstructionInput<'a, 's> = InstructionContext<'a, MachineContext<'s>, EthInterpreter>;

fn jumpdest(input: InstructionInput<'_, '_>) -> InstructionExecResult {
    let InstructionContext { interpreter, host } = input;
    host.chain.work.pause(interpreter.gas.remaining());
    check(host, 0)
}

fn keccak256(input: InstructionInput<'_, '_>) -> InstructionExecResult {
    let InstructionContext { interpreter, host } = input;
    let before = interpreter.gas.remaining();
    system::keccak256(InstructionContext { interpreter: &mut *interpreter, host: &mut *host })?;
    let gas = before.saturating_sub(interpreter.gas.remaining());
    check(host, gas.saturating_mul(KECCAK_UNITS - INSTRUCTION_UNITS))
}

/// Adds work; whether all is within the limit.
pub(crate) fn add_work(context: &mut MachineContext<'_>, units: u64) -> bool {
    if context.journaled_state.database.has_gap() {
        context.chain.work.note_gap();
    }
    context.chain.work.add(units)
}

/// Adds work, and ends the execution if it is too much.
fn check(context: &mut MachineContext<'_>, units: u64) -> InstructionExecResult {
    if add_work(context, units) {
        return Ok(());
    }
    context.error = Err(ContextError::Custom(WORK_EXHAUSTED.into()));
    Err(InstructionResult::FatalExternalError)
}

/// The text by which an execution says that its work is used up.
pub(crate) const WORK_EXHAUSTED: &str = "work";
