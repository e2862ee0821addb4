//! Layered tries: values of keys, with the layers that have them.

use prooflight_core::{Limits, Result, Scheme};
use prooflight_light::{KeyState, StatementAnswer};
use prooflight_lmpt::{LayerRoots, verify};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::refusal::throw;
use crate::state::message;
use crate::wire::{RequestReader, RequestValue};

/// Verifies the values of keys: takes an `LmptKeysRequest` and a proof, returns a `KeysResponse` of `state::message`.
#[wasm_bindgen(js_name = lmptVerify)]
pub fn lmpt_verify(request: &[u8], proof: &[u8]) -> Result<Vec<u8>, JsValue> {
    throw(Scheme::Lmpt, keys(request, proof))
}

fn keys(request: &[u8], proof: &[u8]) -> Result<Vec<u8>> {
    let LmptKeysRequest { roots, limits, keys } = LmptKeysRequest::decode(request)?;
    let answers = verify(&roots, &keys, proof, &limits)?;
    message::keys(&StatementAnswer::Keys(
        answers.into_inner().into_iter().map(KeyState::from).collect(),
    ))
}

crate::wire::requests! {
    /// The keys of a query, and the roots to verify its answer against.
    struct LmptKeysRequest<'a> { roots: LayerRoots, limits: Limits, keys: Vec<&'a [u8]>, }
}

impl RequestValue<'_> for LayerRoots {
    fn read(r: &mut RequestReader<'_>) -> Result<Self> {
        Self::decode(&r.read::<[u8; Self::LENGTH]>()?)
    }
}
