//! The program `prooflight-node`.

mod cli;

use std::process::ExitCode;

fn main() -> ExitCode {
    match cli::run() {
        Ok(code) => code,
        Err(error) => {
            eprintln!("prooflight-node: {error} ({} / {})", error.code(), error.reason());
            ExitCode::FAILURE
        }
    }
}
