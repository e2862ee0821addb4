//! The names of the files.

use alloc::format;
use alloc::string::String;

/// Returns the name of the file whose group ends with this block. Names sort in block order.
pub fn file_name(last: u64) -> String {
    format!("{last:016}.smt")
}

/// Returns the last block of the group in the file with this name.
pub(crate) fn last_block(name: &str) -> Option<u64> {
    let last = name.strip_suffix(".smt")?.parse().ok()?;
    (file_name(last) == name).then_some(last)
}
