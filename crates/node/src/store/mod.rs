//! What the node keeps on disk, all of it in one ordered store. Source: `docs/storage.md`.

mod anchor;
mod embedded;
mod namespace;

pub use anchor::Anchor;
pub use embedded::{EmbeddedSnapshot, EmbeddedStore};
pub use namespace::Namespace;

use prooflight_core::{Error, Reason};

/// An error that names what in the store is not as it was written.
#[cold]
pub fn corrupt(expected: impl core::fmt::Display, found: impl core::fmt::Display) -> Error {
    Error::new(Reason::StoreCorrupt, expected, found)
}
