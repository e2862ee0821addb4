//! The precompiles of a fork, as overrides leave them.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use prooflight_mpt::Address;
use revm::context_interface::{ContextTr, JournalTr, LocalContextTr};
use revm::handler::{PrecompileProvider, precompile_output_to_interpreter_result};
use revm::interpreter::{CallInputs, InterpreterResult};
use revm::precompile::{Precompile, PrecompileHalt, PrecompileSpecId, Precompiles};
use revm::primitives::hardfork::SpecId;
use revm::primitives::{Address as RevmAddress, AddressSet};

use crate::failure::Rejection;
use crate::fork::Fork;
use crate::machine::MachineContext;
use crate::overrides::AccountOverride;
use crate::sorted::SortedMap;
use crate::work::WORK_EXHAUSTED;

/// The precompiles that calls meet.
#[derive(Clone, Debug)]
pub(crate) struct PrecompileTable {
    fork: &'static Precompiles,
    /// Where overrides make a difference: the precompile of an address, or that it has none.
    changed: Vec<(Address, Option<&'static Precompile>)>,
}

impl PrecompileTable {
    /// The precompiles of a fork.
    pub(crate) fn of_fork(fork: Fork) -> Self {
        let precompiles = Precompiles::new(PrecompileSpecId::from_spec_id(fork.spec()));
        Self { fork: precompiles, changed: Vec::new() }
    }

    /// Applies overrides, as geth's `eth_call` does: that of a precompile's account removes it, unless it moves.
    pub(crate) fn overridden(
        mut self,
        overrides: &SortedMap<Address, AccountOverride>,
    ) -> Result<Self, Rejection> {
        for (address, changes) in overrides.iter() {
            let precompile = self.fork.get(&RevmAddress::new(*address));
            if let Some(target) = changes.move_precompile_to {
                if precompile.is_none() {
                    return Err(Rejection::NotAPrecompile { address: *address });
                }
                let is_taken = self.changed.iter().any(|(changed, _)| *changed == target);
                if is_taken || overrides.get(&target).is_some() {
                    return Err(Rejection::OverriddenTwice { address: target });
                }
                self.changed.push((target, precompile));
            }
            if precompile.is_some() {
                self.changed.push((*address, None));
            }
        }
        Ok(self)
    }

    /// The addresses of the fork's precompiles.
    pub(crate) fn addresses(&self) -> impl Iterator<Item = Address> + '_ {
        self.fork.addresses().map(|address| address.into_array())
    }

    fn get(&self, address: &RevmAddress) -> Option<&'static Precompile> {
        let changed = self.changed.iter().find(|(changed, _)| *changed == address.0);
        changed.map_or_else(|| self.fork.get(address), |(_, precompile)| *precompile)
    }
}

impl PrecompileProvider<MachineContext<'_>> for PrecompileTable {
    type Output = InterpreterResult;

    fn set_spec(&mut self, _spec: SpecId) -> bool {
        false
    }

    fn run(
        &mut self,
        context: &mut MachineContext<'_>,
        inputs: &CallInputs,
    ) -> Result<Option<InterpreterResult>, String> {
        let Some(precompile) = self.get(&inputs.bytecode_address) else { return Ok(None) };
        // A precompile computes its price first: one that is too dear for the work that is left is not run.
        let affordable = context.chain.work.affordable_gas(precompile.id());
        let gas_limit = inputs.gas_limit.min(affordable);
        let output = precompile
            .execute(&inputs.input.as_bytes(context), gas_limit, inputs.reservoir)
            .map_err(|error| error.to_string())?;
        let is_dear = output.halt_reason().is_some_and(PrecompileHalt::is_oog);
        if is_dear && gas_limit < inputs.gas_limit {
            return Err(WORK_EXHAUSTED.into());
        }
        if let Some(reason) = output.halt_reason()
            && !reason.is_oog()
            && context.journal().depth() == 1
        {
            context.local_mut().set_precompile_error_context(reason.to_string());
        }
        let result = precompile_output_to_interpreter_result(output, inputs.gas_limit);
        context.chain.work.add_precompile(precompile.id(), result.gas.total_gas_spent());
        Ok(Some(result))
    }

    fn warm_addresses(&self) -> &AddressSet {
        self.fork.addresses_set()
    }
}
