//! The last acknowledged block, recorded outside the store.
//!
//! A store that finds the end of its log damaged takes it for an interrupted write and drops it.
//! That is right for a write that was never acknowledged, but wrong for a block that was served:
//! the node would sign another block at the same height. The anchor tells the two cases apart.

use std::fs::{self, File};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use prooflight_core::{Error, Hash, Reason, Result, blake2b256};

use super::corrupt;

const LENGTH: usize = 8 + 32 + 32;

/// The file with the height and hash of the last acknowledged block.
#[derive(Debug)]
pub struct Anchor {
    path: PathBuf,
}

impl Anchor {
    /// Creates an anchor in this file, which need not exist.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }

    /// Returns the height and hash written last, or `None` if nothing was written.
    ///
    /// `store_corrupt` if the file is damaged.
    pub fn read(&self) -> Result<Option<(u64, Hash)>> {
        let bytes = match fs::read(&self.path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(failed(&self.path, &error)),
        };
        let damaged =
            || corrupt(format_args!("an anchor in {}", self.path.display()), "other bytes");
        let bytes: &[u8; LENGTH] = bytes.as_slice().try_into().map_err(|_| damaged())?;
        let (content, checksum) = bytes.split_at(LENGTH - 32);
        if blake2b256(&[content]) != checksum {
            return Err(damaged());
        }
        let (height, hash) = content.split_at(8);
        match (height.try_into(), hash.try_into()) {
            (Ok(height), Ok(hash)) => Ok(Some((u64::from_be_bytes(height), hash))),
            _ => Err(damaged()),
        }
    }

    /// Atomically replaces the height and hash. On success the new ones are on disk; an interrupted
    /// call leaves the old or the new ones.
    pub fn write(&self, height: u64, hash: &Hash) -> Result<()> {
        let content = [&height.to_be_bytes()[..], hash].concat();
        let bytes = [&content[..], &blake2b256(&[&content])].concat();
        let new = self.path.with_extension("new");
        let mut tries = 1..=TRIES;
        loop {
            match replace(&new, &self.path, &bytes) {
                // Connections and readers of files will end. Until then nothing is acknowledged.
                Err(error) if lacks_descriptors(&error) && tries.next().is_some() => {
                    thread::sleep(Duration::from_millis(100));
                }
                written => return written.map_err(|error| failed(&self.path, &error)),
            }
        }
    }
}

/// How often a write is tried again, in steps of 100 ms, while there are too many open files.
const TRIES: u32 = 600;

/// Whether the process or the system has too many open files: `EMFILE`, `ENFILE`.
fn lacks_descriptors(error: &std::io::Error) -> bool {
    cfg!(unix) && matches!(error.raw_os_error(), Some(23 | 24))
}

fn replace(new: &Path, path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let mut file = File::create(new)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    fs::rename(new, path)?;
    match path.parent() {
        Some(folder) => File::open(folder)?.sync_all(),
        None => Ok(()),
    }
}

#[cold]
fn failed(path: &Path, error: &std::io::Error) -> Error {
    Error::new(Reason::StoreFailed, format_args!("to read and write {}", path.display()), error)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;

    #[test]
    fn every_changed_bit_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("anchor");
        let anchor = Anchor::new(&path);
        assert_eq!(anchor.read(), Ok(None));
        anchor.write(6, &[1; 32]).unwrap();
        anchor.write(7, &[2; 32]).unwrap();
        assert_eq!(anchor.read(), Ok(Some((7, [2; 32]))));
        let bytes = fs::read(&path).unwrap();
        for bit in 0..bytes.len() * 8 {
            let mut damaged = bytes.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            fs::write(&path, damaged).unwrap();
            assert_eq!(anchor.read().unwrap_err().reason(), Reason::StoreCorrupt);
        }
        fs::write(&path, &bytes[1..]).unwrap();
        assert_eq!(anchor.read().unwrap_err().reason(), Reason::StoreCorrupt);
    }
}
