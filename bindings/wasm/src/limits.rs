//! Reads limits from a request; absent ones have their defaults.
//!
//! ```text
//! struct Limits        { max_proof_bytes: Option<u32>, max_keys: Option<u32>, max_value_bytes: Option<u32> }
//! struct HistoryLimits { limits: Limits, max_changes: Option<u32> }
//! struct AmbLimits     { limits: HistoryLimits, max_entries: Option<u32> }
//! ```

use prooflight_core::{Limits, Result};

use crate::wire::{RequestReader, RequestValue};

impl RequestValue<'_> for Limits {
    fn read(r: &mut RequestReader<'_>) -> Result<Self> {
        limits_or(r, Self::DEFAULT)
    }
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
    Ok(Limits { max_entries: limit_or(r, limits.max_entries)?, ..limits })
}

#[cfg(any(feature = "amb", feature = "smt"))]
fn history_limits_or(r: &mut RequestReader<'_>, default: Limits) -> Result<Limits> {
    let limits = limits_or(r, default)?;
    Ok(Limits { max_changes: limit_or(r, limits.max_changes)?, ..limits })
}

fn limits_or(r: &mut RequestReader<'_>, default: Limits) -> Result<Limits> {
    Ok(Limits {
        max_proof_bytes: limit_or(r, default.max_proof_bytes)?,
        max_keys: limit_or(r, default.max_keys)?,
        max_value_bytes: limit_or(r, default.max_value_bytes)?,
        ..default
    })
}

fn limit_or(r: &mut RequestReader<'_>, default: usize) -> Result<usize> {
    r.read::<Option<usize>>().map(|limit| limit.unwrap_or(default))
}
