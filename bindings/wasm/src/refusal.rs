//! Converts errors of the Rust side to plain objects, which are thrown to JavaScript.

use prooflight_core::{Error, Result, Scheme};
use serde::Serialize;
use wasm_bindgen::JsValue;

/// The object that JavaScript catches when a call refuses; `VerifyError` is made from it.
///
/// The code and the meaning of the reason are in `src/registry.ts`, so their texts are not in the binaries.
#[derive(Debug, Serialize)]
struct Refusal<'a> {
    reason: &'static str,
    expected: &'a str,
    found: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    scheme: Option<&'static str>,
}

/// The result of a call, with its error as a plain object; `scheme` is the scheme that the call is about, if any.
pub(crate) fn throw<T>(scheme: impl Into<Option<Scheme>>, result: Result<T>) -> Result<T, JsValue> {
    result.map_err(|error| refusal(scheme.into(), &error))
}

fn refusal(scheme: Option<Scheme>, error: &Error) -> JsValue {
    let refusal = Refusal {
        reason: error.reason().as_str(),
        expected: error.expected(),
        found: error.found(),
        scheme: scheme.map(Scheme::as_str),
    };
    // Plain strings always serialise. Otherwise JavaScript would get `undefined` and report that a call
    // stopped midway.
    serde_wasm_bindgen::to_value(&refusal).unwrap_or(JsValue::UNDEFINED)
}
