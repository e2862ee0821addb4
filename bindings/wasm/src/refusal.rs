//! Converts errors of the Rust side to arrays of strings, which are thrown to JavaScript.

use prooflight_core::{Error, Result, Scheme};
use wasm_bindgen::JsValue;

/// The result of a call, with its error as an array; `scheme` is the scheme that the call is about, if any.
pub(crate) fn throw<T>(scheme: impl Into<Option<Scheme>>, result: Result<T>) -> Result<T, JsValue> {
    result.map_err(|error| refusal(scheme.into(), &error))
}

/// The array that JavaScript catches when a call refuses; `VerifyError` is made from it. It has the reason, the scheme
/// or `undefined`, what was expected, and what was found.
///
/// The code and the meaning of the reason are in `src/registry.ts`, so their texts are not in the binaries.
fn refusal(scheme: Option<Scheme>, error: &Error) -> JsValue {
    let reason = error.reason().as_str();
    let refusal = (reason, scheme.map(Scheme::as_str), error.expected(), error.found());
    // Plain strings always serialise. Otherwise JavaScript would get `undefined` and report that a call
    // stopped midway.
    serde_wasm_bindgen::to_value(&refusal).unwrap_or(JsValue::UNDEFINED)
}
