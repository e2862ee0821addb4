//! The prover in memory: provers live in a table, and JavaScript holds their numbers.
//!
//! Unlike a pointer, a number is looked up: a stale one, or one from an instance before a trap, is
//! refused and can never reach memory that now holds something else. Numbers are not reused.

use std::cell::RefCell;

use prooflight_avl::{AvlProver, Operation, Params};
use prooflight_core::{Error, Reason, Result, Scheme};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::avl::message;
use crate::refusal::throw;
use crate::wire::RequestValue as _;

/// Creates an empty dictionary with these `Params`; returns its number.
#[wasm_bindgen(js_name = avlProverNew)]
pub fn avl_prover_new(params: &[u8]) -> Result<u32, JsValue> {
    let prover = Params::decode(params).and_then(AvlProver::new);
    throw(Scheme::Avl, prover.and_then(add))
}

/// The 33 bytes of the digest.
#[wasm_bindgen(js_name = avlProverDigest)]
pub fn avl_prover_digest(number: u32) -> Result<Vec<u8>, JsValue> {
    with(number, |prover| Ok(prover.digest().0.to_vec()))
}

/// The value of a key, or `undefined`; refuses keys that the dictionary cannot have.
#[wasm_bindgen(js_name = avlProverGet)]
pub fn avl_prover_get(number: u32, key: &[u8]) -> Result<Option<Vec<u8>>, JsValue> {
    with(number, |prover| {
        prover.params().with_max_operations(1).check(&[Operation::Lookup { key }])?;
        Ok(prover.get(key).map(<[u8]>::to_vec))
    })
}

/// Proves `Vec<Operation>` without changing the dictionary; returns a `ProofResponse`.
#[wasm_bindgen(js_name = avlProverProve)]
pub fn avl_prover_prove(number: u32, operations: &[u8]) -> Result<Vec<u8>, JsValue> {
    with(number, |prover| {
        let batch = prover.prove_batch(&<Vec<_>>::decode(operations)?)?;
        Ok(message::proved_batch(&batch))
    })
}

/// Performs and proves `Vec<Operation>`, all or nothing; returns a `ProofResponse`.
#[wasm_bindgen(js_name = avlProverApply)]
pub fn avl_prover_apply(number: u32, operations: &[u8]) -> Result<Vec<u8>, JsValue> {
    with(number, |prover| {
        let batch = prover.apply_batch(&<Vec<_>>::decode(operations)?)?;
        Ok(message::proved_batch(&batch))
    })
}

/// Frees a prover; a number that is not in the table is ignored.
#[wasm_bindgen(js_name = avlProverFree)]
pub fn avl_prover_free(number: u32) {
    PROVERS.with_borrow_mut(|provers| provers.get_mut(number as usize).map(Option::take));
}

thread_local! {
    /// The prover of each number; a freed one leaves an empty slot the size of a pointer.
    static PROVERS: RefCell<Vec<Option<Box<AvlProver>>>> = const { RefCell::new(Vec::new()) };
}

fn add(prover: AvlProver) -> Result<u32> {
    PROVERS.with_borrow_mut(|provers| {
        let number = u32::try_from(provers.len())
            .map_err(|_| Error::new(Reason::Bug, "fewer than 2^32 provers", provers.len()))?;
        provers.push(Some(Box::new(prover)));
        Ok(number)
    })
}

fn with<T>(number: u32, call: impl FnOnce(&mut AvlProver) -> Result<T>) -> Result<T, JsValue> {
    let result = PROVERS.with_borrow_mut(|provers| {
        match provers.get_mut(number as usize).and_then(Option::as_mut) {
            Some(prover) => call(prover),
            None => Err(Error::new(Reason::Disposed, "a prover in use", number)),
        }
    });
    throw(Scheme::Avl, result)
}
