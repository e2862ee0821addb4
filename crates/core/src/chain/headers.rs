//! Accepted headers of one history.

use alloc::vec::Vec;

use super::header::Header;
use super::verify_ancestors;
use crate::{Error, Hash, Reason, Result};

/// A header that the caller accepts, and older headers proven to be in its history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AcceptedHeaders {
    newest: Header,
    /// Ascending by height.
    older: Vec<Header>,
}

impl AcceptedHeaders {
    /// One header, which the caller accepts: a verified head, or a verified ancestor of one.
    pub const fn one(header: Header) -> Self {
        Self { newest: header, older: Vec::new() }
    }

    /// An accepted head, and older headers with the hashes that prove them part of its history.
    ///
    /// Errors are those of [`verify_ancestors`].
    pub fn with_ancestors(head: Header, older: Vec<Header>, hashes: &[Hash]) -> Result<Self> {
        verify_ancestors(&head, &older, hashes)?;
        Ok(Self { newest: head, older })
    }

    /// The header that the caller accepted.
    pub const fn newest(&self) -> &Header {
        &self.newest
    }

    /// The header that the caller accepted, for a statement about a block up to it; `invalid_result` if it is older.
    pub fn newest_since(&self, height: u64) -> Result<&Header> {
        if height <= self.newest.height {
            return Ok(&self.newest);
        }
        let expected = format_args!("the header of block {height} or a later one");
        Err(Error::new(Reason::InvalidResult, expected, self.newest.height))
    }

    /// The older headers, ascending by height.
    pub fn older(&self) -> &[Header] {
        &self.older
    }

    /// The header of this height; `invalid_result` if it is not among them.
    pub fn at(&self, height: u64) -> Result<&Header> {
        if height == self.newest.height {
            return Ok(&self.newest);
        }
        let found = self.older.binary_search_by_key(&height, |header| header.height);
        found.ok().and_then(|at| self.older.get(at)).ok_or_else(|| {
            let expected = format_args!("the header of block {height}");
            Error::new(Reason::InvalidResult, expected, "none")
        })
    }
}
