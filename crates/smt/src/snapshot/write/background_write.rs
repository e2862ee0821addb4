//! Writes a file, immediately or on another thread.

use std::thread::{self, JoinHandle};

use prooflight_core::{Error, Reason, Result};

use super::group::FinishedFile;
use crate::snapshot::files::SnapshotFiles;
use crate::snapshot::format::file_name;
use crate::snapshot::format::manifest::Manifest;

/// A file being written on another thread. Dropping it waits for the write, since writes must not
/// overlap.
#[derive(Debug)]
pub(super) struct BackgroundWrite(Option<JoinHandle<Result<Manifest>>>);

impl BackgroundWrite {
    /// Returns `None` if no thread can be started.
    pub(super) fn start(
        files: SnapshotFiles,
        file: FinishedFile,
        manifest: Manifest,
    ) -> Option<Self> {
        let work = move || write_file(&files, &file, manifest);
        thread::Builder::new().spawn(work).ok().map(|thread| Self(Some(thread)))
    }

    pub(super) fn wait(mut self) -> Result<Manifest> {
        self.0.take().and_then(|thread| thread.join().ok()).unwrap_or_else(|| {
            Err(Error::new(
                Reason::StoreFailed,
                "a thread that writes the file",
                "one that panicked",
            ))
        })
    }
}

impl Drop for BackgroundWrite {
    fn drop(&mut self) {
        if let Some(thread) = self.0.take() {
            let _ = thread.join();
        }
    }
}

/// Writes a file, then, once it is durable, the manifest that names it.
pub(super) fn write_file(
    files: &SnapshotFiles,
    file: &FinishedFile,
    manifest: Manifest,
) -> Result<Manifest> {
    files.write(&file_name(file.last), file.payload.clone())?;
    files.write_manifest(&manifest)?;
    Ok(manifest)
}
