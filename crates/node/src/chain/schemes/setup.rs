//! The setup and shape of a chain's LVMT; the tables are in the chain's folder.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use std::sync::Arc;

use prooflight_amt::{ProverSetup, TableParts, Tables, VerifyingKey};
use prooflight_core::chain::{ChainConfig, LvmtConfig};
use prooflight_core::{Error, Hex, Reason, Result};
use prooflight_lvmt::{ProofShard, StoreParams};

use super::{SchemeContext, SchemeOptions};
use crate::runtime::files;

/// The folder of the setup, in the chain's folder.
const SETUP_FOLDER: &str = "lvmt";

/// The file with the setup's verifying key.
const KEY_FILE: &str = "verifying-key";

/// The setup and shape of a chain's LVMT, and the keys that the node can prove.
///
/// `unknown_setup` if the folder does not have the tables and no file is given.
pub(super) fn params(config: &ChainConfig, context: SchemeContext<'_>) -> Result<StoreParams> {
    let Some(lvmt) = config.lvmt() else {
        let expected = "the parameters of lvmt in the chain's configuration";
        return Err(Error::new(Reason::InvalidConfig, expected, "none"));
    };
    let (tables, log_arity) = (Arc::new(tables(&lvmt, context)?), lvmt.log_arity);
    let SchemeOptions { proof_shard, readers_disabled, .. } = *context.options;
    Ok(StoreParams { tables, log_arity, shard: proof_shard.0, defer_proof_nodes: readers_disabled })
}

/// The tables of a chain's setup: those of the development setup are computed on demand, others are built
/// from the `.ptau` file and stored.
///
/// `unknown_setup` if the folder does not have them and no file is given; `setup_mismatch` if the file is
/// of another setup.
fn tables(config: &LvmtConfig, context: SchemeContext<'_>) -> Result<Tables> {
    let parts = match context.options.proof_shard.0 {
        ProofShard::None => TableParts { single: false, tree: None },
        _ => TableParts { single: true, tree: Some(config.log_arity) },
    };
    let dev = Tables::dev(config.log_n, parts)?;
    if dev.verifying_key().params_id() == config.params_id {
        return Ok(dev);
    }
    let folder = context.folder.join(SETUP_FOLDER);
    let key = if let Some(key) = read_key(&folder.join(KEY_FILE))? {
        key
    } else {
        let key = open(config, context.options)?.verifying_key().clone();
        key.check_params_id(&config.params_id)?;
        write_key(&folder, &key)?;
        key
    };
    key.check_params_id(&config.params_id)?;
    remove_partial(&folder);
    let build = || open(config, context.options);
    let progress = context.options.progress.0;
    Tables::load_or_build(&folder, &key, parts, build, &|done, total| progress(done, total))
}

/// Removes partial tables of killed processes. No other process is writing tables: only one can have the chain open.
fn remove_partial(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let extension = path.extension().and_then(|extension| extension.to_str());
        if extension.is_some_and(|extension| extension.starts_with("partial-")) {
            // A file that cannot be removed stays.
            let _ = fs::remove_file(path);
        }
    }
}

/// Copies the setup of the chain in one folder into another folder, if it has one.
pub(crate) fn copy(from: &Path, to: &Path) -> Result<()> {
    let (from, to) = (from.join(SETUP_FOLDER), to.join(SETUP_FOLDER));
    let copy = || -> std::io::Result<()> {
        fs::create_dir_all(&to)?;
        for file in fs::read_dir(&from)? {
            let file = file?;
            fs::copy(file.path(), to.join(file.file_name()))?;
        }
        Ok(())
    };
    if from.exists() { copy().map_err(|error| failed(&to, &error)) } else { Ok(()) }
}

fn open(config: &LvmtConfig, options: &SchemeOptions) -> Result<ProverSetup> {
    let Some(path) = &options.ptau else {
        let expected = format_args!("the .ptau file of the setup {}", Hex(&config.params_id));
        return Err(Error::new(Reason::UnknownSetup, expected, "none"));
    };
    files::check_file(path).map_err(|error| failed(path, &error))?;
    ProverSetup::open_ptau(path, config.log_n)
}

fn read_key(path: &Path) -> Result<Option<VerifyingKey>> {
    match files::read(path) {
        Ok(bytes) => VerifyingKey::decode(&bytes).map(Some),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(failed(path, &error)),
    }
}

fn write_key(folder: &Path, key: &VerifyingKey) -> Result<()> {
    let path = folder.join(KEY_FILE);
    let new_file = folder.join("verifying-key.new");
    fs::create_dir_all(folder)
        .and_then(|()| fs::write(&new_file, key.encode()))
        .and_then(|()| fs::rename(&new_file, &path))
        .map_err(|error| failed(&path, &error))
}

fn failed(path: &Path, error: &std::io::Error) -> Error {
    Error::new(Reason::StoreFailed, format_args!("the file {}", path.display()), error)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;

    #[test]
    fn parts_of_tables_are_removed_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let names =
            ["tables.partial-1", "tables-4.partial-123", "tables", KEY_FILE, "partial-1.tables"];
        for name in names {
            fs::write(folder.path().join(name), name).unwrap();
        }
        remove_partial(folder.path());
        let left = names.map(|name| folder.path().join(name).exists());
        assert_eq!(left, [false, false, true, true, true]);
        remove_partial(&folder.path().join("missing"));
    }
}
