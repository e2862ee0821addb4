//! How a failed command ends: an error, and an exit code of `sysexits.h`, by which a service manager decides whether
//! to retry.

use std::process::ExitCode;

use prooflight_core::{Code, Error, Reason};

use super::shown::with_origins;

/// The command line is wrong.
pub(crate) const USAGE: u8 = 64;
/// The store is damaged, or an authority's memory.
const DATA: u8 = 65;
/// Something that the command needs is not available, such as an address that is in use.
const UNAVAILABLE: u8 = 69;
/// A bug.
const SOFTWARE: u8 = 70;
/// Files cannot be read or written, or another process has the store open.
const IO: u8 = 74;
/// A setting, or a file that it names, is refused.
const CONFIG: u8 = 78;

/// An error that ends a command.
#[derive(Debug)]
pub(crate) struct Failure {
    error: Error,
    code: u8,
}

impl Failure {
    /// An error that may disappear at the next attempt.
    pub(super) const fn unavailable(error: Error) -> Self {
        Self { error, code: UNAVAILABLE }
    }

    /// Shows the error; returns the exit code.
    pub(crate) fn report(&self) -> ExitCode {
        let Self { error, code } = self;
        let message = with_origins(&error.to_string());
        eprintln!("prooflight-node: {message} ({} / {})", error.code(), error.reason());
        (*code).into()
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let code = match (error.reason(), error.code()) {
            (Reason::StoreFailed, _) => IO,
            (Reason::StoreCorrupt | Reason::MemoryLost, _) => DATA,
            (_, Code::Internal) => SOFTWARE,
            (_, Code::Unavailable) => UNAVAILABLE,
            // The input is wrong, malformed, of another chain, or not supported.
            _ => CONFIG,
        };
        Self { error, code }
    }
}
