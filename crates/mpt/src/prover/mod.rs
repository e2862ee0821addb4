//! The prover: tries that are kept in a store, each of their versions, and the proofs about them.
//!
//! Nothing is held in memory but the root: a batch reads the nodes on its keys' paths, changes them in
//! an [`Overlay`](overlay::Overlay), and says what has to be written. Roots and proofs are those of
//! Ethereum.

mod account_proof;
mod chain;
mod encode;
mod entry;
mod node;
mod overlay;
mod persistent;
mod record;
mod state;
mod trie;

pub use account_proof::AccountProof;
pub use chain::{MptReader, MptState};
pub use persistent::{Change, PersistentTrie, PreparedTrie, ProvedKey, prove_at};
pub use state::{PersistentState, ProvedAccount, ProvedSlot, StateChange, prove_state_at};
