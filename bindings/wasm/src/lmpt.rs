//! Layered tries: values of keys, with the layers that have them.
//!
//! ```text
//! struct KeysRequest { root: [u8; 96], limits: Limits, keys: Vec<Vec<u8>> }
//! ```
//! `Limits` is that of `limits`, `KeysResponse` that of `state::message`.

use prooflight_core::{Limits, Result, Scheme};
use prooflight_light::{KeyState, StatementAnswer};
use prooflight_lmpt::{LayerRoots, verify};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::limits::limits;
use crate::refusal::throw;
use crate::state::message;
use crate::wire::{self, RequestReader};

/// Verifies the values of keys: takes a `KeysRequest` and a proof, returns a `KeysResponse`.
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

/// The keys of a query, and the roots to verify its answer against.
struct LmptKeysRequest<'a> {
    roots: LayerRoots,
    limits: Limits,
    keys: Vec<&'a [u8]>,
}

impl<'a> LmptKeysRequest<'a> {
    fn decode(request: &'a [u8]) -> Result<Self> {
        wire::decode(request, |r| {
            Ok(Self {
                roots: LayerRoots::decode(&r.array::<{ LayerRoots::LENGTH }>()?)?,
                limits: limits(r)?,
                keys: r.sequence(RequestReader::bytes)?,
            })
        })
    }
}
