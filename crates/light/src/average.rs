//! A history with the average of its values.

use prooflight_core::chain::AcceptedHeaders;
use prooflight_core::{Result, Scheme, Verified};
use prooflight_smt::state::{average, verify_history};
use prooflight_smt::{Average, KeyHistory};

use crate::Trust;

/// Verifies every change of a key in the blocks `from..=to`, and computes the time-weighted average of its values.
///
/// Values are unsigned big-endian integers of 1 to 32 bytes, else `value_not_number`; the times are those of
/// the headers. Other errors are those of [`verify`](crate::verify) for `smt`.
pub fn verify_average<'a>(
    trust: &Trust<'_>,
    headers: &AcceptedHeaders,
    key: &[u8],
    (from, to): (u64, u64),
    proof: &'a [u8],
) -> Result<(Verified<KeyHistory<'a>>, Verified<Average>)> {
    let limits = trust.config.limits_for(Scheme::Smt)?;
    let history = verify_history(headers, key, (from, to), proof, limits)?;
    let average = average(headers, &history)?;
    Ok((history, average))
}
