//! The questions that proofs answer, and the checks of the caller's arguments.

use prooflight_core::{Error, Hash, Limits, Reason, Result};

use crate::limits::{BLOCK_LIMIT, MAX_BOUND_BYTES, MAX_KEY_BYTES};

/// A root that the caller trusts, and its block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TrustedRoot {
    /// The root.
    pub hash: Hash,
    /// The block, below 2^52; no question is about a later one.
    pub height: u64,
}

/// The state of each key after a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeysQuestion<'q> {
    /// The keys, at least one, in the order of the answers.
    pub keys: &'q [&'q [u8]],
    /// The block.
    pub at: u64,
}

/// Each key's versions in the blocks from one to another, both included, and the one in force before them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HistoryQuestion<'q> {
    /// The keys, at least one, in the order of the answers.
    pub keys: &'q [&'q [u8]],
    /// The first block.
    pub from: u64,
    /// The last block.
    pub to: u64,
}

/// The keys `lo <= key < hi` that had a value after a block, with their values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RangeQuestion<'q> {
    /// The first key that may be in the range.
    pub lo: &'q [u8],
    /// The first key after the range; `None` if it has no end.
    pub hi: Option<&'q [u8]>,
    /// The block.
    pub at: u64,
    /// Whether the answers are in descending order, so that the first page ends with the range.
    pub reverse: bool,
}

/// The number of keys `lo <= key < hi` that have a value after the root's block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CountQuestion<'q> {
    /// The first key that may be in the range.
    pub lo: &'q [u8],
    /// The first key after the range; `None` if it has no end.
    pub hi: Option<&'q [u8]>,
}

/// The entries `lo <= key < hi`, or those of them that a block after `after` wrote.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TransferQuestion<'q> {
    /// The first key that may be in the range.
    pub lo: &'q [u8],
    /// The first key after the range; `None` if it has no end.
    pub hi: Option<&'q [u8]>,
    /// The block; `None` for all entries.
    pub after: Option<u64>,
}

impl TrustedRoot {
    /// `invalid_argument` for a block of 2^52 or later.
    pub(crate) fn check(&self) -> Result<()> {
        if self.height < BLOCK_LIMIT {
            Ok(())
        } else {
            Err(invalid("a block below 2^52", self.height))
        }
    }

    /// Also checks that a block asked about is not after the root's.
    fn check_block(&self, block: u64) -> Result<()> {
        self.check()?;
        if block <= self.height {
            return Ok(());
        }
        Err(invalid(format_args!("at most block {}", self.height), block))
    }

    /// The block after it, below 2^52.
    pub(crate) fn next_block(&self) -> Result<u64> {
        let next = self.height.saturating_add(1);
        if next < BLOCK_LIMIT { Ok(next) } else { Err(invalid("a next block below 2^52", next)) }
    }
}

impl KeysQuestion<'_> {
    pub(crate) fn check(&self, root: &TrustedRoot, limits: &Limits) -> Result<()> {
        root.check_block(self.at)?;
        check_keys(self.keys, limits)
    }
}

impl HistoryQuestion<'_> {
    pub(crate) fn check(&self, root: &TrustedRoot, limits: &Limits) -> Result<()> {
        root.check_block(self.to)?;
        if self.from > self.to {
            return Err(invalid(format_args!("a first block of at most {}", self.to), self.from));
        }
        check_keys(self.keys, limits)
    }
}

impl RangeQuestion<'_> {
    pub(crate) fn check(&self, root: &TrustedRoot, limits: &Limits) -> Result<()> {
        root.check_block(self.at)?;
        check_bounds(self.lo, self.hi, limits)
    }
}

impl CountQuestion<'_> {
    pub(crate) fn check(&self, root: &TrustedRoot, limits: &Limits) -> Result<()> {
        root.check()?;
        check_bounds(self.lo, self.hi, limits)
    }
}

impl TransferQuestion<'_> {
    pub(crate) fn check(&self, root: &TrustedRoot, limits: &Limits) -> Result<()> {
        root.check_block(self.after.unwrap_or(0))?;
        check_bounds(self.lo, self.hi, limits)
    }
}

/// Checks the keys of a question: at least one, not too many, none too long.
pub(crate) fn check_keys(keys: &[&[u8]], limits: &Limits) -> Result<()> {
    if keys.is_empty() {
        return Err(invalid("at least one key", 0));
    }
    check_entries(limits)?;
    limits.check_keys(keys.len())?;
    keys.iter().try_for_each(|key| check_length(key, MAX_KEY_BYTES))
}

/// Checks a block's changes: ascending by key, one for each key, and the block below 2^52.
#[cfg(feature = "prover")]
pub(crate) fn check_changes(
    block: u64,
    changes: &[prooflight_core::store::RawKeyChange<'_>],
) -> Result<()> {
    TrustedRoot { hash: Hash::default(), height: block }.check()?;
    if !changes.is_sorted_by(|a, b| a.key < b.key) {
        return Err(invalid("changes ascending by key", "others"));
    }
    changes.iter().try_for_each(|change| check_length(change.key, MAX_KEY_BYTES))
}

/// Checks the length of a key or a bound.
pub(crate) fn check_length(key: &[u8], most: usize) -> Result<()> {
    if key.len() <= most {
        return Ok(());
    }
    let expected = format_args!("at most {most} bytes");
    Err(Error::new(Reason::KeyLength, expected, format_args!("{} bytes", key.len())))
}

#[cold]
pub(crate) fn invalid(expected: impl core::fmt::Display, found: impl core::fmt::Display) -> Error {
    Error::new(Reason::InvalidArgument, expected, found)
}

fn check_bounds(lo: &[u8], hi: Option<&[u8]>, limits: &Limits) -> Result<()> {
    if hi.is_some_and(|hi| lo >= hi) {
        return Err(invalid("a range that begins before it ends", "another"));
    }
    check_entries(limits)?;
    check_length(lo, MAX_BOUND_BYTES)?;
    check_length(hi.unwrap_or_default(), MAX_BOUND_BYTES)
}

fn check_entries(limits: &Limits) -> Result<()> {
    if limits.max_entries > 0 { Ok(()) } else { Err(invalid("a limit of at least one entry", 0)) }
}
