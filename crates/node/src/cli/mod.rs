//! The commands.

mod authority;
mod bucket;
mod chain;
mod chain_source;
mod clients;
mod exit;
mod follow;
mod handles;
mod log;
mod log_commands;
mod new_folder;
mod params;
mod promote;
mod redact;
mod replica;
mod run;
mod serve_history;
mod serving;
mod settings;
mod signing;
mod state_file;
mod transfer;

use std::io::{self, Write as _};
use std::path::PathBuf;
use std::process;

use clap::{Parser, Subcommand};
use prooflight_core::{Hex, Result};
use prooflight_node::chain::keys;

use exit::CommandError;
use settings::Settings;

/// The reference full node of Prooflight: keeps state, makes blocks, signs headers, serves proofs.
#[derive(Debug, Parser)]
#[command(version, about)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Begin a chain: write its configuration and its genesis block.
    Init(chain::InitArgs),
    /// Resume a chain and serve it; with --dev, begin a development chain if there is none.
    Run(Box<Settings>),
    /// Serve a chain from its log in an object store: a replica that needs no leader.
    Serve(Box<Settings>),
    /// Sign the blocks of a leader with an authority's key, as a remote authority.
    Authority(authority::AuthorityArgs),
    /// Make an authority key and print its public key.
    Keygen {
        /// The new file, readable only by its owner.
        file: PathBuf,
    },
    /// Print the checkpoint that an application pins.
    Checkpoint(chain::CheckpointArgs),
    /// Execute every block from the first, and compare all roots, signatures and values.
    Verify(chain::VerifyArgs),
    /// Write every key and value as a line of JSON.
    Export(transfer::ExportArgs),
    /// Make blocks of the keys and values in a file.
    Import(transfer::ImportArgs),
    /// Copy the chain into a new folder, without its keys.
    Backup(transfer::BackupArgs),
    /// Copy a chain's log to another bucket or folder, and check every block.
    Copy(log_commands::CopyArgs),
    /// Make a standby lead at once.
    Promote(promote::PromoteArgs),
    /// Serve proofs of smt from the snapshot files of a running node.
    ServeHistory(serve_history::ServeHistory),
    /// Check a setup of lvmt, and build its tables.
    Params(params::ParamsArgs),
}

/// Runs the command of the arguments.
pub(crate) fn run() -> Result<(), CommandError> {
    let Cli { command } = Cli::try_parse().unwrap_or_else(|error| {
        print_usage(&error);
        process::exit(if error.use_stderr() { exit::EXIT_USAGE.into() } else { 0 })
    });
    match command {
        Command::Init(init) => init.run()?,
        Command::Run(settings) => run::run(*settings)?,
        Command::Serve(settings) => run::serve_log(*settings)?,
        Command::Authority(authority) => authority.run()?,
        Command::Keygen { file } => {
            let key = keys::generate_key()?;
            keys::write_key(&file, &key)?;
            println!("{}", Hex(&key.verifying_key().to_bytes()));
        }
        Command::Checkpoint(checkpoint) => checkpoint.print_checkpoint()?,
        Command::Verify(chain) => chain.verify()?,
        Command::Export(export) => export.run()?,
        Command::Import(import) => import.run()?,
        Command::Backup(backup) => backup.run()?,
        Command::Copy(copy) => copy.run()?,
        Command::Promote(standby) => standby.run()?,
        Command::ServeHistory(server) => server.run()?,
        Command::Params(params) => params.run()?,
    }
    Ok(())
}

/// Prints a help text or a usage error. Both may contain URLs from variables or from the command line.
fn print_usage(error: &clap::Error) {
    let text = error.render().to_string();
    let shown = redact::redact_urls(&text);
    // If it cannot be printed, the exit code still reports the error.
    let _ = if shown == text {
        error.print()
    } else if error.use_stderr() {
        io::stderr().write_all(shown.as_bytes())
    } else {
        io::stdout().write_all(shown.as_bytes())
    };
}
