//! Compares the headers of files with each other, from the newest file back, without reading the rest.

use alloc::vec::Vec;

use prooflight_core::{Reason, Result};

use super::reader::SnapshotReader;
use crate::snapshot::files::FileDamage;
use crate::snapshot::files::check::read_header;
use crate::snapshot::format::{corrupt, file_name};
use crate::snapshot::remote::parallel_map;

/// The most files before the first one that a call checks.
const FILES_PER_CHECK: u64 = 64;

/// The result of checking the headers of some files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkReport {
    /// The files that are missing, or whose headers are damaged or of another chain.
    pub damage: Vec<FileDamage>,
    /// The block to continue with; `None` if the oldest file was reached.
    pub next: Option<u64>,
}

impl SnapshotReader {
    /// Checks the headers of the file that ends with block `last` and of up to 64 files before it: each must be the
    /// header that the next file links to.
    ///
    /// The bodies need no check: everything that a proof uses of them is hashed. Errors are those of
    /// reading.
    pub fn check_links(&self, last: u64) -> Result<LinkReport> {
        let (files, kept) = (self.files(), self.kept_blocks());
        let lasts = (0..=FILES_PER_CHECK).map_while(|number| {
            let last = last.checked_sub(number * kept.blocks_per_file)?;
            (last >= kept.oldest).then_some(last)
        });
        let lasts: Vec<u64> = lasts.collect();
        let headers = parallel_map(&lasts, |last| read_header(files, *last));
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
                    // The first file of this call was the last one of the call before.
                    damage.push(FileDamage { file, error });
                    None
                }
                Err(error) => return Err(error),
            };
        }
        // The last file is also the first one of the next call, which compares its link.
        let next = lasts.last().copied().filter(|_| lasts.len() as u64 > FILES_PER_CHECK);
        Ok(LinkReport { damage, next })
    }
}
