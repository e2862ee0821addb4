//! A file of a local folder that stays open between reads.

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::ops::Range;
use std::fs::File;
use std::io;
use std::path::Path;

use prooflight_core::Result;

use crate::snapshot::format::failed;

/// A file that several threads can read at once.
#[derive(Debug)]
pub(super) struct LocalFile {
    name: String,
    #[cfg(unix)]
    file: File,
    // Reads move the position.
    #[cfg(not(unix))]
    file: std::sync::Mutex<File>,
}

impl LocalFile {
    pub(super) fn open(folder: &Path, name: &str) -> io::Result<Self> {
        let file = File::open(folder.join(name))?;
        #[cfg(not(unix))]
        let file = std::sync::Mutex::new(file);
        Ok(Self { name: name.to_string(), file })
    }

    /// Reads a range, truncated at the end of the file; `store_failed` if that fails.
    pub(super) fn read_range(&self, range: Range<u64>) -> Result<Vec<u8>> {
        let length = usize::try_from(range.end.saturating_sub(range.start)).unwrap_or(usize::MAX);
        let mut bytes = alloc::vec![0; length];
        let mut end = 0;
        while end < length {
            match self.read_at(&mut bytes[end..], range.start + end as u64) {
                Ok(0) => break,
                Ok(read) => end += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(failed(&self.name, &error)),
            }
        }
        bytes.truncate(end);
        Ok(bytes)
    }

    #[cfg(unix)]
    fn read_at(&self, bytes: &mut [u8], at: u64) -> io::Result<usize> {
        std::os::unix::fs::FileExt::read_at(&self.file, bytes, at)
    }

    #[cfg(not(unix))]
    fn read_at(&self, bytes: &mut [u8], at: u64) -> io::Result<usize> {
        use std::io::{Read, Seek, SeekFrom};

        let mut file = self.file.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        file.seek(SeekFrom::Start(at))?;
        file.read(bytes)
    }
}
