//! The node's persistent data, all in one ordered store. Source: `docs/storage.md`.

mod anchor;
mod namespace;

pub use anchor::Anchor;
pub use namespace::Namespace;
pub use prooflight_core::store::corrupt;
pub use prooflight_embedded::{EmbeddedSnapshot, EmbeddedStore};

use std::path::Path;

use prooflight_core::Result;

/// The prefixes whose keys get a keyspace each: bodies of blocks, the raw state, and each scheme's data (`block.rs`)
/// except that of `smt`, which has files. The nodes of `avl` and `mpt` and of the trees of `lvmt` have their own too.
///
/// Some keyspaces only grow at their end, others change at random keys. Compacted together, even a few records that
/// each block writes would cause the former to be rewritten repeatedly. Changing this list changes the format of
/// the folder (`format.rs`).
pub(crate) const SEPARATE_PREFIXES: [&[u8]; 11] = [
    b"b", b"s", b"x\x01", b"x\x01n", b"x\x02", b"x\x02t", b"x\x02u", b"x\x04", b"x\x04n", b"x\x05",
    b"x\x06",
];

/// Opens a chain's store in its own folder, which is created if it does not exist.
///
/// `store_failed` if another process has it open, `store_corrupt` if its files are damaged.
pub fn open(folder: &Path) -> Result<EmbeddedStore> {
    EmbeddedStore::open_divided(folder, &SEPARATE_PREFIXES)
}
