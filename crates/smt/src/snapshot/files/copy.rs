//! Copies the files of a folder while its writer continues.

use bytes::Bytes;
use prooflight_core::{Error, Reason, Result};

use super::SnapshotFiles;
use super::check::read_header;
use crate::snapshot::format::last_block;
use crate::snapshot::format::manifest::{MANIFEST_NAME, Manifest};

impl SnapshotFiles {
    /// Passes each file with blocks up to `newest` to `put`, with its name, and finally a manifest that covers them.
    ///
    /// The writer may remove files in the meantime; then fewer blocks are kept in the copy.
    /// `version_unavailable` if none of them is.
    pub fn copy(&self, newest: u64, put: &mut dyn FnMut(&str, Bytes) -> Result<()>) -> Result<()> {
        let Some(manifest) = self.manifest()? else { return Ok(()) };
        let newest = newest.min(manifest.newest);
        let mut copied = None;
        for name in self.list()?.into_keys() {
            let Some(last) = last_block(&name).filter(|last| *last <= newest) else { continue };
            // A file that no kept block needs may have been removed.
            if let Some(bytes) = self.read(&name)? {
                put(&name, bytes)?;
                copied = Some(last);
            }
        }
        let Some(newest) = copied else { return Ok(()) };
        // Files are removed only after the manifest has said that their blocks are no longer kept.
        let kept = self.manifest()?.map_or(manifest.oldest, |kept| kept.oldest);
        if kept > newest {
            let expected = format_args!("block {newest} to be kept until it is copied");
            return Err(Error::new(
                Reason::VersionUnavailable,
                expected,
                format_args!("{kept} and later"),
            ));
        }
        let (_, newest_header) = read_header(self, newest)?;
        let covering = Manifest { oldest: kept, newest, newest_header, ..manifest };
        put(MANIFEST_NAME, covering.encode().to_vec().into())
    }
}
