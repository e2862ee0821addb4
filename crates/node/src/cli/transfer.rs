//! The commands `export`, `import` and `backup`, which move states and chains between folders.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::thread;

use clap::Args;
use prooflight_core::chain::StateOperation;
use prooflight_core::{Error, Reason, Result};
use prooflight_node::chain::keys::Signers;
use prooflight_node::chain::schemes::SchemeOptions;
use prooflight_node::replication::backup::{BackupSource, pipe, receive};
use prooflight_node::replication::log::check_unbound;
use prooflight_node::runtime::clock::now_ms;
use prooflight_node::{AuditReport, Chain, audit};

use super::chain::{FolderArgs, open};
use super::chain_source::{ChainSource, open_source};
use super::exit::file_error;
use super::log_commands::LogArgs;
use super::state_file::parse_line;

/// The arguments of `export`.
#[derive(Debug, Args)]
pub(super) struct ExportArgs {
    #[command(flatten)]
    folder: FolderArgs,
    #[command(flatten)]
    log: LogArgs,
    /// The new file.
    file: PathBuf,
}

impl ExportArgs {
    pub(super) fn run(&self) -> Result<()> {
        let failed = |error: &std::io::Error| file_error(&self.file, error);
        if self.file.exists() {
            let expected = format_args!("a new file {}", self.file.display());
            return Err(Error::new(Reason::InvalidArgument, expected, "one that exists"));
        }
        let (_scratch, source) = match self.log.open()? {
            Some(log) => {
                let (scratch, chain) = log.execute_in_scratch()?;
                let source = BackupSource::new(chain.view()?, scratch.path());
                (Some(scratch), ChainSource::Opened(source))
            }
            None => (None, open_source(&self.folder.data_dir)?),
        };
        let mut file = fs::File::create_new(&self.file).map_err(|error| failed(&error))?;
        let exported = match source {
            ChainSource::Opened(source) => source.export(&mut file),
            ChainSource::Running(node) => {
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
pub(super) struct ImportArgs {
    #[command(flatten)]
    folder: FolderArgs,
    /// The file.
    file: PathBuf,
    /// The number of keys per block; fewer if they are too large for one.
    #[arg(long, default_value_t = 10_000)]
    block: usize,
}

impl ImportArgs {
    pub(super) fn run(&self) -> Result<()> {
        let path = &self.file;
        let file = fs::File::open(path).map_err(|error| file_error(path, &error))?;
        let size = file.metadata().map_err(|error| file_error(path, &error))?.len();
        check_unbound(&self.folder.data_dir, None).map_err(|error| {
            let expected = format_args!(
                "submissions to the leader instead of an import, or {}",
                error.expected()
            );
            Error::new(error.reason(), expected, error.found())
        })?;
        let options = SchemeOptions { readers_disabled: true, ..SchemeOptions::default() };
        let (mut chain, signers) = open(&self.folder.data_dir, &options)?;
        let imported = self.read(&mut chain, &signers, file, size);
        // The earlier blocks stay even if a later line is refused.
        let ended = chain.finish_import();
        imported.and(ended)
    }

    fn read(&self, chain: &mut Chain, signers: &Signers, file: fs::File, size: u64) -> Result<()> {
        let path = &self.file;
        let config = chain.config().clone();
        let max_operations = usize::try_from(config.limits.max_ops).unwrap_or(usize::MAX);
        let keys_per_block = self.block.clamp(1, max_operations);
        let (mut operations, mut bytes_read, mut keys) =
            (Vec::with_capacity(keys_per_block), 0, 0_u64);
        let mut lines = BufReader::new(file).lines().zip(1_u64..).peekable();
        while let Some((line, number)) = lines.next() {
            let line = line.map_err(|error| file_error(path, &error))?;
            bytes_read += line.len() as u64 + 1;
            operations.push(parse_line(&line, number, &config)?);
            keys += 1;
            if operations.len() == keys_per_block || lines.peek().is_none() {
                make(chain, signers, &operations)?;
                operations.clear();
                let height = chain.height().unwrap_or_default();
                eprintln!("{:3} %  {keys} keys  height {height}", bytes_read * 100 / size.max(1));
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
pub(super) struct BackupArgs {
    #[command(flatten)]
    folder: FolderArgs,
    #[command(flatten)]
    log: LogArgs,
    /// The new folder.
    to: PathBuf,
}

impl BackupArgs {
    /// Copies the chain and checks the copy, which can then be resumed or followed.
    pub(super) fn run(&self) -> Result<()> {
        let to = &self.to;
        let existed = to.exists();
        let is_empty =
            !existed || fs::read_dir(to).map_err(|error| file_error(to, &error))?.next().is_none();
        if !is_empty {
            let expected = format_args!("a new or empty folder {}", to.display());
            return Err(Error::new(Reason::InvalidArgument, expected, "files in it"));
        }
        let made = self.make().and_then(|()| audit(&Chain::open(to)?.view()?));
        let AuditReport { blocks, values } = made.inspect_err(|_| {
            // An incomplete or damaged copy is removed.
            let _ = fs::remove_dir_all(to);
            if existed {
                let _ = fs::create_dir(to);
            }
        })?;
        match values {
            Some(values) => println!("{blocks} blocks and {values} values in {}", to.display()),
            None => println!(
                "{blocks} blocks in {}; values not compared, since earlier blocks are not kept",
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
        let source = open_source(&self.folder.data_dir)?;
        let (mut pipe, reader) = pipe();
        let (to, reader_gone) = (self.to.clone(), pipe.reader_gone());
        let receiving = thread::spawn(move || receive(reader, &to));
        let sent = match source {
            ChainSource::Opened(source) => source.send(pipe),
            ChainSource::Running(node) => node.fetch("/backup", move |piece| {
                let received = |error| Error::new(Reason::StoreFailed, "a copy", error);
                pipe.write_all(piece).map_err(received)
            }),
        };
        let panicked = |_| Err(Error::new(Reason::Bug, "a thread that writes", "a panic"));
        match (sent, receiving.join().unwrap_or_else(panicked)) {
            // One of the two errors says only that the other thread has ended.
            (Err(sent), Err(received)) => {
                Err(if reader_gone.load(Ordering::Relaxed) { received } else { sent })
            }
            (sent, received) => sent.and(received),
        }
    }
}
