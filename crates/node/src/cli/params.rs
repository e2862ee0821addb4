//! LVMT's setup and a node's scheme options; the command `params`, which inspects setups.

use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use prooflight_amt::{ProverSetup, TableParts, Tables, VerifyingKey};
use prooflight_core::chain::{LmptConfig, LvmtConfig};
use prooflight_core::{Error, Hex, Reason, Result};
use prooflight_node::chain::schemes::{ProgressCallback, SchemeOptions, ShardOption};
use prooflight_node::runtime::files;

/// The setup and shape of a new chain's LVMT store.
#[derive(Clone, Debug, Args)]
pub(super) struct LvmtArgs {
    /// The setup of lvmt: dev, which is insecure, or a .ptau file
    #[arg(long = "lvmt-setup", default_value = "dev")]
    setup: String,
    /// log2 of the number of slots of an lvmt vector
    #[arg(long = "lvmt-log-n", default_value_t = 16)]
    log_n: u8,
    /// log2 of the arity of lvmt's opening trees; it must divide lvmt-log-n
    #[arg(long = "lvmt-log-arity", default_value_t = 2)]
    log_arity: u8,
}

impl Default for LvmtArgs {
    fn default() -> Self {
        Self { setup: DEV_SETUP.to_owned(), log_n: 16, log_arity: 2 }
    }
}

/// The development setup's name.
const DEV_SETUP: &str = "dev";

impl LvmtArgs {
    /// LVMT's part of the chain's configuration.
    pub(super) fn config(&self) -> Result<LvmtConfig> {
        let (log_n, log_arity) = (self.log_n, self.log_arity);
        let params_id = open(&self.setup, log_n)?.verifying_key().params_id();
        Ok(LvmtConfig { params_id, log_n, log_arity })
    }

    /// The file of the setup; `None` for the development setup.
    pub(super) fn ptau(&self) -> Option<PathBuf> {
        (self.setup != DEV_SETUP).then(|| self.setup.clone().into())
    }
}

/// The eras of a new chain's LMPT store.
#[derive(Clone, Copy, Debug, Args)]
pub(super) struct LmptArgs {
    /// The most blocks in an era of lmpt
    #[arg(long = "lmpt-era-blocks", default_value_t = LmptConfig::default().era_blocks)]
    blocks: u32,
    /// The operations that end an era of lmpt
    #[arg(long = "lmpt-era-ops", default_value_t = LmptConfig::default().era_ops)]
    operations: u32,
    /// The bytes that end an era of lmpt: 64 and the value's length for each operation
    #[arg(long = "lmpt-era-bytes", default_value_t = LmptConfig::default().era_bytes)]
    bytes: u64,
}

impl LmptArgs {
    /// LMPT's part of the chain's configuration.
    pub(super) const fn config(self) -> LmptConfig {
        LmptConfig { era_blocks: self.blocks, era_ops: self.operations, era_bytes: self.bytes }
    }
}

/// A node's scheme options; fixed when the chain is created in its folder.
#[derive(Clone, Debug, Default, Args)]
pub(super) struct SchemeArgs {
    /// The keys that lvmt can prove: full, none, or a class such as 3/4 [default: full]
    #[arg(long)]
    proof_shard: Option<ShardOption>,
    /// The number of blocks per snapshot file of smt; only the last one of each can be proved [default: 1]
    #[arg(long)]
    blocks_per_snapshot: Option<u64>,
}

impl SchemeArgs {
    pub(super) fn choose(&self, ptau: Option<PathBuf>) -> SchemeOptions {
        options(self.proof_shard, self.blocks_per_snapshot, ptau)
    }
}

/// A node's scheme options, with defaults for those not given.
pub(super) fn options(
    proof_shard: Option<ShardOption>,
    blocks_per_snapshot: Option<u64>,
    ptau: Option<PathBuf>,
) -> SchemeOptions {
    let default = SchemeOptions::default();
    SchemeOptions {
        proof_shard: proof_shard.unwrap_or(default.proof_shard),
        blocks_per_file: blocks_per_snapshot.unwrap_or(default.blocks_per_file),
        ptau,
        progress: ProgressCallback(show_progress),
        ..default
    }
}

/// The arguments of `params`.
#[derive(Debug, Args)]
pub(super) struct ParamsArgs {
    /// dev, ppot (only its verifying key), or a .ptau file
    setup: String,
    /// log2 of the number of slots of a vector
    #[arg(long, default_value_t = 16)]
    log_n: u8,
    /// Build the tables for opening trees with this log2 of the arity, and keep them in a folder
    #[arg(long, requires = "tables")]
    log_arity: Option<u8>,
    /// The folder of the tables
    #[arg(long, requires = "log_arity")]
    tables: Option<PathBuf>,
}

impl ParamsArgs {
    /// Checks a setup, prints its identity, and builds its tables if requested.
    pub(super) fn run(&self) -> Result<()> {
        let (setup, key) = if self.setup == "ppot" {
            (None, VerifyingKey::ppot(self.log_n)?)
        } else {
            let setup = open(&self.setup, self.log_n)?;
            let key = setup.verifying_key().clone();
            (Some(setup), key)
        };
        println!("params id      {}", Hex(&key.params_id()));
        println!("slots          2^{}", key.log_n());
        println!("verifying key  {} bytes", key.encode().len());
        let listed = setup.as_ref().and_then(ProverSetup::listed_contributions);
        for (label, text) in setup_report(&key, listed)? {
            println!("{label:14} {text}");
        }
        let (Some(folder), Some(setup)) = (&self.tables, setup) else { return Ok(()) };
        let parts = TableParts { single: true, tree: self.log_arity };
        Tables::load_or_build(folder, &key, parts, || Ok(setup), &show_progress)?;
        println!("tables         in {}", folder.display());
        Ok(())
    }
}

/// The lines that say what was checked about a setup, what was not, and whether it is secure.
fn setup_report(key: &VerifyingKey, listed: Option<u32>) -> Result<Vec<(&'static str, String)>> {
    let mut lines = Vec::new();
    if let Some(contributions) = listed {
        let list = match contributions {
            1 => "the 1 contribution that it lists".to_owned(),
            _ => format!("the {contributions} contributions that it lists"),
        };
        lines.push((
            "checked",
            "the points of the file are the powers of one number, and the last of the listed \
             contributions has them"
                .to_owned(),
        ));
        let unchecked =
            format!("whether anyone made {list}; `snarkjs powersoftau verify` checks it");
        lines.push(("not checked", unchecked));
    }
    let is_ppot = key.params_id() == VerifyingKey::ppot(key.log_n())?.params_id();
    lines.push((
        "secure",
        if key.is_insecure() {
            "no: its secret is public"
        } else if is_ppot {
            "if one contributor to the Perpetual Powers of Tau was honest: this is its key, as built in"
        } else {
            "unknown: whoever made the file may know its secret; compare the params id with one that you trust"
        }
        .to_owned(),
    ));
    Ok(lines)
}

fn open(setup: &str, log_n: u8) -> Result<ProverSetup> {
    match setup {
        DEV_SETUP => ProverSetup::dev(log_n),
        file => {
            let path = Path::new(file);
            files::check_file(path).map_err(|error| {
                Error::new(Reason::StoreFailed, format_args!("the file {}", path.display()), error)
            })?;
            eprintln!("checking {file}");
            ProverSetup::open_ptau(path, log_n)
        }
    }
}

/// Prints the progress of the tables: on a terminal one line that is overwritten, otherwise one line per percent.
fn show_progress(done: u64, total: u64) {
    let total = total.max(1);
    let percent = done * 100 / total;
    if done > 0 && (done - 1) * 100 / total == percent {
        return;
    }
    let mut err = std::io::stderr();
    let end = if err.is_terminal() && done < total { "\r" } else { "\n" };
    // Errors are ignored: progress is not essential.
    let _ = write!(err, "tables of the setup {percent:3} %{end}");
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;

    #[test]
    fn only_a_key_that_is_built_in_is_called_secure() {
        let report = |key: Result<VerifyingKey>, listed| {
            let lines = setup_report(&key.unwrap(), listed).unwrap();
            lines
                .iter()
                .map(|(label, text)| format!("{label}: {text}"))
                .collect::<Vec<_>>()
                .join("\n")
        };
        let ppot = "secure: if one contributor to the Perpetual Powers of Tau was honest";
        let built_in = report(VerifyingKey::ppot(16), None);
        assert!(built_in.starts_with(ppot), "{built_in}");
        // The same key from a file: it is trusted because of the key, not because of the file's list.
        let file = report(VerifyingKey::ppot(4), Some(54));
        assert!(file.contains(ppot) && file.contains("the 54 contributions"), "{file}");
        let dev = report(VerifyingKey::dev(4), Some(1));
        assert!(dev.contains("secure: no: its secret is public"), "{dev}");
        assert!(dev.contains("the 1 contribution that"), "{dev}");
    }
}
