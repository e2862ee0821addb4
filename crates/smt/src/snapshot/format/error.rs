//! Errors that name a file.

use core::fmt::Display;

use prooflight_core::{Error, Reason};

/// The error for a file whose bytes are not those that were written.
#[cold]
pub(crate) fn corrupt(file: &str, expected: impl Display, found: impl Display) -> Error {
    Error::new(Reason::StoreCorrupt, format_args!("{expected} in the file {file}"), found)
}

/// The error for a file that does not exist.
#[cold]
pub(crate) fn missing(name: &str) -> Error {
    corrupt(name, "the file", "none")
}

/// The error for a file that cannot be read or written.
#[cold]
pub(crate) fn failed(name: &str, error: &dyn Display) -> Error {
    Error::new(Reason::StoreFailed, format_args!("to read or write the file {name}"), error)
}
