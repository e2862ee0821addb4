//! Writes a copy of a chain.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::Path;

use prooflight_core::chain::Checkpoint;
use prooflight_core::{Error, Reason, Result, Scheme};
use prooflight_json::{HexBytes, checkpoint};
use prooflight_smt::snapshot::SnapshotFiles;
use serde::{Deserialize, Serialize};

use super::stream::BackupWriter;
use super::{BACKUP_FILES, BackupSource, SETUP_FOLDER};
use crate::BlockId;
use crate::chain::schemes::SNAPSHOTS_FOLDER;

/// A line of an export: a raw key and its value.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StateLine {
    /// The key.
    pub key: HexBytes,
    /// The value.
    pub value: HexBytes,
}

/// The size of the write buffer.
const BUFFER_BYTES: usize = 1 << 18;

impl BackupSource {
    /// Writes everything but the keys of authorities, for [`receive`](super::receive).
    ///
    /// `store_failed` if the stream or a file ends early. Blocks the thread, so it must not be called from an async
    /// task.
    pub fn send<W: Write>(&self, to: W) -> Result<()> {
        let mut to = BackupWriter::begin(BufWriter::with_capacity(BUFFER_BYTES, to))?;
        for name in BACKUP_FILES {
            let path = self.folder.join(name);
            if path.exists() {
                send_file(&mut to, name, &path)?;
            }
        }
        let setup = self.folder.join(SETUP_FOLDER);
        if setup.exists() {
            let unreadable = |error: std::io::Error| failed(&setup, &error);
            for file in fs::read_dir(&setup).map_err(unreadable)? {
                let file = file.map_err(unreadable)?;
                let name = format!("{SETUP_FOLDER}/{}", file.file_name().to_string_lossy());
                send_file(&mut to, &name, &file.path())?;
            }
        }
        if self.view.config().keeps(Scheme::Smt) {
            // Copied before the store, which takes longer: meanwhile, files that the newest blocks do not need are removed.
            let files = SnapshotFiles::open_existing(&self.folder.join(SNAPSHOTS_FOLDER))?;
            files.copy(self.view.height(), &mut |name, bytes| {
                to.file(&format!("{SNAPSHOTS_FOLDER}/{name}"), bytes.len() as u64, &bytes[..])
            })?;
        }
        self.view.stored().try_for_each(|entry| to.entry(&entry?))?;
        to.end()
    }

    /// Writes every key of the newest state and its value, as lines of JSON.
    pub fn export<W: Write>(&self, to: W) -> Result<()> {
        let unsent = |error: std::io::Error| {
            Error::new(Reason::StoreFailed, "an export that is read to its end", error)
        };
        let mut to = BufWriter::with_capacity(BUFFER_BYTES, to);
        for entry in self.view.entries() {
            let (key, value) = entry?;
            let line =
                serde_json::to_string(&StateLine { key: HexBytes(key), value: HexBytes(value) })
                    .map_err(|error| Error::new(Reason::Bug, "a line of JSON", error))?;
            writeln!(to, "{line}").map_err(unsent)?;
        }
        to.flush().map_err(unsent)
    }

    /// The checkpoint of a block, as the JSON that an application pins.
    pub fn checkpoint(&self, at: BlockId) -> Result<String> {
        let header = self.view.header(at)?.header;
        let checkpoint = Checkpoint {
            config: self.view.config().clone(),
            height: header.height,
            header_hash: header.hash(),
        };
        Ok(checkpoint::to_json(&checkpoint))
    }
}

fn send_file(to: &mut BackupWriter<impl Write>, name: &str, path: &Path) -> Result<()> {
    let file = File::open(path).map_err(|error| failed(path, &error))?;
    let length = file.metadata().map_err(|error| failed(path, &error))?.len();
    to.file(name, length, file)
}

fn failed(path: &Path, error: &std::io::Error) -> Error {
    Error::new(Reason::StoreFailed, format_args!("the file {}", path.display()), error)
}
