//! The verifiers of Prooflight as WebAssembly.
//!
//! This crate only translates. A call takes byte strings and gives back plain data; what it
//! refuses, it throws as a [`refusal`]. Whatever comes in many parts (the operations of a batch,
//! their results) crosses as one byte string in borsh, see [`wire`]: measured on a batch of 2000
//! operations, an object each would cost more than their verification.
//!
//! The TypeScript in `packages/prooflight` is the only caller, and has checked the types of its
//! arguments; what the bytes mean is checked here and in the schemes' crates.

mod refusal;
mod wire;

#[cfg(feature = "avl")]
pub mod avl;

use prooflight_core::{Code, Reason, Scheme};
use serde::Serialize;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsError, JsValue};

/// The version of this build; the TypeScript beside it must have the same.
#[wasm_bindgen]
pub fn version() -> String {
    env!("CARGO_PKG_VERSION").to_owned()
}

/// Every code, reason and scheme there is; the TypeScript unions are generated from it.
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
        schemes: Scheme::ALL.map(Scheme::as_str),
    };
    Ok(serde_wasm_bindgen::to_value(&registry)?)
}

#[derive(Serialize)]
struct Registry {
    codes: [&'static str; Code::ALL.len()],
    reasons: Vec<ReasonEntry>,
    schemes: [&'static str; Scheme::ALL.len()],
}

#[derive(Serialize)]
struct ReasonEntry {
    reason: &'static str,
    code: &'static str,
    meaning: &'static str,
}
