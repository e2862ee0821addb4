//! Moves states and chains between folders.

use std::fs;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use prooflight_core::chain::{ChainConfig, StateOperation};
use prooflight_core::{Error, Reason, Result};
use prooflight_json::Hex;
use prooflight_node::authority::Signers;
use prooflight_node::clock::now_ms;
use prooflight_node::normalise::{check, check_all};
use prooflight_node::schemes::SchemeOptions;
use prooflight_node::{At, Chain};
use serde::{Deserialize, Serialize};

use super::cannot;
use super::chain::{Where, open};

/// A line of a state: a raw key and its value.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    key: Hex,
    value: Hex,
}

fn parse(line: &str, number: u64, config: &ChainConfig) -> Result<StateOperation> {
    let Line { key, value } = serde_json::from_str(line).map_err(|error| {
        let expected = format_args!("a key and a value in line {number}");
        Error::new(Reason::InvalidArgument, expected, error)
    })?;
    let operation = StateOperation::Set { key: key.0, value: value.0 };
    check(&operation, config)?;
    Ok(operation)
}

/// Reads the state in a file of such lines, as the operations of one block.
pub(super) fn read_block(path: &Path, config: &ChainConfig) -> Result<Vec<StateOperation>> {
    let file = fs::File::open(path).map_err(|error| cannot(path, &error))?;
    let lines = BufReader::new(file).lines().zip(1_u64..);
    let operations = lines
        .map(|(line, number)| parse(&line.map_err(|error| cannot(path, &error))?, number, config));
    let operations = operations.collect::<Result<Vec<_>>>()?;
    check_all(&operations, config)?;
    Ok(operations)
}

/// A chain and a file.
#[derive(Debug, Args)]
pub(super) struct File {
    #[command(flatten)]
    folder: Where,
    /// The file.
    file: PathBuf,
}

impl File {
    pub(super) fn export(&self) -> Result<()> {
        let failed = |error: &std::io::Error| cannot(&self.file, error);
        let view = Chain::open(&self.folder.data_dir)?.view()?;
        let file = fs::File::create_new(&self.file).map_err(|error| failed(&error))?;
        let mut writer = BufWriter::new(file);
        for entry in view.entries() {
            let (key, value) = entry?;
            let line = serde_json::to_string(&Line { key: Hex(key), value: Hex(value) })
                .map_err(|error| Error::new(Reason::Bug, "a line of JSON", error))?;
            writeln!(writer, "{line}").map_err(|error| failed(&error))?;
        }
        let file = writer.into_inner().map_err(|error| failed(error.error()))?;
        file.sync_all().map_err(|error| failed(&error))
    }
}

/// The arguments of `import`.
#[derive(Debug, Args)]
pub(super) struct Import {
    #[command(flatten)]
    file: File,
    /// The number of keys per block; fewer if they are too large for one.
    #[arg(long, default_value_t = 10_000)]
    block: usize,
}

impl Import {
    pub(super) fn run(&self) -> Result<()> {
        let path = &self.file.file;
        let file = fs::File::open(path).map_err(|error| cannot(path, &error))?;
        let size = file.metadata().map_err(|error| cannot(path, &error))?.len();
        let (mut chain, signers) = open(&self.file.folder.data_dir, &SchemeOptions::default())?;
        let config = chain.config().clone();
        let most = usize::try_from(config.limits.max_ops).unwrap_or(usize::MAX);
        let at_once = self.block.clamp(1, most);
        let (mut operations, mut done, mut keys) = (Vec::with_capacity(at_once), 0, 0_u64);
        let mut lines = BufReader::new(file).lines().zip(1_u64..).peekable();
        while let Some((line, number)) = lines.next() {
            let line = line.map_err(|error| cannot(path, &error))?;
            done += line.len() as u64 + 1;
            operations.push(parse(&line, number, &config)?);
            keys += 1;
            if operations.len() == at_once || lines.peek().is_none() {
                make(&mut chain, &signers, &operations)?;
                operations.clear();
                let height = chain.height().unwrap_or_default();
                eprintln!("{:3} %  {keys} keys  height {height}", done * 100 / size.max(1));
            }
        }
        Ok(())
    }
}

/// Makes one block, or as many as needed to keep each within the limits.
fn make(chain: &mut Chain, signers: &Signers, operations: &[StateOperation]) -> Result<()> {
    match chain.make(operations.iter().cloned(), now_ms(), signers) {
        Err(error) if error.reason() == Reason::RequestTooLarge && operations.len() > 1 => {
            let (first, rest) = operations.split_at(operations.len() / 2);
            make(chain, signers, first)?;
            make(chain, signers, rest)
        }
        made => made.map(|_| ()),
    }
}

/// The arguments of `backup`.
#[derive(Debug, Args)]
pub(super) struct Backup {
    #[command(flatten)]
    folder: Where,
    /// The new folder.
    to: PathBuf,
}

impl Backup {
    /// Copies by executing every block, so that damage is not copied.
    pub(super) fn run(&self) -> Result<()> {
        let mut copy = Chain::create_like(&self.to, &self.folder.data_dir)?;
        let view = Chain::open(&self.folder.data_dir)?.view()?;
        for height in 0..=view.height() {
            copy.follow(view.block(At::Height(height))?)?;
        }
        println!("{} blocks in {}", view.height() + 1, self.to.display());
        Ok(())
    }
}
