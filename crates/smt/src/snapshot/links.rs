//! Compares the headers of files with each other, from the newest file back, without reading the rest.

use alloc::vec::Vec;

use prooflight_core::{Reason, Result};

use super::check::{Damage, read_header};
use super::corrupt;
use super::files::file_name;
use super::reader::SnapshotReader;
use super::together::together;

/// The files of a part.
const FILES: u64 = 64;

/// What was found in a part of the files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckedLinks {
    /// The files that are missing, or whose headers are damaged or of another chain.
    pub damage: Vec<Damage>,
    /// The block with which to go on; `None` if the oldest file was reached.
    pub next: Option<u64>,
}

impl SnapshotReader {
    /// Checks that each of some files before block `last`, the last one of its file, has the header that the next file
    /// links to, beginning with that file.
    ///
    /// The bodies need no such check: whatever a proof uses of them is hashed. Errors are those of reading.
    pub fn check_links(&self, last: u64) -> Result<CheckedLinks> {
        let (files, kept) = (self.files(), self.kept());
        let lasts = (0..=FILES).map_while(|number| {
            let last = last.checked_sub(number * kept.blocks_per_file)?;
            (last >= kept.oldest).then_some(last)
        });
        let lasts: Vec<u64> = lasts.collect();
        let headers = together(&lasts, |last| read_header(files, *last));
        let (mut damage, mut expected) = (Vec::new(), None);
        for (&at, header) in lasts.iter().zip(headers) {
            let file = file_name(at);
            let found = header.and_then(|(header, checksum)| {
                let is_linked = expected.is_none_or(|expected| expected == checksum);
                if header.last == at && is_linked {
                    return Ok(header.previous);
                }
                Err(corrupt(&file, "the header that the next file links to", "another one"))
            });
            expected = match found {
                Ok(previous) => Some(previous),
                Err(error) if error.reason() == Reason::StoreCorrupt => {
                    // The first file was the last one of the part before.
                    damage.push(Damage { file, error });
                    None
                }
                Err(error) => return Err(error),
            };
        }
        // The last file is the first one of the next part, which it links to.
        let next = lasts.last().copied().filter(|_| lasts.len() as u64 > FILES);
        Ok(CheckedLinks { damage, next })
    }
}
