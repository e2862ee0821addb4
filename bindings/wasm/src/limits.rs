//! Limits as they cross: `struct Limits { max_proof_bytes: Option<u32>, max_keys: Option<u32>,
//! max_value_bytes: Option<u32> }`.

use prooflight_core::{Limits, Result};

use crate::wire::Request;

/// Reads `Limits`; missing ones have their defaults.
pub(crate) fn limits(r: &mut Request<'_>) -> Result<Limits> {
    let default = Limits::DEFAULT;
    Ok(Limits {
        max_proof_bytes: r.option(Request::length)?.unwrap_or(default.max_proof_bytes),
        max_keys: r.option(Request::length)?.unwrap_or(default.max_keys),
        max_value_bytes: r.option(Request::length)?.unwrap_or(default.max_value_bytes),
        ..default
    })
}
