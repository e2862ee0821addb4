//! The bytes of the files: their names, sections, records and links. Reads and writes no file.

pub(super) mod clusters;
mod error;
mod file_name;
pub(super) mod header;
pub(super) mod link;
pub(super) mod manifest;
mod node_ref;
pub(super) mod record;

pub(super) use error::{corrupt, failed, missing};
pub use file_name::file_name;
pub(super) use file_name::last_block;
pub(super) use node_ref::{NodePosition, NodeRef};
