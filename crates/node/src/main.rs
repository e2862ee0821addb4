//! The program `prooflight-node`.

mod cli;

use std::process::ExitCode;

/// Imports take a seventh less time than with glibc's, and as much memory.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    match cli::run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}
