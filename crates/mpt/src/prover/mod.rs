//! The prover: tries kept in a store with all their revisions, and proofs about them.
//!
//! Only the root is held in memory: a batch reads the nodes on the paths of its keys, changes them
//! in an [`Overlay`](overlay::Overlay), and returns what must be written. Roots and proofs are
//! Ethereum's.

mod account_proof;
mod chain;
mod changed_trie;
mod entry;
mod keys;
mod node;
mod overlay;
mod persistent;
mod record;
mod state;
mod trie;

pub use account_proof::AccountProof;
pub use chain::{MptReader, MptState};
pub use changed_trie::ChangedTrie;
pub use keys::ProvedKeys;
pub use persistent::{PersistentTrie, PreparedTrie, ProvedKey, prove_at};
pub use record::TrieRoot;
pub use state::{PersistentState, ProvedAccount, ProvedSlot, StateChange, prove_state_at};
