//! Refuses intact files that do not belong to the chain: files of another chain, a fork or another
//! block.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use prooflight_core::{Error, Hash, Hex, Reason, Result};

use crate::snapshot::files::SnapshotFiles;
use crate::snapshot::files::check::read_header;
use crate::snapshot::format::last_block;

/// Returns `store_corrupt` if the root in a file differs from the chain's root after the file's
/// last block.
///
/// `root_of` returns that root, or `None` for a block that the chain does not have. Damaged files
/// are skipped, since they do not show where they belong.
pub(super) fn refuse_foreign(
    files: &SnapshotFiles,
    root_of: &dyn Fn(u64) -> Result<Option<Hash>>,
) -> Result<()> {
    let mut foreign: Vec<(String, String)> = Vec::new();
    for name in files.list()?.into_keys() {
        let Some(last) = last_block(&name) else { continue };
        let header = match read_header(files, last) {
            Ok((header, _)) => header,
            Err(error) if error.reason() == Reason::StoreCorrupt => continue,
            Err(error) => return Err(error),
        };
        let found = match root_of(last)? {
            _ if header.last != last => format!("the file of block {}", header.last),
            Some(root) if root == header.root_hash => continue,
            Some(root) => {
                let found = Hex(&header.root_hash);
                format!("one with the root {found} after block {last}, not {}", Hex(&root))
            }
            None => format!("one of block {last}, which the chain does not have"),
        };
        foreign.push((name, found));
    }
    let [(first, found), rest @ ..] = &foreign[..] else { return Ok(()) };
    let which = match rest {
        [] => "it".into(),
        [.., (last, _)] => format!("it and {} more up to {last}", rest.len()),
    };
    let expected = format_args!(
        "{first} of this chain, not of another chain, fork or block; nothing was written: move {which} out \
         of the folder and start again, which makes what is missing from the blocks"
    );
    Err(Error::new(Reason::StoreCorrupt, expected, found))
}
