//! Small files that are replaced atomically and durably.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;
use std::thread;
use std::time::Duration;

use prooflight_core::{Error, Reason, Result};

/// Atomically replaces a file. On success the new content is on disk; an interrupted call leaves the
/// old content or the new one.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> Result<()> {
    let mut retries = 1..=MAX_REPLACE_RETRIES;
    loop {
        match try_replace(path, bytes) {
            // Descriptors become free when connections and reads end. Nothing is acknowledged before that.
            Err(error) if lacks_descriptors(&error) && retries.next().is_some() => {
                thread::sleep(Duration::from_millis(100));
            }
            written => return written.map_err(|error| failed(path, &error)),
        }
    }
}

/// Syncs a file and its folder. A process that was killed in [`replace`] may have left content that is only in
/// the system's cache: it can be read, but after a power failure the old content would be back.
pub(crate) fn make_durable(path: &Path) -> Result<()> {
    sync(path).and_then(|()| sync_folder_of(path)).map_err(|error| failed(path, &error))
}

/// The number of retries of a write, 100 ms apart, while there are too many open files.
const MAX_REPLACE_RETRIES: u32 = 600;

/// Whether the process or the system has too many open files: `EMFILE`, `ENFILE`.
fn lacks_descriptors(error: &io::Error) -> bool {
    cfg!(unix) && matches!(error.raw_os_error(), Some(23 | 24))
}

fn try_replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let new = path.with_extension("new");
    let mut file = File::create(&new)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    fs::rename(new, path)?;
    sync_folder_of(path)
}

fn sync_folder_of(path: &Path) -> io::Result<()> {
    path.parent().map_or(Ok(()), sync)
}

/// Syncs a file, or the names in a folder, to disk.
pub(crate) fn sync(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()?;
    #[cfg(test)]
    SYNCED.with_borrow_mut(|synced| synced.push(path.to_owned()));
    Ok(())
}

#[cfg(test)]
thread_local! {
    /// The paths that this thread has synced.
    static SYNCED: core::cell::RefCell<Vec<std::path::PathBuf>> = const { core::cell::RefCell::new(Vec::new()) };
}

/// Returns the paths that this thread has synced since the last call.
#[cfg(test)]
pub(crate) fn synced() -> Vec<std::path::PathBuf> {
    SYNCED.take()
}

#[cold]
pub(crate) fn failed(path: &Path, error: &io::Error) -> Error {
    Error::new(Reason::StoreFailed, format_args!("to read and write {}", path.display()), error)
}
