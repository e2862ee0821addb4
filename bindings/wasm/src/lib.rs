//! The verifiers of Prooflight as WebAssembly.
//!
//! This crate only translates. A call takes byte strings and returns plain data; it throws a refusal
//! as a plain object, see `refusal`.
//!
//! Operations and their results cross as one byte string in borsh, see `wire`. For a batch of 2000
//! operations, whose verification takes 6.5 ms, that costs 0.3 ms in Node on both sides together;
//! serde-wasm-bindgen took 1.8 ms, and 5.4 ms with operations as a tagged enum.
//!
//! The TypeScript in `packages/prooflight` is the only caller, and has checked the types of its
//! arguments; the content of the bytes is checked here and in the schemes' crates.

#[cfg(any(feature = "chain", feature = "light"))]
mod config;
#[cfg(any(feature = "lvmt", feature = "mpt", feature = "smt"))]
mod limits;
mod refusal;
#[allow(dead_code, reason = "a binary with few schemes does not need every part")]
#[cfg(any(feature = "light", feature = "lvmt"))]
mod values;
mod wire;

#[cfg(feature = "avl")]
pub mod avl;
#[cfg(feature = "chain")]
pub mod chain;
#[cfg(feature = "lvmt")]
pub mod lvmt;
#[cfg(feature = "mpt")]
pub mod mpt;
#[cfg(feature = "smt")]
pub mod smt;
#[cfg(feature = "light")]
pub mod state;

use prooflight_core::{Code, Limits, Reason};
use serde::Serialize;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsError, JsValue};

/// The version of this build; the TypeScript shipped with it must have the same.
#[wasm_bindgen]
pub fn version() -> String {
    env!("CARGO_PKG_VERSION").to_owned()
}

/// Every code and reason, and the default limits; `src/registry.ts` is generated from it.
#[wasm_bindgen]
pub fn registry() -> Result<JsValue, JsError> {
    let reasons = Reason::ALL.iter().map(|reason| ReasonEntry {
        reason: reason.as_str(),
        code: reason.code().as_str(),
        meaning: reason.meaning(),
    });
    let registry = Registry {
        codes: Code::ALL.map(Code::as_str),
        reasons: reasons.collect(),
        max_proof_bytes: Limits::DEFAULT.max_proof_bytes,
    };
    Ok(serde_wasm_bindgen::to_value(&registry)?)
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Registry {
    codes: [&'static str; Code::ALL.len()],
    reasons: Vec<ReasonEntry>,
    max_proof_bytes: usize,
}

#[derive(Serialize)]
struct ReasonEntry {
    reason: &'static str,
    code: &'static str,
    meaning: &'static str,
}
