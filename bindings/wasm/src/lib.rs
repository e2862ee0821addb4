//! The verifiers of Prooflight as WebAssembly.
//!
//! This crate only converts between byte strings and the verifiers' types. A call takes byte strings and returns
//! plain data; it throws a refusal as a plain object, see `refusal`.
//!
//! Operations and their results cross as one byte string in borsh, see `wire`. For a batch of 2000
//! operations, whose verification takes 6.5 ms, that costs 0.3 ms in Node on both sides together;
//! serde-wasm-bindgen took 1.8 ms, and 5.4 ms with operations as a tagged enum.
//!
//! The TypeScript in `packages/prooflight` is the only caller, and has checked the types of its
//! arguments; the content of the bytes is checked here and in the schemes' crates.

#[allow(dead_code, reason = "a binary with few schemes does not need every part")]
#[cfg(any(feature = "histories", feature = "ranges"))]
mod answers;
#[cfg(any(feature = "chain", feature = "light"))]
mod config;
#[cfg(any(feature = "amb", feature = "lmpt", feature = "lvmt", feature = "mpt", feature = "smt"))]
mod limits;
mod refusal;
#[cfg(any(feature = "ethereum", feature = "evm"))]
mod shared;
#[allow(dead_code, reason = "a binary with few schemes does not need every part")]
#[cfg(any(feature = "light", feature = "lvmt"))]
mod values;
#[allow(dead_code, unused_imports, unused_macros, reason = "as with `values`")]
mod wire;

#[cfg(feature = "amb")]
pub mod amb;
#[cfg(feature = "avl")]
pub mod avl;
#[cfg(feature = "beacon")]
pub mod beacon;
#[cfg(feature = "chain")]
pub mod chain;
#[cfg(feature = "ethereum")]
pub mod ethereum;
#[cfg(feature = "evm")]
pub mod evm;
#[cfg(feature = "lmpt")]
pub mod lmpt;
#[cfg(feature = "lvmt")]
pub mod lvmt;
#[cfg(feature = "mpt")]
pub mod mpt;
#[cfg(feature = "smt")]
pub mod smt;
#[cfg(feature = "light")]
pub mod state;

use wasm_bindgen::prelude::wasm_bindgen;

/// The version of this build; the TypeScript shipped with it must have the same.
#[wasm_bindgen]
pub fn version() -> String {
    env!("CARGO_PKG_VERSION").to_owned()
}
