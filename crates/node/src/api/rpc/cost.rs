//! The estimated work of a request, in tenths of a millisecond of CPU time.
//!
//! The estimate only affects the order of proofs. Measured at 10^6 keys: an LVMT proof takes 7 ms for one key and
//! 316 ms for 100 keys, an SMT proof 30 ms for 100 keys.

use prooflight_core::Scheme;

use crate::runtime::blocking::EXPENSIVE_ABOVE;

/// A block: 20 ms for the largest.
pub(crate) const BLOCK_COST: u64 = EXPENSIVE_ABOVE;

/// A proof of `keys` keys, or of an account with `keys - 1` slots.
pub(super) fn of_keys(scheme: Scheme, keys: usize) -> u64 {
    let (base, each) = match scheme {
        Scheme::Lvmt => (40, 31),
        _ => (2, 3),
    };
    base + each * to_u64(keys)
}

/// A proof about the blocks from `from` to `to`.
pub(super) fn of_blocks(from: u64, to: u64) -> u64 {
    to.saturating_sub(from).saturating_add(5)
}

/// A page of a range with at most `entries` entries.
pub(super) fn of_entries(entries: usize) -> u64 {
    5 + to_u64(entries) / 20
}

/// `headers` headers with the proof of their positions.
pub(super) fn of_headers(headers: usize) -> u64 {
    to_u64(headers)
}

fn to_u64(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX >> 8)
}
