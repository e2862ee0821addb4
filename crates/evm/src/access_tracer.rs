//! The accounts and slots that instructions name.

use alloc::vec::Vec;

use prooflight_mpt::{Address, Word};
use revm::bytecode::opcode::{
    BALANCE, CALL, CALLCODE, DELEGATECALL, EXTCODECOPY, EXTCODEHASH, EXTCODESIZE, SELFDESTRUCT,
    SLOAD, SSTORE, STATICCALL,
};
use revm::interpreter::interpreter::EthInterpreter;
use revm::interpreter::interpreter_types::InputsTr;
use revm::interpreter::{
    Instruction, InstructionContext, InstructionExecResult, instruction_table,
};
use revm::primitives::U256;

use crate::machine::{Instructions, MachineContext};
use crate::sorted::{SortedMap, SortedSet};

/// The accounts and slots that instructions named, also where they failed: as geth's tracer counts them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct AccessTracer {
    /// Accounts that are not listed for their sake, but for their slots' only.
    pub(crate) excluded: Vec<Address>,
    /// The others, each with its slots.
    pub(crate) accesses: SortedMap<Address, SortedSet<Word>>,
}

impl AccessTracer {
    /// Makes the instructions that name accounts or slots note them.
    pub(crate) fn install(instructions: &mut Instructions<'_>) {
        let table = instructions.instruction_table_mut();
        let mut set = |opcode: u8, instruction| table[usize::from(opcode)] = instruction;
        set(SLOAD, Instruction::new(slot::<SLOAD>));
        set(SSTORE, Instruction::new(slot::<SSTORE>));
        set(BALANCE, Instruction::new(account::<BALANCE, 0, 1>));
        set(EXTCODESIZE, Instruction::new(account::<EXTCODESIZE, 0, 1>));
        set(EXTCODEHASH, Instruction::new(account::<EXTCODEHASH, 0, 1>));
        set(EXTCODECOPY, Instruction::new(account::<EXTCODECOPY, 0, 1>));
        set(SELFDESTRUCT, Instruction::new(account::<SELFDESTRUCT, 0, 1>));
        set(CALL, Instruction::new(account::<CALL, 1, 5>));
        set(CALLCODE, Instruction::new(account::<CALLCODE, 1, 5>));
        set(DELEGATECALL, Instruction::new(account::<DELEGATECALL, 1, 5>));
        set(STATICCALL, Instruction::new(account::<STATICCALL, 1, 5>));
    }

    fn slots(&mut self, address: Address) -> &mut SortedSet<Word> {
        self.accesses.get_or_insert(address, SortedSet::default())
    }

    fn note_account(&mut self, address: Address) {
        if !self.excluded.contains(&address) {
            self.slots(address);
        }
    }
}

type InstructionInput<'a, 's> = InstructionContext<'a, MachineContext<'s>, EthInterpreter>;

/// Notes the slot on the stack, then runs the instruction.
fn slot<const OPCODE: u8>(input: InstructionInput<'_, '_>) -> InstructionExecResult {
    let InstructionContext { interpreter, host } = input;
    let address = interpreter.input.target_address().into_array();
    if let (Some(tracer), Ok(slot)) = (&mut host.chain.accesses, interpreter.stack.peek(0)) {
        tracer.slots(address).insert(slot.to_be_bytes());
    }
    original::<OPCODE>(InstructionContext { interpreter, host })
}

/// Notes the account at a place of a stack with at least so many entries, then runs the instruction.
fn account<const OPCODE: u8, const PLACE: usize, const LEAST: usize>(
    input: InstructionInput<'_, '_>,
) -> InstructionExecResult {
    let InstructionContext { interpreter, host } = input;
    if let (Some(tracer), Ok(word)) = (&mut host.chain.accesses, interpreter.stack.peek(PLACE))
        && interpreter.stack.len() >= LEAST
    {
        tracer.note_account(address_of(&word));
    }
    original::<OPCODE>(InstructionContext { interpreter, host })
}

fn original<const OPCODE: u8>(input: InstructionInput<'_, '_>) -> InstructionExecResult {
    instruction_table::<EthInterpreter, MachineContext<'_>>()[usize::from(OPCODE)].execute(input)
}

/// The account that a word names: its last 20 bytes.
fn address_of(word: &U256) -> Address {
    let bytes: Word = word.to_be_bytes();
    let mut address = Address::default();
    address.copy_from_slice(&bytes[12..]);
    address
}
