//! The stream of a backup, and a pipe for it.
//!
//! It begins with `PLbackup`. Then each part begins with a byte:
//!
//! | byte | part |
//! |---|---|
//! | 1 | a file: the length of its name u16, its name, its length u64, its bytes |
//! | 2 | an entry of the store, ascending by key: two lengths u32, the key, the value |
//! | 3 | the end, after the number of parts u64 |
//!
//! Integers are big-endian.

use std::io::{self, Read, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use prooflight_core::store::StoreEntry;
use prooflight_core::{Error, Reason, Result};

const MAGIC: &[u8; 8] = b"PLbackup";
const FILE_TAG: u8 = 1;
const ENTRY_TAG: u8 = 2;
const END_TAG: u8 = 3;

/// The maximum bytes of an entry's key and value: far above those of any scheme and of a block.
const MAX_KEY_BYTES: u32 = 1 << 17;
const MAX_VALUE_BYTES: u32 = 1 << 30;

/// Writes the parts of a backup.
pub(super) struct BackupWriter<W> {
    to: W,
    parts: u64,
}

impl<W: Write> BackupWriter<W> {
    pub(super) fn begin(mut to: W) -> Result<Self> {
        to.write_all(MAGIC).map_err(|error| unsent(&error))?;
        Ok(Self { to, parts: 0 })
    }

    /// Writes a file of this length.
    pub(super) fn file(&mut self, name: &str, length: u64, mut from: impl Read) -> Result<()> {
        let name_length = u16::try_from(name.len());
        let name_length = name_length
            .map_err(|_| Error::new(Reason::Bug, "a short name of a file", name.len()))?;
        self.put(&[
            &[FILE_TAG],
            &name_length.to_be_bytes()[..],
            name.as_bytes(),
            &length.to_be_bytes(),
        ])?;
        match io::copy(&mut (&mut from).take(length), &mut self.to) {
            Ok(copied) if copied == length => Ok(()),
            Ok(copied) => Err(Error::new(
                Reason::StoreFailed,
                format_args!("{length} bytes in the file {name}"),
                copied,
            )),
            Err(error) => Err(unsent(&error)),
        }
    }

    pub(super) fn entry(&mut self, (key, value): &StoreEntry) -> Result<()> {
        let length = |bytes: &[u8], most: u32| {
            let length = u32::try_from(bytes.len()).ok().filter(|length| *length <= most);
            length.ok_or_else(|| {
                let expected = format_args!("an entry of at most {most} bytes");
                Error::new(Reason::Bug, expected, bytes.len())
            })
        };
        let lengths = [length(key, MAX_KEY_BYTES)?, length(value, MAX_VALUE_BYTES)?];
        self.put(&[&[ENTRY_TAG], &lengths[0].to_be_bytes(), &lengths[1].to_be_bytes(), key, value])
    }

    pub(super) fn end(mut self) -> Result<()> {
        let parts = self.parts;
        self.put(&[&[END_TAG], &parts.to_be_bytes()])?;
        self.to.flush().map_err(|error| unsent(&error))
    }

    fn put(&mut self, pieces: &[&[u8]]) -> Result<()> {
        self.parts += 1;
        pieces.iter().try_for_each(|piece| self.to.write_all(piece)).map_err(|error| unsent(&error))
    }
}

/// A part of a backup.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum BackupPart {
    /// A file with this name and length; its bytes follow.
    File(String, u64),
    /// An entry of the store.
    Entry(StoreEntry),
}

/// Reads the parts of a backup.
pub(super) struct BackupReader<R> {
    from: R,
    parts: u64,
}

impl<R: Read> BackupReader<R> {
    pub(super) fn begin(from: R) -> Result<Self> {
        let mut new = Self { from, parts: 0 };
        let magic: [u8; 8] = new.array()?;
        if magic == *MAGIC { Ok(new) } else { Err(wrong("a backup of a chain", "other bytes")) }
    }

    /// The next part; `None` at the end.
    pub(super) fn next(&mut self) -> Result<Option<BackupPart>> {
        let parts = self.parts;
        self.parts += 1;
        let [kind] = self.array()?;
        match kind {
            FILE_TAG => {
                let length = u16::from_be_bytes(self.array()?);
                let name = String::from_utf8(self.bytes(length.into())?);
                let name = name.map_err(|error| wrong("the name of a file", error))?;
                Ok(Some(BackupPart::File(name, u64::from_be_bytes(self.array()?))))
            }
            ENTRY_TAG => {
                let mut length = |most: u32| match u32::from_be_bytes(self.array()?) {
                    length if length <= most => Ok(length),
                    length => Err(wrong(format_args!("an entry of at most {most} bytes"), length)),
                };
                let (key, value) = (length(MAX_KEY_BYTES)?, length(MAX_VALUE_BYTES)?);
                Ok(Some(BackupPart::Entry((self.bytes(key.into())?, self.bytes(value.into())?))))
            }
            END_TAG => match u64::from_be_bytes(self.array()?) {
                counted if counted == parts => Ok(None),
                counted => Err(wrong(format_args!("{counted} parts"), parts)),
            },
            other => Err(wrong("a part of a backup", other)),
        }
    }

    /// Copies the bytes of the file whose header was read last.
    pub(super) fn file(&mut self, length: u64, mut to: impl Write) -> Result<()> {
        let copied = io::copy(&mut (&mut self.from).take(length), &mut to);
        let copied = copied.map_err(|error| Error::new(Reason::StoreFailed, "a file", error))?;
        if copied == length { Ok(()) } else { Err(wrong(format_args!("{length} bytes"), copied)) }
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        let mut bytes = [0; N];
        self.from.read_exact(&mut bytes).map_err(|error| wrong("the rest of a backup", error))?;
        Ok(bytes)
    }

    /// Reads `length` bytes. Memory grows only with the bytes that arrive.
    fn bytes(&mut self, length: u64) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        let read = (&mut self.from).take(length).read_to_end(&mut bytes);
        read.map_err(|error| wrong("the rest of a backup", error))?;
        if bytes.len() as u64 == length {
            return Ok(bytes);
        }
        Err(wrong(format_args!("{length} bytes"), bytes.len()))
    }
}

fn unsent(error: &io::Error) -> Error {
    Error::new(Reason::StoreFailed, "a backup that is read to its end", error)
}

fn wrong(expected: impl core::fmt::Display, found: impl core::fmt::Display) -> Error {
    Error::new(Reason::InvalidReply, expected, found)
}

/// The writing end of a pipe; a write blocks while the pipe is full.
#[derive(Debug)]
pub struct PipeWriter {
    pieces: SyncSender<Vec<u8>>,
    reader_gone: Arc<AtomicBool>,
}

impl PipeWriter {
    /// Set once a write has failed, because the reading end was dropped.
    pub fn reader_gone(&self) -> Arc<AtomicBool> {
        self.reader_gone.clone()
    }
}

/// The reading end of a pipe; it ends when the writing end is dropped.
#[derive(Debug)]
pub struct PipeReader {
    pieces: Receiver<Vec<u8>>,
    piece: io::Cursor<Vec<u8>>,
}

/// The pieces that a pipe holds.
const PIPE_PIECES: usize = 8;

/// Creates a pipe between two threads.
pub fn pipe() -> (PipeWriter, PipeReader) {
    let (sender, pieces) = sync_channel(PIPE_PIECES);
    let pipe = PipeWriter { pieces: sender, reader_gone: Arc::default() };
    (pipe, PipeReader { pieces, piece: io::Cursor::default() })
}

impl Write for PipeWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.pieces.send(bytes.to_vec()).is_err() {
            self.reader_gone.store(true, Ordering::Relaxed);
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Read for PipeReader {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.piece.read(into)? {
                0 if !into.is_empty() => match self.pieces.recv() {
                    Ok(piece) => self.piece = io::Cursor::new(piece),
                    Err(_) => return Ok(0),
                },
                read => return Ok(read),
            }
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;

    fn written() -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut writer = BackupWriter::begin(&mut bytes).unwrap();
        writer.file("format", 2, &b"1\n"[..]).unwrap();
        writer.entry(&(b"key".to_vec(), b"value".to_vec())).unwrap();
        writer.entry(&(b"kez".to_vec(), Vec::new())).unwrap();
        writer.end().unwrap();
        bytes
    }

    fn read(bytes: &[u8]) -> Result<(Vec<BackupPart>, Vec<u8>)> {
        let (mut parts, mut content) = (Vec::new(), Vec::new());
        let mut reader = BackupReader::begin(bytes)?;
        while let Some(part) = reader.next()? {
            if let BackupPart::File(_, length) = part {
                reader.file(length, &mut content)?;
            }
            parts.push(part);
        }
        Ok((parts, content))
    }

    #[test]
    fn what_was_written_is_read() {
        let (parts, content) = read(&written()).unwrap();
        let entry = |key: &[u8], value: &[u8]| BackupPart::Entry((key.to_vec(), value.to_vec()));
        let file = BackupPart::File("format".to_owned(), 2);
        assert_eq!(parts, [file, entry(b"key", b"value"), entry(b"kez", b"")]);
        assert_eq!(content, b"1\n");
    }

    #[test]
    fn a_backup_that_lacks_its_end_or_a_part_is_refused() {
        let whole = written();
        for length in 0..whole.len() {
            assert_eq!(
                read(&whole[..length]).unwrap_err().reason(),
                Reason::InvalidReply,
                "{length}"
            );
        }
        // Without the second entry.
        let end = whole.len() - 9;
        let cut = [&whole[..end - 12], &whole[end..]].concat();
        assert_eq!(read(&cut).unwrap_err().reason(), Reason::InvalidReply);
        for (at, byte) in [(0, b'p'), (8, 9), (whole.len() - 1, 0)] {
            let mut other = whole.clone();
            other[at] = byte;
            assert_eq!(read(&other).unwrap_err().reason(), Reason::InvalidReply, "{at}");
        }
    }

    #[test]
    fn lengths_above_the_limits_take_no_memory() {
        for lengths in [[MAX_KEY_BYTES + 1, 0], [1, u32::MAX], [1, MAX_VALUE_BYTES]] {
            let lengths = lengths.map(u32::to_be_bytes).concat();
            let bytes = [&MAGIC[..], &[ENTRY_TAG], &lengths, b"k"].concat();
            assert_eq!(read(&bytes).unwrap_err().reason(), Reason::InvalidReply);
        }
    }

    #[test]
    fn a_pipe_carries_bytes_until_its_writer_is_gone() {
        let (mut pipe, mut reader) = pipe();
        let writer = std::thread::spawn(move || {
            (0..100).for_each(|n| pipe.write_all(&[n; 1000]).unwrap());
        });
        let mut bytes = Vec::new();
        reader.read_to_end(&mut bytes).unwrap();
        writer.join().unwrap();
        assert!(bytes.len() == 100_000 && bytes.is_sorted());
        let (mut writer, reader) = super::pipe();
        let left = writer.reader_gone();
        drop(reader);
        assert!(!left.load(Ordering::Relaxed));
        assert_eq!(writer.write(b"1").unwrap_err().kind(), io::ErrorKind::BrokenPipe);
        assert!(left.load(Ordering::Relaxed));
    }
}
