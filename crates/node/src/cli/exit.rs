//! How a failed command ends: an error, and an exit code of `sysexits.h`, by which a service manager decides whether
//! to retry.

use std::io;
use std::path::Path;
use std::process::ExitCode;

use prooflight_core::{Code, Error, Reason};

use super::redact::redact_urls;

/// The command line is wrong.
pub(crate) const EXIT_USAGE: u8 = 64;
/// The store is damaged, or an authority's memory.
const EXIT_DATA: u8 = 65;
/// Something that the command needs is not available, such as an address that is in use.
const EXIT_UNAVAILABLE: u8 = 69;
/// A bug.
const EXIT_SOFTWARE: u8 = 70;
/// Files cannot be read or written, or another process has the store open.
const EXIT_IO: u8 = 74;
/// A setting, or a file that it names, is refused.
const EXIT_CONFIG: u8 = 78;

/// An error that ends a command.
#[derive(Debug)]
pub(crate) struct CommandError {
    error: Error,
    code: u8,
}

impl CommandError {
    /// An error that may disappear at the next attempt.
    pub(super) const fn unavailable(error: Error) -> Self {
        Self { error, code: EXIT_UNAVAILABLE }
    }

    /// Shows the error; returns the exit code.
    pub(crate) fn report(&self) -> ExitCode {
        let Self { error, code } = self;
        let message = redact_urls(&error.to_string());
        eprintln!("prooflight-node: {message} ({} / {})", error.code(), error.reason());
        (*code).into()
    }
}

impl From<Error> for CommandError {
    fn from(error: Error) -> Self {
        let code = match (error.reason(), error.code()) {
            (Reason::StoreFailed, _) => EXIT_IO,
            (Reason::StoreCorrupt | Reason::MemoryLost, _) => EXIT_DATA,
            (_, Code::Internal) => EXIT_SOFTWARE,
            (_, Code::Unavailable) => EXIT_UNAVAILABLE,
            // The input is wrong, malformed, of another chain, or not supported.
            _ => EXIT_CONFIG,
        };
        Self { error, code }
    }
}

/// The error of a file that could not be read or written.
pub(super) fn file_error(path: &Path, error: &io::Error) -> Error {
    Error::new(Reason::InvalidArgument, format_args!("a usable {}", path.display()), error)
}
