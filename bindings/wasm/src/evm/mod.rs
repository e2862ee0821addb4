//! Calls of Ethereum over proven state. States live in a table, and JavaScript holds their numbers.
//!
//! Numbers are looked up and not reused: a stale one, or one from an instance before a trap, is refused.

mod message;

use std::cell::RefCell;

use prooflight_core::{Error, Hex, Limits, Reason, Result};
use prooflight_evm::{
    Call, Overrides, ProvenState, Step, WorkBudget, access_list, estimate, run, simulate,
};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::evm::message::{CallRequest, CallsRequest, ProofRequest, StateRequest, response};
use crate::refusal::throw;
use crate::wire::{RequestValue as _, ResponseValue};

/// Starts from a header: takes a `StateRequest`, returns the state's number.
#[wasm_bindgen(js_name = evmState)]
pub fn evm_state(request: &[u8]) -> Result<u32, JsValue> {
    throw(None, state(request))
}

/// Adds an account with slots: takes a `ProofRequest`.
#[wasm_bindgen(js_name = evmAddProof)]
pub fn evm_add_proof(number: u32, request: &[u8]) -> Result<(), JsValue> {
    with(number, |state| {
        let ProofRequest { address, account_proof, slots } = ProofRequest::decode(request)?;
        state.add_proof(&address, &account_proof, &slots)
    })
}

/// Adds a code: returns its hash of 32 bytes, which must be the expected one unless none is given.
#[wasm_bindgen(js_name = evmAddCode)]
pub fn evm_add_code(number: u32, code: &[u8], expected: &[u8]) -> Result<Vec<u8>, JsValue> {
    with(number, |state| {
        let hash = state.add_code(code)?;
        if expected.is_empty() || *expected == hash {
            return Ok(hash.to_vec());
        }
        let expected = format_args!("code with the hash {}", Hex(expected));
        Err(Error::new(Reason::CodeMismatch, expected, Hex(&hash)))
    })
}

/// Adds the header of an older block, in RLP.
#[wasm_bindgen(js_name = evmAddAncestor)]
pub fn evm_add_ancestor(number: u32, header: &[u8]) -> Result<(), JsValue> {
    with(number, |state| state.add_ancestor(header))
}

/// Executes a call: takes a `CallRequest`, returns a `Response<CallOutcome>`.
#[wasm_bindgen(js_name = evmCall)]
pub fn evm_call(number: u32, request: &[u8]) -> Result<Vec<u8>, JsValue> {
    execute(number, request, run)
}

/// Estimates the gas of a call: takes a `CallRequest`, returns a `Response<GasEstimate>`.
#[wasm_bindgen(js_name = evmEstimate)]
pub fn evm_estimate(number: u32, request: &[u8]) -> Result<Vec<u8>, JsValue> {
    execute(number, request, estimate)
}

/// Makes the access list of a call: takes a `CallRequest`, returns a `Response<AccessListOutcome>`.
#[wasm_bindgen(js_name = evmAccessList)]
pub fn evm_access_list(number: u32, request: &[u8]) -> Result<Vec<u8>, JsValue> {
    execute(number, request, access_list)
}

/// Executes calls in order, and questions before and after all of them: takes a `CallsRequest`, returns a
/// `Response<Simulation>`.
#[wasm_bindgen(js_name = evmSimulate)]
pub fn evm_simulate(number: u32, request: &[u8]) -> Result<Vec<u8>, JsValue> {
    with(number, |state| {
        let CallsRequest { mut work, calls, questions, overrides } = CallsRequest::decode(request)?;
        Ok(response(simulate(state, &calls, &questions, &overrides, &mut work)?, work))
    })
}

/// Frees a state; a number that is not in the table is ignored.
#[wasm_bindgen(js_name = evmFree)]
pub fn evm_free(number: u32) {
    STATES.with_borrow_mut(|states| states.get_mut(number as usize).map(Option::take));
}

thread_local! {
    /// The state of each number; a freed one leaves an empty slot the size of a pointer.
    static STATES: RefCell<Vec<Option<Box<ProvenState>>>> = const { RefCell::new(Vec::new()) };
}

fn state(request: &[u8]) -> Result<u32> {
    let StateRequest { hash, header, network, evidence } = StateRequest::decode(request)?;
    let state = ProvenState::new(&hash, header, &network?, evidence, &Limits::DEFAULT)?;
    STATES.with_borrow_mut(|states| {
        let number = u32::try_from(states.len())
            .map_err(|_| Error::new(Reason::Bug, "fewer than 2^32 states", states.len()))?;
        states.push(Some(Box::new(state)));
        Ok(number)
    })
}

/// Executes the call of a `CallRequest`; returns a `Response<T>`.
fn execute<T: ResponseValue>(
    number: u32,
    request: &[u8],
    run: fn(&ProvenState, &Call, &Overrides, &mut WorkBudget) -> Result<Step<T>>,
) -> Result<Vec<u8>, JsValue> {
    with(number, |state| {
        let CallRequest { mut work, call, overrides } = CallRequest::decode(request)?;
        Ok(response(run(state, &call, &overrides, &mut work)?, work))
    })
}

fn with<T>(number: u32, call: impl FnOnce(&mut ProvenState) -> Result<T>) -> Result<T, JsValue> {
    let result = STATES.with_borrow_mut(|states| {
        match states.get_mut(number as usize).and_then(Option::as_mut) {
            Some(state) => call(state),
            None => Err(Error::new(Reason::Disposed, "a state in use", number)),
        }
    });
    throw(None, result)
}
