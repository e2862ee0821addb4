//! Receives the snapshot files of `smt`. Only the newest tree is kept: earlier states are not checked.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use prooflight_core::chain::Header;
use prooflight_core::{Error, Hex, Reason, Result, Scheme};
use prooflight_smt::snapshot::SnapshotFiles;

use super::part::PartReceiver;
use super::{SnapshotCursor, SnapshotPiece, StatePart, decode, encode};
use crate::chain::{EntryWriter, block};

pub(super) struct SnapshotReceiver {
    folder: PathBuf,
    files: SnapshotFiles,
    height: u64,
    blocks_per_file: u64,
    /// Where the next piece begins; `None` once all files have arrived.
    next: Option<SnapshotCursor>,
    /// The file that is being written.
    open: Option<File>,
    newest: Option<(String, u64)>,
}

impl SnapshotReceiver {
    pub(super) fn new(folder: &Path, head: &Header, blocks_per_file: u64) -> Result<Self> {
        Ok(Self {
            folder: folder.to_owned(),
            files: SnapshotFiles::local(folder)?,
            height: head.height,
            blocks_per_file,
            next: Some(SnapshotCursor::default()),
            open: None,
            newest: None,
        })
    }

    /// Writes the manifest; returns the first block after the files.
    pub(super) fn finish(&self) -> Result<u64> {
        match &self.newest {
            Some((name, last)) => {
                self.files.keep_only(name, self.blocks_per_file)?;
                Ok(last + 1)
            }
            None => Ok(0),
        }
    }

    /// Opens the file of a piece; refuses a piece that is not the next one.
    fn open(
        &mut self,
        expected_cursor: &SnapshotCursor,
        cursor: &SnapshotCursor,
    ) -> Result<&mut File> {
        match self.open {
            None if cursor.at == 0 && cursor.file > expected_cursor.file => {
                let path = self.path(&cursor.file)?;
                let new = OpenOptions::new().write(true).create_new(true).open(path);
                Ok(self.open.insert(new.map_err(|error| failed(&self.folder, &error))?))
            }
            Some(ref mut open) if cursor == expected_cursor => Ok(open),
            _ => {
                let expected = format_args!(
                    "the bytes after {} of {:?}",
                    expected_cursor.at, expected_cursor.file
                );
                Err(Error::new(Reason::InvalidResult, expected, "others"))
            }
        }
    }

    /// The path of a file whose blocks are not after the head.
    fn path(&self, name: &str) -> Result<PathBuf> {
        let last = name.strip_suffix(".smt").and_then(|last| last.parse::<u64>().ok());
        match last {
            Some(last) if last <= self.height && format!("{last:016}.smt") == name => {
                Ok(self.folder.join(name))
            }
            _ => {
                let expected = format_args!("a file of blocks up to {}", self.height);
                Err(Error::new(Reason::InvalidResult, expected, "another name"))
            }
        }
    }

    /// Checks a whole file: its checksums, and its root.
    fn check(&mut self, name: &str, new: &EntryWriter) -> Result<()> {
        let (last, root) = self.files.check_file(name).map_err(|error| match error.reason() {
            Reason::StoreCorrupt => {
                Error::new(Reason::InvalidResult, error.expected(), error.found())
            }
            _ => error,
        })?;
        let header = block::read_header(new.store(), last)?.map(|header| header.header);
        let expected = header.as_ref().and_then(|header| header.root(Scheme::Smt));
        if expected != Some(&root[..]) {
            let expected = Hex(expected.unwrap_or_default());
            let expected = format_args!("the root {expected} in the file {name}");
            return Err(Error::new(Reason::RootMismatch, expected, Hex(&root)));
        }
        self.newest = Some((name.to_owned(), last));
        Ok(())
    }
}

impl PartReceiver for SnapshotReceiver {
    fn part(&self) -> StatePart {
        StatePart::Smt
    }

    fn next(&self) -> Result<Option<Vec<u8>>> {
        self.next.as_ref().map(encode).transpose()
    }

    fn take(&mut self, chunk: &[u8], new: &mut EntryWriter) -> Result<()> {
        let piece: SnapshotPiece = decode(chunk)?;
        let expected_cursor = self.next.clone().unwrap_or_default();
        if piece == SnapshotPiece::end() && self.open.is_none() {
            // If the leader withholds a newer file, opening finds another root of the newest tree.
            self.next = None;
            return Ok(());
        }
        let SnapshotPiece { cursor, bytes, is_last } = piece;
        let folder = self.folder.clone();
        let open = self.open(&expected_cursor, &cursor)?;
        open.write_all(&bytes).map_err(|error| failed(&folder, &error))?;
        if is_last {
            open.sync_all().map_err(|error| failed(&folder, &error))?;
            self.open = None;
            self.check(&cursor.file, new)?;
            self.next = Some(SnapshotCursor { file: cursor.file, at: u64::MAX });
            return Ok(());
        }
        if bytes.is_empty() {
            return Err(Error::new(Reason::InvalidResult, "bytes of a file", "none"));
        }
        let at = cursor.at.saturating_add(bytes.len() as u64);
        self.next = Some(SnapshotCursor { file: cursor.file, at });
        Ok(())
    }
}

fn failed(folder: &Path, error: &std::io::Error) -> Error {
    Error::new(Reason::StoreFailed, format_args!("files in {}", folder.display()), error)
}
