//! Moves states and chains between folders.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::thread;

use clap::Args;
use prooflight_core::chain::{ChainConfig, StateOperation};
use prooflight_core::{Error, Reason, Result};
use prooflight_node::authority::Signers;
use prooflight_node::clock::now_ms;
use prooflight_node::copy::{Line, Source, pipe, receive};
use prooflight_node::log::check_unbound;
use prooflight_node::normalise::{check, check_all};
use prooflight_node::schemes::SchemeOptions;
use prooflight_node::{Audited, Chain, audit};

use super::cannot;
use super::chain::{Where, open};
use super::logged::InLog;
use super::reach::{Reached, reach};

fn parse(line: &str, number: u64, config: &ChainConfig) -> Result<StateOperation> {
    let Line { key, value } = serde_json::from_str(line).map_err(|error| {
        let expected = format_args!("a key and a value in line {number}");
        Error::new(Reason::InvalidArgument, expected, error)
    })?;
    let operation = StateOperation::Set { key: key.0, value: value.0 };
    check(&operation, config)?;
    Ok(operation)
}

/// Reads an exported state, as the operations of one block.
pub(super) fn read_block(path: &Path, config: &ChainConfig) -> Result<Vec<StateOperation>> {
    let file = fs::File::open(path).map_err(|error| cannot(path, &error))?;
    let lines = BufReader::new(file).lines().zip(1_u64..);
    let operations = lines
        .map(|(line, number)| parse(&line.map_err(|error| cannot(path, &error))?, number, config));
    let operations = operations.collect::<Result<Vec<_>>>()?;
    check_all(&operations, config)?;
    Ok(operations)
}

/// The arguments of `export`.
#[derive(Debug, Args)]
pub(super) struct Export {
    #[command(flatten)]
    folder: Where,
    #[command(flatten)]
    log: InLog,
    /// The new file.
    file: PathBuf,
}

impl Export {
    pub(super) fn run(&self) -> Result<()> {
        let failed = |error: &std::io::Error| cannot(&self.file, error);
        if self.file.exists() {
            let expected = format_args!("a new file {}", self.file.display());
            return Err(Error::new(Reason::InvalidArgument, expected, "one that exists"));
        }
        let (_scratch, reached) = match self.log.open()? {
            Some(log) => {
                let (scratch, chain) = log.execute_aside()?;
                let source = Source::new(chain.view()?, scratch.path());
                (Some(scratch), Reached::Here(source))
            }
            None => (None, reach(&self.folder.data_dir)?),
        };
        let mut file = fs::File::create_new(&self.file).map_err(|error| failed(&error))?;
        let exported = match reached {
            Reached::Here(source) => source.export(&mut file),
            Reached::Running(node) => {
                node.fetch("/export", |piece| file.write_all(piece).map_err(|error| failed(&error)))
            }
        };
        let exported = exported.and_then(|()| file.sync_all().map_err(|error| failed(&error)));
        exported.inspect_err(|_| {
            // A partial state must not look like a complete one.
            let _ = fs::remove_file(&self.file);
        })
    }
}

/// The arguments of `import`.
#[derive(Debug, Args)]
pub(super) struct Import {
    #[command(flatten)]
    folder: Where,
    /// The file.
    file: PathBuf,
    /// The number of keys per block; fewer if they are too large for one.
    #[arg(long, default_value_t = 10_000)]
    block: usize,
}

impl Import {
    pub(super) fn run(&self) -> Result<()> {
        let path = &self.file;
        let file = fs::File::open(path).map_err(|error| cannot(path, &error))?;
        let size = file.metadata().map_err(|error| cannot(path, &error))?.len();
        check_unbound(&self.folder.data_dir, None).map_err(|error| {
            let expected = format_args!(
                "submissions to the leader instead of an import, or {}",
                error.expected()
            );
            Error::new(error.reason(), expected, error.found())
        })?;
        let options = SchemeOptions { unproved: true, ..SchemeOptions::default() };
        let (mut chain, signers) = open(&self.folder.data_dir, &options)?;
        let imported = self.read(&mut chain, &signers, file, size);
        // Also if a later line is refused: the earlier blocks stay.
        let ended = chain.end_unproved();
        imported.and(ended)
    }

    fn read(&self, chain: &mut Chain, signers: &Signers, file: fs::File, size: u64) -> Result<()> {
        let path = &self.file;
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
                make(chain, signers, &operations)?;
                operations.clear();
                let height = chain.height().unwrap_or_default();
                eprintln!("{:3} %  {keys} keys  height {height}", done * 100 / size.max(1));
            }
        }
        Ok(())
    }
}

/// Makes one block, or several if one would exceed the limits.
fn make(chain: &mut Chain, signers: &Signers, operations: &[StateOperation]) -> Result<()> {
    match signers.make(chain, operations.iter().cloned(), now_ms()) {
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
    #[command(flatten)]
    log: InLog,
    /// The new folder.
    to: PathBuf,
}

impl Backup {
    /// Copies the chain and checks the copy, which can then be resumed or followed.
    pub(super) fn run(&self) -> Result<()> {
        let to = &self.to;
        let existed = to.exists();
        let is_empty =
            !existed || fs::read_dir(to).map_err(|error| cannot(to, &error))?.next().is_none();
        if !is_empty {
            let expected = format_args!("a new or empty folder {}", to.display());
            return Err(Error::new(Reason::InvalidArgument, expected, "files in it"));
        }
        let made = self.make().and_then(|()| audit(&Chain::open(to)?.view()?));
        let Audited { blocks, values } = made.inspect_err(|_| {
            // An incomplete or damaged copy is removed.
            let _ = fs::remove_dir_all(to);
            if existed {
                let _ = fs::create_dir(to);
            }
        })?;
        match values {
            Some(values) => println!("{blocks} blocks and {values} values in {}", to.display()),
            None => println!(
                "{blocks} blocks in {}; values not compared with them, since earlier ones are not kept",
                to.display()
            ),
        }
        Ok(())
    }

    fn make(&self) -> Result<()> {
        match self.log.open()? {
            Some(log) => log.execute(&self.to).map(drop).and_then(|()| log.bind(&self.to)),
            None => self.copy(),
        }
    }

    fn copy(&self) -> Result<()> {
        let reached = reach(&self.folder.data_dir)?;
        let (mut pipe, reader) = pipe();
        let (to, left) = (self.to.clone(), pipe.left());
        let receiving = thread::spawn(move || receive(reader, &to));
        let sent = match reached {
            Reached::Here(source) => source.send(pipe),
            Reached::Running(node) => node.fetch("/backup", move |piece| {
                let received = |error| Error::new(Reason::StoreFailed, "a copy", error);
                pipe.write_all(piece).map_err(received)
            }),
        };
        let panicked = |_| Err(Error::new(Reason::Bug, "a thread that writes", "a panic"));
        match (sent, receiving.join().unwrap_or_else(panicked)) {
            // One of the two errors is only that the other thread has ended.
            (Err(sent), Err(received)) => {
                Err(if left.load(Ordering::Relaxed) { received } else { sent })
            }
            (sent, received) => sent.and(received),
        }
    }
}
