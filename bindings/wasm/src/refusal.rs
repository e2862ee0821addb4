//! Converts errors of the Rust side to strings, which are thrown to JavaScript.

use prooflight_core::{Error, Result, Scheme};
use wasm_bindgen::JsValue;

/// The result of a call, with its error as a string; `scheme` is the scheme that the call is about, if any.
pub(crate) fn throw<T>(scheme: impl Into<Option<Scheme>>, result: Result<T>) -> Result<T, JsValue> {
    result.map_err(|error| refusal(scheme.into(), &error))
}

/// The string that JavaScript catches when a call refuses; `VerifyError` is made from it.
///
/// NUL separates reason, scheme (empty if there is none), what was expected, and what was found. The code and the
/// meaning of the reason are in `src/registry.ts`, so their texts are not in the binaries.
fn refusal(scheme: Option<Scheme>, error: &Error) -> JsValue {
    let reason = error.reason().as_str();
    let scheme = scheme.map_or("", Scheme::as_str);
    let (expected, found) = (error.expected(), error.found());
    JsValue::from_str(&format!("{reason}\0{scheme}\0{expected}\0{found}"))
}
