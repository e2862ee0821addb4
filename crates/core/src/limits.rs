//! The sizes that a verifier accepts.

use crate::{Error, Reason, Result};

/// Upper bounds that every decoder checks before it allocates; a caller may lower them.
///
/// The defaults are those of `test-vectors/spec/conventions.md`, section 2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of one proof. Default 8 MiB.
    pub max_proof_bytes: usize,
    /// Keys of one proof, or operations of one batch. Default 4,096.
    pub max_keys: usize,
    /// Bytes of one value. Default 65,536.
    pub max_value_bytes: usize,
    /// Changes of one history. Default 100,000.
    pub max_changes: usize,
    /// Entries of one page of a range. Default 4,096.
    pub max_entries: usize,
}

impl Limits {
    /// The limits of the specification.
    pub const DEFAULT: Self = Self {
        max_proof_bytes: 8 << 20,
        max_keys: 4096,
        max_value_bytes: 65_536,
        max_changes: 100_000,
        max_entries: 4096,
    };

    /// No limits, for bytes that the caller made or has checked.
    pub const NONE: Self = Self {
        max_proof_bytes: usize::MAX,
        max_keys: usize::MAX,
        max_value_bytes: usize::MAX,
        max_changes: usize::MAX,
        max_entries: usize::MAX,
    };

    /// Checks the length of a proof; `proof_too_large` above the limit.
    #[inline]
    pub fn check_proof(&self, length: usize) -> Result<()> {
        check(Reason::ProofTooLarge, length as u64, self.max_proof_bytes, " bytes")
    }

    /// Checks the number of requested keys; `too_many_keys` above the limit.
    #[inline]
    pub fn check_keys(&self, count: usize) -> Result<()> {
        check(Reason::TooManyKeys, count as u64, self.max_keys, "")
    }

    /// Checks the number of operations of a batch; `too_many_operations` above the limit of keys.
    #[inline]
    pub fn check_operations(&self, count: usize) -> Result<()> {
        check(Reason::TooManyOperations, count as u64, self.max_keys, "")
    }

    /// Checks the length of a value, as stated in its encoding; `value_too_large` above the limit.
    #[inline]
    pub fn check_value(&self, length: u64) -> Result<()> {
        check(Reason::ValueTooLarge, length, self.max_value_bytes, " bytes")
    }

    /// Checks the number of changes of a history; `too_many_changes` above the limit.
    #[inline]
    pub fn check_changes(&self, count: usize) -> Result<()> {
        check(Reason::TooManyChanges, count as u64, self.max_changes, "")
    }

    /// Checks the number of entries of a page; `too_many_results` above the limit.
    #[inline]
    pub fn check_entries(&self, count: usize) -> Result<()> {
        check(Reason::TooManyResults, count as u64, self.max_entries, "")
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self::DEFAULT
    }
}

#[inline]
fn check(reason: Reason, found: u64, most: usize, unit: &str) -> Result<()> {
    if found <= most as u64 { Ok(()) } else { Err(exceeded(reason, found, most, unit)) }
}

#[cold]
fn exceeded(reason: Reason, found: u64, most: usize, unit: &str) -> Error {
    Error::new(reason, format_args!("at most {most}{unit}"), format_args!("{found}{unit}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_is_the_most_that_is_allowed() {
        type Check = fn(&Limits, usize) -> Result<()>;
        let limits = Limits {
            max_proof_bytes: 1,
            max_keys: 2,
            max_value_bytes: 3,
            max_changes: 4,
            max_entries: 5,
        };
        let cases: [(Check, usize, Reason); 6] = [
            (Limits::check_proof, 1, Reason::ProofTooLarge),
            (Limits::check_keys, 2, Reason::TooManyKeys),
            (Limits::check_operations, 2, Reason::TooManyOperations),
            (|limits, length| limits.check_value(length as u64), 3, Reason::ValueTooLarge),
            (Limits::check_changes, 4, Reason::TooManyChanges),
            (Limits::check_entries, 5, Reason::TooManyResults),
        ];
        for (check, most, reason) in cases {
            assert_eq!(check(&limits, most), Ok(()));
            assert_eq!(check(&limits, most + 1).unwrap_err().reason(), reason);
            assert_eq!(check(&Limits::NONE, usize::MAX), Ok(()));
        }
    }
}
