//! The node's persistent data, all in one ordered store. Source: `docs/storage.md`.

mod anchor;
pub(crate) mod durable;
mod namespace;

pub use anchor::Anchor;
pub use namespace::Namespace;
pub use prooflight_core::store::corrupt;
pub use prooflight_embedded::{EmbeddedSnapshot, EmbeddedStore};
