//! Reads limits from a request.
//!
//! ```text
//! struct Limits        { max_proof_bytes: Option<u32>, max_keys: Option<u32>, max_value_bytes: Option<u32> }
//! struct HistoryLimits { limits: Limits, max_changes: Option<u32> }
//! struct AmbLimits     { limits: HistoryLimits, max_entries: Option<u32> }
//! ```

use prooflight_core::{Limits, Result};

use crate::wire::RequestReader;

/// Reads `Limits`; absent limits have their defaults.
pub(crate) fn limits(r: &mut RequestReader<'_>) -> Result<Limits> {
    limits_or(r, Limits::DEFAULT)
}

/// Reads `HistoryLimits`.
#[cfg(feature = "smt")]
pub(crate) fn history_limits(r: &mut RequestReader<'_>) -> Result<Limits> {
    history_limits_or(r, Limits::DEFAULT)
}

/// Reads `AmbLimits` with other defaults.
#[cfg(feature = "amb")]
pub(crate) fn amb_limits_or(r: &mut RequestReader<'_>, default: Limits) -> Result<Limits> {
    let limits = history_limits_or(r, default)?;
    let max_entries = r.option(RequestReader::length)?.unwrap_or(limits.max_entries);
    Ok(Limits { max_entries, ..limits })
}

#[cfg(any(feature = "amb", feature = "smt"))]
fn history_limits_or(r: &mut RequestReader<'_>, default: Limits) -> Result<Limits> {
    let limits = limits_or(r, default)?;
    let max_changes = r.option(RequestReader::length)?.unwrap_or(limits.max_changes);
    Ok(Limits { max_changes, ..limits })
}

fn limits_or(r: &mut RequestReader<'_>, default: Limits) -> Result<Limits> {
    Ok(Limits {
        max_proof_bytes: r.option(RequestReader::length)?.unwrap_or(default.max_proof_bytes),
        max_keys: r.option(RequestReader::length)?.unwrap_or(default.max_keys),
        max_value_bytes: r.option(RequestReader::length)?.unwrap_or(default.max_value_bytes),
        ..default
    })
}
