//! The JSON of blocks, headers and refusals. Source: `test-vectors/spec/rpc.md`.

mod error;
mod json;

pub use error::{ErrorDetails, error_details, to_object};
pub use json::{BlockJson, ChainJson, HeaderJson};
pub(crate) use json::{RawJson, to_raw_json};
