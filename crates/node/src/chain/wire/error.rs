//! Converts refusals to JSON-RPC errors.

use jsonrpsee::types::ErrorObjectOwned;
use prooflight_core::{Code, Error};
use serde::{Deserialize, Serialize};

/// The contents of `error.data`: the code and reason of the refusal, and its details.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ErrorDetails {
    /// The code, for example `unavailable`.
    pub code: String,
    /// The reason, for example `unknown_block`.
    pub reason: String,
    /// What would have been accepted.
    pub expected: String,
    /// What was found instead.
    pub found: String,
}

/// Converts a refusal to a JSON-RPC error.
pub fn to_object(error: &Error) -> ErrorObjectOwned {
    ErrorObjectOwned::owned(number(error.code()), error.to_string(), Some(error_details(error)))
}

/// The code, reason and details of a refusal.
pub fn error_details(error: &Error) -> ErrorDetails {
    ErrorDetails {
        code: error.code().as_str().to_owned(),
        reason: error.reason().as_str().to_owned(),
        expected: error.expected().to_owned(),
        found: error.found().to_owned(),
    }
}

/// Returns JSON-RPC's own numbers for errors of the caller and for internal errors, and numbers of the server
/// range for all others.
const fn number(code: Code) -> i32 {
    match code {
        Code::InvalidInput => -32602,
        Code::Internal => -32603,
        Code::Unavailable => -32001,
        Code::Unsupported => -32002,
        Code::Untrusted => -32003,
        Code::Mismatch => -32004,
        // Malformed data, and codes that a later version of the core adds.
        _ => -32005,
    }
}
