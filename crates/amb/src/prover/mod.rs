//! The state of a chain in a store, and the proofs of every kind.
//!
//! A page is a largest subtree of at most 64 entries; the branches above are in memory. A page or a past version
//! is read when a block or a proof needs it.
//!
//! | key | value |
//! |---|---|
//! | `b` key length u16, key | of an entry that the store began with: the number of versions that it lacks u64, the roots over them |
//! | `h` block u64 | of the newest block: the record of the tree |
//! | `s` first key | of a page: its record |
//! | `p` first key | of a page: its entries, ascending |
//! | `v` key length u16, key, number u64 | a past version |
//! | `w` key length u16, key, number u64 | the value of a version, if it has more than 256 bytes |
//!
//! All integers are big-endian. Records but `w` end with a checksum over key and value. `entry.rs` and
//! `stored_version.rs` have the formats of entries and of past versions.
//!
//! # Damage
//!
//! A lost record, or an older copy of one, is reported as `store_corrupt` before it leads to a wrong root or proof.
//!
//! | damage | found |
//! |---|---|
//! | a changed byte | by a checksum, or by the hash of a value, when it is read |
//! | a lost newest block, or one too many | at opening |
//! | a lost or older record of a page, or one too many | at opening: the root over the pages is another |
//! | a lost page | when it is read |
//! | an older page | when it is read: it has fewer entries, or an older newest one |
//! | a lost past version or value | when it is read |

mod assembly;
mod block;
mod branches;
mod cutter;
mod draft;
mod entry;
mod hashing;
mod node;
mod open;
mod page;
mod past;
mod piece;
mod prove;
mod route;
mod state;
mod stored_record;
mod stored_version;
mod top;
mod write;

pub use assembly::{ReceivedPage, StateAssembly};
pub use cutter::PageSize;
pub use prove::StateProver;
pub use state::{AmbBlock, AmbReader, AmbState, RECENT_BLOCKS};

/// The most entries of a page.
const MAX_PAGE_ENTRIES: u64 = 64;

/// The longest value, in bytes, that is stored with its version.
const MAX_INLINE_BYTES: usize = 256;
