//! Indices of entries.

use prooflight_core::{Error, Reason, Result};

use crate::domain::Domain;

/// Checks that an index is inside a vector; otherwise `index_out_of_range`.
pub(super) fn check_index(domain: Domain, index: u32) -> Result<()> {
    if index < domain.n() {
        return Ok(());
    }
    Err(Error::new(Reason::IndexOutOfRange, format_args!("an index below {}", domain.n()), index))
}

/// The number of the child below which an index is, at a level from 0.
pub(super) const fn child(index: u32, log_arity: u8, level: u8) -> usize {
    (index >> (log_arity * level)) as usize & ((1 << log_arity) - 1)
}
