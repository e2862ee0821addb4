//! The authorities of a chain: their keys, and signing for a remote leader.
//!
//! An authority on its own machine executes what the leader proposes and signs it. It asks the leader,
//! never the reverse, so it needs no open port. Its [`SigningMemory`] is on disk before a signature leaves it:
//! whatever happens, it signs at most one header of a height.

mod judge;
mod memory;
mod peer;
mod refusal;

pub(crate) use judge::examine;
pub use judge::{Authority, HeaderSignature};
pub use memory::SigningMemory;
pub use peer::{AuthorityPeer, AuthorityStatus};
pub use refusal::Refusal;
pub(crate) use refusal::check_signature;
