//! Small files that are replaced as a whole, and on disk once they are.

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use std::thread;
use std::time::Duration;

use prooflight_core::{Error, Reason, Result};

/// Atomically replaces a file. On success the new content is on disk; an interrupted call leaves the
/// old content or the new one.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> Result<()> {
    let mut tries = 1..=TRIES;
    loop {
        match try_replace(path, bytes) {
            // Connections and readers of files will end. Until then nothing is acknowledged.
            Err(error) if lacks_descriptors(&error) && tries.next().is_some() => {
                thread::sleep(Duration::from_millis(100));
            }
            written => return written.map_err(|error| failed(path, &error)),
        }
    }
}

/// How often a write is tried again, in steps of 100 ms, while there are too many open files.
const TRIES: u32 = 600;

/// Whether the process or the system has too many open files: `EMFILE`, `ENFILE`.
fn lacks_descriptors(error: &std::io::Error) -> bool {
    cfg!(unix) && matches!(error.raw_os_error(), Some(23 | 24))
}

fn try_replace(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let new = path.with_extension("new");
    let mut file = File::create(&new)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    fs::rename(new, path)?;
    match path.parent() {
        Some(folder) => File::open(folder)?.sync_all(),
        None => Ok(()),
    }
}

#[cold]
pub(crate) fn failed(path: &Path, error: &std::io::Error) -> Error {
    Error::new(Reason::StoreFailed, format_args!("to read and write {}", path.display()), error)
}
