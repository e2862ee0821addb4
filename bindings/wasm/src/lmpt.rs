//! Layered tries: values of keys, with the layers that have them.
//!
//! ```text
//! struct KeysRequest { root: [u8; 96], limits: Limits, keys: Vec<Vec<u8>> }
//! ```
//! `Limits` is that of `limits`, `KeysResponse` that of `state::message`.

use prooflight_core::{Limits, Result, Scheme};
use prooflight_light::{Answer, KeyState};
use prooflight_lmpt::{Roots, verify};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::limits::limits;
use crate::refusal::throw;
use crate::state::message;
use crate::wire::{self, Request};

/// Verifies the values of keys: takes a `KeysRequest` and a proof, returns a `KeysResponse`.
#[wasm_bindgen(js_name = lmptVerify)]
pub fn lmpt_verify(request: &[u8], proof: &[u8]) -> Result<Vec<u8>, JsValue> {
    throw(Scheme::Lmpt, keys(request, proof))
}

fn keys(request: &[u8], proof: &[u8]) -> Result<Vec<u8>> {
    let KeysRequest { roots, limits, keys } = KeysRequest::decode(request)?;
    let answers = verify(&roots, &keys, proof, &limits)?;
    message::keys(&Answer::Keys(answers.into_inner().into_iter().map(KeyState::from).collect()))
}

/// The keys of a query, and the roots to verify its answer against.
struct KeysRequest<'a> {
    roots: Roots,
    limits: Limits,
    keys: Vec<&'a [u8]>,
}

impl<'a> KeysRequest<'a> {
    fn decode(request: &'a [u8]) -> Result<Self> {
        wire::decode(request, |r| {
            Ok(Self {
                roots: Roots::decode(&r.array::<{ Roots::LENGTH }>()?)?,
                limits: limits(r)?,
                keys: r.sequence(Request::bytes)?,
            })
        })
    }
}
